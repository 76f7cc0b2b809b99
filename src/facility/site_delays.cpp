#include "facility/site_delays.h"

#include <cstddef>

#include "facility/geo.h"
#include "trainyard/scenario.h"
#include "trainyard/wide_area_input.h"

namespace trainyard {

std::vector<std::vector<Seconds>> site_delays(const Scenario& scenario, std::int64_t sites) {
  const WideAreaInput& w = scenario.wide_area;
  const auto k = static_cast<std::size_t>(sites);
  const bool by_region = w.exchange == WideAreaExchange::regions;
  const auto region = static_cast<std::size_t>(w.region_sites);
  std::vector<std::vector<Seconds>> out(k, std::vector<Seconds>(k));
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      if (a == b) continue;
      Seconds rtt = by_region && a / region == b / region ? w.region_rtt : scenario.network.wide_area_rtt;
      if (!w.sites.empty()) {
        const GeoPoint from{w.sites[a][0], w.sites[a][1]};
        const GeoPoint to{w.sites[b][0], w.sites[b][1]};
        rtt = Seconds(1e-3 * distance_km(from, to) * round_trip_ms_per_km(w.fibre_ratio, w.refractive_index));
      }
      out[a][b] = rtt / 2;
    }
  }
  return out;
}

}  // namespace trainyard
