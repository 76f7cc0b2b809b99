// The fit of one operator's constants.
#pragma once

#include <string>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/operator_table.h"

namespace trainyard {

struct OperatorContext;

/// Whether a shape belongs to the fifth that is left out: a hash of its values.
bool is_held_out(const ShapeValues& shape);

/// Constants of one operator from rows of one series.
OperatorConstants fit_operator(const OperatorKey& key, const std::vector<OperatorRow>& rows,
                               const OperatorContext& context);

/// A text in quotes as TOML writes it; a key, bare where it may be.
std::string toml_text(const std::string& text);
std::string toml_key(const std::string& key);

}  // namespace trainyard
