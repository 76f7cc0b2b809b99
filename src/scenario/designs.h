// Reading the [[design]] sections.
#pragma once

#include <vector>

namespace trainyard {

struct Catalog;
struct DesignInput;
class Findings;
struct OptimizeInput;
struct Table;

/// Reads every [[design]] and checks what can be checked without the facility: names that are taken, catalog
/// keys, keys that the topology does not have.
void read_designs(std::vector<DesignInput>& designs, const Table& document, const Catalog& catalog,
                  Findings& findings);

/// Checks [optimize]'s catalog keys.
void check_optimize(const OptimizeInput& optimize, const Table& document, const Catalog& catalog,
                    Findings& findings);

}  // namespace trainyard
