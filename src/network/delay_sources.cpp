#include "network/delay_sources.h"

#include <algorithm>
#include <optional>

#include "network/simulation_case.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

using packet::Layout;

/// That of a tier of links that has such a delay of its own.
std::optional<Location> tier_with(const Scenario& scenario, Picoseconds delay) {
  for (const TierInput& tier : scenario.tiers) {
    if (tier.delay && picoseconds(*tier.delay) == delay) return place_of(tier.places, "delay");
  }
  return std::nullopt;
}

/// That of the failure which leaves the least of a rate.
std::optional<Location> slowest_failure(const Scenario& scenario) {
  const FailureInput* slowest = nullptr;
  for (const FailureInput& failure : scenario.failures) {
    if (failure.rate_share.value_or(0) > 0 && (!slowest || *failure.rate_share < *slowest->rate_share))
      slowest = &failure;
  }
  if (!slowest) return std::nullopt;
  return place_of(slowest->places, "rate_share");
}

/// What keeps datacenters apart.
Location distance_setting(const Scenario& scenario, Picoseconds delay) {
  const WideAreaInput& w = scenario.wide_area;
  if (!w.sites.empty()) return whole("wide_area.sites");
  const bool in_region =
      w.exchange == WideAreaExchange::regions && delay != picoseconds(scenario.network.wide_area_rtt / 2);
  return whole(in_region ? "wide_area.region_rtt" : "network.wide_area_rtt");
}

class DelaySettings {
 public:
  explicit DelaySettings(const SimulationCase& asked)
      : asked_(asked), usual_(picoseconds(asked.input().link_delay)) {
    domain_ =
        asked.joined() && asked.input().domain_delay ? picoseconds(*asked.input().domain_delay) : usual_;
  }

  Location of_shortest(Picoseconds delay) const {
    if (asked_.topology) return whole(asked_.name);
    if (const auto tier = tier_with(asked_.scenario, delay)) return *tier;
    return of_links(domain_ < usual_);
  }
  Location of_longest(Picoseconds delay) const {
    if (asked_.topology) return whole(asked_.name);
    if (const auto tier = tier_with(asked_.scenario, delay)) return *tier;
    if (asked_.all_datacenters() && delay > std::max(usual_, domain_))
      return distance_setting(asked_.scenario, delay);
    return of_links(domain_ > usual_);
  }

 private:
  static Location of_links(bool of_domains) {
    return whole(of_domains ? "simulation.domain_delay" : "simulation.link_delay");
  }

  const SimulationCase& asked_;
  Picoseconds usual_;
  Picoseconds domain_ = 0;
};

}  // namespace

packet::DelaySources delay_sources(const SimulationCase& asked, const Layout& layout) {
  const DelaySettings settings(asked);
  return {settings.of_shortest(layout.shortest_delay()), settings.of_longest(layout.longest_delay()),
          slowest_failure(asked.scenario)};
}

}  // namespace trainyard
