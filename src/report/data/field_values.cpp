#include "report/data/field_values.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "base/document.h"
#include "base/field_units.h"
#include "scenario/section_list.h"
#include "trainyard/errors.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

/// Lists of tables: the unit is that of a member, and stands in the member's name.
bool has_unit_inside(const FieldInfo& field) { return field.type.find('{') != std::string::npos; }

struct JsonWriter {
  Unit unit;
  bool unit_inside;

  Json operator()(bool v) const { return v; }
  Json operator()(std::int64_t v) const { return v; }
  Json operator()(double v) const { return v; }
  Json operator()(const std::string& text) const {
    if (unit == Unit::number) return text;
    const ParsedQuantity quantity = parse_quantity(text, unit);
    return quantity.error.empty() ? Json(quantity.si) : Json(text);
  }
  Json operator()(const Array& array) const {
    Json out = Json::array();
    for (const Value& element : array) out.push_back(std::visit(*this, element.data()));
    return out;
  }
  Json operator()(const Table& table) const {
    Json out = Json::object();
    for (const Member& member : table.members) {
      const bool own_unit = unit_inside && member.value.as<std::string>();
      out[member.key + std::string(own_unit ? unit_suffix(unit) : "")] =
          std::visit(*this, member.value.data());
    }
    return out;
  }
};

/// By section and key.
const std::map<std::pair<std::string, std::string>, FieldInfo>& fields_by_key() {
  static const auto fields = [] {
    std::map<std::pair<std::string, std::string>, FieldInfo> out;
    for (const SectionInfo& section : scenario_sections())
      for (const FieldInfo& field : section.fields) out.emplace(std::pair(section.name, field.name), field);
    return out;
  }();
  return fields;
}

}  // namespace

bool is_text(const FieldInfo& field) {
  return field.json_type == "string" && unit_of_type(field.type) == Unit::number;
}

std::string name_with_unit(const FieldInfo& field) {
  if (has_unit_inside(field)) return field.name;
  return field.name + std::string(unit_suffix(unit_of_type(field.type)));
}

Json value_in_base_units(const FieldInfo& field, const std::string& toml) {
  if (toml.empty()) return nullptr;
  const bool quoted = toml.size() > 1 && toml.front() == '"' && toml.back() == '"';
  const Unit unit = unit_of_type(field.type);
  // Words stand as they are between the quotes, without escapes.
  if (quoted && unit == Unit::number) return toml.substr(1, toml.size() - 2);
  const auto source = std::make_shared<const SourceText>(SourceText{field.name, "v = " + toml});
  try {
    const Table table = parse_document(source);
    return std::visit(JsonWriter{unit, has_unit_inside(field)}, table.members.front().value.data());
  } catch (const InputError&) {
    return toml;  // a list of words with quotes of their own
  }
}

Json settings_in_base_units(const std::vector<std::pair<std::string, std::string>>& settings) {
  Json out = Json::object();
  for (const auto& [key, text] : settings) {
    const std::size_t last = key.rfind('.');
    const auto field = fields_by_key().find({key.substr(0, key.find('.')), key.substr(last + 1)});
    const FieldInfo info = field == fields_by_key().end() ? FieldInfo{} : field->second;  // a source, prose
    const Json value = value_in_base_units(info, text);
    const bool automatic = value.is_string() && value.get<std::string>() == "auto";
    const std::string unit(automatic || has_unit_inside(info) ? "" : unit_suffix(unit_of_type(info.type)));
    out[key + unit] = value;
  }
  return out;
}

}  // namespace trainyard
