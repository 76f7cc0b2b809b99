// scenarios: those that come with the program.
#include "cli/table_format.h"
#include "cli/verb.h"

namespace trainyard {
namespace {

struct ScenariosOptions {
  Format format = Format::text;
};

void declare_scenarios(Flags& flags, ScenariosOptions& options) { flags.formats(options.format); }

std::string run_scenarios(const ScenariosOptions& options) {
  return in_format(scenarios_table(), options.format);
}

}  // namespace

Verb scenarios_verb() {
  return make_verb("scenarios", "scenarios that come with the program", declare_scenarios, run_scenarios);
}

}  // namespace trainyard
