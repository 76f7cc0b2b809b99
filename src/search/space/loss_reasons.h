// Why points of a sample are no answers, counted by reason.
#pragma once

#include <cstddef>
#include <vector>

#include "scenario/free_settings.h"
#include "trainyard/search.h"

namespace trainyard {

class ScenarioText;

/// Plans points without an answer as if each had been asked for alone, and counts what their plans say: texts
/// that differ in nothing but numbers are one reason, shown as the first of them has it. From the most
/// frequent; of a point that contradicts itself in several ways, each.
std::vector<LossReason> loss_reasons(const ScenarioText& text, FreeSettings free,
                                     const SearchQuestion& question,
                                     const std::vector<std::vector<std::size_t>>& choices);

}  // namespace trainyard
