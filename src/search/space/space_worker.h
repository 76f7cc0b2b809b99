// A thread's work on the points of a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ranks/stretches.h"
#include "scenario/free_settings.h"
#include "search/space/answers.h"
#include "search/space/layer_rate.h"
#include "search/space/ledger.h"
#include "search/space/mapping_values.h"
#include "search/space/point_planner.h"
#include "search/space/points.h"
#include "trainyard/search.h"

namespace trainyard {

class ScenarioText;

/// What facility and model alone say of their points.
struct FacilityFigures {
  std::uint64_t facility = 0;
  std::vector<double> limited;  // of each limit, NaN where the mapping settles it
  bool beyond_limits = false;
  std::optional<double> bound;  // no point has a better first objective
  bool by_layers = false;       // whether the bound knows what layers take
};

/// Plans the points of stretches and tells the ledger what became of them: each, where it keeps all; else
/// those that may be answers, and how many are none. Everything must outlive it.
class SpaceWorker {
 public:
  SpaceWorker(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
              const Points& points, Ledger& ledger);

  void work(Stretch stretch);

 private:
  void try_point(std::uint64_t index);
  bool is_pruned();
  bool can_be_no_better();
  void bound_by_layers();
  void judge(std::uint64_t index);
  void lose(LostPoint::Why why, std::uint64_t index);

  const SearchQuestion& question_;
  const Points& points_;
  Ledger& ledger_;
  const bool keeps_all_;
  PointPlanner planner_;
  const MappingValues counts_;
  const LayerMappings layers_;
  FacilityFigures figures_;
  KnownBests known_;  // when the stretch began
  DonePoints done_;
  // Of the point under way:
  std::vector<std::size_t> choice_;
  std::vector<double> objectives_;
  LostPoint lost_;
};

}  // namespace trainyard
