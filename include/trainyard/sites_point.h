// What an exchange of gradients between sites costs, and how much of it a step has to wait for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/units.h"
#include "trainyard/wide_area_input.h"

namespace trainyard {

/// A way to sum `chunk` bytes of each device over sites. Times of one device's chunk; all devices alike.
struct SiteExchange {
  WideAreaExchange kind = WideAreaExchange::all_pairs;
  double sent_chunks = 0;   // that the busiest site sends or receives for each device
  Seconds delay;            // of propagation on the critical way
  std::int64_t rounds = 0;  // transfers that follow each other, each of which losses can delay
};

/// A number of sites.
struct SitesPoint {
  std::int64_t sites = 1;
  std::string infeasible;          // why there is no plan; empty: there is one
  std::vector<std::string> notes;  // what to know before it is compared with other numbers of sites
  SiteExchange exchange;
  Seconds longest_rtt;
  Bytes chunk;               // of a device and layer, summed over sites
  Bytes sent;                // by the busiest site for each device and layer, compressed and coded
  double repeats = 0;        // expected rounds of repeats of a layer's exchange
  Seconds time;              // of a layer's exchange between sites
  Seconds exposed;           // beyond the backward pass of a layer, a batch, all stages of the exchange
  Seconds added;             // of it, by the wide area
  double exposed_share = 0;  // of all communication, of a layer in steady state, as step.exposed_share
  Seconds step;              // of a batch by assumptions.step_rule
  double added_share = 0;    // of the step, by the wide area
  /// Least for a device at which any allowed exchange hides, but for its delays where times are calibrated;
  /// none: none.
  std::optional<BitRate> hiding_rate;
};

}  // namespace trainyard
