#include "cli/loading.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "cli/verb.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

/// Settings by the keys of assignments; the second of one key would hide the first.
class SetOnce {
 public:
  void add(const std::string& assignment, const std::string& by) {
    std::string key = assignment.substr(0, assignment.find('='));
    key.erase(std::remove(key.begin(), key.end(), ' '), key.end());
    const auto [known, added] = by_.emplace(key, by);
    if (added) return;
    const std::string before = known->second == by ? "" : " by " + known->second;
    fail_input(whole(by), fmt::format("'{}' is set already{}", key, before), "once each");
  }

 private:
  std::map<std::string, std::string> by_;
};

}  // namespace

ScenarioText load(const ScenarioOptions& options, const std::vector<FlagChange>& changes) {
  ScenarioText text = ScenarioText::load(options.scenario, options.catalog_folders);
  SetOnce once;
  for (const std::string& change : options.sets) {
    once.add(change, "--set " + change);
    text.set(change);
  }
  for (const FlagChange& change : changes) {
    once.add(change.assignment, change.flag);
    text.set(change.assignment, change.flag);
  }
  *options.loaded = std::make_shared<const ScenarioText>(text);
  return text;
}

void fail_placed(const ScenarioOptions& options, const InputError& error) {
  if (!*options.loaded) throw error;
  throw InputError((*options.loaded)->placed(error.findings()));
}

}  // namespace trainyard
