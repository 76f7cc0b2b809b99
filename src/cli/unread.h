// Sections of a scenario that a verb does not read: what a command sets in them would change nothing.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

class ScenarioText;
struct SectionReaders;

/// [simulation], [[tier]], [[failure]], [[probe]] and the transports.
std::vector<std::string> packet_sections();

/// The first of these sections that a text has; "" for none.
std::string first_section(const ScenarioText& text, const std::vector<std::string>& sections);

/// Of the sections that `set` says something of over an empty text, one that other verbs alone read; else
/// nothing.
const SectionReaders* readers_of(const std::string& verb, const ScenarioText& set);

/// Throws InputError for what is set in it; `asked_by` is what sets it.
[[noreturn]] void fail_unread(const std::string& verb, const SectionReaders& section,
                              const std::string& asked_by);

}  // namespace trainyard
