#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "catalog/catalog.h"
#include "trainyard/catalog_records.h"
#include "trainyard/report/tables.h"

namespace trainyard {
namespace {

using Row = std::vector<std::string>;

}  // namespace

std::string table_text(const TextTable& table) {
  std::vector<std::size_t> widths(table.header.size());
  const auto measure = [&](const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  };
  measure(table.header);
  for (const Row& row : table.rows) measure(row);
  std::string out;
  const auto line = [&](const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
    out += "\n";
  };
  line(table.header);
  for (const Row& row : table.rows) line(row);
  return out;
}

std::string catalog_entry_text(const Catalog& catalog, const CatalogEntryName& name) {
  const TextTable table = catalog_entry_table(catalog, name);
  const auto kind = std::find_if(catalog_kinds().begin(), catalog_kinds().end(),
                                 [&](const CatalogKind& k) { return k.name == name.kind; });
  const std::string& entry_source = kind->info(catalog, name.key).source;
  std::string out = fmt::format("{} {}\n", name.kind, name.key);
  std::size_t width = 0;
  for (const Row& row : table.rows) width = std::max(width, row[0].size());
  for (const Row& row : table.rows) {
    out += fmt::format("  {:<{}}  {}\n", row[0], width, row[1]);
    if (row[2] != entry_source && !row[2].empty())
      out += fmt::format("  {:<{}}    source: {}\n", "", width, row[2]);
  }
  return out;
}

std::string settings_text(const TextTable& settings) {
  std::string out;
  for (const Row& row : settings.rows) {
    out += fmt::format("{}  ({}{})\n    {}\n", row[0], row[1], row[2].empty() ? "" : "; default: " + row[2],
                       row[4]);
    if (!row[3].empty()) out += fmt::format("    allowed: {}\n", row[3]);
    if (!row[5].empty()) out += fmt::format("    default from: {}\n", row[5]);
  }
  return out;
}

}  // namespace trainyard
