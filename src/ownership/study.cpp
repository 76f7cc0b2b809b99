// The answer of `trainyard years`.
#include "ownership/ledger.h"
#include "ownership/phases.h"
#include "ownership/telemetry.h"
#include "trainyard/ownership.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace ownership {
namespace {

/// The other ways to build: without one of the phases, or all of them ordered at the beginning.
std::vector<Ownership> other_ways(const OwnershipAnswer& answer, UsdPerJoule price) {
  std::vector<Ownership> out;
  const auto keep = [&](const std::vector<OwnedPhase>& phases, std::string name) {
    out.push_back(keep_ledger(phases, answer.settings, answer.target_tokens, price, std::move(name)));
  };
  if (answer.phases.size() < 2) return out;
  for (std::size_t left_out = 0; left_out < answer.phases.size(); ++left_out) {
    std::vector<OwnedPhase> phases = answer.phases;
    phases.erase(phases.begin() + static_cast<std::ptrdiff_t>(left_out));
    keep(phases, "without " + answer.phases[left_out].name);
  }
  std::vector<OwnedPhase> at_once = answer.phases;
  for (OwnedPhase& phase : at_once) {
    for (Seconds* time : {&phase.delivered, &phase.serves, &phase.retires}) *time -= phase.ordered;
    phase.ordered = Seconds(0);
  }
  keep(at_once, "all ordered at once");
  return out;
}

}  // namespace
}  // namespace ownership

OwnershipAnswer study_ownership(const Scenario& scenario) {
  using namespace ownership;
  OwnershipAnswer answer;
  answer.settings = scenario.ownership.value_or(OwnershipInput{});
  const Plan plan = make_plan(scenario);
  answer.target_tokens = plan.step.tokens;
  const std::vector<BuiltPhase> phases = phases_of(scenario, answer.settings);
  for (const BuiltPhase& phase : phases) answer.phases.push_back(phase.owned);
  const UsdPerJoule price = plan.cost.electricity_price;
  answer.asked = keep_ledger(answer.phases, answer.settings, answer.target_tokens, price, "all phases");
  answer.others = other_ways(answer, price);
  watch(answer, phases);
  return answer;
}

}  // namespace trainyard
