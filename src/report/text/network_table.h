// Network designs side by side, for people.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct NetworkAnswer;

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

}  // namespace trainyard
