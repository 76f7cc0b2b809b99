// Packets between sites over a few parallel paths of any rate and delay: of two sites a dumbbell, of more a
// star.
//
// A site is a switch with its hosts, a path a switch half-way between all sites with a long link to each: a
// folded Clos network of two tiers whose leaves are the sites and whose uplinks are the paths. So each site
// has a path's rate for all others together, and all are equally far apart. The network inside a site is one
// delay and never full but at its hosts' links.
#pragma once

#include <cstdint>
#include <functional>

#include "trainyard/packet_records.h"
#include "trainyard/simulation_progress.h"
#include "trainyard/units.h"

namespace trainyard {

enum class Transport;
struct Scenario;

/// One run of [long_haul].
struct LongHaulCase {
  Transport transport{};  // one that sends packets
  Bytes bytes;            // that every host sums with its counterparts
  double bit_error_rate = 0;
  bool wide_area_first = false;  // before what stays inside a site
  unsigned threads = 1;
};

struct LongHaulResult {
  LongHaulCase run;
  std::int64_t flows = 0;  // between the sites
  Seconds ideal;           // the least time until all of them have arrived, without losses
  Seconds exchange;        // until all of them have
  // Completion times of those flows: from the start to the last byte's arrival.
  Seconds median;
  Seconds p99;
  Seconds longest;
  Seconds local_longest;  // of flows inside a site; 0: none
  double overhead = 0;    // data packets sent beyond those that the flows have, over these
  packet::Counters counters;
};

/// `progress` is called often. Throws InputError for settings that cannot be simulated, or only in more time
/// or memory than there is.
LongHaulResult simulate_long_haul(const Scenario& scenario, const LongHaulCase& run,
                                  const std::function<void(const SimulationProgress&)>& progress = {});

}  // namespace trainyard
