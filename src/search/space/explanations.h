// Why a point of a space is no answer, in the words of its plan.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "scenario/free_settings.h"

namespace trainyard {

class ScenarioText;
struct SearchQuestion;

/// Plans a point as if it had been asked for alone. Throws what its plan does, and its network where the
/// question is about that.
void plan_alone(const ScenarioText& text, FreeSettings free, const SearchQuestion& question,
                std::span<const std::size_t> choice);

std::string why_infeasible(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
                           std::span<const std::size_t> choice);
std::string why_refused(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
                        std::span<const std::size_t> choice);

}  // namespace trainyard
