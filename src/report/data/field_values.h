// Fields of catalog entries and settings as programs read them: numbers as numbers, in base units that the
// name says. Includes the JSON library: for .cpp files only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/data/json.h"

namespace trainyard {

struct FieldInfo;

/// Whether a field holds words: a text or a choice.
bool is_text(const FieldInfo& field);

/// "memory_bytes" of a field "memory" that is a size; plain where its values have no unit.
std::string name_with_unit(const FieldInfo& field);

/// The TOML text of a field's value: quantities as numbers of their base unit; null of an empty text.
Json value_in_base_units(const FieldInfo& field, const std::string& toml);

/// Settings by key path and TOML text, as scenario_settings() gives them: {"network.wide_area_rate_bps":
/// 2e10}; null where none is given, "auto" where the program chooses.
Json settings_in_base_units(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace trainyard
