// Stops a run that goes on for ever: after the last flow began and the last link changed nothing arrives for
// longer than anything can take, or the same bytes arrive again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "network/packet/run_outcome.h"
#include "network/packet/transports/patience.h"
#include "network/wiring/faults.h"
#include "trainyard/flow.h"
#include "trainyard/picoseconds.h"
#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

class StallWatch {
 public:
  /// `hosts_of_device`: of the flows' ends, by which their numbers are said. `held_back`: for which flows are
  /// kept from sending, once the run has begun. `received_bytes`: payload that
  /// has arrived of flows that go on, each packet once; asked for rarely.
  StallWatch(const Scenario& scenario, const std::vector<workload::Flow>& flows,
             const std::vector<wiring::Fault>& faults, std::uint32_t hosts_of_device,
             const packet::Patience& patience, const Picoseconds& held_back,
             const std::function<std::uint64_t()>& received_bytes)
      : scenario_(scenario),
        flows_(flows),
        faults_(faults),
        hosts_of_device_(hosts_of_device),
        patience_(patience),
        held_back_(held_back),
        received_bytes_(received_bytes) {}

  /// Throws InputError that names a flow which does not end.
  void check(const packet::WindowSummary& now);

 private:
  Picoseconds last_event(Picoseconds now) const;
  bool arrives_in_vain(const packet::WindowSummary& now);
  /// Counts what arrives anew.
  void count_from(const packet::WindowSummary& now, double look_above);
  std::size_t first_going_on() const;

  const Scenario& scenario_;
  const std::vector<workload::Flow>& flows_;
  const std::vector<wiring::Fault>& faults_;
  std::uint32_t hosts_of_device_;
  packet::Patience patience_;
  const Picoseconds& held_back_;
  const std::function<std::uint64_t()>& received_bytes_;
  std::uint64_t delivered_before_ = 0;
  Picoseconds quiet_since_ = 0;
  std::uint64_t finished_before_ = 0;
  std::uint64_t received_before_ = 0;
  // Of what arrives, since a flow last ended or was seen to have got on.
  Picoseconds counted_from_ = 0;
  std::uint64_t delivered_before_count_ = 0;
  double look_above_ = 0;  // bytes
};

}  // namespace trainyard
