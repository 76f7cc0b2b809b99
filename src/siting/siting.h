// Where a datacenter can stand on a power grid (docs/siting.md).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "siting/splits.h"
#include "trainyard/siting.h"
#include "trainyard/units.h"

namespace trainyard {

struct FacilityPlan;
struct Scenario;

/// Spare power of every authority as the settings say. Throws InputError when site.available names an
/// authority that the grid does not have.
std::vector<SparePower> spare_power(const Grid& grid, const SiteInput& input,
                                    std::vector<std::string>& warnings);

/// What a search knows of training over a number of sites; absent: nothing.
using TrainingOver = std::function<std::optional<SplitTraining>(std::int64_t sites)>;

/// Single sites by radius and the best splits over 2 to site.sites places for the power that the facility
/// needs (HotNets '24 section 2). Throws InputError as above.
SitingPlan plan_siting(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
                       const TrainingOver& training = {});

/// Places that the user names, at each of these radii; where there are several places and one radius, the
/// split over all of them. `facility` may be empty. Throws InputError as above.
PlacesPlan examine_places(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
                          Megawatts power, const std::vector<GeoPoint>& places,
                          const std::vector<Kilometres>& radii);

}  // namespace trainyard
