#include "cli/unread.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "trainyard/errors.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

std::vector<std::string> packet_sections() {
  std::vector<std::string> out;
  for (const SectionReaders& section : section_readers()) {
    if (section.of_packets) out.push_back(section.name);
  }
  return out;
}

std::string first_section(const ScenarioText& text, const std::vector<std::string>& sections) {
  const auto found =
      std::find_if(sections.begin(), sections.end(), [&](const std::string& name) { return text.has(name); });
  return found == sections.end() ? "" : *found;
}

const SectionReaders* readers_of(const std::string& verb, const ScenarioText& set) {
  static const std::vector<SectionReaders> all = section_readers();
  if (verb == "search") return nullptr;  // it may leave any setting free
  const auto found = std::find_if(all.begin(), all.end(), [&](const SectionReaders& section) {
    const bool reads = std::find(section.verbs.begin(), section.verbs.end(), verb) != section.verbs.end();
    return !reads && set.has(section.name);
  });
  return found == all.end() ? nullptr : &*found;
}

void fail_unread(const std::string& verb, const SectionReaders& section, const std::string& asked_by) {
  fail_input(whole(asked_by), fmt::format("`{}` does not read [{}]", verb, section.name),
             fmt::format("for: {}", fmt::join(section.verbs, ", ")));
}

}  // namespace trainyard
