// How much of a plan is asked for.
#pragma once

namespace trainyard {

/// Numbers of its step, its memory and its costs; or everything, with or without the comparison of
/// placements.
enum class PlannedPart { numbers, everything_but_placements, everything };

}  // namespace trainyard
