#include <nlohmann/json.hpp>

#include "catalog/catalog.h"
#include "scenario/section_list.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

Json field_schema(const FieldInfo& field) {
  Json out;
  std::string text = field.sentence;
  if (field.choices.empty() && !field.allowed.empty()) text += " Allowed: " + field.allowed + ".";
  if (field.json_type == "string" && field.choices.empty() && field.type != "text")
    text += " A " + field.type + " with its unit.";
  out["description"] = text;
  if (!field.choices.empty()) {
    out["enum"] = field.choices;
    if (field.takes_auto) out["enum"].push_back("auto");
  } else if (field.takes_auto && field.json_type != "string") {
    out["type"] = Json::array({field.json_type, "string"});  // or "auto"
  } else {
    out["type"] = field.json_type;
  }
  return out;
}

Json table_schema(const std::vector<FieldInfo>& fields) {
  Json out;
  out["type"] = "object";
  out["additionalProperties"] = false;
  Json required = Json::array();
  for (const FieldInfo& field : fields) {
    out["properties"][field.name] = field_schema(field);
    if (field.required) required.push_back(field.name);
  }
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

/// Any value in whose place `{ search = ... }` stands: a list, a range or "all".
Json left_free_schema() {
  const Json number = {{"type", Json::array({"number", "string"})}};
  const Json range = {{"type", "object"},
                      {"additionalProperties", false},
                      {"properties", {{"from", number}, {"to", number}, {"step", number}, {"times", number}}},
                      {"required", Json::array({"from", "to"})}};
  const Json values = {
      {"anyOf", Json::array({{{"type", "array"}}, range, {{"enum", Json::array({"all"})}}})}};
  return {{"description", "Left to `trainyard search`, which finds the best of these values."},
          {"type", "object"},
          {"additionalProperties", false},
          {"properties", {{"search", values}}},
          {"required", Json::array({"search"})}};
}

/// The fields of a section, each of which may be left to a search.
Json section_schema(const std::vector<FieldInfo>& fields) {
  Json out = table_schema(fields);
  for (auto& [name, field] : out["properties"].items()) {
    Json value = field;
    value.erase("description");
    field = {{"description", field["description"]},
             {"anyOf", Json::array({std::move(value), {{"$ref", "#/definitions/left_free"}}})}};
  }
  return out;
}

/// [catalog.kind.key]: any key, the fields of the kind and `based_on`.
Json catalog_schema() {
  Json out;
  out["type"] = "object";
  out["additionalProperties"] = false;
  for (const CatalogKind& kind : catalog_kinds()) {
    Json entry = table_schema(kind.fields);
    entry.erase("required");
    entry["properties"]["based_on"] = {{"type", "string"},
                                       {"description", "Key of the entry to start from."}};
    entry["required"] = Json::array({"source"});
    out["properties"][kind.name] = {{"type", "object"}, {"additionalProperties", std::move(entry)}};
  }
  return out;
}

}  // namespace

std::string scenario_schema() {
  Json out;
  out["$schema"] = "http://json-schema.org/draft-07/schema#";
  out["title"] = "Trainyard scenario";
  out["type"] = "object";
  out["additionalProperties"] = false;
  out["properties"]["title"] = {{"type", "string"}};
  for (const SectionInfo& section : scenario_sections()) {
    Json schema = section_schema(section.fields);
    schema["description"] = section.sentence;
    out["properties"][section.name] = section.repeated ? Json{{"type", "array"}, {"items", schema}} : schema;
  }
  out["properties"]["catalog"] = catalog_schema();
  out["required"] = Json::array({"facility", "model"});
  out["definitions"]["left_free"] = left_free_schema();
  return out.dump(2) + "\n";
}

}  // namespace trainyard
