// Plans of the points of a space, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scenario/free_settings.h"
#include "search/space/mapping_values.h"

namespace trainyard {

enum class PlannedPart;
class ScenarioText;
struct Plan;

/// Points that differ in counts of [mapping] alone share facility and model, and what few counts settle
/// (search/mapping_evaluator.h). One thread's.
class PointPlanner {
 public:
  using Wanted = PlannedPart;

  /// `network`: a point whose only [[design]] cannot be built, or is for another cluster, is refused.
  PointPlanner(const ScenarioText& text, FreeSettings free, Wanted wanted, bool network = false);
  ~PointPlanner();

  enum class State { begun, refused, infeasible, planned };

  /// Facility and model of a point: begun, refused, or infeasible where nothing can be bought.
  State begin(std::span<const std::size_t> choice);

  /// The rest of a point that has begun: planned, infeasible where no mapping fits, or refused.
  State finish();

  /// Of the point under way. Mapping, step and cost are there when it is planned.
  const Plan& plan() const;

  /// Whether a point that has begun leaves the program nothing to choose.
  bool is_whole() const;

  /// Of a point without a plan, how far it is from one, for optimisers: below 1 its mapping lacks memory,
  /// below 2 devices, below 3 its settings contradict each other.
  double distance() const { return distance_; }

  /// Changes when facility or model do.
  std::uint64_t facility() const { return facilities_; }

 private:
  /// What points share that differ in counts of [mapping] alone.
  struct Shared;
  bool shares(std::span<const std::size_t> choice) const;
  void begin_anew(std::span<const std::size_t> choice);
  State plan_numbers();
  State plan_rest();
  double lacking_devices() const;

  const ScenarioText& text_;
  FreeSettings free_;
  MappingValues counts_;
  std::vector<bool> held_;  // of each free setting, whether it is such a count
  Wanted wanted_;
  bool network_;
  std::vector<std::size_t> choice_;  // of the point that began what is shared
  std::unique_ptr<Shared> shared_;
  std::uint64_t facilities_ = 0;
  double distance_ = 0;
};

}  // namespace trainyard
