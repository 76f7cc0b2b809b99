// What a part of a training step takes, by both models.
#pragma once

#include <string>

#include "trainyard/units.h"

namespace trainyard {

/// A part of a step's time by both models; the parts add up to the whole.
struct StepEffect {
  std::string what;  // "tensor"
  Seconds plan;
  Seconds step;
  bool is_transfer = false;  // else compute, with what waits for it, or the optimizer
};

}  // namespace trainyard
