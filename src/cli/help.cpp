#include "cli/help.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/offers.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/report/tables.h"

namespace trainyard {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kTextAt = 26;

/// "  name    sentence", the sentence wrapped beside the name, or below a long one.
std::string entry_line(const std::string& name, const std::string& sentence) {
  std::string out = "  " + name;
  std::size_t at = out.size();
  const auto pad = [&] {
    out += std::string(kTextAt - at, ' ');
    at = kTextAt;
  };
  if (at + 2 > kTextAt) {
    out += "\n";
    at = 0;
  }
  pad();
  std::string rest = sentence;
  while (!rest.empty()) {
    const std::string word = rest.substr(0, rest.find(' '));
    rest.erase(0, std::min(rest.size(), word.size() + 1));
    if (at > kTextAt && at + 1 + word.size() > kWidth) {
      out += "\n";
      at = 0;
      pad();
    }
    if (at > kTextAt) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
  }
  return out + "\n";
}

std::string listed(const char* title, const std::vector<Command>& commands) {
  std::string out = fmt::format("\n{}:\n", title);
  for (const Command& c : commands) {
    const std::size_t blank = c.name.find(' ');
    out += entry_line(blank == std::string::npos ? c.name : c.name.substr(blank + 1), c.sentence);
  }
  return out;
}

std::string usage(const Command& command) {
  std::string text = "trainyard " + command.name;
  if (!command.parts.empty()) return text + " VERB";
  for (const FlagEntry& entry : command.entries) {
    if (entry.is_positional()) text += entry.required ? " " + entry.name : " [" + entry.name + "]";
  }
  return text + " [OPTIONS]";
}

constexpr const char* kColour = "colour on a terminal: auto (the default), always or never";

}  // namespace

const Command* find_command(const std::vector<Command>& commands, const std::string& name) {
  for (const Command& command : commands) {
    if (command.name == name) return &command;
    if (const Command* part = find_command(command.parts, name)) return part;
  }
  return nullptr;
}

namespace {

std::string list_of_topics() {
  std::string out = "Topics of `trainyard help TOPIC`:\n";
  for (const Topic& topic : topics()) out += entry_line(topic.name, topic.sentence);
  return out;
}

}  // namespace

std::string overview() {
  std::string out =
      "Designs, prices and simulates AI training datacenters, from the power grid to\nthe packet.\n\n"
      "Usage: trainyard VERB [OPTIONS]\n\nOptions:\n";
  out += entry_line("-h,--help", "this list; behind a verb, its flags");
  out += entry_line("--version", "the program's version");
  out += entry_line("--color WHEN", kColour);
  out += listed("Verbs", command_table());
  return out + "\n" + list_of_topics() +
         "\nFirst steps: `trainyard` alone. A verb with examples: `trainyard help plan`.\n";
}

std::string help_text(const Command& command) {
  std::string out =
      fmt::format("{}\nUsage: {}\n", entry_line(command.name, command.sentence).substr(2), usage(command));
  if (!command.parts.empty()) out += listed("Verbs", command.parts);
  std::string positionals;
  std::string options = entry_line("-h,--help", "this text");
  for (const FlagEntry& entry : command.entries)
    (entry.is_positional() ? positionals : options) += entry_line(shown(entry), described(entry));
  if (!positionals.empty()) out += "\nPositionals:\n" + positionals;
  if (command.parts.empty()) out += "\nOptions:\n" + options;
  const auto examples = examples_of(command.name);
  if (!examples.empty()) out += "\nExamples:\n";
  for (const Example& e : examples) out += fmt::format("  {}\n      {}\n", e.command, e.sentence);
  return out;
}

std::string help_about(const std::vector<std::string>& words) {
  if (words.empty()) return overview();
  const std::string name = fmt::format("{}", fmt::join(words, " "));
  const auto commands = command_table();
  if (const Command* command = find_command(commands, name)) return help_text(*command);
  if (name == "topics") return list_of_topics();
  if (name == "verbs") return listed("Verbs", commands).substr(1);
  std::vector<std::string> known = {"topics", "verbs"};
  for (const Command& command : commands) known.push_back(command.name);
  for (const Topic& topic : topics()) {
    if (topic.name == name) return topic.text;
    known.push_back(topic.name);
  }
  const auto settings = setting_topics();
  if (std::find(settings.begin(), settings.end(), name) != settings.end())
    return settings_text(settings_table(name));
  const auto entries = catalog_keys();
  if (std::find(entries.begin(), entries.end(), name) != entries.end())
    fail_input(whole("help"), "'" + name + "' is an entry of the catalog",
               "see `trainyard catalog show " + name + "`");
  std::vector<std::string> all = known;
  all.insert(all.end(), settings.begin(), settings.end());
  const std::string near = nearest(name, all);
  fail_input(whole("help"), "nothing about '" + name + "'",
             near.empty() ? suggestion(name, known) : "did you mean '" + near + "'?");
}

}  // namespace trainyard
