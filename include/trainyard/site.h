// Where a datacenter stands, in how many parts, and what the distance between them costs in training time
// (docs/siting.md, "Training over a split").
#pragma once

#include <vector>

#include "trainyard/siting.h"
#include "trainyard/units.h"

namespace trainyard {

struct FacilityPlan;
struct Scenario;

/// plan_siting() with the training run over every split. Where no plan of the run exists, the siting stands
/// without and a warning says why, unless site.goal is about training: then throws as make_plan().
SitingPlan plan_sites(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid);

/// examine_places() with the training run over the split, if there is one.
PlacesPlan plan_places(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
                       Megawatts power, const std::vector<GeoPoint>& places,
                       const std::vector<Kilometres>& radii);

}  // namespace trainyard
