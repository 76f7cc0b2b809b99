// [wide_area] and [long_haul]: sites that train one model together, and packets between two of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

enum class Transport;

/// How sites sum their gradients.
enum class WideAreaExchange { best, all_pairs, scatter, ring, tree, regions };

/// [wide_area]: the exchange between sites in closed form.
struct WideAreaInput {
  std::vector<std::vector<double>> sites;  // latitude and longitude; empty: all network.wide_area_rtt apart
  double fibre_ratio = 1.3;                // length of a route over the great circle
  double refractive_index = 1.468;
  std::int64_t most_sites = 8;
  WideAreaExchange exchange = WideAreaExchange::best;
  std::int64_t region_sites = 2;
  Seconds region_rtt{2e-3};
  double compression = 1;       // bytes of gradients over bytes sent
  std::int64_t sync_every = 1;  // batches
  double bit_error_rate = 0;
  double packet_loss = 0;
  Bytes packet{4096};
  std::int64_t code_data = 20;
  std::int64_t code_parity = 0;
  double largest_exposed_share = 0.05;
};

/// [long_haul]: packets between sites.
struct LongHaulInput {
  std::int64_t sites = 2;
  WideAreaExchange exchange = WideAreaExchange::all_pairs;
  std::int64_t senders = 4;
  BitRate host_rate{100e9};
  Seconds site_delay{20e-6};
  std::vector<BitRate> path_rates = {BitRate(100e9)};
  std::vector<Seconds> path_rtts = {Seconds(0.060)};
  std::optional<Bytes> bytes;
  bool both_directions = true;
  std::vector<Transport> transports;  // empty: the four of the documents
  std::vector<double> bit_error_rates = {0};
  std::optional<Bytes> queue;
  std::int64_t window = 10;
  std::int64_t local_flows = 0;
  Bytes local_bytes{20e6};
};

}  // namespace trainyard
