#include "cli/offers.h"

#include <set>

#include "trainyard/catalog.h"
#include "trainyard/free_setting.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/quantities.h"
#include "trainyard/report/tables.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const ShippedScenario& scenario : shipped_scenarios()) names.push_back(scenario.name);
  return names;
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const auto& row : settings_table("").rows) names.push_back(row.front() + "=");
  return names;
}

std::vector<std::string> setting_topics() {
  std::vector<std::string> names;
  std::set<std::string> sections;
  for (const auto& row : settings_table("").rows) {
    const std::string section = row.front().substr(0, row.front().find('.'));
    if (sections.insert(section).second) names.push_back(section);
    names.push_back(row.front());
  }
  return names;
}

std::vector<std::string> catalog_kind_names() {
  std::vector<std::string> names;
  for (const auto& row : catalog_kinds_table(catalog_with({})).rows) names.push_back(row.front());
  return names;
}

std::vector<std::string> catalog_keys() {
  std::vector<std::string> names;
  const Catalog catalog = catalog_with({});
  for (const std::string& kind : catalog_kind_names()) {
    for (const auto& row : catalog_list_table(catalog, kind, {}, ListedFields::telling).rows)
      names.push_back(row.front());
  }
  return names;
}

namespace {

constexpr std::size_t kType = 1;  // columns of settings_table()
constexpr std::size_t kAllowed = 3;

/// The names in "a: what it is; b: what that is".
std::vector<std::string> choices_in(std::string rest) {
  std::vector<std::string> names;
  while (!rest.empty()) {
    const std::size_t end = rest.find("; ");
    const std::string choice = rest.substr(0, end);
    names.push_back(choice.substr(0, choice.find(':')));
    rest = end == std::string::npos ? "" : rest.substr(end + 2);
  }
  return names;
}

}  // namespace

std::vector<std::string> choices_of(const std::string& setting) {
  return choices_in(settings_table(setting).rows.front().at(kAllowed));
}

std::vector<std::string> setting_choices() {
  std::vector<std::string> out;
  const Catalog catalog = catalog_with({});
  for (const auto& row : settings_table("").rows) {
    const std::size_t dot = row.front().find('.');
    std::vector<std::string> names =
        names_of_setting(row.front().substr(0, dot), row.front().substr(dot + 1), catalog);
    if (row.at(kType) == "true or false") names = {"true", "false"};
    for (const std::string& name : names) out.push_back(row.front() + "=" + name);
  }
  return out;
}

std::vector<std::string> quantity_names() {
  std::vector<std::string> out;
  const Scenario scenario = ScenarioText::load("llama3-405b").resolve();
  for (const PlanQuantity& q : plan_quantities(make_plan(scenario))) out.push_back(q.key);
  return out;
}

}  // namespace trainyard
