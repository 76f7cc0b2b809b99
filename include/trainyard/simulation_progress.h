// How far a simulation has come.
#pragma once

#include <cstdint>

#include "trainyard/units.h"

namespace trainyard {

/// How far a run has come.
struct SimulationProgress {
  std::uint64_t flows_finished = 0;
  std::uint64_t flows = 0;
  Bytes delivered;
  Bytes bytes;  // of all flows
  Seconds now;  // simulated
  std::uint64_t events = 0;
};

}  // namespace trainyard
