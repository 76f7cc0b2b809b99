// manual: pages for man(1).
#include "cli/manual.h"

#include <filesystem>
#include <system_error>

#include "cli/commands.h"
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

struct ManualOptions {
  std::string verb;
  std::string folder;  // --into DIR
};

std::vector<std::string> verb_names_of_table() {
  std::vector<std::string> names;
  for (const Command& command : command_table()) names.push_back(command.name);
  return names;
}

void declare_manual(Flags& flags, ManualOptions& options) {
  flags.prints_file();
  const Flag verb = flags.option("verb", options.verb, "the page of this verb; without one, trainyard(1)")
                        .offers(verb_names_of_table);
  flags.option("--into", options.folder, "write trainyard.1 and a page for each verb into this folder")
      .makes_folder()
      .excludes(verb);
}

std::string write_pages(const std::vector<Command>& commands, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_writing(folder, error.value());
  const std::filesystem::path path(folder);
  write_file((path / "trainyard.1").string(), manual_page(commands));
  for (const Command& command : commands)
    write_file((path / ("trainyard-" + command.name + ".1")).string(), manual_page(command));
  return {};
}

std::string run_manual(const ManualOptions& options) {
  const auto commands = command_table();
  if (!options.folder.empty()) return write_pages(commands, options.folder);
  if (options.verb.empty()) return manual_page(commands);
  for (const Command& command : commands) {
    if (command.name == options.verb) return manual_page(command);
  }
  fail_input(whole("manual"), "no verb '" + options.verb + "'",
             suggestion(options.verb, verb_names_of_table()));
}

}  // namespace

Verb manual_verb() {
  return make_verb("manual", "pages for man, from the same tables as --help", declare_manual, run_manual);
}

}  // namespace trainyard
