// Where errors that name a setting alone have their place in a scenario.
#include <set>
#include <string>
#include <utility>

#include "scenario/checks.h"
#include "scenario/sections.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

/// "section.key" of every setting.
const std::set<std::string>& setting_keys() {
  static const std::set<std::string> keys = [] {
    std::set<std::string> out;
    for (const SectionInfo& section : scenario_sections())
      for (const FieldInfo& field : section.fields) out.insert(section.name + "." + field.name);
    return out;
  }();
  return keys;
}

bool names_setting_alone(const Finding& finding) {
  return finding.where.source && finding.where.line == 0 &&
         setting_keys().contains(finding.where.source->name);
}

/// The text names the setting still, where the place does not.
std::string with_setting(const std::string& setting, const std::string& message) {
  return message.find(setting) == std::string::npos ? setting + ": " + message : message;
}

}  // namespace

std::vector<Finding> ScenarioText::placed(const std::vector<Finding>& findings) const {
  std::vector<Finding> out;
  for (const Finding& finding : findings) {
    if (!names_setting_alone(finding)) {
      out.push_back(finding);
      continue;
    }
    const std::string& setting = finding.where.source->name;
    out.push_back({locate(*document_, setting, name_), with_setting(setting, finding.message), finding.help});
  }
  return out;
}

}  // namespace trainyard
