#include "trainyard/step_at_rate.h"

#include "trainyard/plan.h"
#include "trainyard/planning.h"

namespace trainyard {

StepAtRate step_at_rate(const Plan& plan) {
  return [&plan](double kept) {
    Scenario slower = plan.scenario;
    slower.network.scale_out_efficiency *= kept;
    return make_plan(slower).step.step;
  };
}

std::optional<GoodputForm> months_of(const Plan& plan) {
  if (!plan.scenario.resilience) return std::nullopt;
  const GoodputForm form = goodput_form(goodput_case(plan, step_at_rate(plan)));
  return form.ettr >= kLeastUseful ? std::optional(form) : std::nullopt;
}

}  // namespace trainyard
