// What the catalog holds: entries of every kind by their keys, those that are shipped and the user's own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trainyard/catalog_entries.h"
#include "trainyard/catalog_records.h"

namespace trainyard {

/// Everything that can be named in a scenario.
struct Catalog {
  // Compiled once (src/catalog), as many sources copy catalogs.
  Catalog();
  Catalog(const Catalog&);
  Catalog(Catalog&&) noexcept;
  Catalog& operator=(const Catalog&);
  Catalog& operator=(Catalog&&) noexcept;
  ~Catalog();

  Entries<Accelerator> accelerators;
  Entries<Calibration> calibrations;
  Entries<OperatorSystem> operator_systems;
  Entries<OperatorConstants> operators;
  Entries<Software> software;
  Entries<HbDomain> hb_domains;
  Entries<Nic> nics;
  Entries<Switch> switches;
  Entries<CircuitSwitch> circuit_switches;
  Entries<LinkProduct> links;
  Entries<PriceModel> prices;
  Entries<ModelShape> models;
  Entries<FailureSet> failures;
  Entries<Assumption> assumptions;
  /// Hash of the texts it was read from.
  const std::string& version() const;
  bool shipped = false;     // it began as the shipped one
  std::string own_version;  // with what was read since; empty: nothing was
};

/// The entries that the program ships with: each is read once per process, when it is first asked for.
std::shared_ptr<const Catalog> shipped_catalog();

/// The shipped catalog with folders of the user's own over it; every entry names known ones. Throws
/// InputError.
Catalog catalog_with(const std::vector<std::string>& folders);

/// The set of constants of an accelerator: the one that it names, else one under its own key; empty: none.
std::string calibration_key(const Catalog& catalog, const std::string& accelerator);

}  // namespace trainyard
