// What no point of a space is better than, before any is planned.
#pragma once

#include "scenario/free_settings.h"
#include "trainyard/search.h"

namespace trainyard {

class ScenarioText;

/// Of the first objective, over all facilities and models of the space, with the layers of whatever mapping.
/// Unknown where the objective has no bound, or there are too many facilities and models.
SearchBound space_bound(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question);

}  // namespace trainyard
