// The catalog: data files of accelerators, HB domains, NICs, switches, links, prices and models, as typed
// records.
//
// Files hold tables `[kind.key]`; every entry has a `source`. The shipped files (catalog/*.toml) are compiled
// into the program. A user's folder, or the `[catalog]` section of a scenario, adds entries or changes fields
// of known ones: a table whose key is known changes only the fields that it names; `based_on = "key"` starts
// a new entry from another.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"

namespace trainyard {

struct Accelerator;
struct Assumption;
struct Calibration;
struct Catalog;
struct CircuitSwitch;
struct EntryInfo;
struct FailureSet;
struct HbDomain;
struct LinkProduct;
struct ModelShape;
struct Nic;
struct OperatorConstants;
struct OperatorSystem;
struct PriceModel;
struct Software;
struct Switch;

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
const FieldTable<CircuitSwitch>& circuit_switch_fields();
const FieldTable<FailureSet>& failure_set_fields();
const FieldTable<Assumption>& assumed_setting_fields();

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

}  // namespace trainyard
