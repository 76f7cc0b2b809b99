// Network designs side by side, for people.
#pragma once

#include <string>
#include <vector>

#include "report/data/networks.h"
#include "search/network_plan.h"

namespace trainyard {

/// The comparison: a label and a text for each design in every row; an empty label is a gap.
struct NetworkTable {
  struct Line {
    std::string label;
    std::vector<std::string> cells;
  };
  std::vector<std::string> names;
  std::vector<Line> lines;
};
NetworkTable network_table(const std::vector<NetworkAnswer>& answers);

std::string networks_text(const std::vector<NetworkAnswer>& answers);
std::string loads_text(const std::vector<TrafficAnswer>& answers);

}  // namespace trainyard
