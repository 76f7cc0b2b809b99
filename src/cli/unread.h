// Sections of a scenario that a verb does not read: what a command sets in them would change nothing.
#pragma once

#include <string>
#include <vector>

#include "trainyard/scenario_text.h"

namespace trainyard {

/// [simulation], [[tier]], [[failure]], [[probe]] and the transports.
const std::vector<std::string>& packet_sections();

/// The first of these sections that a text has; "" for none.
std::string first_section(const ScenarioText& text, const std::vector<std::string>& sections);

/// Sections that some verbs alone read.
struct Readers {
  std::vector<std::string> sections;
  std::vector<std::string> verbs;
};

/// Those that read what `set` says over an empty text, where the verb is none of them; else nothing.
const Readers* readers_of(const std::string& verb, const ScenarioText& set);

/// Throws InputError for a key, or its assignment, that they alone read; `asked_by` is what sets it.
[[noreturn]] void fail_unread(const std::string& verb, const Readers& readers, const std::string& key,
                              const std::string& asked_by);

}  // namespace trainyard
