// help: what the program, a verb, a topic or a setting is.
#include "cli/help.h"

#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/offers.h"
#include "cli/table_format.h"
#include "cli/verb.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

struct HelpOptions {
  std::vector<std::string> about;
  Format format = Format::text;
};

std::vector<std::string> words_to_ask() {
  std::vector<std::string> words;
  for (const Command& command : command_table()) words.push_back(command.name);
  for (const Topic& topic : topics()) words.push_back(topic.name);
  for (const std::string& setting : setting_topics()) words.push_back(setting);
  return words;
}

void declare_help(Flags& flags, HelpOptions& options) {
  flags.option("about", options.about, "a verb, a topic or a setting").offers(words_to_ask);
  flags.formats(options.format);
}

void add_rows(TextTable& table, const Command& command) {
  if (command.entries.empty()) table.rows.push_back({command.name, "", "", command.sentence, ""});
  for (const FlagEntry& e : command.entries) {
    table.rows.push_back({command.name, e.name, e.value, described(e),
                          e.required     ? "required"
                          : e.repeatable ? "repeatable"
                                         : ""});
  }
  for (const Command& part : command.parts) add_rows(table, part);
}

/// Every flag of one verb, or of all.
TextTable flags_table(const std::vector<std::string>& about) {
  TextTable table{{"verb", "flag", "value", "sentence", "how_often"}, {}};
  const auto commands = command_table();
  if (about.empty()) {
    for (const Command& command : commands) add_rows(table, command);
    return table;
  }
  const std::string name = fmt::format("{}", fmt::join(about, " "));
  const Command* command = find_command(commands, name);
  if (!command) fail_input(whole("help"), "no verb '" + name + "'", "topics and settings are texts alone");
  add_rows(table, *command);
  return table;
}

std::string run_help(const HelpOptions& options) {
  if (options.format == Format::text) return help_about(options.about);
  return in_format(flags_table(options.about), options.format);
}

}  // namespace

Verb help_verb() {
  return make_verb("help", "what a verb, a topic or a setting is, with examples", declare_help, run_help);
}

}  // namespace trainyard
