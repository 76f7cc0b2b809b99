// How good a plan can be at most, before a mapping is sought.
#pragma once

namespace trainyard {

struct Plan;

/// Fills in step and cost of a plan that is begun as if every device computed the model's products at its
/// peak rate for the whole step: no mapping trains in fewer days, and what is SearchMeasure::bounded is
/// nowhere better. The matrices of attention are left out: kernels skip what causality masks.
void assume_full_rate(Plan& plan);

/// The same as if it trained on so many tokens a second, with all devices.
void assume_rate(Plan& plan, double tokens_per_second);

}  // namespace trainyard
