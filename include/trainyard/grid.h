// The power grid on which a datacenter is to stand.
#pragma once

#include "trainyard/power_grid.h"

namespace trainyard {

struct SiteInput;

/// The grid that [site] names, or the shipped one. Throws InputError as read_grid does.
Grid grid_of(const SiteInput& input);

/// Whether two places are one, whatever their longitudes at a pole.
bool same_place(GeoPoint a, GeoPoint b);

}  // namespace trainyard
