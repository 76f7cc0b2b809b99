#include "cli/unused.h"

#include "trainyard/errors.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {

std::vector<Finding> unused_of(const ScenarioText& set_by_command, const std::vector<UnusedSetting>& unused) {
  std::vector<Finding> out;
  for (const UnusedSetting& setting : unused) {
    if (set_by_command.has(setting.section, setting.key))
      out.push_back({whole(setting.section + "." + setting.key), setting.why, setting.remedy});
  }
  return out;
}

}  // namespace trainyard
