// The catalog: data files of accelerators, HB domains, NICs, switches, links, prices and models, as typed
// records.
//
// Files hold tables `[kind.key]`; every entry has a `source`. The shipped files (catalog/*.toml) are compiled
// into the program. A user's folder, or the `[catalog]` section of a scenario, adds entries or changes fields
// of known ones: a table whose key is known changes only the fields that it names; `based_on = "key"` starts
// a new entry from another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/fields.h"
#include "trainyard/catalog.h"

namespace trainyard {

/// Adds the tables of a document (`[kind.key]`) to a catalog. `where` names the document in messages.
void extend_catalog(Catalog& catalog, const Table& document, const std::string& path, Findings& findings);

/// Adds every *.toml file of a folder, in the order of their names. Throws InputError.
void extend_from_folder(Catalog& catalog, const std::string& folder);

/// Adds a finding for every reference (accelerator, NIC) that names no entry, and for shapes that contradict
/// themselves.
void check_references(const Catalog& catalog, Findings& findings);

/// Field tables, for reading, help and documents.
const FieldTable<Accelerator>& accelerator_fields();
const FieldTable<Calibration>& calibration_fields();
const FieldTable<OperatorSystem>& operator_system_fields();
const FieldTable<OperatorConstants>& operator_fields();
const FieldTable<Software>& software_fields();
const FieldTable<HbDomain>& hb_domain_fields();
const FieldTable<Nic>& nic_fields();
const FieldTable<Switch>& switch_fields();
const FieldTable<LinkProduct>& link_fields();
const FieldTable<PriceModel>& price_fields();
const FieldTable<ModelShape>& model_fields();

/// One kind of entry as text: for listing, showing and documenting.
struct CatalogKind {
  std::string name;  // "accelerators"
  std::string sentence;
  std::vector<FieldInfo> fields;
  std::vector<std::string> (*keys)(const Catalog&);
  /// Field names and TOML texts of an entry, absent ones left out.
  std::vector<std::pair<std::string, std::string>> (*entry)(const Catalog&, const std::string& key);
  const EntryInfo& (*info)(const Catalog&, const std::string& key);
};

const std::vector<CatalogKind>& catalog_kinds();

/// Adds a finding for each way in which a shape contradicts itself (heads that do not divide, top-k above the
/// experts).
void check_shape(const ModelShape& shape, const Location& where, const std::string& path, Findings& findings);

/// Looks an entry up; throws InputError with the nearest key. `what` names the thing ("model").
template <class T>
const T& find_entry(const std::map<std::string, T>& entries, const std::string& key, const std::string& what,
                    const Location& where = {}) {
  const auto found = entries.find(key);
  if (found != entries.end()) return found->second;
  std::vector<std::string> keys;
  for (const auto& [name, unused] : entries) keys.push_back(name);
  fail_input(where, "the catalog has no " + what + " '" + key + "'", suggestion(key, keys));
}

template <>
struct Choices<ContextExchange> {
  static constexpr Choice<ContextExchange> kAll[] = {
      {ContextExchange::all_to_all, "all_to_all", "ranks exchange queries, keys, values and results"},
      {ContextExchange::all_gather, "all_gather", "ranks gather all keys and values before attention"},
      {ContextExchange::ring, "ring", "keys and values pass by while their scores are computed"}};
};

template <>
struct Choices<Precision> {
  static constexpr Choice<Precision> kAll[] = {{Precision::fp64, "fp64", "8 bytes"},
                                               {Precision::fp32, "fp32", "4 bytes"},
                                               {Precision::tf32, "tf32", "4 bytes in memory"},
                                               {Precision::bf16, "bf16", "2 bytes"},
                                               {Precision::fp16, "fp16", "2 bytes"},
                                               {Precision::fp8, "fp8", "1 byte"},
                                               {Precision::int8, "int8", "1 byte"},
                                               {Precision::fp6, "fp6", "6 bits"},
                                               {Precision::fp4, "fp4", "4 bits"}};
};

template <>
struct Choices<RateCounts> {
  static constexpr Choice<RateCounts> kAll[] = {
      {RateCounts::each_direction, "each direction", "the figure is one direction"},
      {RateCounts::both_directions, "both directions", "the figure is the sum of both directions"}};
};

template <>
struct Choices<LinkKind> {
  static constexpr Choice<LinkKind> kAll[] = {
      {LinkKind::dac, "dac", "passive copper cable"},
      {LinkKind::aec, "aec", "active copper cable"},
      {LinkKind::aoc, "aoc", "active optical cable"},
      {LinkKind::transceiver, "transceiver", "optical module, one an end"}};
};

template <>
struct Choices<PriceBasis> {
  static constexpr Choice<PriceBasis> kAll[] = {
      {PriceBasis::per_end, "per end", "one module"},
      {PriceBasis::per_cable, "per cable", "both ends and the cable"}};
};

template <>
struct Choices<BiasTerms> {
  static constexpr Choice<BiasTerms> kAll[] = {{BiasTerms::none, "none", "no bias vectors in attention"},
                                               {BiasTerms::qkv, "qkv", "query, key and value"},
                                               {BiasTerms::all, "all", "query, key, value and output"}};
};

template <>
struct Choices<NormKind> {
  static constexpr Choice<NormKind> kAll[] = {
      {NormKind::layer, "layer", "LayerNorm: weight and bias"},
      {NormKind::layer_no_bias, "layer_no_bias", "LayerNorm without bias"},
      {NormKind::rms, "rms", "RMSNorm: weight"}};
};

template <>
struct Choices<AttentionKind> {
  static constexpr Choice<AttentionKind> kAll[] = {
      {AttentionKind::full, "full", "multi-head, multi-query or grouped-query"},
      {AttentionKind::latent, "latent", "multi-head latent attention (DeepSeek-V2)"}};
};

}  // namespace trainyard
