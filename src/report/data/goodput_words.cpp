#include "report/data/goodput_words.h"

#include <fmt/core.h>

#include "report/data/show.h"
#include "trainyard/goodput.h"
#include "trainyard/scenario.h"

namespace trainyard {

std::string better_without_words(const GoodputAnswer& answer) {
  if (!answer.better_without) return {};
  const WorthRow& row = answer.spares[*answer.better_without];
  return fmt::format(
      "{} would leave more useful time ({}, not {}): a swap stops training for {}, longer than a server that "
      "lacks costs until it is repaired",
      row.what, show_share(row.ettr), show_share(answer.form.ettr), show(answer.question.swap));
}

std::string no_failures_words(const Scenario& scenario) {
  return scenario.resilience ? "" : "nothing fails: the scenario has no [resilience]";
}

}  // namespace trainyard
