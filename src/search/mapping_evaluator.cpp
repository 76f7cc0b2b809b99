#include "search/mapping_evaluator.h"

#include "trainyard/scenario.h"

namespace trainyard {

CutRefusal MappingEvaluator::cut(Cut cut, MappingPlan& out) {
  const Placement wanted = scenario_.mapping.placement;
  const CutRefusal refusal = cutter_.cut(cut, wanted, out);
  if (refusal == CutRefusal::none) return refusal;
  refusal_ = refusal;
  refused_ = out;
  return cutter_.cut(cut, other_placement(wanted), out);
}

std::string MappingEvaluator::why() const {
  return refusal_ == CutRefusal::none ? std::string() : cutter_.why(refusal_, refused_);
}

StepTables& MappingEvaluator::tables() {
  if (!tables_) {
    costs_.emplace(scenario_, model_);
    tables_.emplace(*costs_);
  }
  return *tables_;
}

StepTimes MappingEvaluator::times(const MappingPlan& mapping, StepEffort effort) {
  return tables().times(mapping, cutter_.stages(stage_cut(mapping)), effort);
}

bool MappingEvaluator::bounds() {
  tables();
  return costs_->calibration != nullptr;
}

}  // namespace trainyard
