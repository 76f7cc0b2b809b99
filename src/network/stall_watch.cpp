#include "network/stall_watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kMostRepeats = 20;
constexpr double kFirstLook = 1e8;  // bytes: a look is as long as there are flows

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

void StallWatch::count_from(const packet::WindowSummary& now, double look_above) {
  finished_before_ = now.finished;
  counted_from_ = now.begin;
  delivered_before_count_ = now.delivered_bytes;
  look_above_ = look_above;
}

/// Since a flow last ended or got on, the bytes of all that go on have arrived many times over.
bool StallWatch::arrives_in_vain(const packet::WindowSummary& now) {
  if (now.finished != finished_before_) count_from(now, kFirstLook);
  const auto delivered = static_cast<double>(now.delivered_bytes - delivered_before_count_);
  if (delivered <= look_above_) return false;
  double going_on = 0;
  for (const workload::Flow& flow : flows_) {
    if (flow.began != kNever && flow.finished == kNever) going_on += static_cast<double>(flow.bytes);
  }
  const double most = std::max(patience_.repeated, kMostRepeats * going_on);
  const std::uint64_t received = received_bytes_();
  const bool gets_on = received != std::exchange(received_before_, received);
  if (gets_on || last_event(now.begin) >= counted_from_) {
    count_from(now, most);
    return false;
  }
  look_above_ = std::max(2 * look_above_, most);
  return delivered > most;
}

std::size_t StallWatch::first_going_on() const {
  std::size_t flow = 0;
  while (flow < flows_.size() && (flows_[flow].began == kNever || flows_[flow].finished != kNever)) ++flow;
  return flow;
}

void StallWatch::check(const packet::WindowSummary& now) {
  if (now.delivered_bytes != delivered_before_) {
    delivered_before_ = now.delivered_bytes;
    quiet_since_ = now.begin;
  }
  const auto is_silent = [&] { return now.begin - quiet_since_ > patience_.silence + held_back_; };
  if (is_silent()) quiet_since_ = std::max(quiet_since_, last_event(now.begin));
  const bool silent = is_silent();
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
