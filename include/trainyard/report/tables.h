// Catalog entries, scenario settings and shipped scenarios as tables.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Catalog;
struct ShippedScenario;

/// Rows of texts under a header.
struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> values = {};  // columns whose texts are JSON: numbers, truth values, lists
};
/// An array of objects whose fields are the header's.
std::string table_json(const TextTable& table);
std::string table_csv(const TextTable& table);

/// Only entries whose field contains the text, letter case aside.
struct CatalogFilter {
  std::string field;
  std::string text;
};

/// Which fields of entries a list has.
enum class ListedFields {
  all,      // as values: in base units, which the names of the columns say ("memory_bytes")
  telling,  // the required ones, but for long tables and sources
};

/// The kinds and how many entries each has.
TextTable catalog_kinds_table(const Catalog& catalog);

/// Entries of a kind ("accelerators"). Throws InputError for an unknown kind and for a filter on an unknown
/// field.
TextTable catalog_list_table(const Catalog& catalog, const std::string& kind,
                             const std::vector<CatalogFilter>& filters, ListedFields fields);

/// An entry of the catalog, by its kind and key.
struct CatalogEntryName {
  std::string kind;
  std::string key;
};

/// An entry by kind and key, or with an empty `key` the one of any kind whose key is `kind_or_key`. Throws
/// InputError with the nearest name.
CatalogEntryName catalog_entry_named(const Catalog& catalog, const std::string& kind_or_key,
                                     const std::string& key);

/// Every field of an entry as people write it, with its source.
TextTable catalog_entry_table(const Catalog& catalog, const CatalogEntryName& name);

/// The same for programs: numbers in base units, which the field's name says ("memory_bytes").
TextTable catalog_entry_values(const Catalog& catalog, const CatalogEntryName& name);

/// The settings of a scenario: all (""), one section ("network") or one key ("network.scale_out_rate").
/// Throws InputError for an unknown one.
TextTable settings_table(const std::string& what);

TextTable scenarios_table();

/// A record of the name, title and text of a shipped scenario.
TextTable example_table(const ShippedScenario& scenario);

/// Columns as wide as their texts.
std::string table_text(const TextTable& table);

/// Every field of an entry; its source where it is not the entry's.
std::string catalog_entry_text(const Catalog& catalog, const CatalogEntryName& name);

/// Each setting of settings_table() on two or three lines: names first, then what it means.
std::string settings_text(const TextTable& settings);

}  // namespace trainyard
