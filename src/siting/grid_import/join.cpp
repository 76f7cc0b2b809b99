// Plants, authorities and states out of the originals.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "facility/geo.h"
#include "siting/grid_import/tables.h"
#include "siting/grid_import/us_states.h"
#include "trainyard/grid_import.h"
#include "trainyard/nearest.h"

namespace trainyard::grid_import {
namespace {

constexpr double kSmallestPlant_mw = 1;

void refuse(bool condition, const char* flag, const char* message) {
  if (condition) fail_input(whole(flag), message);
}

void check_combination(const GridImportInput& in) {
  const bool eia_plants = !in.eia860_generators.empty() || !in.energy_atlas.empty();
  refuse(!in.eia860_generators.empty() && in.eia860_plants.empty(), "--eia860-generators",
         "needs --eia860-plants, which says where the plants stand");
  refuse(!in.eia860_generators.empty() && !in.energy_atlas.empty(), "--energy-atlas",
         "does not go with --eia860-generators: both say what capacity plants have");
  refuse(!in.eia860_plants.empty() && !eia_plants, "--eia860-plants",
         "needs --eia860-generators or --energy-atlas, which say what capacity the plants have");
  refuse(!eia_plants && in.gppd.empty(), "import-grid",
         "no plants: give --eia860-plants with --eia860-generators, or --energy-atlas, or --gppd");
  refuse(eia_plants && in.country != "USA", "--country", "EIA's plants are of the USA");
  refuse(!eia_plants && (!in.eia930.empty() || !in.counties.empty() || !in.prices.empty()), "--gppd",
         "alone gives plants of a country; hours, counties and prices of the U.S. need EIA's plants");
  refuse((!in.interfaces.empty() || !in.dc_interfaces.empty()) && in.counties.empty(), "--interfaces",
         "needs --counties, which says where the counties are");
  refuse(!in.population.empty() && (in.counties.empty() || in.eia930.empty()), "--population",
         "needs --counties and --eia930: it shares the authorities' demand among counties");
  refuse((in.adjusted || !in.window.empty()) && in.eia930.empty(), "--eia930",
         "is missing: --window and --adjusted are about its hours");
}

void check_statuses(const std::vector<std::string>& statuses) {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : eia_statuses()) names.push_back(name);
  for (const std::string& status : statuses)
    if (!eia_statuses().count(status))
      fail_input(whole("--status"), "'" + status + "' is not a status", suggestion(status, names));
}

struct Window {
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> to;
};

/// The ends of hours from the first day's first to the last day's last.
Window window_of(const std::string& text) {
  if (text.empty()) return {};
  const auto slash = text.find('/');
  const auto first = hour_of(text.substr(0, slash) + " 00:00");
  const auto last = slash == std::string::npos ? std::nullopt : hour_of(text.substr(slash + 1) + " 00:00");
  if (!first || !last || *last < *first)
    fail_input(whole("--window"), "'" + text + "' is not a window of time", "such as 2022-10-08/2024-10-07");
  constexpr std::int64_t kDay = 24;
  return {*first + 1, *last + kDay};
}

// --- plants ---

bool near_the_contiguous_states(const GeoPoint& at) {
  return at.lat_deg > 24 && at.lat_deg < 50 && at.lon_deg > -125.5 && at.lon_deg < -66;
}

/// Takes from schedule 2 what the Atlas does not have.
void complete_sites(PlantSites& sites, const PlantSites& schedule2) {
  for (auto& [code, site] : sites.by_code) {
    const auto found = schedule2.by_code.find(code);
    if (found == schedule2.by_code.end()) continue;
    site.authority = found->second.authority;
    site.authority_name = found->second.authority_name;
    site.nerc_region = found->second.nerc_region;
    site.grid_kv = found->second.grid_kv;
  }
}

/// Whether a plant belongs into the grid; says so where not.
bool belongs(const std::string& code, const PlantSite& site, double capacity_mw, Journal& journal) {
  const std::string what =
      fmt::format("{}: plant {}, {}, {:.1f} MW", text_of(site.place), code, site.name, capacity_mw);
  if (!us_state(site.state)->contiguous) {
    journal.note("plants outside the contiguous states", what);
  } else if (capacity_mw < kSmallestPlant_mw) {
    journal.note("plants below 1 MW", what);
  } else if (!site.at) {
    journal.note("plants left out for want of coordinates", what);
  } else if (!near_the_contiguous_states(*site.at)) {
    journal.bad_row(
        site.place,
        fmt::format("plant {} of {} stands at {}, {}", code, site.state, site.at->lat_deg, site.at->lon_deg),
        "latitude 24 to 50, longitude -125.5 to -66 (west is negative)");
  } else {
    return true;
  }
  return false;
}

std::string authority_source(const PlantSites& schedule2) {
  return schedule2.year ? fmt::format("eia860_{}", *schedule2.year) : "eia860";
}

std::vector<ImportedPlant> us_plants(const PlantSites& sites, const PlantCapacities& capacities,
                                     const std::string& authorities_from, const std::string& source,
                                     Journal& journal) {
  std::vector<ImportedPlant> plants;
  for (const auto& [code, capacity] : capacities.by_code) {
    const auto found = sites.by_code.find(code);
    if (found == sites.by_code.end()) {
      journal.note("plants left out that schedule 2 does not have",
                   fmt::format("plant {}, {:.1f} MW", code, capacity.total_mw()));
      continue;
    }
    const PlantSite& site = found->second;
    if (!belongs(code, site, capacity.total_mw(), journal)) continue;
    plants.push_back({code, site.name, site.state, *site.at, capacity, site.authority,
                      site.authority.empty() ? "" : authorities_from, site.grid_kv, site.nerc_region, "",
                      source});
  }
  return plants;
}

/// Plants without an authority get that of the nearest plant of their state that has one.
void fill_authorities(std::vector<ImportedPlant>& plants, Journal& journal) {
  std::map<std::string, NearestPlace> places;
  std::map<std::string, std::vector<std::size_t>> indices;
  for (std::size_t i = 0; i < plants.size(); ++i) {
    if (plants[i].authority.empty()) continue;
    places[plants[i].state].add(plants[i].at);
    indices[plants[i].state].push_back(i);
  }
  for (ImportedPlant& plant : plants) {
    if (!plant.authority.empty()) continue;
    const auto nearest = places[plant.state].to(plant.at);
    const std::string what = fmt::format("plant {}, {:.1f} MW", plant.id, plant.capacity.total_mw());
    if (!nearest) {
      journal.note("plants without a balancing authority", what);
      continue;
    }
    const ImportedPlant& like = plants[indices[plant.state][*nearest]];
    plant.authority = like.authority;
    plant.nerc_region = plant.nerc_region.empty() ? like.nerc_region : plant.nerc_region;
    plant.authority_source = "nearest_in_state";
    journal.note("balancing authority taken from the nearest plant of the state", what);
  }
}

void sort_plants(std::vector<ImportedPlant>& plants) {
  std::sort(plants.begin(), plants.end(), [](const ImportedPlant& a, const ImportedPlant& b) {
    const double mw_a = a.capacity.total_mw();
    const double mw_b = b.capacity.total_mw();
    return mw_a != mw_b ? mw_a > mw_b : a.id < b.id;
  });
}

// --- authorities ---

std::string interconnection_of_nerc(const std::string& region) {
  if (region.empty()) return {};
  if (region == "WECC") return "Western";
  if (region == "TRE" || region == "ERCOT") return "ERCOT";
  return "Eastern";
}

void sum_authorities(GridTables& grid) {
  std::map<std::string, std::map<std::string, double>> by_interconnection;
  for (const ImportedPlant& plant : grid.plants) {
    if (plant.authority.empty()) continue;
    ImportedAuthority& authority = grid.authorities[plant.authority];
    authority.installed_mw += plant.capacity.total_mw();
    authority.firm_mw += plant.capacity.firm_mw();
    authority.coal_mw += plant.capacity.coal_mw();
    by_interconnection[plant.authority][interconnection_of_nerc(plant.nerc_region)] +=
        plant.capacity.total_mw();
  }
  for (auto& [code, sums] : by_interconnection) {
    const auto most = std::max_element(sums.begin(), sums.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    grid.authorities[code].interconnection = most->first;
  }
}

void name_authorities(GridTables& grid, const PlantSites& sites) {
  for (const auto& [code, site] : sites.by_code) {
    const auto found = grid.authorities.find(site.authority);
    if (found != grid.authorities.end() && found->second.name.empty())
      found->second.name = site.authority_name;
  }
}

void note_surplus(const std::string& code, const HourlyFigures& f, Journal& journal) {
  if (f.demand_dropped + f.generation_dropped > 0)
    journal.note("hourly values dropped as reporting errors",
                 fmt::format("{}: {} of demand, {} of generation, of {} hours", code, f.demand_dropped,
                             f.generation_dropped, f.hours));
  if (f.generation_above_installed)
    journal.note(
        "authorities that often generate more than they have installed: are plants and hours of one time?",
        code);
  if (!figures_differ(f)) return;
  const auto mw = [](const std::optional<double>& figure) {
    return figure ? fmt::format("{:.0f} MW", *figure) : std::string("unknown");
  };
  journal.note("authorities whose three figures of power to spare differ by more than 2x",
               fmt::format("{}: max NG - max D {}, max (NG - D) {}, firm - max D {}", code,
                           mw(f.peaks_apart_mw), mw(f.same_hour_mw), mw(f.firm_surplus_mw)));
}

void join_hours(GridTables& grid, const HourlyOperations& hours, Journal& journal) {
  for (const auto& [code, series] : hours.by_authority) {
    const bool has_plants = grid.authorities.count(code) > 0;
    ImportedAuthority& authority = grid.authorities[code];
    if (!has_plants) journal.note("authorities of EIA-930 without plants", code);
    const auto known = [&](double mw) { return has_plants ? std::optional(mw) : std::nullopt; };
    authority.hourly = clean_and_measure(series, known(authority.installed_mw), known(authority.firm_mw));
    note_surplus(code, *authority.hourly, journal);
  }
}

std::string window_text(const HourlyOperations& hours) {
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  for (const auto& [code, series] : hours.by_authority) {
    if (series.empty()) continue;
    first = std::min(first.value_or(series.front().utc_hour), series.front().utc_hour);
    last = std::max(last.value_or(series.back().utc_hour), series.back().utc_hour);
  }
  constexpr std::size_t kDate = 10;
  if (!first) return {};
  // Hours are named by their ends: the first began an hour before.
  return text_of_hour(*first - 1).substr(0, kDate) + "/" + text_of_hour(*last - 1).substr(0, kDate);
}

// --- emissions ---

/// The newest year for which the database has generation.
std::optional<int> newest_year(const std::vector<GppdPlant>& plants) {
  std::optional<int> newest;
  for (const GppdPlant& plant : plants)
    if (!plant.generation_gwh.empty())
      newest = std::max(newest.value_or(0), plant.generation_gwh.rbegin()->first);
  return newest;
}

/// EIA's plant code in an id of the database such as USA0006163.
std::string eia_code(const std::string& gppd_id) {
  const std::string digits = gppd_id.starts_with("USA") ? gppd_id.substr(3) : "";
  const auto significant = digits.find_first_not_of('0');
  return significant == std::string::npos ? "" : digits.substr(significant);
}

void join_emissions(GridTables& grid, const std::vector<GppdPlant>& gppd, const PlantSites& sites,
                    Journal& journal) {
  grid.co2_year = newest_year(gppd);
  if (!grid.co2_year) return journal.note("carbon intensity unknown: no generation in the database", "");
  std::map<std::string, std::string> authorities;  // as filled in
  for (const ImportedPlant& plant : grid.plants) authorities[plant.id] = plant.authority;
  std::map<std::string, Emissions> of_authority;
  std::map<std::string, Emissions> of_state;
  for (const GppdPlant& plant : gppd) {
    const auto gwh = plant.generation_gwh.find(*grid.co2_year);
    if (gwh == plant.generation_gwh.end()) continue;
    const auto site = sites.by_code.find(eia_code(plant.id));
    if (!plant.fuel || site == sites.by_code.end()) {
      journal.note("generation not counted in carbon intensities: plant or fuel unknown",
                   fmt::format("{}: {}, {:.1f} GWh", text_of(plant.place), plant.id, gwh->second));
      continue;
    }
    const auto filled = authorities.find(site->first);
    const std::string& authority = filled == authorities.end() ? site->second.authority : filled->second;
    for (Emissions* sum : {&of_authority[authority], &of_state[site->second.state]}) {
      sum->gwh += gwh->second;
      sum->kg_per_mwh_gwh += gwh->second * plant.fuel->co2_kg_per_mwh;
    }
  }
  for (auto& [code, authority] : grid.authorities) authority.co2_kg_per_mwh = of_authority[code].kg_per_mwh();
  for (const auto& [code, sum] : of_state)
    if (us_state(code)->contiguous) grid.states[code].co2_kg_per_mwh = sum.kg_per_mwh();
}

// --- the whole ---

struct EiaOriginals {
  PlantSites schedule2;
  PlantSites sites;  // with what schedule 2 says
  PlantCapacities capacities;
  std::string source;
};

EiaOriginals read_eia(const GridImportInput& in, Journal& journal) {
  EiaOriginals eia;
  if (!in.eia860_plants.empty()) eia.schedule2 = read_eia860_plants(in.eia860_plants, journal);
  if (in.energy_atlas.empty()) {
    eia.capacities = read_eia860_generators(in.eia860_generators, in.statuses, journal);
    eia.sites = eia.schedule2;
    eia.source = "EIA-860 " + eia.capacities.period;
    return eia;
  }
  AtlasPlants atlas = read_energy_atlas(in.energy_atlas, journal);
  eia.sites = std::move(atlas.sites);
  complete_sites(eia.sites, eia.schedule2);
  eia.capacities = std::move(atlas.capacities);
  eia.source = "EIA US Energy Atlas " + eia.capacities.period;
  return eia;
}

/// Names of counties by plant, for join_counties.
std::map<std::string, std::string> county_names(const PlantSites& sites) {
  std::map<std::string, std::string> names;
  for (const auto& [code, site] : sites.by_code) names[code] = site.county;
  return names;
}

void join_places(GridTables& grid, const GridImportInput& in, const EiaOriginals& eia,
                 const HourlyOperations& hours, Journal& journal) {
  join_counties(grid, read_gazetteer(in.counties, journal), county_names(eia.sites), journal);
  for (ImportedNode& node : grid.nodes) {
    const auto region = hours.region.find(node.authority);
    if (region != hours.region.end()) node.region = region->second;
  }
  if (!in.interfaces.empty()) join_interfaces(grid, read_reeds_ac(in.interfaces, journal), journal);
  if (!in.dc_interfaces.empty()) join_interfaces(grid, read_reeds_dc(in.dc_interfaces, journal), journal);
  if (!in.population.empty()) share_demand(grid, read_population(in.population, journal), journal);
  if (in.population.empty()) journal.note("load of the nodes is unknown: no --population", "");
}

/// Without counties each plant stands for itself, and no interface is known.
void nodes_of_plants(GridTables& grid, Journal& journal) {
  journal.note("every plant is a node of its own, without lines: no --counties", "");
  for (ImportedPlant& plant : grid.plants) {
    plant.county_fips = plant.id;
    grid.nodes.push_back({plant.id, plant.name, plant.state, plant.at, plant.grid_kv, 0, 0, 0,
                          plant.capacity.total_mw(), std::nullopt, plant.authority, "",
                          interconnection_of_nerc(plant.nerc_region)});
  }
}

void join_us(GridTables& grid, const GridImportInput& in, Journal& journal) {
  EiaOriginals eia = read_eia(in, journal);
  grid.capacity_period = eia.capacities.period;
  grid.plants = us_plants(eia.sites, eia.capacities, authority_source(eia.schedule2), eia.source, journal);
  fill_authorities(grid.plants, journal);
  sort_plants(grid.plants);
  sum_authorities(grid);
  HourlyOperations hours;
  if (!in.eia930.empty()) {
    const Window window = window_of(in.window);
    hours = read_eia930(in.eia930, in.adjusted, window.from, window.to, journal);
    grid.demand_window = window_text(hours);
    if (grid.demand_window.empty()) fail_input(whole("--window"), "holds no hour of the EIA-930 files");
    grid.demand_source = in.adjusted ? "EIA-930, adjusted columns" : "EIA-930, reported columns";
    join_hours(grid, hours, journal);
  }
  // Schedule 2 also has the plants that stood in the year of the generation and are gone since.
  PlantSites all = eia.sites;
  for (const auto& [code, site] : eia.schedule2.by_code) all.by_code.emplace(code, site);
  name_authorities(grid, all);
  for (const ImportedPlant& plant : grid.plants) grid.states[plant.state];
  if (!in.prices.empty())
    for (const auto& [code, price] : read_prices(in.prices, journal))
      if (us_state(code)->contiguous) grid.states[code].price = price;
  if (!in.gppd.empty()) join_emissions(grid, read_gppd(in.gppd, in.country, journal), all, journal);
  if (in.counties.empty()) return nodes_of_plants(grid, journal);
  join_places(grid, in, eia, hours, journal);
}

/// Plants of one country: the database has neither authorities nor networks, so the country is one authority.
void join_country(GridTables& grid, const GridImportInput& in, Journal& journal) {
  const std::vector<GppdPlant> gppd = read_gppd(in.gppd, in.country, journal);
  grid.co2_year = newest_year(gppd);
  Emissions emissions;
  for (const GppdPlant& plant : gppd) {
    const auto gwh = grid.co2_year ? plant.generation_gwh.find(*grid.co2_year) : plant.generation_gwh.end();
    if (plant.fuel && gwh != plant.generation_gwh.end()) {
      emissions.gwh += gwh->second;
      emissions.kg_per_mwh_gwh += gwh->second * plant.fuel->co2_kg_per_mwh;
    }
    const std::string what =
        fmt::format("{}: {}, {}, {:.1f} MW", text_of(plant.place), plant.id, plant.name, plant.capacity_mw);
    if (plant.capacity_mw < kSmallestPlant_mw) {
      journal.note("plants below 1 MW", what);
    } else if (!plant.at) {
      journal.note("plants left out for want of coordinates", what);
    } else if (!plant.fuel) {
      journal.note("plants left out for want of a fuel", what);
    } else {
      Capacity capacity;
      capacity.of(plant.fuel->fuel) = plant.capacity_mw;
      capacity.nameplate_mw = plant.capacity_mw;
      grid.plants.push_back({plant.id, plant.name, in.country, *plant.at, capacity, in.country, "country",
                             std::nullopt, "", "", "Global Power Plant Database"});
    }
  }
  sort_plants(grid.plants);
  sum_authorities(grid);
  if (!grid.authorities.empty()) {
    ImportedAuthority& whole_country = grid.authorities[in.country];
    whole_country.name = gppd.front().country_name;
    whole_country.co2_kg_per_mwh = emissions.kg_per_mwh();
  }
  nodes_of_plants(grid, journal);
}

}  // namespace

std::optional<double> Emissions::kg_per_mwh() const {
  if (gwh <= 0) return std::nullopt;
  return kg_per_mwh_gwh / gwh;
}

GridTables read_and_join(const GridImportInput& input, Journal& journal) {
  check_combination(input);
  check_statuses(input.statuses);
  window_of(input.window);
  GridTables grid;
  if (input.eia860_generators.empty() && input.energy_atlas.empty())
    join_country(grid, input, journal);
  else
    join_us(grid, input, journal);
  if (!input.cities.empty()) grid.cities = read_cities(input.cities, journal);
  journal.throw_if_any();
  if (grid.plants.empty()) fail_input(whole("import-grid"), "no plant is left of the originals");
  return grid;
}

}  // namespace trainyard::grid_import
