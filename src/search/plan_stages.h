// A plan in two stages: what no mapping changes, and the rest.
#pragma once

namespace trainyard {

struct Plan;
struct Scenario;

/// Facility, model and scaling laws. Throws Infeasible where nothing can be bought.
Plan begin_plan(const Scenario& scenario);

/// Whether a plan compares its placement with the other one.
enum class PlanDetail { whole, without_placements };

/// Mapping, communication, step and cost of a plan that is begun; false where no mapping fits, or none
/// exists.
[[nodiscard]] bool finish_plan(Plan& plan, PlanDetail detail);

}  // namespace trainyard
