// catalog: hardware, models and prices, listed and shown.
#include "catalog/catalog.h"

#include <algorithm>

#include "base/errors.h"
#include "base/nearest.h"
#include "cli/loading.h"
#include "cli/table_format.h"
#include "cli/verb.h"
#include "report/data/lookup.h"
#include "report/text/lookup.h"

namespace trainyard {
namespace {

struct CatalogOptions {
  std::string kind;
  std::string key;
  std::vector<std::string> where;  // field=text
  std::vector<std::string> catalog_folders;
  Format format = Format::text;
};

void declare_sources(Flags& flags, CatalogOptions& options) {
  flags.catalog_folders(options.catalog_folders, "folder of catalog files of your own");
  flags.formats(options.format);
}

void declare_list(Flags& flags, CatalogOptions& options) {
  flags.option("kind", options.kind, "accelerators, hb_domains, nics, switches, links, prices or models");
  flags.option("--where", options.where, "only entries whose field holds this text: field=text (repeatable)")
      .repeatable();
  declare_sources(flags, options);
}

void declare_show(Flags& flags, CatalogOptions& options) {
  flags.option("kind", options.kind, "kind of entry, or its key").required();
  flags.option("key", options.key, "key of the entry");
  declare_sources(flags, options);
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

}  // namespace

Verb catalog_verb() {
  return {"catalog",
          "hardware, models and prices, with their sources",
          {},
          {make_verb("list", "entries of a kind, or the kinds", declare_list, run_catalog_list),
           make_verb("show", "every figure of an entry, with its source", declare_show, run_catalog_show)}};
}

}  // namespace trainyard
