// The answer of `trainyard goodput`: closed form, simulation, and what other choices are worth.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

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

constexpr double kFastest = 1e15;  // times as fast: what is tried

struct Remedy {
  std::string words;
  double useful = 0;  // share of the time to the target
};

/// What would let training end, the cheapest changes first.
class Remedies {
 public:
  Remedies(const GoodputCase& c, const Target& target) : c_(c), target_(target) {}

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
      if (!remedy || (best && remedy->useful <= best->useful)) continue;
      best = std::move(remedy);
      if (best->useful >= kMuch) break;
    }
    if (best) out_.push_back(std::move(*best));
  }

  std::vector<Remedy> take() && { return std::move(out_); }

 private:
  template <typename Change>
  std::optional<Remedy> tried(const std::string& words, const Change& change) const {
    GoodputCase other = c_;
    change(other);
    const TrainingForm training = target_.training(other);
    if (!training.time) return std::nullopt;
    return Remedy{words, training.useful};
  }

  const GoodputCase& c_;
  const Target& target_;
  std::vector<Remedy> out_;
};

std::int64_t more_crews(const GoodputCase& c, double times) {
  return static_cast<std::int64_t>(std::ceil(real(c.crews) * times));
}

std::vector<double> powers_of_ten() {
  std::vector<double> out = {10};
  while (out.back() < kFastest) out.push_back(out.back() * 10);
  return out;
}

/// Parts of another age, or that age otherwise.
void add_ages(Remedies& out, const GoodputCase& c) {
  if (c.wear_time && c.age.si() > 0)
    out.add("resilience.age = \"0 s\"", [](GoodputCase& o) { o.age = Seconds(0); });
  if (c.wear_time)
    out.add("parts that do not wear out (wear_time of the failure set)",
            [](GoodputCase& o) { o.wear_time.reset(); });
  if (young_hazard(c) > 0)
    out.add("parts that are run in (infant_factor of the failure set)",
            [](GoodputCase& o) { o.infant_factor = 0; });
}

/// What is wrong for long before it is seen.
void add_findings(Remedies& out) {
  out.add_first(
      powers_of_ten(),
      [](double times) {
        return fmt::format(
            "wrong results and slow servers found {:g} times as fast (silent_detection, straggler_detection "
            "of the failure set)",
            times);
      },
      [](GoodputCase& o, double times) {
        for (FailureMode& mode : o.modes)
          if (mode.cause == FailureCause::silent || mode.cause == FailureCause::straggler)
            mode.lasts = mode.lasts / times;
      });
}

std::vector<Remedy> remedies_of(const Plan& plan, const GoodputCase& c) {
  const Target target(plan, c);
  Remedies out(c, target);
  if (c.interval) out.add("resilience.interval = \"auto\"", [](GoodputCase& o) { o.interval.reset(); });
  if (!c.outlives_all && c.backup_every > 1) {
    out.add_first(
        std::vector<std::int64_t>{1000, 100, 10, 1},
        [](std::int64_t every) { return fmt::format("resilience.backup_every = {}", every); },
        [](GoodputCase& o, std::int64_t every) { o.backup_every = std::min(o.backup_every, every); });
  }
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
  add_ages(out, c);
  add_findings(out);
  const std::vector<double> powers = powers_of_ten();
  out.add_first(
      powers,
      [](double times) {
        return fmt::format(
            "recovery {:g} times as fast (resilience.detection, hang_detection, restart; swaps and "
            "manual_time of the failure set)",
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
    return "none of these alone: spares, parts of another age, faster finding, recovery, repairs or "
           "checkpoints, 10,000 times fewer failures";
  std::string out;
  for (const Remedy& r : remedies)
    out += fmt::format("{}{} ({:.1f}% useful)", out.empty() ? "" : ", or ", r.words, r.useful * 100);
  return out;
}

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
      joined(remedies_of(plan, c)));
}

void check_runs_end(const Plan& plan, const GoodputCase& c, const TargetTimes& target) {
  if (target.ended > 0) return;
  throw Infeasible(
      "training ends in a simulated run",
      fmt::format("in none of {} within {}", counted(target.runs, "run"), time_text(target.within)),
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
      if (mode.cause == FailureCause::silent || mode.cause == FailureCause::straggler)
        mode.lasts = mode.lasts * factor;
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
