// The points of a search that its page shows, each with its plan.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trainyard/plan.h"
#include "trainyard/report/search.h"

namespace trainyard {

class ScenarioText;

/// One of them.
struct PlannedPoint {
  SearchPoint point;
  std::size_t rank = 0;  // from 1; 0: behind those that are ranked
  bool on_front = false;
  Plan plan;
};

/// So many of a list have their plan on the page.
inline constexpr std::size_t kPagePlans = 200;

/// The first of the ranking, then others of the front, evenly over it; each list at most kPagePlans. Throws
/// as plan_point() does.
std::vector<PlannedPoint> planned_points(const ScenarioText& text, const SearchResult& result);

/// What the page's script reads: measures, settings, points with their values, texts, plans and commands.
std::string search_points_json(const SearchAnswer& answer, const std::vector<PlannedPoint>& points,
                               const std::vector<std::string>& commands);

/// What the page shows beside objectives: those, what limits are about, and the named measures of a plan.
std::vector<SearchMeasure> page_measures(const SearchQuestion& question);

}  // namespace trainyard
