#include "trainyard/step_at_rate.h"

#include <fmt/core.h>

#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"

namespace trainyard {
namespace {

constexpr double kHour_s = 3600;

}  // namespace

StepAtRate step_at_rate(const Plan& plan) {
  return [&plan](double kept) {
    Scenario slower = plan.scenario;
    slower.network.scale_out_efficiency *= kept;
    return make_plan(slower).step.step;
  };
}

std::optional<PlanMonths> months_by_default(const Plan& plan) {
  try {
    const GoodputCase c = goodput_case(plan, step_at_rate(plan));
    PlanMonths out{goodput_form(c)};
    out.ends = training_ends(c, out.form, plan.step.days_to_train);
    return out;
  } catch (const InputError&) {
    if (plan.scenario.resilience) throw;
    return std::nullopt;
  }
}

void require_end(const GoodputForm& months, const std::string& whose) {
  if (months.long_run_ettr >= kLeastUseful) return;
  throw Infeasible(
      fmt::format("{}: at least {:.0f}% of the time is useful, so that training ends", whose,
                  kLeastUseful * 100),
      fmt::format("{:.2g}% in the long run: a failure every {:.3g} h, {:.3g} h until training goes on",
                  months.long_run_ettr * 100, months.mean_time_to_interruption.si() / kHour_s,
                  months.downtime.si() / kHour_s),
      "`trainyard goodput` says what would do");
}

}  // namespace trainyard
