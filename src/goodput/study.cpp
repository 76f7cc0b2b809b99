// The answer of `trainyard goodput`: closed form, simulation, and what other choices are worth.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/finite.h"
#include "goodput/goodput_parts.h"
#include "goodput/remedies.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/goodput.h"
#include "trainyard/plan.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

/// Days and dollars until the plan's target. Spare servers are bought beside those of the job.
class Target {
 public:
  Target(const Plan& plan, const GoodputCase& c) : plan_(plan), hosts_(real(c.hosts)) {}

  TrainingForm training(const GoodputCase& c) const { return training_form(c, plan_.step.days_to_train); }

  Usd cost(Seconds time, double spares) const {
    const CostPlan cost = plan_cost(plan_.scenario, plan_.facility, time, plan_.step.tokens);
    return cost.energy_cost + cost.capital_cost * (1 + spares / hosts_);
  }

 private:
  const Plan& plan_;
  double hosts_;
};

std::string time_text(Seconds time) { return format_quantity(time.si(), Unit::seconds); }

void check_ends(const Plan& plan, const GoodputCase& c, const TrainingForm& training) {
  if (training.time) return;
  const GoodputForm& form = training.form;
  const Seconds ideal = plan.step.days_to_train;
  throw Infeasible(
      fmt::format("training of {} without failures ends within {:g} times as long", time_text(ideal),
                  1 / kLeastUseful),
      fmt::format(
          "{} of it is done then, {:.2g}% of the time is useful in the long run: a failure every {} "
          "on average, {} until training goes on, a checkpoint every {}; servers are there {:.3g}% of "
          "the time",
          time_text(ideal * (form.ettr / kLeastUseful)), form.long_run_ettr * 100,
          time_text(form.mean_time_to_interruption), time_text(form.downtime), time_text(form.interval),
          form.long_run_served * 100),
      remedies_of(plan, c));
}

void check_runs_end(const Plan& plan, const GoodputCase& c, const TargetTimes& target) {
  if (target.ended > 0) return;
  throw Infeasible(
      "training ends in a simulated run",
      fmt::format("in none of {} within {}", counted(target.runs, "run"), time_text(target.within)),
      remedies_of(plan, c));
}

/// Numbers of spare servers around the case's own, up to four times the mean of those under repair.
std::vector<std::int64_t> spare_counts(const GoodputCase& c) {
  double repaired = 0;
  for (const FailureMode& mode : c.modes) {
    repaired += mode.rate_per_s * real(mode.hosts) * (is_found_later(mode) ? c.repair : mode.lasts).si();
  }
  const auto most =
      std::max<std::int64_t>(4, static_cast<std::int64_t>(std::min(real(c.hosts), std::ceil(4 * repaired))));
  std::vector<std::int64_t> out = {0, c.spares};
  constexpr int kSteps = 16;
  for (int i = 1; i <= kSteps; ++i) out.push_back((most * i + kSteps - 1) / kSteps);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void find_better_without(GoodputAnswer& out) {
  double most = out.training.useful * (1 + 1e-6);  // beyond rounding
  for (std::size_t i = 0; i < out.spares.size() && out.spares[i].value < real(out.question.spares); ++i) {
    if (out.spares[i].ettr <= most) continue;
    most = out.spares[i].ettr;
    out.better_without = i;
  }
}

void add_spares(GoodputAnswer& out, const Target& target) {
  for (const std::int64_t spares : spare_counts(out.question)) {
    GoodputCase other = out.question;
    other.spares = spares;
    const TrainingForm training = target.training(other);
    if (!training.time) continue;
    out.spares.push_back({counted(spares, "spare server"), real(spares), training.useful, *training.time,
                          target.cost(*training.time, real(spares)), training.endless});
  }
  const auto best =
      std::min_element(out.spares.begin(), out.spares.end(), [](const WorthRow& a, const WorthRow& b) {
        return std::pair(a.endless, a.cost) < std::pair(b.endless, b.cost);
      });
  if (best != out.spares.end() && !best->endless) out.best_spares = static_cast<std::int64_t>(best->value);
  find_better_without(out);
}

void add_detection(GoodputAnswer& out, const Target& target) {
  for (const double factor : {0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0}) {
    GoodputCase other = out.question;
    other.detection = other.detection * factor;
    other.hang_detection = other.hang_detection * factor;
    for (FailureMode& mode : other.modes) {
      if (is_found_later(mode)) mode.lasts = mode.lasts * factor;
    }
    const TrainingForm training = target.training(other);
    if (!training.time) continue;
    out.detection.push_back({fmt::format("failures seen in {:g} of the time", factor), factor,
                             training.useful, *training.time, target.cost(*training.time, real(other.spares)),
                             training.endless});
  }
}

/// Tells of months and of runs to the target as of one simulation.
RunsProgress of_both(const RunsProgress& progress, std::size_t before, std::size_t after) {
  if (!progress) return progress;
  return [=](std::size_t done, std::size_t runs) { progress(before + done, before + runs + after); };
}

}  // namespace

GoodputAnswer study_goodput(const Plan& plan, const GoodputCase& c, unsigned threads,
                            const RunsProgress& progress) {
  const Target target(plan, c);
  GoodputAnswer out;
  out.question = c;
  out.ideal = plan.step.days_to_train;
  out.ideal_cost = plan.cost.run_cost;
  out.training = target.training(c);
  finite(out.training.useful, "useful share of the time");
  check_ends(plan, c, out.training);
  GoodputCase at_interval = c;
  at_interval.interval = out.training.form.interval;
  out.form = goodput_form(at_interval);
  const Seconds expected = *out.training.time;
  const auto months = static_cast<std::size_t>(c.runs);
  const auto whole = static_cast<std::size_t>(target_runs(c, expected));
  out.months = simulate_months(c, out.form.interval, threads, of_both(progress, 0, whole));
  out.target =
      simulate_target(c, out.form.interval, out.ideal, expected, threads, of_both(progress, months, 0));
  check_runs_end(plan, c, out.target);
  out.cost = target.cost(Seconds(out.target.middle_s()), real(c.spares));
  add_spares(out, target);
  add_detection(out, target);
  return out;
}

}  // namespace trainyard
