// A scenario from the command line's options; files that a verb writes.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"

namespace trainyard {

class ScenarioText;

/// A change that a flag of its own makes: "--runs 5" sets "resilience.runs=5".
struct FlagChange {
  std::string assignment;
  std::string flag;
};

/// Reads the scenario and lays every --set over it, then the changes.
ScenarioText load(const ScenarioOptions& options, const std::vector<FlagChange>& changes = {});

/// What the command itself sets, by --set and flags, over an empty text.
ScenarioText set_by_command(const ScenarioOptions& options, const std::vector<FlagChange>& changes = {});

/// Throws InputError for a key, which this flag names, of a section that the verb does not read.
void refuse_unread_key(const ScenarioOptions& options, const std::string& key, const char* flag);

/// Throws InputError where the command sets something of these sections, which it reads with `remedy` alone.
void refuse_sections(const ScenarioOptions& options, const std::vector<std::string>& sections,
                     const char* remedy);

/// Writes a file and says so on standard error.
void write_announced(const char* what, const std::string& path, const std::string& content);

}  // namespace trainyard
