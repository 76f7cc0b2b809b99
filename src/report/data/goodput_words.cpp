#include "report/data/goodput_words.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "report/data/show.h"
#include "trainyard/goodput.h"
#include "trainyard/ownership.h"
#include "trainyard/scenario.h"

namespace trainyard {

std::string better_without_words(const GoodputAnswer& answer) {
  if (!answer.better_without) return {};
  const WorthRow& row = answer.spares[*answer.better_without];
  return fmt::format(
      "{} would leave more useful time ({}, not {}): a swap stops training for {}, longer than a server that "
      "lacks costs until it is repaired",
      row.what, show_share(row.ettr), show_share(answer.training.useful), show(answer.question.swap));
}

std::string target_words(const GoodputAnswer& answer) {
  const TargetTimes& target = answer.target;
  if (target.runs == 0) return "days are the closed form's: until then more parts fail than can be simulated";
  if (target.ended >= 1) return {};
  return fmt::format(
      "{} of {} never end (within {}); mean and cost are those of the others, the closed form's days when "
      "the mean run ends",
      show_share(1 - target.ended), counted(grouped(target.runs), "run"), show(target.within));
}

std::string servers_words(const TrainingForm& training) {
  const bool runs_out = training.time && training.form.long_run_ettr < kLeastUseful;
  return runs_out ? "until servers run out" : "";
}

std::string failures_of_years_words(const Scenario& scenario, const OwnershipAnswer& answer) {
  const bool counted = std::all_of(answer.phases.begin(), answer.phases.end(),
                                   [](const OwnedPhase& phase) { return phase.failures; });
  return counted ? default_rates_words(scenario) : "failures are not counted: `trainyard goodput` says why";
}

std::string default_rates_words(const Scenario& scenario) {
  return scenario.resilience ? "" : "failures at default rates: the scenario has no [resilience]";
}

}  // namespace trainyard
