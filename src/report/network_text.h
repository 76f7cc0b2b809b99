// Network designs side by side, for people and programs.
#pragma once

#include <string>
#include <vector>

#include "report/output.h"
#include "search/network_plan.h"

namespace trainyard {

/// Quantities of every design: "fat_tree.switches", "fat_tree.price_usd", ... Savings are against the first.
std::vector<PlanQuantity> network_quantities(const std::vector<NetworkAnswer>& answers);

/// Links that carry nothing when the rail-only analysis's traffic is walked over each design's graph:
/// "rail_optimized.idle_links".
std::vector<PlanQuantity> trimmed_quantities(const Scenario& scenario);

/// The comparison for people: a label and a text for each design in every row; an empty label is a gap.
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
std::string networks_json(const std::vector<NetworkAnswer>& answers, const Provenance& provenance);
std::string networks_csv(const std::vector<NetworkAnswer>& answers);

/// A named traffic, or one from a file, on every design.
struct TrafficAnswer {
  std::string design;
  std::string traffic;
  std::string routing;
  NetworkLoad load;
};
std::string loads_text(const std::vector<TrafficAnswer>& answers);
std::string loads_json(const std::vector<TrafficAnswer>& answers, const Provenance& provenance);
std::string loads_csv(const std::vector<TrafficAnswer>& answers);

}  // namespace trainyard
