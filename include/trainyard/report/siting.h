// Sites, places and splits as text, JSON, CSV, a map and a page.
#pragma once

#include <string>

namespace trainyard {

struct Grid;
struct PlacesPlan;
struct Provenance;
struct Scenario;
struct SitingPlan;

std::string siting_text(const SitingPlan& plan);

/// How many places hold everything, by radius, and the best of each, as siting_text has it.
std::string siting_summary(const SitingPlan& plan);

/// Places that were asked for.
std::string places_text(const PlacesPlan& plan, const Grid& grid);

std::string siting_json(const SitingPlan& plan, const Provenance& provenance);

/// One row for every site of the single sites and of every split.
std::string siting_csv(const SitingPlan& plan);

/// Places that were asked for. JSON and CSV name the figures of a power node as docs/siting.md does; the JSON
/// of one place at one radius holds them at its top.
std::string places_json(const PlacesPlan& plan, const Grid& grid);
std::string places_csv(const PlacesPlan& plan, const Grid& grid);

std::string siting_page(const SitingPlan& plan, const Grid& grid, const Scenario& scenario);
std::string siting_page(const PlacesPlan& plan, const Grid& grid, const Scenario& scenario);

/// Sites and splits on a map of their grid as a file of its own (docs/siting.md, "The map").
std::string siting_map_svg(const SitingPlan& plan, const Grid& grid);
std::string siting_map_svg(const PlacesPlan& plan, const Grid& grid);

}  // namespace trainyard
