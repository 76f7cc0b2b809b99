// [site]: where a datacenter may stand on a power grid, and how its power is judged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

/// What a place can give (docs/siting.md).
enum class PowerRule { paper, autonomous, strict };
/// When coal rules a place out.
enum class CoalRule { largest, majority, allowed };
/// What the largest producer is, whose loss must be survived.
enum class ReserveRule { plant, unit };
/// Spare power of a balancing authority.
enum class SpareRule { published, installed, firm, unlimited };
/// What the places of a split have to be.
enum class SpreadRule { any, authorities, interconnections };
/// What the chosen split is best in.
enum class SplitGoal { round_trip, cost, carbon, training_time, training_cost };

struct SiteInput {
  std::string grid;            // folder; empty: the small one that is shipped
  std::optional<Watts> power;  // absent: the facility's at the higher PUE
  PowerRule rule = PowerRule::autonomous;
  Metres radius{25e3};
  std::vector<Metres> radii = {Metres(10e3), Metres(25e3), Metres(50e3), Metres(100e3), Metres(200e3)};
  Metres largest_radius{500e3};
  Watts least_plant{50e6};
  CoalRule coal = CoalRule::largest;
  bool count_coal = true;
  ReserveRule reserve = ReserveRule::plant;
  double wind_credit = 1;
  double solar_credit = 1;
  double battery_credit = 1;
  SpareRule spare = SpareRule::published;
  std::map<std::string, Watts> available;  // by the authority's code, over `spare`
  std::int64_t sites = 3;
  std::optional<double> least_share;  // absent: 1 / (2 k)
  std::optional<Metres> separation;   // absent: 2 radius
  bool thin = true;
  SpreadRule spread = SpreadRule::any;
  SplitGoal goal = SplitGoal::round_trip;
  double fibre_ratio = 1.3;
  double refractive_index = 1.468;
  std::optional<double> fibre_price;  // USD a year for 1 Tbps over 1 km
  std::int64_t shown = 10;
  std::int64_t confirmed = 20;
  bool outages = false;  // whether a split has to be fed without any one line or largest plant, too
};

}  // namespace trainyard
