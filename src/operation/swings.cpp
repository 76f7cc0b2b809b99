#include "operation/swings.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

/// While power ramps at the limit, the store gives or takes a triangle (docs/models.md, "Hours").
Joules store_for(Watts change, Watts limit_per_second) {
  return Joules(change.si() * change.si() / (2 * limit_per_second.si()));
}

namespace operation {
namespace {

constexpr double kMinute_s = 60;

class Swings {
 public:
  explicit Swings(const SwingCase& c) : c_(c) {}

  /// `most`: store that keeps the power as it was until the swing is over.
  void add(const char* what, Watts from, Watts to, Seconds over, double per_day,
           std::optional<Joules> most = std::nullopt) {
    PowerSwing swing{what, from, to, over, per_day, std::nullopt};
    if (c_.limit_per_minute) swing.store = store_of(Watts(std::abs((to - from).si())), over);
    if (swing.store && most) swing.store = std::min(*swing.store, *most);
    out_.push_back(std::move(swing));
  }

  std::vector<PowerSwing> take() { return std::move(out_); }

 private:
  /// None where the change is slower than the limit already.
  Joules store_of(Watts change, Seconds over) const {
    const Watts per_second(c_.limit_per_minute->si() / kMinute_s);
    if (change.si() <= per_second.si() * over.si()) return Joules(0);
    return Joules(store_for(change, per_second).si() - change.si() * over.si() / 2);
  }

  const SwingCase& c_;
  std::vector<PowerSwing> out_;
};

/// Store with which the site draws a step's mean all the time: between its fullest and its emptiest moment.
Joules flat_store(const std::vector<Watts>& in_step, Seconds span) {
  double mean_w = 0;
  for (const Watts power : in_step) mean_w += power.si() / static_cast<double>(in_step.size());
  double level_j = 0;
  double least_j = 0;
  double most_j = 0;
  for (const Watts power : in_step) {
    level_j += (mean_w - power.si()) * span.si();
    least_j = std::min(least_j, level_j);
    most_j = std::max(most_j, level_j);
  }
  return Joules(most_j - least_j);
}

}  // namespace

std::vector<Watts> power_of_step(const SitePower& power, const StepTimeline& step) {
  std::vector<Watts> out;
  for (const BusyShares& busy : step.busy_in_time) out.push_back(power.of_step(busy.compute));
  return out;
}

std::vector<PowerSwing> swings_of(const SwingCase& c) {
  Swings swings(c);
  const std::vector<Watts> in_step = power_of_step(c.power, c.step);
  const Watts mean = c.power.of_step(c.step.busy.compute);
  const Watts idle = c.power.idle_devices();
  const double steps_per_day = c.step.step.si() > 0 ? c.trains * kDay_s / c.step.step.si() : 0;
  if (in_step.size() > 1) {
    const auto [low, high] = std::minmax_element(in_step.begin(), in_step.end());
    const double spans = std::abs(static_cast<double>(high - low));
    const Seconds span = c.step.total * (1 / static_cast<double>(in_step.size()));
    swings.add("within a step", *high, *low, span * spans, steps_per_day, flat_store(in_step, span));
  }
  if (c.checkpoint_stall.si() > 0 && c.checkpoint_interval.si() > 0)
    swings.add("a checkpoint stops training", mean, idle, Seconds(0),
               c.trains * kDay_s / (c.checkpoint_interval + c.checkpoint_stall).si(),
               Joules((mean - idle).si() * c.checkpoint_stall.si()));
  const double stops = c.trains * c.failures_per_day + c.stops_per_day;
  swings.add("training stops", mean, idle, Seconds(0), stops);
  swings.add("training starts", idle, mean, c.step.step, stops);
  return swings.take();
}

}  // namespace operation
}  // namespace trainyard
