// Settings of a simulation that change nothing.
#pragma once

#include <vector>

namespace trainyard {

class ScenarioText;
struct Finding;
struct UnusedSetting;

/// Of those that the command itself sets. A scenario's text may serve other runs, too.
std::vector<Finding> unused_of(const ScenarioText& set_by_command, const std::vector<UnusedSetting>& unused);

}  // namespace trainyard
