// What the JSON of all results shares. Includes the JSON library: for .cpp files only.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

struct Provenance;

using Json = nlohmann::ordered_json;

/// Throws InputError naming the place of a number that is infinite or none.
void check_finite(const Json& json, const std::string& place);
/// As a file. Names of a foreign grid or catalog may be of another encoding: their bytes become U+FFFD.
std::string dumped(const Json& json);

/// What may be without bound: then null. What is no number stays for check_finite.
inline Json number_or_null(double value) { return std::isinf(value) ? Json(nullptr) : Json(value); }

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <Dimension D>
Json or_null(const std::optional<Quantity<D>>& value) {
  return value ? Json(value->si()) : Json(nullptr);
}

/// A value of a free setting: its TOML text is JSON too.
Json setting_json(const std::string& toml);
/// The same as a word: texts without quotes.
std::string setting_word(const Json& value);

Json provenance_json(const Provenance& p);

}  // namespace trainyard
