// Where errors that name a setting alone have their place in a scenario.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/document.h"
#include "base/field_units.h"
#include "base/finite.h"
#include "catalog/catalog.h"
#include "scenario/checks.h"
#include "scenario/section_list.h"
#include "scenario/value_lists.h"
#include "trainyard/quantity_text.h"
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

bool is_without_bound(const Finding& finding) {
  return finding.where.source && finding.where.source->name == kTheAnswer;
}

/// A setting of a document and how far it is from what is usual, in powers of ten.
struct Extreme {
  std::string setting;
  std::string text;
  std::string usual;  // empty: none is known
  Location where;
  double decades = 0;
};

/// A number or a quantity in base units; nothing for others and for 0.
std::optional<double> magnitude(const std::string& text, Unit unit) {
  NumberWithUnit number;
  const ParsedQuantity quantity = unit == Unit::number ? ParsedQuantity{} : parse_quantity(text, unit);
  const double value = unit != Unit::number && quantity.error.empty()      ? quantity.si
                       : split_number(text, number) && number.unit.empty() ? number.number
                                                                           : 0;
  return value != 0 ? std::optional(std::abs(value)) : std::nullopt;
}

std::string without_quotes(const std::string& text) {
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// How far a value is from its default; without one, from numbers that any system has.
double decades_off(double value, std::optional<double> usual) {
  constexpr double kAnySystem = 30;
  if (usual) return std::abs(std::log10(value / *usual));
  return std::max(0.0, std::abs(std::log10(value)) - kAnySystem);
}

void note_extremes(const Table& table, const std::string& name, const std::vector<FieldInfo>& fields,
                   Extreme& most) {
  for (const FieldInfo& field : fields) {
    const Value* value = table.find(field.name);
    std::string text;
    if (!value || !scalar_text(text, *value)) continue;
    const Unit unit = unit_of_type(field.type);
    const std::optional<double> number = magnitude(text, unit);
    if (!number) continue;
    const std::string usual = without_quotes(field.default_text);
    const std::optional<double> usual_number = magnitude(usual, unit);
    const double decades = decades_off(*number, usual_number);
    if (decades > most.decades)
      most = {name + "." + field.name, text, usual_number ? usual : "", value->where(), decades};
  }
}

/// The same of catalog entries of the scenario's own.
void note_catalog_extremes(const Table& document, Extreme& most) {
  const Value* catalog = document.find("catalog");
  const Table* kinds = catalog ? catalog->as<Table>() : nullptr;
  if (!kinds) return;
  for (const CatalogKind& kind : catalog_kinds()) {
    const Value* of_kind = kinds->find(kind.name);
    const Table* entries = of_kind ? of_kind->as<Table>() : nullptr;
    if (!entries) continue;
    for (const Member& entry : entries->members)
      if (const Table* table = entry.value.as<Table>())
        note_extremes(*table, fmt::format("catalog.{}.{}", kind.name, entry.key), kind.fields, most);
  }
}

/// The finding at the setting that most likely caused it; as it is where none is extreme.
Finding at_extreme(const Finding& finding, const Table& document) {
  constexpr double kLeastDecades = 6;
  Extreme most;
  for (const SectionInfo& section : scenario_sections()) {
    const Value* value = document.find(section.name);
    if (!value) continue;
    if (const Table* table = value->as<Table>()) note_extremes(*table, section.name, section.fields, most);
    if (const Array* elements = value->as<Array>()) {
      for (const Value& element : *elements)
        if (const Table* table = element.as<Table>())
          note_extremes(*table, section.name, section.fields, most);
    }
  }
  note_catalog_extremes(document, most);
  if (most.decades < kLeastDecades) return finding;
  return {most.where, fmt::format("with {} = {}, {}", most.setting, most.text, finding.message),
          most.usual.empty() ? "a value nearer to those of any system"
                             : fmt::format("a value nearer to the usual one, {}", most.usual)};
}

}  // namespace

std::vector<Finding> ScenarioText::placed(const std::vector<Finding>& findings) const {
  std::vector<Finding> out;
  for (const Finding& finding : findings) {
    if (is_without_bound(finding)) {
      out.push_back(at_extreme(finding, *document_));
      continue;
    }
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
