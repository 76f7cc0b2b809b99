// What a scenario says and nothing of its plan depends on.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct MappingPlan;
struct Scenario;

/// In words for the user, each with its reason: settings of [training], [model] and [assumptions] that change
/// nothing of a mapping's times, or less than they say.
std::vector<std::string> settings_in_vain(const Scenario& scenario, const MappingPlan& mapping);

}  // namespace trainyard
