// Why no mapping fits, and what would.
#pragma once

#include <string>

namespace trainyard {

struct ClosestCut;
struct FacilityPlan;
struct ModelPlan;
struct Scenario;

/// The changes of a doubtful mapping with which the interval of the predicted peak would end below a device's
/// memory, as refuse_mapping() names them; empty where there are none.
std::string changes_with_room(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model);

/// Throws Infeasible with the term that binds, what is missing, and the single changes of the mapping, else
/// the number of devices, with which one would fit.
[[noreturn]] void refuse_mapping(const Scenario& scenario, const FacilityPlan& facility,
                                 const ModelPlan& model, const ClosestCut& closest);

}  // namespace trainyard
