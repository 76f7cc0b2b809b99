#include "cli/unused.h"

#include <fmt/core.h>

#include "cli/screen.h"
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

void warn_of_idle(const ScenarioText& text, const std::vector<UnusedSetting>& idle) {
  for (const UnusedSetting& setting : idle) {
    if (text.has(setting.section, setting.key))
      remark(fmt::format("trainyard: warning: {}.{} changes nothing: {}; with {} it does\n", setting.section,
                         setting.key, setting.why, setting.remedy));
  }
}

}  // namespace trainyard
