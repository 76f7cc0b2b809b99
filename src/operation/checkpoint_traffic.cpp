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
  out.backups = !c.over_network;
  const Seconds backup_every = interval * static_cast<double>(c.backup_every);
  out.write = out.backups ? c.backup_write : c.write;
  out.interval = out.backups ? backup_every : interval;
  out.step = step;
  if (!shared) return out;
  const auto rate_share = [&](Seconds write) {
    const double rate = c.checkpoint_bytes.si() / write.si() / static_cast<double>(plan.facility.devices);
    return std::min(kMostShare, rate / networks_of(plan.scenario).scale_out.rate.si());
  };
  const auto longer = [&](double share) { return std::max(0.0, step_at(1 - share) / plan.step.step - 1); };
  // Of training time by steps: the share that is written in goes slower.
  const auto lost = [&](Seconds write, Seconds beside, Seconds every) {
    const double writing = every.si() > 0 ? std::min(1.0, beside / every) : 1;
    return writing - writing / (1 + longer(rate_share(write)));
  };
  double all = 0;
  if (c.over_network && c.write > c.stall) all += lost(c.write, c.write - c.stall, interval);
  if (c.backup_write.si() > 0) all += lost(c.backup_write, c.backup_write, backup_every);
  if (all <= 0) return out;
  const bool beside = out.backups || (c.over_network && c.write > c.stall);
  if (beside && out.write.si() > 0) {
    out.rate_share = rate_share(out.write);
    out.step = step * (1 + longer(out.rate_share));
  }
  out.slowdown = 1 / (1 - std::min(kMostShare, all)) - 1;
  return out;
}

}  // namespace trainyard::operation
