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

std::string days(double seconds) { return fixed(seconds / 86400, 2); }

/// Where the period is too short for servers to be missing as often as later.
std::string long_run(const GoodputForm& form) {
  constexpr double kNotable = 0.005;
  if (form.ettr - form.long_run_ettr < kNotable) return "";
  return fmt::format(
      "   in the long run         {:>9}   the period begins with all servers; longer ones by "
      "resilience.period\n",
      show_share(form.long_run_ettr));
}

/// Where runs never end, or cannot be simulated.
std::string ends(const GoodputAnswer& a) {
  const std::string words = target_words(a);
  return words.empty() ? words : fmt::format("   {}\n", words);
}

std::string headline(const GoodputAnswer& a) {
  const Spread& time = a.target.time_s;
  return fmt::format(
      "   useful time (ETTR)      {:>9}   95% of runs: {} to {}; closed form: {}\n"
      "{}"
      "   interruptions           {:>9.1f}   95% of runs: {:.0f} to {:.0f}; one in {}\n"
      "   training takes          {:>9}   95% of runs: {} to {}; closed form: {}; {} without failures\n"
      "   and costs               {:>9}   {} without failures\n"
      "{}",
      show_share(a.months.ettr.mean), show_share(a.months.ettr.low), show_share(a.months.ettr.high),
      show_share(a.form.ettr), long_run(a.form), a.months.interruptions.mean, a.months.interruptions.low,
      a.months.interruptions.high, show(a.form.mean_time_to_interruption), days(time.mean) + " d",
      days(time.low), std::isfinite(time.high) ? days(time.high) : "never", days(a.training.time->si()),
      days(a.ideal.si()), show(a.cost), show(a.ideal_cost), ends(a));
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
      show(a.training.form.young), show(a.training.form.daly));
}

std::string lost_table(const MonthsResult& months) {
  std::string out = fmt::format(
      "\nLost hours of {:.0f}, mean of {}\n   {:<20} {:>9} {:>9} {:>9} {:>9} {:>9}\n", months.period_h,
      counted(grouped(months.runs), "run"), "cause", "failures", "down", "rework", "slow", "lost");
  std::vector<std::size_t> order(kFailureCauses);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return months.lost[a].total_h() > months.lost[b].total_h();
  });
  for (const std::size_t i : order) {
    const LostTime& lost = months.lost[i];
    if (lost.failures == 0 && lost.total_h() == 0) continue;
    out += fmt::format("   {:<20} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}\n",
                       failure_cause_name(static_cast<FailureCause>(i)), lost.failures, lost.down_h,
                       lost.rework_h, lost.slow_h, lost.total_h());
  }
  const auto other = [&](const char* what, double hours) {
    if (hours > 0) out += fmt::format("   {:<50} {:>19.2f}\n", what, hours);
  };
  other("checkpoints", months.checkpoint_h);
  other("waiting for servers", months.waiting_h);
  other("fewer replicas", months.shrunk_h);
  out += fmt::format("   {:<50} {:>19.2f}\n", "useful", months.useful_h);
  return out;
}

std::string worth(const char* title, const std::vector<WorthRow>& rows) {
  std::string out = fmt::format("\n{}\n   {:<36} {:>8} {:>9} {:>10}\n", title, "", "useful", "days", "cost");
  for (const WorthRow& row : rows)
    out += fmt::format("   {:<36} {:>8} {:>9} {:>10}\n", row.what, show_share(row.ettr), days(row.time.si()),
                       show(row.cost));
  return out;
}

std::string spares_note(const GoodputAnswer& a) {
  std::string out = fmt::format("   {} cost least\n", a.best_spares);
  const std::string better = better_without_words(a);
  if (!better.empty()) out += fmt::format("   {}\n", better);
  return out;
}

}  // namespace

std::string goodput_text(const Scenario& scenario, const GoodputAnswer& a, Seconds processor_time) {
  std::string out = fmt::format(
      "{}\n\n{:.4g} days of {} with {}\n", scenario.title, as<Days>(a.question.period).count(),
      counted(grouped(a.question.hosts), "server"), counted(grouped(a.question.spares), "spare one"));
  out += headline(a) + checkpoints(a) + lost_table(a.months);
  out += worth("Spare servers, in closed form", a.spares);
  out += spares_note(a);
  out += worth("Faster and slower detection, in closed form", a.detection);
  out += fmt::format("\n{}, {}, {} of processor time\n", counted(grouped(a.months.runs), "run"),
                     counted(grouped(a.months.events), "event"), show(processor_time));
  return out;
}

}  // namespace trainyard
