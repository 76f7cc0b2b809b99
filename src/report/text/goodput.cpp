#include "trainyard/report/goodput.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/counted.h"
#include "report/data/goodput_words.h"
#include "report/data/show.h"
#include "trainyard/goodput.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

std::string days(double seconds) { return std::isfinite(seconds) ? fixed(seconds / 86400, 2) : "never"; }

/// Where the period is too short for servers to be missing as often as later.
std::string long_run(const GoodputForm& form) {
  constexpr double kNotable = 0.005;
  if (form.ettr - form.long_run_ettr < kNotable) return "";
  return fmt::format(
      "   in the long run         {:>9}   the period begins with all servers and no recovery; longer ones by "
      "resilience.period\n",
      show_share(form.long_run_ettr));
}

std::string closed_form_days(const GoodputAnswer& a) {
  return days(a.training.time->si()) + (a.training.endless ? " in the mean work" : "");
}

/// Days and dollars of one run as of any other.
std::string time_of_all(const GoodputAnswer& a) {
  const Spread& time = a.target.time_s;
  const std::string words = target_words(a);
  const std::string runs =
      a.target.simulated() ? fmt::format("95% of runs: {} to {}; ", days(time.low), days(time.high)) : "";
  return fmt::format(
      "   training takes          {:>9}   {}closed form: {}; {} without failures\n"
      "   and costs               {:>9}   {} without failures\n"
      "{}",
      days(time.mean) + " d", runs, closed_form_days(a), days(a.ideal.si()), show(a.cost), show(a.ideal_cost),
      words.empty() ? words : fmt::format("   {}\n", words));
}

/// Where some runs never end, that comes first: no mean can say what to expect.
std::string time_of_some(const GoodputAnswer& a) {
  const TargetTimes& target = a.target;
  const bool half_ends = std::isfinite(target.median_s);
  return fmt::format(
      "   training ends in        {:>9}   of {}; the others not within {}\n"
      "   half of the runs take   {:>9}   95% of runs: {} to {}; closed form: {}; {} without failures\n"
      "   and cost at most        {:>9}   {} without failures\n"
      "   {}\n",
      show_share(target.ended), counted(grouped(target.runs), "run"), days(target.within.si()) + " d",
      days(target.median_s) + (half_ends ? " d" : ""), days(target.time_s.low), days(target.time_s.high),
      closed_form_days(a), days(a.ideal.si()), half_ends ? show(a.cost) : "no end", show(a.ideal_cost),
      target_words(a));
}

std::string headline(const GoodputAnswer& a) {
  return fmt::format(
      "   useful time (ETTR)      {:>9}   95% of runs: {} to {}; closed form: {}\n"
      "{}"
      "   interruptions           {:>9.1f}   95% of runs: {:.0f} to {:.0f}; {}\n"
      "{}",
      show_share(a.months.ettr.mean), show_share(a.months.ettr.low), show_share(a.months.ettr.high),
      show_share(a.form.ettr), long_run(a.form), a.months.interruptions.mean, a.months.interruptions.low,
      a.months.interruptions.high,
      (a.form.mean_time_to_interruption.si() > 0 ? "one in " : "") +
          time_words(a.form, a.form.mean_time_to_interruption),
      a.target.all_end() ? time_of_all(a) : time_of_some(a));
}

/// Whose the interval is: that of the case, unless checkpoints or steps take longer.
std::string chosen_by(const GoodputAnswer& a) {
  if (!a.question.interval) return " (the best)";
  if (*a.question.interval == a.form.interval) return "";
  return fmt::format(" (not {}: a checkpoint is safe and a step done before the next checkpoint)",
                     show(*a.question.interval));
}

std::string checkpoints(const GoodputAnswer& a) {
  const GoodputCase& c = a.question;
  return fmt::format(
      "\nCheckpoints of {}: training stops for {}, safe after {}\n"
      "   every {} of training{}; Young {}, Daly {}\n",
      show(c.checkpoint_bytes), show(c.stall), show(c.write), show(a.form.interval), chosen_by(a),
      time_words(a.training.form, a.training.form.young), time_words(a.training.form, a.training.form.daly));
}

/// In which lost time is told: hours, of short periods less.
struct TimeUnit {
  const char* name;
  double of_hour;
};

TimeUnit unit_of(double period_h) {
  if (period_h >= 24) return {"hours", 1};
  return period_h >= 1 ? TimeUnit{"minutes", 60} : TimeUnit{"seconds", 3600};
}

std::string lost_table(const MonthsResult& months) {
  const TimeUnit unit = unit_of(months.period_h);
  const auto shown = [&](double hours) { return fixed(hours * unit.of_hour, 2); };
  std::string out =
      fmt::format("\nLost {} of {:.0f}, mean of {}\n   {:<20} {:>9} {:>9} {:>9} {:>9} {:>9}\n", unit.name,
                  months.period_h * unit.of_hour, counted(grouped(months.runs), "run"), "cause", "failures",
                  "down", "rework", "slow", "lost");
  std::vector<std::size_t> order(kFailureCauses);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return months.lost[a].total_h() > months.lost[b].total_h();
  });
  for (const std::size_t i : order) {
    const LostTime& lost = months.lost[i];
    if (lost.failures == 0 && lost.total_h() == 0) continue;
    out += fmt::format("   {:<20} {:>9.2f} {:>9} {:>9} {:>9} {:>9}\n",
                       failure_cause_name(static_cast<FailureCause>(i)), lost.failures, shown(lost.down_h),
                       shown(lost.rework_h), shown(lost.slow_h), shown(lost.total_h()));
  }
  const auto other = [&](const char* what, double hours) {
    if (hours > 0) out += fmt::format("   {:<50} {:>19}\n", what, shown(hours));
  };
  other("checkpoints", months.checkpoint_h);
  other("waiting for servers", months.waiting_h);
  other("fewer replicas", months.shrunk_h);
  out += fmt::format("   {:<50} {:>19}\n", "useful", shown(months.useful_h));
  return out;
}

std::string worth(const char* title, const std::vector<WorthRow>& rows) {
  std::string out = fmt::format("\n{}\n   {:<36} {:>8} {:>9} {:>10}\n", title, "", "useful", "days", "cost");
  for (const WorthRow& row : rows)
    out += fmt::format("   {:<36} {:>8} {:>9} {:>10}{}\n", row.what, show_share(row.ettr),
                       days(row.time.si()), show(row.cost), row.endless ? "   some may never end" : "");
  return out;
}

std::string spares_note(const GoodputAnswer& a) {
  std::string out = a.best_spares ? fmt::format("   {} cost least\n", *a.best_spares)
                                  : "   with none of these do all runs end: crews do not keep up "
                                    "(resilience.crews), more spares only last longer\n";
  const std::string better = better_without_words(a);
  if (!better.empty()) out += fmt::format("   {}\n", better);
  return out;
}

}  // namespace

std::string goodput_text(const Scenario& scenario, const GoodputAnswer& a, Seconds processor_time) {
  std::string out = fmt::format("{}\n\n{} of {} with {}\n", scenario.title, period_words(a),
                                counted(grouped(a.question.hosts), "server"),
                                counted(grouped(a.question.spares), "spare one"));
  out += headline(a) + checkpoints(a) + lost_table(a.months);
  out += worth("Spare servers, in closed form", a.spares);
  out += spares_note(a);
  out += worth("Faster and slower detection, in closed form", a.detection);
  out += fmt::format("\n{}, {}, {} of processor time\n", counted(grouped(a.months.runs), "run"),
                     counted(grouped(a.months.events), "event"), show(processor_time));
  return out;
}

}  // namespace trainyard
