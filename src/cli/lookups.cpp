#include "base/errors.h"
#include "base/nearest.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/loading.h"
#include "report/data/lookup.h"
#include "report/text/lookup.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

std::string in_format(const TextTable& table, Format format) {
  if (format == Format::json) return table_json(table);
  return format == Format::csv ? table_csv(table) : table_text(table);
}

const CatalogKind& kind_named(const std::string& name) {
  std::vector<std::string> names;
  for (const CatalogKind& kind : catalog_kinds()) {
    names.push_back(kind.name);
    if (kind.name == name) return kind;
  }
  fail_input(whole("catalog"), "no kind of entry '" + name + "'", suggestion(name, names));
}

/// "field=text" conditions.
std::vector<CatalogFilter> filters_of(const CatalogOptions& options) {
  std::vector<CatalogFilter> filters;
  for (const std::string& where : options.where) {
    const auto equals = where.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail_input(whole("--where " + where), "expected field=text", "for example vendor=NVIDIA");
    }
    filters.push_back({where.substr(0, equals), where.substr(equals + 1)});
  }
  return filters;
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

}  // namespace

std::string run_catalog_list(const CatalogOptions& options) {
  const Catalog catalog = catalog_with(options.catalog_folders);
  if (options.kind.empty()) return in_format(catalog_kinds_table(catalog), options.format);
  const ListedFields fields = options.format == Format::text ? ListedFields::telling : ListedFields::all;
  return in_format(catalog_list_table(catalog, kind_named(options.kind), filters_of(options), fields),
                   options.format);
}

std::string run_catalog_show(const CatalogOptions& options) {
  const Catalog catalog = catalog_with(options.catalog_folders);
  const bool alone = options.key.empty();
  const std::string& key = alone ? options.kind : options.key;
  const CatalogKind& kind = alone ? kind_of_key(catalog, key) : kind_named(options.kind);
  const auto keys = kind.keys(catalog);
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    fail_input(whole("catalog show"), "no entry '" + key + "' in " + kind.name, suggestion(key, keys));
  }
  if (options.format == Format::text) return catalog_entry_text(catalog, kind, key);
  return in_format(catalog_entry_table(catalog, kind, key), options.format);
}

std::string run_describe(const DescribeOptions& options) {
  const TextTable settings = settings_table(options.what);
  return options.format == Format::text ? settings_text(settings) : in_format(settings, options.format);
}

std::string run_schema() { return scenario_schema(); }

std::string run_scenarios(Format format) { return in_format(scenarios_table(), format); }

std::string run_example(const std::string& name) {
  std::vector<std::string> names;
  for (const ShippedScenario& scenario : shipped_scenarios()) {
    names.push_back(scenario.name);
    if (scenario.name == name) return scenario.text;
  }
  fail_input(whole("example"), "no shipped scenario '" + name + "'", suggestion(name, names));
}

}  // namespace trainyard
