// catalog: hardware, models and prices, listed and shown.
#include "trainyard/catalog.h"

#include <algorithm>

#include "cli/offers.h"
#include "cli/table_format.h"
#include "cli/verb.h"
#include "trainyard/assignment_text.h"
#include "trainyard/errors.h"
#include "trainyard/report/tables.h"

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
  flags.option("kind", options.kind, "accelerators, hb_domains, nics, switches, links, prices or models")
      .offers(catalog_kind_names);
  flags.option("--where", options.where, "only entries whose field holds this text: field=text (repeatable)")
      .repeatable();
  declare_sources(flags, options);
}

void declare_show(Flags& flags, CatalogOptions& options) {
  flags.option("kind", options.kind, "kind of entry, or its key").required().offers(catalog_keys);
  flags.option("key", options.key, "key of the entry");
  declare_sources(flags, options);
}

/// "field=text" conditions.
std::vector<CatalogFilter> filters_of(const CatalogOptions& options) {
  std::vector<CatalogFilter> filters;
  for (const std::string& where : options.where) {
    const auto sides = assignment_text(where);
    if (!sides) fail_input(whole("--where " + where), "expected field=text", "for example vendor=NVIDIA");
    filters.push_back({std::string(sides->key), std::string(sides->value)});
  }
  return filters;
}

std::string run_catalog_list(const CatalogOptions& options) {
  const Catalog catalog = catalog_with(options.catalog_folders);
  if (options.kind.empty()) return in_format(catalog_kinds_table(catalog), options.format);
  const ListedFields fields = options.format == Format::text ? ListedFields::telling : ListedFields::all;
  return in_format(catalog_list_table(catalog, options.kind, filters_of(options), fields), options.format);
}

std::string run_catalog_show(const CatalogOptions& options) {
  const Catalog catalog = catalog_with(options.catalog_folders);
  const CatalogEntryName name = catalog_entry_named(catalog, options.kind, options.key);
  if (options.format == Format::text) return catalog_entry_text(catalog, name);
  return in_format(catalog_entry_values(catalog, name), options.format);
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
