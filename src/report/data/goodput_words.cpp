#include "report/data/goodput_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/counted.h"
#include "report/data/show.h"
#include "trainyard/goodput.h"
#include "trainyard/operation.h"
#include "trainyard/ownership.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr const char* kSomeNeverEnd =
    "in the mean work of all runs; crews hardly keep up, so that runs have no mean to tell and some may "
    "never end";

/// Of runs to the target, whose figures are compared: all in days.
std::string days_text(Seconds time) { return grouped_or(4, as<Days>(time).count()) + " days"; }

std::string deviation_words(const TrainingForm& training) {
  if (!training.deviation) return {};
  return fmt::format(", of runs with a standard deviation of {}", days_text(*training.deviation));
}

/// Of runs that lie far apart even their mean is uncertain. A sample hardly holds the few longest: the closed
/// form's spread counts too.
std::string error_words(const GoodputAnswer& answer) {
  constexpr double kNotable = 0.01;
  constexpr double kErrors = 2;  // on either side: 95%
  const TargetTimes& target = answer.target;
  const double of_form = answer.training.deviation.value_or(Seconds(0)).si() / std::sqrt(target.runs);
  const double within_s = kErrors * std::max(target.time_s.standard_error, of_form);
  if (within_s < kNotable * target.time_s.mean) return {};
  return fmt::format("runs lie far apart{}: the mean of {} is known to +- {} (95%)",
                     answer.training.deviation ? fmt::format(" (standard deviation {} in closed form)",
                                                             days_text(*answer.training.deviation))
                                               : "",
                     counted(grouped(target.runs), "run"), days_text(Seconds(within_s)));
}

/// "first", "first and second", "first, second and next".
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return out;
}

}  // namespace

std::string period_words(const GoodputAnswer& answer) {
  const Seconds period = answer.question.period;
  return as<Days>(period).count() < 1 ? show(period)
                                      : counted(grouped_or(4, as<Days>(period).count()), "day");
}

std::string better_without_words(const GoodputAnswer& answer) {
  if (!answer.better_without) return {};
  const WorthRow& row = answer.spares[*answer.better_without];
  return fmt::format(
      "{} would leave more useful time ({}, not {}): a swap stops training for {}, longer than a server that "
      "lacks costs until it is repaired",
      row.what, show_share(row.ettr), show_share(answer.training.useful), show(answer.question.swap));
}

std::string time_words(const GoodputForm& form, Seconds time) {
  return form.mean_time_to_interruption.si() > 0 ? show(time) : "none";
}

std::string target_words(const GoodputAnswer& answer) {
  const TargetTimes& target = answer.target;
  if (!target.simulated()) {
    return fmt::format(
        "days are the closed form's{}: until then more parts fail, or more years go by, than can be "
        "simulated",
        answer.training.endless ? std::string(", ") + kSomeNeverEnd : deviation_words(answer.training));
  }
  if (target.all_end()) return error_words(answer);
  const std::string mean = answer.training.endless ? "so that there is no mean"
                                                   : fmt::format("their mean is {} in closed form{}",
                                                                 days_text(*answer.training.time),
                                                                 deviation_words(answer.training));
  return fmt::format(
      "{} of {} {} (within {}), {}: days and cost are the median's of all runs; those that end take {} in "
      "the "
      "mean, which is not what to expect",
      show_share(1 - target.ended), counted(grouped(target.runs), "run"),
      answer.training.endless ? "never end" : "do not end", days_text(target.within), mean,
      days_text(Seconds(target.mean_of_ended_s)));
}

std::string servers_words(const TrainingForm& training) {
  if (training.endless) return kSomeNeverEnd;
  const bool runs_out = training.time && training.form.long_run_ettr < kLeastUseful;
  return runs_out ? "until servers run out" : "";
}

std::string failures_of_hours_words(const Scenario& scenario, const OperationAnswer& answer) {
  std::string rates = default_rates_words(scenario);
  if (!answer.endless) return rates;
  return std::string("days are ") + kSomeNeverEnd + (rates.empty() ? "" : "; " + rates);
}

std::string failures_of_years_words(const Scenario& scenario, const OwnershipAnswer& answer) {
  const bool counted = std::all_of(answer.phases.begin(), answer.phases.end(),
                                   [](const OwnedPhase& phase) { return phase.failures; });
  return counted ? default_rates_words(scenario) : "failures are not counted: `trainyard goodput` says why";
}

std::string no_watches_words(const OwnershipAnswer& answer) {
  return fmt::format(
      "watching is left out: the scenario has no [[design]], and the usual one cannot be built ({}); "
      "ownership.ports says how many ports there are",
      answer.no_ports);
}

std::string watched_words(const OwnershipAnswer& answer) {
  if (!answer.ports || answer.phases.size() < 2) return {};
  std::vector<std::string> names;
  Seconds from;
  for (const std::size_t i : answer.watched) {
    names.push_back(answer.phases[i].name);
    from = std::max(from, answer.phases[i].serves);
  }
  const std::string what =
      answer.settings.ports ? "useful time is that of" : "ports and useful time are those of";
  if (names.size() == 1)
    return fmt::format("{} the phase {}: no others that serve together have more", what, names.front());
  return fmt::format("{} the phases {}, which serve together from year {} on{}", what, listed(names),
                     fixed(as<Years>(from).count(), 3),
                     names.size() < answer.phases.size() ? ", the most at a time" : "");
}

std::string default_rates_words(const Scenario& scenario) {
  return scenario.resilience ? "" : "failures at default rates: the scenario has no [resilience]";
}

}  // namespace trainyard
