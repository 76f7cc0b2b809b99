// Stops a run that goes on for ever: nothing arrives for thousands of timeouts, or the same again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/run_outcome.h"
#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

class StallWatch {
 public:
  StallWatch(const Scenario& scenario, const std::vector<workload::Flow>& flows, Bytes all_bytes)
      : scenario_(scenario), flows_(flows), all_bytes_(all_bytes) {}

  /// Throws InputError that names a flow which does not end.
  void check(const packet::WindowSummary& now, Picoseconds timeout);

 private:
  const Scenario& scenario_;
  const std::vector<workload::Flow>& flows_;
  Bytes all_bytes_;
  std::uint64_t delivered_before_ = 0;
  Picoseconds delivered_at_ = 0;
};

}  // namespace trainyard
