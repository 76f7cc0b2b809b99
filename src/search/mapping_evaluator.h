// Cuts and step times of many mappings of one scenario.
#pragma once

#include <optional>
#include <string>

#include "cost/cost_case.h"
#include "cost/step_costs.h"
#include "parallel/cutter.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/step.h"

namespace trainyard {

struct FacilityPlan;
struct ModelPlan;
struct Scenario;

/// Plans as plan() does, to the last bit, but without what only describes a mapping. All must outlive it;
/// between mappings the counts of the scenario's [mapping], its ZeRO stage and recomputation may change.
class MappingEvaluator {
 public:
  MappingEvaluator(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model)
      : scenario_(scenario), model_(model), cutter_(scenario, facility, model) {}

  /// With the wanted placement or, where that has no room, with the other one.
  CutRefusal cut(Cut cut, MappingPlan& out);

  /// Why the wanted placement had no room for the last cut that it refused; empty: it refused none.
  std::string why() const;

  /// Throws InputError for networks that contradict each other.
  StepTimes times(const MappingPlan& mapping, StepEffort effort = StepEffort::whole);

  /// Whether a bound takes less effort than the whole.
  bool bounds();

 private:
  StepTables& tables();

  const Scenario& scenario_;
  const ModelPlan& model_;
  Cutter cutter_;
  CutRefusal refusal_ = CutRefusal::none;
  MappingPlan refused_;
  std::optional<CostCase> costs_;  // made for the first mapping that fits
  std::optional<StepTables> tables_;
};

}  // namespace trainyard
