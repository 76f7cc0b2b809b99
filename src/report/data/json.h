// What the JSON of all results shares. Includes the JSON library: for .cpp files only.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/finite.h"
#include "trainyard/provenance.h"
#include "trainyard/units.h"

namespace trainyard {

using Json = nlohmann::ordered_json;

/// Throws InputError naming the place of a number that is infinite or none.
inline void check_finite(const Json& json, const std::string& place) {
  if (json.is_number_float()) finite(json.get<double>(), place);
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) check_finite(value, place.empty() ? key : place + "." + key);
}

/// As a file. Names of a foreign grid or catalog may be of another encoding: their bytes become U+FFFD.
inline std::string dumped(const Json& json) {
  check_finite(json, {});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

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
inline Json setting_json(const std::string& toml) {
  const Json parsed = Json::parse(toml, nullptr, false);
  return parsed.is_discarded() ? Json(toml) : parsed;
}

/// The same as a word: texts without quotes.
inline std::string setting_word(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

inline Json provenance_json(const Provenance& p) {
  return {{"program_version", p.program_version},
          {"scenario", p.scenario},
          {"scenario_hash", p.scenario_hash},
          {"catalog_version", p.catalog_version}};
}

}  // namespace trainyard
