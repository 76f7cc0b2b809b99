// A power grid: plants, nodes and lines, authorities and places, as the files of a grid's folder have them
// (docs/siting.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

/// A place on the sphere.
struct GeoPoint {
  double lat_deg = 0;
  double lon_deg = 0;
};

/// Primary fuels in alphabetical order, which settles ties.
enum class Fuel { battery, biomass, coal, gas, geothermal, hydro, nuclear, oil, other, pumped, solar, wind };
inline constexpr std::size_t kFuelCount = 12;

/// Where an index has nothing to point at.
inline constexpr std::uint32_t kNowhere = 0xffffffffU;

/// A row of plants.csv.
struct GridPlant {
  std::string id;
  std::string name;
  std::string state;  // code or name
  GeoPoint at;
  Megawatts capacity;
  std::optional<Megawatts> nameplate;
  Megawatts firm;  // capacity less wind, solar and batteries
  Megawatts coal;
  std::optional<Megawatts> largest_unit;
  Fuel fuel = Fuel::other;
  std::uint32_t authority = kNowhere;  // of Grid::authorities
  std::uint32_t node = kNowhere;       // of Grid::nodes: where it feeds in
  std::optional<Kilovolts> grid_voltage;
  std::string source;
};

/// A row of substations.csv: a node of the network, with the load that it feeds.
struct GridNode {
  std::string id;
  std::string name;
  std::string state;
  GeoPoint at;
  std::optional<Kilovolts> highest_voltage;
  Megawatts peak_load;
  std::string authority_group;
  std::string interconnection;
  std::string source;
};

/// A row of lines.csv: what two nodes may send each other.
struct GridLine {
  std::uint32_t from = kNowhere;
  std::uint32_t to = kNowhere;
  std::string kind;  // AC, LCC, VSC, B2B
  std::optional<Kilovolts> voltage;
  Megawatts forward;  // from -> to
  Megawatts reverse;
  Kilometres length;
  std::string name;
  std::string source;
};

/// Where an authority's figure of spare power comes from.
enum class SpareFigure { published, hours };

/// A row of balancing_authorities.csv.
struct Authority {
  std::string code;
  std::string name;
  std::string interconnection;
  std::optional<Megawatts> peak_demand;
  std::string peak_demand_utc;
  std::optional<Megawatts> installed;
  std::optional<Megawatts> firm;
  std::optional<Megawatts> published;  // spare power as published (HotNets '24 Table 1)
  SpareFigure published_from = SpareFigure::published;
  std::optional<KilogramsPerMegawattHour> co2;
  std::string source;
};

/// A row of states.csv.
struct GridState {
  std::string code;
  std::string name;
  std::optional<UsdPerMegawattHour> price;  // industrial
  std::string price_year;
  std::optional<KilogramsPerMegawattHour> co2;
  std::string source;
};

/// A row of cities.csv: to name places.
struct GridCity {
  std::string name;
  std::string country;
  GeoPoint at;
  double population = 0;
};

/// A grid. Indices hold: every line has two different ends, every plant a node.
struct Grid {
  std::string name;  // its folder, or "grid-small (shipped)"
  bool shipped = false;
  std::vector<GridPlant> plants;
  std::vector<GridNode> nodes;
  std::vector<GridLine> lines;
  std::vector<Authority> authorities;
  std::vector<GridState> states;
  std::vector<GridCity> cities;
  std::vector<std::string> warnings;
};

}  // namespace trainyard
