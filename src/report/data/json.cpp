#include "report/data/json.h"

#include "base/finite.h"
#include "trainyard/provenance.h"

namespace trainyard {

void check_finite(const Json& json, const std::string& place) {
  if (json.is_number_float()) finite(json.get<double>(), place);
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) check_finite(value, place.empty() ? key : place + "." + key);
}

std::string dumped(const Json& json) {
  check_finite(json, {});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json setting_json(const std::string& toml) {
  const Json parsed = Json::parse(toml, nullptr, false);
  return parsed.is_discarded() ? Json(toml) : parsed;
}

std::string setting_word(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Json provenance_json(const Provenance& p) {
  return {{"program_version", p.program_version},
          {"scenario", p.scenario},
          {"scenario_hash", p.scenario_hash},
          {"catalog_version", p.catalog_version}};
}

}  // namespace trainyard
