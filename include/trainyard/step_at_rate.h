// Steps of a plan on a slower network.
#pragma once

#include <optional>
#include <string>

#include "trainyard/goodput.h"

namespace trainyard {

/// The plan's step, mapped as it is, where its worst hit servers keep a share of their scale-out rate: for
/// goodput_case(). The plan has to live as long.
StepAtRate step_at_rate(const Plan& plan);

struct PlanMonths {
  GoodputForm form;
  bool ends = false;  // training
  double useful() const { return ends ? form.ettr : form.long_run_ettr; }
};

/// Months of the plan in closed form, by its scenario's [resilience] or its defaults. Who did not ask for
/// them is not refused: nothing where the parts that fail cannot be counted, as of a rate that no switch has.
std::optional<PlanMonths> months_by_default(const Plan& plan);

/// Throws Infeasible where it does not in the long run. `whose`: what trains, as in "phase 'next'".
void require_end(const GoodputForm& months, const std::string& whose);

}  // namespace trainyard
