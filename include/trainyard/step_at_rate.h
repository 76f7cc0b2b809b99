// Steps of a plan on a slower network.
#pragma once

#include <optional>
#include <string>

#include "trainyard/goodput.h"

namespace trainyard {

/// The plan's step, mapped as it is, where its worst hit servers keep a share of their scale-out rate: for
/// goodput_case(). The plan has to live as long.
StepAtRate step_at_rate(const Plan& plan);

/// Months of the plan in closed form, by its scenario's [resilience] or its defaults. Who did not ask for
/// them is not refused: nothing where the parts that fail cannot be counted, as of a rate that no switch has.
std::optional<TrainingForm> months_by_default(const Plan& plan);

/// Throws Infeasible where training does not end. `whose`: what trains, as in "training alone".
void require_end(const TrainingForm& training, const std::string& whose);
/// Throws Infeasible where hardly any of the time is useful.
void require_useful(const GoodputForm& months, const std::string& whose);

}  // namespace trainyard
