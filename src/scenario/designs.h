// Reading the [[design]] sections.
#pragma once

#include <vector>

#include "base/document.h"
#include "base/errors.h"
#include "trainyard/catalog.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {

/// Reads every [[design]] and checks what can be checked without the facility: names that are taken, catalog
/// keys, keys that the topology does not have.
void read_designs(std::vector<DesignInput>& designs, const Table& document, const Catalog& catalog,
                  Findings& findings);

/// Checks [optimize]'s catalog keys.
void check_optimize(const OptimizeInput& optimize, const Table& document, const Catalog& catalog,
                    Findings& findings);

}  // namespace trainyard
