// Changes of a scenario, each setting once.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/scenario_text.h"

namespace trainyard {

/// Refuses the second change of one setting, which would hide the first; sections that are set whole count
/// for what they name.
class SetOnce {
 public:
  /// An assignment ("key=value") that a scenario took, and who made it: "--set key=value".
  void add(const std::string& assignment, const std::string& by);

 private:
  void add_section(const std::string& assignment, const std::string& by);

  std::map<std::string, std::string> by_;
  std::vector<std::pair<ScenarioText, std::string>> sections_;  // those that are set whole
};

}  // namespace trainyard
