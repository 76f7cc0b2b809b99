// How files and reports name what [site] chooses, and the fuels around a place.
#pragma once

#include <string>
#include <string_view>

namespace trainyard {

enum class PowerRule;
enum class SpareRule;
struct PowerNode;

/// As scenarios write it.
std::string_view name_of(PowerRule rule);
std::string_view name_of(SpareRule rule);
/// What the rule counts.
std::string_view sentence_of(PowerRule rule);

/// The fuel of the largest part of the capacity; `otherwise` where there is no plant.
std::string top_fuel(const PowerNode& node, const std::string& otherwise);

}  // namespace trainyard
