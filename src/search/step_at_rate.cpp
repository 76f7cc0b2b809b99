#include "trainyard/step_at_rate.h"

#include <fmt/core.h>

#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/unbuildable_network.h"

namespace trainyard {
namespace {

constexpr double kHour_s = 3600;

[[noreturn]] void refuse(const GoodputForm& months, const std::string& whose) {
  throw Infeasible(
      fmt::format("{}: at least {:.0f}% of the time is useful, so that training ends", whose,
                  kLeastUseful * 100),
      fmt::format("{:.2g}% of the time, {:.2g}% in the long run: a failure every {:.3g} h, {:.3g} h until "
                  "training goes on",
                  months.ettr * 100, months.long_run_ettr * 100,
                  months.mean_time_to_interruption.si() / kHour_s, months.downtime.si() / kHour_s),
      "`trainyard goodput` says what would do");
}

}  // namespace

StepAtRate step_at_rate(const Plan& plan) {
  return [&plan](double kept) {
    Scenario slower = plan.scenario;
    slower.network.scale_out_efficiency *= kept;
    return plan_as_stated(slower).step.step;  // as the plan did
  };
}

std::optional<TrainingForm> months_by_default(const Plan& plan) {
  try {
    const GoodputCase c = goodput_case(plan, step_at_rate(plan));
    return training_form(c, plan.step.days_to_train);
  } catch (const UnbuildableNetwork&) {
    if (plan.scenario.resilience) throw;
    return std::nullopt;
  }
}

void require_end(const TrainingForm& training, const std::string& whose) {
  if (!training.time) refuse(training.form, whose);
}

void require_useful(const GoodputForm& months, const std::string& whose) {
  if (months.ettr < kLeastUseful) refuse(months, whose);
}

}  // namespace trainyard
