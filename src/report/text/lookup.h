// Catalog entries and scenario settings on the terminal.
#pragma once

#include <string>

#include "report/data/lookup.h"

namespace trainyard {

/// Columns as wide as their texts.
std::string table_text(const TextTable& table);

/// Every field of an entry; its source where it is not the entry's.
std::string catalog_entry_text(const Catalog& catalog, const CatalogKind& kind, const std::string& key);

/// Each setting of settings_table() on two or three lines: names first, then what it means.
std::string settings_text(const TextTable& settings);

}  // namespace trainyard
