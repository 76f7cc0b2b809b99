#include "network/stall_watch.h"

#include <fmt/core.h>

#include "base/errors.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr Picoseconds kSilentTimeouts = 5000;  // senders wait up to 1,024 timeouts
constexpr double kMostRepeats = 1000;

}  // namespace

void StallWatch::check(const packet::WindowSummary& now, Picoseconds timeout) {
  if (now.delivered_bytes != delivered_before_) {
    delivered_before_ = now.delivered_bytes;
    delivered_at_ = now.begin;
  }
  const bool silent = now.begin - delivered_at_ > kSilentTimeouts * timeout;
  const bool in_vain = static_cast<double>(now.delivered_bytes) > kMostRepeats * (all_bytes_.si() + 1e6);
  if (!silent && !in_vain) return;
  std::size_t flow = 0;
  while (flow < flows_.size() && (flows_[flow].began == kNever || flows_[flow].finished != kNever)) ++flow;
  if (flow == flows_.size()) {  // all that could begin has ended: others begin later
    delivered_at_ = now.begin;
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
