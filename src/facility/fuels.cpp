#include "facility/fuels.h"

namespace trainyard {

const std::vector<std::string>& fuel_names() {
  static const std::vector<std::string> names = {"battery",    "biomass", "coal",    "gas",
                                                 "geothermal", "hydro",   "nuclear", "oil",
                                                 "other",      "pumped",  "solar",   "wind"};
  return names;
}

const std::string& fuel_name(Fuel fuel) { return fuel_names().at(static_cast<std::size_t>(fuel)); }

}  // namespace trainyard
