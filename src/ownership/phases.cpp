#include "ownership/phases.h"

#include <fmt/core.h>

#include "catalog/find_entry.h"
#include "ownership/telemetry.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario.h"
#include "trainyard/step_at_rate.h"
#include "trainyard/unbuildable_network.h"

namespace trainyard::ownership {
namespace {

/// The scenario on the devices of a phase; another HB domain is mapped anew.
Scenario scenario_of(const Scenario& scenario, const PhaseInput& phase) {
  Scenario out = scenario;
  out.facility.budget.reset();
  out.facility.power_limit.reset();
  out.facility.devices = phase.devices;
  if (!phase.hb_domain.empty() && phase.hb_domain != scenario.facility.hb_domain) {
    out.facility.hb_domain = phase.hb_domain;
    out.facility.domain_price.reset();
    out.facility.domain_power.reset();
    out.mapping = MappingInput{};
    out.training.software.reset();
  }
  return out;
}

/// What cannot be is said of the phase, whose devices are its own.
Plan plan_of(const Scenario& scenario, const PhaseInput& phase) {
  try {
    return make_plan(scenario_of(scenario, phase));
  } catch (const Infeasible& e) {
    throw Infeasible(
        fmt::format("phase '{}' of {} devices trains: {}", phase.name, phase.devices, e.constraint),
        e.shortfall, e.remedy);
  }
}

/// Months of the plan that last as long as devices serve, whatever period the scenario simulates. Nothing:
/// they cannot be counted, and the scenario did not ask for failures.
std::optional<GoodputCase> case_of_life(const Plan& plan, const OwnershipInput& settings) {
  try {
    GoodputCase out = goodput_case(plan, step_at_rate(plan));
    out.period = settings.life;
    return out;
  } catch (const UnbuildableNetwork&) {
    if (plan.scenario.resilience) throw;
    return std::nullopt;
  }
}

/// Those of the first design on the phase's devices. A scenario without one need not have a rate that the
/// usual switch has ports of: its years are answered without watching.
void count_ports(BuiltPhase& out, const Scenario& scenario) {
  try {
    out.owned.ports = ports_of(scenario);
  } catch (const UnbuildableNetwork& e) {
    if (!scenario.designs.empty()) throw;
    out.no_ports = e.findings().front().message;
  }
}

OwnedPhase owned(const PhaseInput& input, const Plan& plan, const OwnershipInput& settings,
                 const std::optional<GoodputCase>& life) {
  OwnedPhase out;
  out.name = input.name;
  out.hb_domain = plan.scenario.facility.hb_domain;
  out.devices = plan.facility.devices;
  out.ordered = input.order;
  out.delivered = input.order + input.lead;
  out.serves = out.delivered + input.install;
  out.retires = out.serves + settings.life;
  out.price = input.price.value_or(*plan.facility.budget);
  out.power = plan.cost.mean_power;
  out.tokens_per_second = plan.step.tokens_per_second;
  if (life) {
    const GoodputForm years = goodput_form(*life);
    // Who did not ask for failures is answered where anything is trained at all.
    if (plan.scenario.resilience || years.ettr <= 0)
      require_useful(years, fmt::format("phase '{}'", input.name));
    out.useful = years.ettr;
  } else {
    out.failures = false;
  }
  out.tokens_per_second = out.tokens_per_second * out.useful;
  out.mfu = plan.step.mfu;
  const double life_s = settings.life.si();
  const double energy_usd = out.power.si() * life_s * plan.cost.electricity_price.si();
  const double upkeep_usd = out.price.si() * settings.maintenance * as<Years>(settings.life).count();
  const double usd = out.price.si() + energy_usd + upkeep_usd;  // all of it is written off by then
  out.per_million_tokens = Usd(usd / (out.tokens_per_second * life_s) * 1e6);
  return out;
}

BuiltPhase built(const PhaseInput& input, const Plan& plan, const OwnershipInput& settings) {
  BuiltPhase out;
  out.life = case_of_life(plan, settings);
  out.owned = owned(input, plan, settings, out.life);
  if (!settings.ports) count_ports(out, plan.scenario);
  return out;
}

}  // namespace

std::vector<BuiltPhase> phases_of(const Scenario& scenario, const OwnershipInput& settings) {
  std::vector<BuiltPhase> out;
  if (scenario.phases.empty()) {
    PhaseInput all;
    all.name = "all";
    out.push_back(built(all, make_plan(scenario), settings));
    return out;
  }
  for (const PhaseInput& phase : scenario.phases) {
    if (!phase.hb_domain.empty())
      find_entry(scenario.catalog->hb_domains, phase.hb_domain, "HB domain",
                 place_of(phase.places, "hb_domain"));
    out.push_back(built(phase, plan_of(scenario, phase), settings));
  }
  return out;
}

}  // namespace trainyard::ownership
