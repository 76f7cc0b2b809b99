// schema: the JSON Schema of a scenario.
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct SchemaOptions {
  Format format = Format::text;
};

void declare_schema(Flags& flags, SchemaOptions& options) {
  flags.prints_file();
  flags.formats(options.format);
}

std::string run_schema(const SchemaOptions& options) {
  if (options.format == Format::csv)
    fail_input(whole("--csv"), "a JSON Schema has no CSV", "`trainyard describe --csv` lists the settings");
  return scenario_schema();
}

}  // namespace

Verb schema_verb() {
  return make_verb("schema", "the JSON Schema of a scenario", declare_schema, run_schema);
}

}  // namespace trainyard
