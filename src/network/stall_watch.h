// Stops a run that goes on for ever: nothing arrives for thousands of timeouts after the last flow began or
// the last link changed, or the same bytes arrive again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/run_outcome.h"
#include "network/wiring/faults.h"
#include "trainyard/flow.h"
#include "trainyard/picoseconds.h"
#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

class StallWatch {
 public:
  /// `hosts_of_device`: of the flows' ends, by which their numbers are said.
  StallWatch(const Scenario& scenario, const std::vector<workload::Flow>& flows,
             const std::vector<wiring::Fault>& faults, std::uint32_t hosts_of_device)
      : scenario_(scenario), flows_(flows), faults_(faults), hosts_of_device_(hosts_of_device) {}

  /// Throws InputError that names a flow which does not end. `patience`: of silence.
  void check(const packet::WindowSummary& now, Picoseconds patience);

 private:
  Picoseconds last_event(Picoseconds now) const;
  bool arrives_in_vain(const packet::WindowSummary& now);
  std::size_t first_going_on() const;

  const Scenario& scenario_;
  const std::vector<workload::Flow>& flows_;
  const std::vector<wiring::Fault>& faults_;
  std::uint32_t hosts_of_device_;
  std::uint64_t delivered_before_ = 0;
  Picoseconds quiet_since_ = 0;
  std::uint64_t finished_before_ = 0;
  std::uint64_t delivered_since_ = 0;  // bytes until a flow last ended
  double vain_above_ = 0;              // bytes from there on, above which it is looked at
};

}  // namespace trainyard
