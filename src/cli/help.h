// What the program says of itself: to whom meets it for the first time, of its verbs, and of what all share.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Command;

/// A command line that is worth a try, and what it answers.
struct Example {
  std::string command;
  std::string sentence;
};

/// Examples of a verb; each runs as it stands.
std::vector<Example> examples_of(const std::string& verb);

/// A text about what several verbs share.
struct Topic {
  std::string name;
  std::string sentence;
  std::string text;
};
const std::vector<Topic>& topics();

/// `trainyard` alone: what it is, a first example, what to try next.
std::string start_page();

/// `trainyard --help`.
std::string overview();

/// `trainyard VERB --help`.
std::string help_text(const Command& command);

/// `trainyard help WORD...`: a verb, a topic or a setting. Throws InputError with the nearest.
std::string help_about(const std::vector<std::string>& words);

/// The verb or its part of that name; nullptr where there is none.
const Command* find_command(const std::vector<Command>& commands, const std::string& name);

}  // namespace trainyard
