#include "trainyard/facility.h"

#include <fmt/core.h>

#include <cmath>

#include "base/counted.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"
#include "trainyard/unbuildable_network.h"

namespace trainyard {
namespace {

constexpr double kSecondsPerYear = 365.0 * 86400;
constexpr Seconds kUsualDepreciation{4 * kSecondsPerYear};
constexpr double kMostDomains = 1e12;

PeakRates scaled(const PeakRates& rates, double factor) {
  PeakRates out;
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    if (rates.by_precision[i]) out.by_precision[i] = *rates.by_precision[i] * factor;
  }
  return out;
}

std::int64_t whole_domains(double domains, const std::string& constraint, const std::string& needed,
                           const std::string& available, const std::string& remedy) {
  if (domains < 1) {
    throw Infeasible(constraint, fmt::format("one HB domain needs {}, and {} is there", needed, available),
                     remedy);
  }
  if (domains > kMostDomains)
    throw Infeasible(constraint, fmt::format("{:.3g} HB domains", domains), "a smaller facility");
  return static_cast<std::int64_t>(domains);
}

std::int64_t domains_for_budget(const FacilityInput& f, Usd price) {
  const Usd compute = *f.budget * f.compute_share;
  return whole_domains(
      std::floor(compute / price), "facility.budget", format_quantity(price.si(), Unit::usd),
      format_quantity(compute.si(), Unit::usd),
      fmt::format("a budget of {}", format_quantity((price / f.compute_share).si(), Unit::usd)));
}

std::int64_t domains_for_power(const FacilityInput& f, Watts domain) {
  const Watts each = domain * (1 + f.overhead_power_share) * f.pue_high;
  return whole_domains(std::floor(*f.power_limit / each), "facility.power_limit",
                       format_quantity(each.si(), Unit::watts),
                       format_quantity(f.power_limit->si(), Unit::watts),
                       fmt::format("a power limit of {}", format_quantity(each.si(), Unit::watts)));
}

std::int64_t count_domains(const FacilityInput& f, const HbDomain& domain, const FacilityPlan& plan) {
  if (f.budget) return domains_for_budget(f, plan.domain_price);
  if (f.power_limit) return domains_for_power(f, plan.domain_power);
  return (*f.devices + domain.devices - 1) / domain.devices;
}

}  // namespace

FacilityPlan plan_facility(const Scenario& scenario) {
  const FacilityInput& f = scenario.facility;
  const HbDomain& domain = scenario.catalog->hb_domains.at(f.hb_domain);
  const Accelerator& accelerator = scenario.catalog->accelerators.at(domain.accelerator);
  FacilityPlan plan;
  plan.domain_price = f.domain_price.value_or(domain.price);
  plan.domain_power = f.domain_power.value_or(domain.power);
  plan.domains = count_domains(f, domain, plan);
  const auto domains = static_cast<double>(plan.domains);
  plan.domain_devices = domain.devices;
  plan.devices = plan.domains * domain.devices;
  plan.racks = domains * domain.racks;
  plan.datacenters = f.datacenters;
  plan.compute_cost = plan.domain_price * domains;
  plan.budget = f.budget ? *f.budget : plan.compute_cost / f.compute_share;
  plan.network_budget = *plan.budget * f.network_share;
  plan.other_budget = *plan.budget * (1 - f.compute_share - f.network_share);
  plan.dense = scaled(accelerator.dense, static_cast<double>(plan.devices));
  plan.sparse = scaled(accelerator.sparse, static_cast<double>(plan.devices));
  plan.power_compute = plan.domain_power * domains;
  plan.power_overhead = plan.power_compute * f.overhead_power_share;
  plan.power_it = plan.power_compute + plan.power_overhead;
  plan.power_low = plan.power_it * f.pue_low;
  plan.power_high = plan.power_it * f.pue_high;
  return plan;
}

std::int64_t domains_of_datacenter(const FacilityPlan& facility) {
  if (facility.domains < facility.datacenters)
    throw UnbuildableNetwork(
        {{whole("facility.datacenters"),
          fmt::format("{} over {} datacenters {} one without hosts", counted(facility.domains, "HB domain"),
                      facility.datacenters, agreeing(facility.domains, "leaves", "leave")),
          fmt::format("at most {}; networks of [[design]] may have their own 'hosts'", facility.domains)}});
  return facility.domains / facility.datacenters;
}

CostPlan plan_cost(const Scenario& scenario, const FacilityPlan& facility, Seconds duration, double tokens) {
  constexpr double kMillion = 1e6;
  const FacilityInput& f = scenario.facility;
  const PriceModel& prices = scenario.catalog->prices.at(f.prices);
  CostPlan cost;
  cost.electricity_price =
      f.electricity_price ? *f.electricity_price : prices.electricity.value_or(UsdPerJoule(0));
  cost.mean_power = facility.power_high * f.load;
  cost.energy = Joules((cost.mean_power * duration).si());
  cost.energy_cost = Usd((cost.energy * cost.electricity_price).si());
  const Seconds life = f.depreciation ? *f.depreciation : prices.depreciation.value_or(kUsualDepreciation);
  cost.capital_cost = *facility.budget * (duration / life);
  cost.run_cost = cost.energy_cost + cost.capital_cost;
  cost.per_million_tokens = cost.run_cost * (kMillion / tokens);
  cost.energy_per_token = cost.energy / tokens;
  return cost;
}

}  // namespace trainyard
