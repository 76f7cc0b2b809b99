// Steps of a plan on a slower network.
#pragma once

#include <optional>
#include <string>

#include "trainyard/goodput.h"

namespace trainyard {

/// The plan's step, mapped as it is, where its worst hit servers keep a share of their scale-out rate: for
/// goodput_case(). The plan has to live as long.
StepAtRate step_at_rate(const Plan& plan);

/// Months of the plan in closed form, by its scenario's [resilience] or its defaults.
GoodputForm months_by_default(const Plan& plan);

/// The same; nothing where its scenario has no [resilience].
std::optional<GoodputForm> months_of(const Plan& plan);

/// Whether training ends within 100 times its time without failures.
bool training_ends(const GoodputForm& months);

/// Throws Infeasible where it does not. `whose`: what trains, as in "phase 'next'".
void require_end(const GoodputForm& months, const std::string& whose);

}  // namespace trainyard
