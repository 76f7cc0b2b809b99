// Work on a range of numbers that all ranks of a run do together.
#pragma once

#include <functional>
#include <string>

#include "ranks/stretches.h"

namespace trainyard {

struct SharedWork {
  /// Of the question: ranks that read something else do not work on it.
  std::string identity;

  // Rank 0:
  Stretches* stretches = nullptr;              // what is left
  std::function<std::string(Stretch)> inform;  // what another rank has to know for a stretch
  std::function<void(Stretch, const std::string& outcome)> take;

  // The others:
  std::function<std::string(Stretch, const std::string& information)> work;
};

}  // namespace trainyard
