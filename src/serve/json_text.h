// JSON as text, whatever bytes its strings hold.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace trainyard::serving {

/// On one line; bytes that are no UTF-8 are replaced.
inline std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace trainyard::serving
