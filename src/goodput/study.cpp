// The answer of `trainyard goodput`: closed form, simulation, and what other choices are worth.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

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

constexpr double kFastest = 1e15;  // times as fast: what is tried

struct Remedy {
  std::string words;
  double ettr = 0;  // in the long run
};

/// What would let training end, the cheapest changes first.
class Remedies {
 public:
  explicit Remedies(const GoodputCase& c) : c_(c), as_it_is_(goodput_form(c).long_run_ettr) {}

  template <typename Change>
  void add(const std::string& words, const Change& change) {
    if (auto remedy = tried(words, change)) out_.push_back(std::move(*remedy));
  }

  /// Of growing values the first that makes half of the time useful, else the one that does most.
  template <typename Value, typename Words, typename Change>
  void add_first(const std::vector<Value>& values, const Words& words, const Change& change) {
    constexpr double kMuch = 0.5;
    std::optional<Remedy> best;
    for (const Value& value : values) {
      auto remedy = tried(words(value), [&](GoodputCase& o) { change(o, value); });
      if (!remedy || (best && remedy->ettr <= best->ettr)) continue;
      best = std::move(remedy);
      if (best->ettr >= kMuch) break;
    }
    if (best) out_.push_back(std::move(*best));
  }

  std::vector<Remedy> take() && { return std::move(out_); }

 private:
  template <typename Change>
  std::optional<Remedy> tried(const std::string& words, const Change& change) const {
    GoodputCase other = c_;
    change(other);
    const double ettr = goodput_form(other).long_run_ettr;
    if (ettr < kLeastUseful || ettr <= as_it_is_) return std::nullopt;
    return Remedy{words, ettr};
  }

  const GoodputCase& c_;
  double as_it_is_;
  std::vector<Remedy> out_;
};

std::int64_t more_crews(const GoodputCase& c, double times) {
  return static_cast<std::int64_t>(std::ceil(real(c.crews) * times));
}

std::vector<Remedy> remedies_of(const Plan& plan, const GoodputCase& c) {
  Remedies out(c);
  if (c.interval) out.add("resilience.interval = \"auto\"", [](GoodputCase& o) { o.interval.reset(); });
  if (c.crews > 0) {
    out.add_first(
        std::vector<double>{1.25, 1.5, 2, 4, 16},
        [&](double times) { return fmt::format("resilience.crews = {}", more_crews(c, times)); },
        [](GoodputCase& o, double times) { o.crews = more_crews(o, times); });
    out.add("resilience.crews = 0 (enough)", [](GoodputCase& o) { o.crews = 0; });
  }
  if (c.replicas == 1 && plan.mapping.data > 1)
    out.add("resilience.shrink = true", [&](GoodputCase& o) { set_replicas(o, plan, true); });
  out.add_first(
      std::vector<std::int64_t>{1, 4, 16, 64, 256},
      [&](std::int64_t more) { return fmt::format("resilience.spares = {}", c.spares + more); },
      [](GoodputCase& o, std::int64_t more) { o.spares += more; });
  std::vector<double> powers = {10};
  while (powers.back() < kFastest) powers.push_back(powers.back() * 10);
  out.add_first(
      powers,
      [](double times) {
        return fmt::format("recovery {:g} times as fast (resilience.detection, hang_detection, restart)",
                           times);
      },
      [](GoodputCase& o, double times) {
        for (Seconds* time : {&o.detection, &o.hang_detection, &o.manual_time, &o.restart, &o.swap})
          *time = *time / times;
      });
  out.add_first(
      powers,
      [](double times) {
        return fmt::format("repairs {:g} times as fast (repair of the failure set)", times);
      },
      [](GoodputCase& o, double times) {
        o.repair = o.repair / times;
        for (FailureMode& mode : o.modes)
          if (mode.cause != FailureCause::silent && mode.cause != FailureCause::straggler)
            mode.lasts = mode.lasts / times;
      });
  out.add_first(
      powers,
      [](double times) {
        return fmt::format(
            "checkpoints {:g} times as fast (resilience.file_rate, write_time, another "
            "resilience.checkpoint)",
            times);
      },
      [](GoodputCase& o, double times) {
        for (Seconds* time : {&o.stall, &o.write, &o.read}) *time = *time / times;
      });
  out.add_first(
      std::vector<double>{2, 10, 100, 1000, 10000},
      [](double fewer) {
        return fmt::format("{:g} times fewer failures (another resilience.failures)", fewer);
      },
      [](GoodputCase& o, double fewer) {
        for (FailureMode& mode : o.modes) mode.rate_per_s /= fewer;
      });
  return std::move(out).take();
}

std::string time_text(Seconds time) { return format_quantity(time.si(), Unit::seconds); }

std::string joined(const std::vector<Remedy>& remedies) {
  if (remedies.empty())
    return "none of these alone: spares, faster recovery, repairs or checkpoints, 10,000 times fewer "
           "failures";
  std::string out;
  for (const Remedy& r : remedies)
    out += fmt::format("{}{} ({:.1f}% useful)", out.empty() ? "" : ", or ", r.words, r.ettr * 100);
  return out;
}

void check_ends(const Plan& plan, const GoodputCase& c, const GoodputForm& form) {
  if (training_ends(c, form, plan.step.days_to_train)) return;
  throw Infeasible(
      fmt::format("at least {:.0f}% of the time is useful, so that training ends", kLeastUseful * 100),
      fmt::format("{:.2g}% in the long run, {:.3g}% of the first {:.4g} days: a failure every {} on average, "
                  "{} until "
                  "training goes on, a checkpoint every {}; servers are there {:.3g}% of the time",
                  form.long_run_ettr * 100, form.ettr * 100, as<Days>(c.period).count(),
                  time_text(form.mean_time_to_interruption), time_text(form.downtime),
                  time_text(form.interval), form.long_run_served * 100),
      joined(remedies_of(plan, c)));
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
  check_ends(plan, c, out.form);
  out.months = simulate_months(c, out.form.interval, threads, progress);
  const Target target(plan, c);
  out.ideal = plan.step.days_to_train;
  out.ideal_cost = plan.cost.run_cost;
  if (out.months.ettr.mean < kLeastUseful) {
    throw Infeasible(fmt::format("at least {:.0f}% of the time is useful", kLeastUseful * 100),
                     fmt::format("{:.2g}% of {:.4g} days, in the mean of {} runs; {:.2g}% in the long run",
                                 out.months.ettr.mean * 100, as<Days>(c.period).count(), c.runs,
                                 out.form.long_run_ettr * 100),
                     joined(remedies_of(plan, c)));
  }
  out.time_to_target_s = times_of_target(target, out.months.ettr);
  out.cost = target.cost(out.months.ettr.mean, real(c.spares));
  add_spares(out, target);
  add_detection(out, target);
  return out;
}

}  // namespace trainyard
