#include "search/space/kept_points.h"

#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "search/space/judgement.h"
#include "search/space/point_planner.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/result_store.h"

namespace trainyard {
namespace {

bool same(double kept, double planned) {
  return kept == planned || (!std::isfinite(kept) && !std::isfinite(planned));
}

/// Which number of a point differs from its plan's, and how; empty: none.
std::string difference(const SearchQuestion& question, const SearchPoint& point, const Plan& plan) {
  const auto compared = [&](const SearchMeasure& measure, double kept) {
    const double planned = measure.read(plan);
    if (same(kept, planned)) return std::string();
    return fmt::format("{} is {} in the store and {} in its plan", measure.key(), kept, planned);
  };
  for (std::size_t i = 0; i < point.objectives.size(); ++i) {
    if (std::string out = compared(question.objectives[i], point.objectives[i]); !out.empty()) return out;
  }
  for (std::size_t i = 0; i < point.limited.size(); ++i) {
    if (std::string out = compared(question.limits[i].measure, point.limited[i]); !out.empty()) return out;
  }
  return {};
}

}  // namespace

void check_kept(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
                std::span<const SearchPoint> points, const std::vector<bool>& kept) {
  using State = PointPlanner::State;
  PointPlanner planner(text, free, wanted_by(question), wants_network(question));
  for (const SearchPoint& point : points) {
    if (!kept[point.index]) continue;
    State state = planner.begin(point.choice);
    if (state == State::begun) state = planner.finish();
    const std::string wrong = state == State::planned ? difference(question, point, planner.plan())
                                                      : std::string("it is no answer");
    if (wrong.empty()) continue;
    fail_input(whole(question.store->path()),
               fmt::format("what it kept of point {} is not what planning it gives: {}", point.index, wrong),
               "the file was changed: remove it, or name another, and the search plans its points again");
  }
}

}  // namespace trainyard
