#include "search/wide_area_plan.h"

#include <fmt/core.h>

#include "search/sweep.h"

namespace trainyard {
namespace {

/// A mapping leaves datacenters empty that its replicas do not reach.
Plan plan_over(Scenario scenario, std::int64_t sites) {
  scenario.facility.datacenters = sites;
  Plan plan = make_plan(scenario);
  if (plan.mapping.datacenters != sites)
    throw Infeasible("fewer copies of the model than sites",
                     fmt::format("they fill {}", plan.mapping.datacenters), "fewer sites");
  return plan;
}

/// Those of Fig. 3c.
std::vector<BitRate> curve_rates() {
  std::vector<BitRate> out;
  for (const double gbps : {1., 2., 5., 10., 20., 50., 100., 200., 400., 800.}) out.emplace_back(gbps * 1e9);
  return out;
}

}  // namespace

WideAreaAnswer plan_wide_area(const Scenario& scenario) {
  const WideAreaInput& w = scenario.wide_area;
  std::int64_t most = w.most_sites;
  if (!w.sites.empty()) most = std::min(most, static_cast<std::int64_t>(w.sites.size()));
  WideAreaAnswer out;
  out.rates = curve_rates();
  for (std::int64_t k = 1; k <= most; ++k) {
    try {
      const Plan plan = plan_over(scenario, k);
      out.points.push_back(sites_point(plan, scenario.network.wide_area_rate));
      if (k == 1) continue;
      std::vector<SitesPoint>& curve = out.curves.emplace_back();
      for (const BitRate rate : out.rates) curve.push_back(sites_point(plan, rate));
    } catch (const Infeasible& answer) {
      if (k == 1) throw;
      SitesPoint none;
      none.sites = k;
      none.infeasible = answer.constraint + ": " + answer.shortfall;
      out.points.push_back(std::move(none));
    }
    if (!out.too_many && out.points.back().added_share > w.largest_exposed_share) out.too_many = k;
  }
  return out;
}

Bytes long_haul_bytes(const Scenario& scenario) {
  if (scenario.long_haul.bytes) return *scenario.long_haul.bytes;
  const Plan plan = plan_over(scenario, scenario.long_haul.sites);
  return sites_point(plan, scenario.network.wide_area_rate).chunk / scenario.wide_area.compression;
}

}  // namespace trainyard
