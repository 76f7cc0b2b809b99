// Points of a store that an answer shows.
#pragma once

#include <span>
#include <vector>

#include "scenario/free_settings.h"
#include "trainyard/search.h"

namespace trainyard {

class ScenarioText;

/// Plans those of the points again that a store had (`kept`, by index), and compares what they say. Throws
/// InputError, which names the store, for the first whose plan has other numbers: a store is a file, and
/// anybody may write it.
void check_kept(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
                std::span<const SearchPoint> points, const std::vector<bool>& kept);

}  // namespace trainyard
