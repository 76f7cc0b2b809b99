#include "network/stall_watch.h"

#include <fmt/core.h>

#include <algorithm>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kMostRepeats = 1000;

}  // namespace

/// When something last happened that bytes may follow: a flow began, or a link failed or came back. Now,
/// while a link is still to come back.
Picoseconds StallWatch::last_event(Picoseconds now) const {
  Picoseconds last = 0;
  for (const wiring::Fault& fault : faults_) {
    if (fault.time <= now) last = std::max(last, fault.time);
    if (fault.time > now && !fault.down) return now;
  }
  for (const workload::Flow& flow : flows_) {
    if (flow.began != kNever) last = std::max(last, flow.began);
  }
  return std::min(last, now);
}

std::size_t StallWatch::first_going_on() const {
  std::size_t flow = 0;
  while (flow < flows_.size() && (flows_[flow].began == kNever || flows_[flow].finished != kNever)) ++flow;
  return flow;
}

void StallWatch::check(const packet::WindowSummary& now, Picoseconds patience) {
  if (now.delivered_bytes != delivered_before_) {
    delivered_before_ = now.delivered_bytes;
    quiet_since_ = now.begin;
  }
  if (now.begin - quiet_since_ > patience) quiet_since_ = std::max(quiet_since_, last_event(now.begin));
  const bool silent = now.begin - quiet_since_ > patience;
  const bool in_vain = static_cast<double>(now.delivered_bytes) > kMostRepeats * (all_bytes_.si() + 1e6);
  if (!silent && !in_vain) return;
  const std::size_t flow = first_going_on();
  if (flow == flows_.size()) {  // all that could begin has ended: others begin later
    quiet_since_ = now.begin;
    return;
  }
  fail_input(
      whole(scenario_.source_name),
      fmt::format("no progress at {:.6g} s: {} of {} flows have finished, and {}", seconds(now.begin).si(),
                  now.finished, flows_.size(),
                  silent ? "nothing arrives any more" : "the same bytes arrive again and again"),
      fmt::format("flow {} from host {} to host {} goes on; are links down for good, or queues too small?",
                  flow, flows_[flow].from, flows_[flow].to));
}

}  // namespace trainyard
