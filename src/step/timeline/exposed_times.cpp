#include "step/timeline/exposed_times.h"

namespace trainyard {
namespace {

constexpr Seconds ExposedTimes::*kKinds[] = {
    &ExposedTimes::tensor,  &ExposedTimes::context,  &ExposedTimes::pipeline, &ExposedTimes::expert,
    &ExposedTimes::weights, &ExposedTimes::gradient, &ExposedTimes::offload};

}  // namespace

void add_exposed(ExposedTimes& to, const ExposedTimes& more, double times) {
  for (const auto kind : kKinds) to.*kind += more.*kind * times;
}

ExposedTimes exposed_of(const Slowed& slowed) {
  ExposedTimes out;
  out.weights = seconds_of(slowed.by_weights);
  out.gradient = seconds_of(slowed.by_gradients);
  return out;
}

ExposedTimes divided(const ExposedTimes& times, double by) {
  ExposedTimes out;
  for (const auto kind : kKinds) out.*kind = times.*kind / by;
  return out;
}

ExposedTimes limited(const ExposedTimes& times, Seconds waiting) {
  const Seconds all = times.total();
  if (all <= waiting) return times;
  const double share = waiting / all;
  ExposedTimes out;
  for (const auto kind : kKinds) out.*kind = times.*kind * share;
  return out;
}

}  // namespace trainyard
