// What the command line understands, as data: for help, completion and manuals.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "cli/flags.h"

namespace trainyard {

struct Verb;

/// A verb with its flags.
struct Command {
  std::string name;  // "catalog list"
  std::string sentence;
  std::deque<FlagEntry> entries;
  std::vector<Command> parts;
};

/// Every verb, in the order of --help.
std::vector<Command> command_table();

/// "--report FILE", "--route N N", "scenario".
std::string shown(const FlagEntry& entry);

/// The sentence, what is allowed, and which flags it needs or refuses.
std::string described(const FlagEntry& entry);

}  // namespace trainyard
