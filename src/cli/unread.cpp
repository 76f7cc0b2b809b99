#include "cli/unread.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "trainyard/errors.h"

namespace trainyard {
namespace {

/// Other sections are of the plan, which most verbs make.
const std::vector<Readers>& readers() {
  static const std::vector<Readers> all = {
      {packet_sections(), {"simulate", "step", "wide-area", "schedule"}},
      {{"rail"}, {"rail", "traffic", "network"}},
      {{"circuits"}, {"circuits"}},
      {{"ownership", "phase"}, {"years"}},
      {{"operation"}, {"operate", "years"}},
      {{"schedule"}, {"schedule"}},
      {{"optimize"}, {"network"}},
      {{"long_haul"}, {"wide-area"}},
      {{"search"}, {"search"}},
      {{"sweep"}, {"sweep", "plan"}},
  };
  return all;
}

}  // namespace

const std::vector<std::string>& packet_sections() {
  static const std::vector<std::string> names = {
      "simulation",
      "tier",
      "failure",
      "probe",
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) #section,
#include "trainyard/registries/transports.def"
  };
  return names;
}

std::string first_section(const ScenarioText& text, const std::vector<std::string>& sections) {
  const auto found =
      std::find_if(sections.begin(), sections.end(), [&](const std::string& name) { return text.has(name); });
  return found == sections.end() ? "" : *found;
}

const Readers* readers_of(const std::string& verb, const ScenarioText& set) {
  if (verb == "search") return nullptr;  // it may leave any setting free
  for (const Readers& row : readers()) {
    const bool reads = std::find(row.verbs.begin(), row.verbs.end(), verb) != row.verbs.end();
    if (!reads && !first_section(set, row.sections).empty()) return &row;
  }
  return nullptr;
}

void fail_unread(const std::string& verb, const Readers& readers, const std::string& key,
                 const std::string& asked_by) {
  const std::string section = key.substr(0, key.find_first_of(".= "));
  fail_input(whole(asked_by), fmt::format("`{}` does not read [{}]", verb, section),
             fmt::format("for: {}", fmt::join(readers.verbs, ", ")));
}

}  // namespace trainyard
