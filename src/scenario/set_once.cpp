#include "trainyard/set_once.h"

#include <fmt/core.h>

#include <memory>

#include "trainyard/assignment_text.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

/// Of a scenario that says nothing else.
ScenarioText changed_alone(const std::string& assignment) {
  auto out = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"the command", ""}));
  out.set(assignment);
  return out;
}

[[noreturn]] void fail_twice(const std::string& key, const std::string& by, const std::string& before) {
  fail_input(whole(by), fmt::format("'{}' is set already{}", key, before == by ? "" : " by " + before),
             "once each");
}

}  // namespace

void SetOnce::add(const std::string& assignment, const std::string& by) {
  const auto sides = assignment_text(assignment);
  if (!sides) return;
  const std::string key(sides->key);
  const auto [known, added] = by_.emplace(key, by);
  if (!added) fail_twice(key, by, known->second);
  if (key.starts_with("catalog")) return;  // its entries may refer to others
  if (key.find('.') == std::string::npos) return add_section(assignment, by);
  const std::string section = key.substr(0, key.find('.'));
  for (const auto& [text, before] : sections_) {
    if (text.has(section, key.substr(section.size() + 1))) fail_twice(key, by, before);
  }
}

void SetOnce::add_section(const std::string& assignment, const std::string& by) {
  const ScenarioText says = changed_alone(assignment);
  for (const auto& [other, before] : by_) {
    const std::string section = other.substr(0, other.find('.'));
    if (other != section && says.has(section, other.substr(section.size() + 1)))
      fail_twice(other, by, before);
  }
  sections_.emplace_back(says, by);
}

}  // namespace trainyard
