#include "cli/loading.h"

#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/unread.h"
#include "cli/verb.h"
#include "trainyard/assignment_text.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/printable.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/set_once.h"

namespace trainyard {
namespace {

/// Not an entry of a catalog, which may refer to others.
bool is_setting(const std::string& assignment) {
  const auto sides = assignment_text(assignment);
  return !sides || !sides->key.starts_with("catalog");
}

/// Settings over an empty text.
ScenarioText set_by(const std::vector<std::string>& sets, const std::vector<FlagChange>& changes) {
  ScenarioText out = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"the command", ""}));
  for (const std::string& change : sets) {
    if (is_setting(change)) out.set(change);
  }
  for (const FlagChange& change : changes) out.set(change.assignment, change.flag);
  return out;
}

}  // namespace

ScenarioText load(const ScenarioOptions& options, const std::vector<FlagChange>& changes) {
  ScenarioText text = ScenarioText::load(options.scenario, options.catalog_folders);
  SetOnce once;
  text.set(options.sets);
  for (const std::string& change : options.sets) once.add(change, "--set " + change);
  for (const FlagChange& change : changes) {
    text.set(change.assignment, change.flag);
    once.add(change.assignment, change.flag);
  }
  *options.loaded = std::make_shared<const ScenarioText>(text);
  for (const std::string& change : options.sets) {
    const SectionReaders* readers = readers_of(options.verb, set_by({change}, {}));
    if (readers == nullptr) continue;
    text.resolve();  // what is wrong with its value comes first
    fail_unread(options.verb, *readers, "--set " + change);
  }
  return text;
}

ScenarioText set_by_command(const ScenarioOptions& options, const std::vector<FlagChange>& changes) {
  return set_by(options.sets, changes);
}

void refuse_unread_key(const ScenarioOptions& options, const std::string& key, const char* flag) {
  const SectionReaders* readers = readers_of(options.verb, set_by({key + "=0"}, {}));
  if (readers != nullptr) fail_unread(options.verb, *readers, flag);
}

void refuse_sections(const ScenarioOptions& options, const std::vector<std::string>& sections,
                     const char* remedy) {
  for (const std::string& change : options.sets) {
    const std::string section = first_section(set_by({change}, {}), sections);
    if (section.empty()) continue;
    fail_input(whole("--set " + change), fmt::format("[{}] is not read by this command", section),
               fmt::format("with {}", remedy));
  }
}

void fail_placed(const ScenarioOptions& options, const InputError& error) {
  if (!*options.loaded) throw error;
  throw InputError((*options.loaded)->placed(error.findings()));
}

void write_announced(const char* what, const std::string& path, const std::string& content) {
  write_file(path, content);
  std::fprintf(stderr, "%s: %s\n", what, printable(path).c_str());
}

}  // namespace trainyard
