// Why no mapping fits, and what would.
#pragma once

namespace trainyard {

struct ClosestCut;
struct FacilityPlan;
struct ModelPlan;
struct Scenario;

/// Throws Infeasible with the term that binds, what is missing, and the single changes of the mapping, else
/// the number of devices, with which one would fit.
[[noreturn]] void refuse_mapping(const Scenario& scenario, const FacilityPlan& facility,
                                 const ModelPlan& model, const ClosestCut& closest);

}  // namespace trainyard
