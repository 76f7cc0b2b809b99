#include "network/stall_watch.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kMostRepeats = 1000;
constexpr double kLeastBytes = 1e5;  // of flows that go on

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

/// Since a flow last ended, the bytes of all that go on have arrived many times over.
bool StallWatch::arrives_in_vain(const packet::WindowSummary& now) {
  if (now.finished != finished_before_) {
    finished_before_ = now.finished;
    delivered_since_ = now.delivered_bytes;
    vain_above_ = kMostRepeats * kLeastBytes;
  }
  const auto delivered = static_cast<double>(now.delivered_bytes - delivered_since_);
  if (delivered <= vain_above_) return false;
  double going_on = kLeastBytes;
  for (const workload::Flow& flow : flows_) {
    if (flow.began != kNever && flow.finished == kNever) going_on += static_cast<double>(flow.bytes);
  }
  vain_above_ = std::max(2 * vain_above_, kMostRepeats * going_on);
  return delivered > kMostRepeats * going_on;
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
  const bool in_vain = arrives_in_vain(now);
  if (!silent && !in_vain) return;
  const std::size_t flow = first_going_on();
  if (flow == flows_.size()) {  // all that could begin has ended: others begin later
    quiet_since_ = now.begin;
    return;
  }
  fail_input(
      whole(scenario_.source_name),
      fmt::format("no progress at {:.6g} s: {} of {} {} finished, and {}", seconds(now.begin).si(),
                  now.finished, counted(flows_.size(), "flow"), agreeing(now.finished, "has", "have"),
                  silent ? "nothing arrives any more" : "the same bytes arrive again and again"),
      fmt::format("flow {} from host {} to host {} goes on; are links down for good, or queues too small?",
                  flow, flows_[flow].from / hosts_of_device_, flows_[flow].to / hosts_of_device_));
}

}  // namespace trainyard
