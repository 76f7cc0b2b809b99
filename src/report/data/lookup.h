// Catalog entries, scenario settings and shipped scenarios as tables.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "scenario/scenario.h"

namespace trainyard {

/// Rows of texts under a header.
struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
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
  all,
  telling,  // the required ones, but for long tables and sources
};

/// The kinds and how many entries each has.
TextTable catalog_kinds_table(const Catalog& catalog);

/// Entries of a kind. Throws InputError for a filter on an unknown field.
TextTable catalog_list_table(const Catalog& catalog, const CatalogKind& kind,
                             const std::vector<CatalogFilter>& filters, ListedFields fields);

/// Every field of an entry with its source.
TextTable catalog_entry_table(const Catalog& catalog, const CatalogKind& kind, const std::string& key);

/// The settings of a scenario: all (""), one section ("network") or one key ("network.scale_out_rate").
/// Throws InputError for an unknown one.
TextTable settings_table(const std::string& what);

TextTable scenarios_table();

/// A record of the name, title and text of a shipped scenario.
TextTable example_table(const ShippedScenario& scenario);

}  // namespace trainyard
