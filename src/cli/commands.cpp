#include "cli/commands.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "cli/verbs.h"

namespace trainyard {
namespace {

Command command_of(const Verb& verb, const std::string& before) {
  Command command{before + verb.name, verb.sentence, {}, {}};
  for (const Verb& part : verb.parts) command.parts.push_back(command_of(part, command.name + " "));
  if (!verb.parts.empty()) return command;
  CLI::App app;
  Flags flags(app);
  verb.declare(flags);
  command.entries = flags.entries();
  return command;
}

}  // namespace

std::vector<Command> command_table() {
  std::vector<Command> commands;
  for (const Verb& verb : verbs()) commands.push_back(command_of(verb, ""));
  return commands;
}

std::string shown(const FlagEntry& entry) {
  std::string text = entry.name;
  if (entry.is_positional()) return text;
  for (int i = 0; i < entry.values && !entry.value.empty(); ++i) text += " " + entry.value;
  return text;
}

std::string described(const FlagEntry& entry) {
  std::string text = entry.sentence;
  if (!entry.allowed.empty()) text += fmt::format("; one of {}", fmt::join(entry.allowed, ", "));
  if (!entry.needs.empty()) text += fmt::format("; needs {}", fmt::join(entry.needs, ", "));
  if (!entry.excludes.empty()) text += fmt::format("; not with {}", fmt::join(entry.excludes, ", "));
  return text;
}

}  // namespace trainyard
