// The answer of `trainyard goodput`: closed form, simulation, and what other choices are worth.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/finite.h"
#include "goodput/goodput_parts.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/goodput.h"
#include "trainyard/plan.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

/// Days and dollars at this share of useful time. Spare servers are bought beside those of the job.
class Target {
 public:
  Target(const Plan& plan, const GoodputCase& c) : plan_(plan), hosts_(real(c.hosts)) {}

  Seconds time(double ettr) const { return plan_.step.days_to_train / ettr; }

  Usd cost(double ettr, double spares) const {
    const CostPlan cost = plan_cost(plan_.scenario, plan_.facility, time(ettr), plan_.step.tokens);
    return cost.energy_cost + cost.capital_cost * (1 + spares / hosts_);
  }

 private:
  const Plan& plan_;
  double hosts_;
};

constexpr double kFastestCheckpoints = 1e15;  // times as fast: what is tried

struct Remedy {
  std::string words;
  double ettr = 0;
};

/// What would let training end, the cheapest changes first.
std::vector<Remedy> remedies_of(const GoodputCase& c) {
  std::vector<Remedy> out;
  const auto try_with = [&](const std::string& words, const auto& change) {
    GoodputCase other = c;
    change(other);
    const double ettr = goodput_form(other).ettr;
    if (ettr >= kLeastUseful) out.push_back({words, ettr});
  };
  if (c.interval) try_with("resilience.interval = \"auto\"", [](GoodputCase& o) { o.interval.reset(); });
  if (c.crews > 0) try_with("resilience.crews = 0 (enough)", [](GoodputCase& o) { o.crews = 0; });
  for (const std::int64_t more : {1, 4, 16, 64, 256}) {
    const std::size_t before = out.size();
    const std::int64_t spares = c.spares + more;
    try_with(fmt::format("resilience.spares = {}", spares), [&](GoodputCase& o) { o.spares = spares; });
    if (out.size() > before) break;
  }
  try_with(
      "recovery in a tenth of the time (resilience.detection, hang_detection, restart)", [](GoodputCase& o) {
        constexpr double kTenth = 0.1;
        for (Seconds* time : {&o.detection, &o.hang_detection, &o.manual_time, &o.restart, &o.read, &o.swap})
          *time = *time * kTenth;
      });
  for (double faster = 10; faster <= kFastestCheckpoints; faster *= 10) {
    const std::size_t before = out.size();
    try_with(fmt::format("checkpoints {:g} times as fast (resilience.file_rate, write_time, another "
                         "resilience.checkpoint)",
                         faster),
             [&](GoodputCase& o) {
               for (Seconds* time : {&o.stall, &o.write, &o.read}) *time = *time / faster;
             });
    if (out.size() > before) break;
  }
  for (const double fewer : {2.0, 10.0, 100.0, 1000.0, 10000.0}) {
    const std::size_t before = out.size();
    try_with(fmt::format("{:g} times fewer failures (another resilience.failures)", fewer),
             [&](GoodputCase& o) {
               for (FailureMode& mode : o.modes) mode.rate_per_s /= fewer;
             });
    if (out.size() > before) break;
  }
  return out;
}

std::string time_text(Seconds time) { return format_quantity(time.si(), Unit::seconds); }

std::string joined(const std::vector<Remedy>& remedies) {
  std::string out;
  for (const Remedy& r : remedies)
    out += fmt::format("{}{} ({:.1f}% useful)", out.empty() ? "" : ", or ", r.words, r.ettr * 100);
  return out;
}

void check_ends(const GoodputCase& c, const GoodputForm& form) {
  if (form.ettr >= kLeastUseful) return;
  throw Infeasible(
      fmt::format("at least {:.0f}% of the time is useful, so that training ends", kLeastUseful * 100),
      fmt::format(
          "{:.2g}%: a failure every {} on average, {} until training goes on, a checkpoint every {}; servers "
          "are there {:.3g}% of the time",
          form.ettr * 100, time_text(form.mean_time_to_interruption), time_text(form.downtime),
          time_text(form.interval), form.served_share * 100),
      joined(remedies_of(c)));
}

/// Numbers of spare servers around the case's own, up to four times the mean of those under repair.
std::vector<std::int64_t> spare_counts(const GoodputCase& c) {
  double repaired = 0;
  for (const FailureMode& mode : c.modes) {
    const bool found = mode.cause == FailureCause::silent || mode.cause == FailureCause::straggler;
    repaired += mode.rate_per_s * real(mode.hosts) * (found ? c.repair : mode.lasts).si();
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
  double most = out.form.ettr * (1 + 1e-9);  // beyond rounding
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
    const double ettr = goodput_form(other).ettr;
    if (ettr < kLeastUseful) continue;
    out.spares.push_back({counted(spares, "spare server"), real(spares), ettr, target.time(ettr),
                          target.cost(ettr, real(spares))});
  }
  const auto best = std::min_element(out.spares.begin(), out.spares.end(),
                                     [](const WorthRow& a, const WorthRow& b) { return a.cost < b.cost; });
  if (best != out.spares.end()) out.best_spares = static_cast<std::int64_t>(best->value);
  find_better_without(out);
}

void add_detection(GoodputAnswer& out, const Target& target) {
  for (const double factor : {0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0}) {
    GoodputCase other = out.question;
    other.detection = other.detection * factor;
    other.hang_detection = other.hang_detection * factor;
    for (FailureMode& mode : other.modes) {
      if (mode.cause == FailureCause::silent || mode.cause == FailureCause::straggler)
        mode.lasts = mode.lasts * factor;
    }
    const double ettr = goodput_form(other).ettr;
    if (ettr < kLeastUseful) continue;
    out.detection.push_back({fmt::format("failures seen in {:g} of the time", factor), factor, ettr,
                             target.time(ettr), target.cost(ettr, real(other.spares))});
  }
}

Spread times_of_target(const Target& target, const Spread& ettr) {
  Spread out;
  out.mean = target.time(ettr.mean).si();
  // A run may have had no useful time at all.
  constexpr double kNone = 1e-9;
  out.low = target.time(std::max(ettr.high, kNone)).si();
  out.high = target.time(std::max(ettr.low, kNone)).si();
  out.standard_error = out.mean * ettr.standard_error / ettr.mean;
  return out;
}

}  // namespace

GoodputAnswer study_goodput(const Plan& plan, const GoodputCase& c, unsigned threads,
                            const RunsProgress& progress) {
  GoodputAnswer out;
  out.question = c;
  out.form = goodput_form(c);
  finite(out.form.ettr, "useful share of the time");
  check_ends(c, out.form);
  out.months = simulate_months(c, out.form.interval, threads, progress);
  const Target target(plan, c);
  out.ideal = plan.step.days_to_train;
  out.ideal_cost = plan.cost.run_cost;
  if (out.months.ettr.mean < kLeastUseful) {
    throw Infeasible(
        fmt::format("at least {:.0f}% of the time is useful", kLeastUseful * 100),
        fmt::format("{:.2g}% of {:.4g} days, in the mean of {} runs; {:.2g}% in the long run",
                    out.months.ettr.mean * 100, as<Days>(c.period).count(), c.runs, out.form.ettr * 100),
        joined(remedies_of(c)));
  }
  out.time_to_target_s = times_of_target(target, out.months.ettr);
  out.cost = target.cost(out.months.ettr.mean, real(c.spares));
  add_spares(out, target);
  add_detection(out, target);
  return out;
}

}  // namespace trainyard
