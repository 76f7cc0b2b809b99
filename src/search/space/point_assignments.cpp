#include <algorithm>

#include "scenario/free_settings.h"
#include "trainyard/scenario_text.h"
#include "trainyard/search.h"

namespace trainyard {

std::vector<std::string> point_assignments(const ScenarioText& text, const std::vector<std::size_t>& choice) {
  FreeSettings free = text.free();
  const Table& document = free.document(choice);
  std::vector<std::string> out;
  for (std::size_t s = 0; s < free.settings().size(); ++s) {
    const FreeSetting& setting = free.settings()[s];
    const std::size_t bracket = setting.key.find('[');  // an element of a section
    const std::string section = setting.key.substr(0, bracket);
    const std::string assignment = bracket == std::string::npos
                                       ? setting.key + "=" + setting.values[choice[s]]
                                       : section + "=" + toml_text(*document.find(section));
    if (std::find(out.begin(), out.end(), assignment) == out.end()) out.push_back(assignment);
  }
  return out;
}

}  // namespace trainyard
