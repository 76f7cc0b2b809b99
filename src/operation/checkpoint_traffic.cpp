#include "operation/checkpoint_traffic.h"

#include <algorithm>

#include "facility/networks.h"
#include "trainyard/plan.h"

namespace trainyard::operation {
namespace {

constexpr double kMostShare = 0.99;  // a network that is full still carries training

}  // namespace

CheckpointTraffic checkpoint_traffic(const Plan& plan, const GoodputCase& c, Seconds interval, Seconds step,
                                     const StepAtRate& step_at, bool shared) {
  CheckpointTraffic out;
  out.bytes = c.checkpoint_bytes;
  out.write = c.write;
  out.interval = interval;
  out.step = step;
  if (!shared || c.write.si() <= 0 || c.write <= c.stall) return out;
  const double device_rate = networks_of(plan.scenario).scale_out.rate.si();
  const double bytes_per_s =
      c.checkpoint_bytes.si() / c.write.si() / static_cast<double>(plan.facility.devices);
  out.rate_share = std::min(kMostShare, bytes_per_s / device_rate);
  const double longer = std::max(0.0, step_at(1 - out.rate_share) / plan.step.step - 1);
  out.step = step * (1 + longer);
  const double writing = interval.si() > 0 ? std::min(1.0, (c.write - c.stall).si() / interval.si()) : 1;
  // Training time by steps: the share that is written in goes slower.
  out.slowdown = 1 / (1 - writing + writing / (1 + longer)) - 1;
  return out;
}

}  // namespace trainyard::operation
