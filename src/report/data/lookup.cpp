#include <algorithm>
#include <cctype>
#include <utility>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "report/data/csv.h"
#include "report/data/field_values.h"
#include "report/data/json.h"
#include "scenario/section_list.h"
#include "trainyard/catalog.h"
#include "trainyard/nearest.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/tables.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using Row = std::vector<std::string>;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Texts without the quotes of TOML, times without an exponent.
std::string readable(std::string text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  text = text.substr(1, text.size() - 2);
  if (!text.ends_with(" s") || text.find("e-") == std::string::npos) return text;
  const ParsedQuantity time = parse_quantity(text, Unit::seconds);
  return time.error.empty() ? written_quantity(time.si, Unit::seconds) : text;
}

using EntryTexts = std::vector<std::pair<std::string, std::string>>;

std::string text_of(const EntryTexts& entry, const std::string& field) {
  for (const auto& [name, text] : entry) {
    if (name == field) return readable(text);
  }
  return {};
}

bool matches(const EntryTexts& entry, const std::vector<CatalogFilter>& filters) {
  return std::all_of(filters.begin(), filters.end(), [&](const CatalogFilter& filter) {
    return lower(text_of(entry, filter.field)).find(lower(filter.text)) != std::string::npos;
  });
}

const CatalogKind& kind_named(const std::string& name) {
  std::vector<std::string> names;
  for (const CatalogKind& kind : catalog_kinds()) {
    names.push_back(kind.name);
    if (kind.name == name) return kind;
  }
  fail_input(whole("catalog"), "no kind of entry '" + name + "'", suggestion(name, names));
}

/// `show KEY` without its kind: the only kind that has the key.
const CatalogKind& kind_of_key(const Catalog& catalog, const std::string& key) {
  std::vector<std::string> all;
  for (const CatalogKind& kind : catalog_kinds()) {
    for (const std::string& known : kind.keys(catalog)) {
      all.push_back(known);
      if (known == key) return kind;
    }
  }
  fail_input(whole("catalog show"), "no entry '" + key + "'", suggestion(key, all));
}

/// What helps who asked for a setting: the catalog where the name is an entry of it, the nearest settings
/// otherwise.
std::string where_else(const std::string& what, const std::vector<std::string>& settings) {
  const Catalog catalog = catalog_with({});
  for (const CatalogKind& kind : catalog_kinds()) {
    const auto keys = kind.keys(catalog);
    if (std::find(keys.begin(), keys.end(), what) != keys.end())
      return "the catalog has it, among its " + kind.name + ": `trainyard catalog show " + what + "`";
  }
  return suggestion(what, settings);
}

void check_filters(const CatalogKind& kind, const std::vector<CatalogFilter>& filters) {
  std::vector<std::string> names;
  for (const FieldInfo& field : kind.fields) names.push_back(field.name);
  for (const CatalogFilter& filter : filters) {
    if (std::find(names.begin(), names.end(), filter.field) == names.end()) {
      fail_input(whole("--where"), kind.name + " have no field '" + filter.field + "'",
                 suggestion(filter.field, names));
    }
  }
}

std::vector<std::string> listed_fields(const CatalogKind& kind, ListedFields which) {
  std::vector<std::string> fields = {"name"};
  for (const FieldInfo& field : kind.fields) {
    const bool scalar = field.json_type != "object" && field.json_type != "array";
    const bool telling = field.required && scalar && field.name != "source";
    const bool shown = which == ListedFields::all || telling;
    if (shown && field.name != "name" && field.name != "sources") fields.push_back(field.name);
  }
  return fields;
}

/// Where a field's figure comes from; nothing of prose.
std::string source_of(const EntryInfo& info, const std::string& field) {
  const auto own = info.sources.find(field);
  if (own != info.sources.end()) return own->second;
  const bool prose = field == "name" || field == "source" || field == "note";
  return prose ? "" : info.source;
}

/// A value that stands as JSON; nothing of an empty text.
Json value_json(const std::string& text) { return text.empty() ? Json() : Json::parse(text); }

bool is_value_column(const TextTable& table, const std::string& column) {
  return std::find(table.values.begin(), table.values.end(), column) != table.values.end();
}

/// The list for programs: numbers in base units under names that say so.
TextTable entry_values(const Catalog& catalog, const CatalogKind& kind,
                       const std::vector<CatalogFilter>& filters) {
  TextTable table{{"key"}, {}};
  std::vector<const FieldInfo*> fields;
  for (const std::string& name : listed_fields(kind, ListedFields::all)) {
    fields.push_back(&*std::find_if(kind.fields.begin(), kind.fields.end(),
                                    [&](const FieldInfo& field) { return field.name == name; }));
    table.header.push_back(name_with_unit(*fields.back()));
    if (!is_text(*fields.back())) table.values.push_back(table.header.back());
  }
  for (const std::string& key : kind.keys(catalog)) {
    const EntryTexts entry = kind.entry(catalog, key);
    if (!matches(entry, filters)) continue;
    Row row = {key};
    for (const FieldInfo* field : fields) {
      const auto own = std::find_if(entry.begin(), entry.end(),
                                    [&](const auto& text) { return text.first == field->name; });
      const std::string text = own == entry.end() ? std::string() : own->second;
      row.push_back(is_text(*field) || text.empty() ? readable(text)
                                                    : value_in_base_units(*field, text).dump());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> setting_names(const std::vector<SectionInfo>& sections) {
  std::vector<std::string> names;
  for (const SectionInfo& section : sections) {
    names.push_back(section.name);
    for (const FieldInfo& f : section.fields) names.push_back(section.name + "." + f.name);
  }
  return names;
}

}  // namespace

std::string table_json(const TextTable& table) {
  Json out = Json::array();
  for (const Row& row : table.rows) {
    Json item;
    for (std::size_t i = 0; i < table.header.size(); ++i)
      item[table.header[i]] = is_value_column(table, table.header[i]) ? value_json(row[i]) : Json(row[i]);
    out.push_back(std::move(item));
  }
  return dumped(out);
}

std::string table_csv(const TextTable& table) {
  std::string columns;
  for (const std::string& name : table.header) columns += (columns.empty() ? "" : ",") + name;
  CsvTable out(columns);
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out.add(is_value_column(table, table.header[i]) ? setting_word(setting_json(row[i])) : row[i]);
    out.end_row();
  }
  return std::move(out).text();
}

TextTable catalog_kinds_table(const Catalog& catalog) {
  TextTable table{{"kind", "entries", "what"}, {}, {"entries"}};
  for (const CatalogKind& kind : catalog_kinds())
    table.rows.push_back({kind.name, std::to_string(kind.keys(catalog).size()), kind.sentence});
  return table;
}

TextTable catalog_list_table(const Catalog& catalog, const std::string& kind_name,
                             const std::vector<CatalogFilter>& filters, ListedFields which) {
  const CatalogKind& kind = kind_named(kind_name);
  check_filters(kind, filters);
  if (which == ListedFields::all) return entry_values(catalog, kind, filters);
  const auto fields = listed_fields(kind, which);
  TextTable table{{"key"}, {}};
  table.header.insert(table.header.end(), fields.begin(), fields.end());
  for (const std::string& key : kind.keys(catalog)) {
    const EntryTexts entry = kind.entry(catalog, key);
    if (!matches(entry, filters)) continue;
    Row row = {key};
    for (const std::string& field : fields) row.push_back(text_of(entry, field));
    table.rows.push_back(std::move(row));
  }
  return table;
}

CatalogEntryName catalog_entry_named(const Catalog& catalog, const std::string& kind_or_key,
                                     const std::string& key) {
  if (key.empty()) return {kind_of_key(catalog, kind_or_key).name, kind_or_key};
  const CatalogKind& kind = kind_named(kind_or_key);
  const auto keys = kind.keys(catalog);
  if (std::find(keys.begin(), keys.end(), key) == keys.end())
    fail_input(whole("catalog show"), "no entry '" + key + "' in " + kind.name, suggestion(key, keys));
  return {kind.name, key};
}

TextTable catalog_entry_table(const Catalog& catalog, const CatalogEntryName& name) {
  const CatalogKind& kind = kind_named(name.kind);
  TextTable table{{"field", "value", "source"}, {}};
  for (const auto& [field, text] : kind.entry(catalog, name.key))
    table.rows.push_back({field, readable(text), source_of(kind.info(catalog, name.key), field)});
  return table;
}

TextTable catalog_entry_values(const Catalog& catalog, const CatalogEntryName& name) {
  const CatalogKind& kind = kind_named(name.kind);
  TextTable table{{"field", "value", "source"}, {}, {"value"}};
  for (const auto& [name_of_field, text] : kind.entry(catalog, name.key)) {
    const std::string& key = name_of_field;
    const auto field = std::find_if(kind.fields.begin(), kind.fields.end(),
                                    [&](const FieldInfo& info) { return info.name == key; });
    table.rows.push_back({name_with_unit(*field), value_in_base_units(*field, text).dump(),
                          source_of(kind.info(catalog, name.key), key)});
  }
  return table;
}

TextTable settings_table(const std::string& what) {
  const auto sections = scenario_sections();
  TextTable table{{"key", "type", "default", "allowed", "sentence", "source"}, {}};
  for (const SectionInfo& section : sections) {
    for (const FieldInfo& f : section.fields) {
      const std::string key = section.name + "." + f.name;
      if (!what.empty() && what != section.name && what != key) continue;
      table.rows.push_back({key, f.type, f.required ? "(required)" : readable(f.default_text), f.allowed,
                            f.sentence, f.source});
    }
  }
  if (table.rows.empty())
    fail_input(whole("describe"), "a scenario has no '" + what + "'",
               where_else(what, setting_names(sections)));
  return table;
}

TextTable scenarios_table() {
  TextTable table{{"name", "title"}, {}};
  for (const ShippedScenario& scenario : shipped_scenarios())
    table.rows.push_back({scenario.name, scenario.title});
  return table;
}

TextTable example_table(const ShippedScenario& scenario) {
  return {{"name", "title", "text"}, {{scenario.name, scenario.title, scenario.text}}};
}

}  // namespace trainyard
