// example: a shipped scenario, to change it.
#include "cli/offers.h"
#include "cli/table_format.h"
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct ExampleOptions {
  std::string name;
  Format format = Format::text;
};

void declare_example(Flags& flags, ExampleOptions& options) {
  flags.option("name", options.name, "its name").required().offers(scenario_names).prints_file();
  flags.formats(options.format);
}

std::string run_example(const ExampleOptions& options) {
  std::vector<std::string> names;
  for (const ShippedScenario& scenario : shipped_scenarios()) {
    names.push_back(scenario.name);
    if (scenario.name != options.name) continue;
    return options.format == Format::text ? scenario.text
                                          : in_format(example_table(scenario), options.format);
  }
  fail_input(whole("example"), "no shipped scenario '" + options.name + "'", suggestion(options.name, names));
}

}  // namespace

Verb example_verb() {
  return make_verb("example", "print a shipped scenario, to change it", declare_example, run_example);
}

}  // namespace trainyard
