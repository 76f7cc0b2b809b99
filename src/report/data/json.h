// What the JSON of all results shares. Includes the JSON library: for .cpp files only.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "trainyard/provenance.h"

namespace trainyard {

using Json = nlohmann::ordered_json;

/// As a file. Names of a foreign grid or catalog may be of another encoding: their bytes become U+FFFD.
inline std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// JSON has no infinities: they become null.
inline Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline Json provenance_json(const Provenance& p) {
  return {{"program_version", p.program_version},
          {"scenario", p.scenario},
          {"scenario_hash", p.scenario_hash},
          {"catalog_version", p.catalog_version}};
}

}  // namespace trainyard
