#include "cli/loading.h"

#include <memory>

#include "cli/verb.h"
#include "trainyard/errors.h"

namespace trainyard {

ScenarioText load(const ScenarioOptions& options, const std::vector<FlagChange>& changes) {
  ScenarioText text = ScenarioText::load(options.scenario, options.catalog_folders);
  for (const std::string& change : options.sets) text.set(change);
  for (const FlagChange& change : changes) text.set(change.assignment, change.flag);
  *options.loaded = std::make_shared<const ScenarioText>(text);
  return text;
}

void fail_placed(const ScenarioOptions& options, const InputError& error) {
  if (!*options.loaded) throw error;
  throw InputError((*options.loaded)->placed(error.findings()));
}

}  // namespace trainyard
