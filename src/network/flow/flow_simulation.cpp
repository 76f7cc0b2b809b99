#include "network/flow/flow_simulation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"

namespace trainyard::flow {
namespace {

constexpr double kSameMoment = 1e-12;  // of the time

double until_with(double time) { return time * (1 + kSameMoment); }

}  // namespace

FlowSimulation::FlowSimulation(const Network& network, bool resolve_all)
    : network_(network), bundles_(network.capacities(), resolve_all), ways_(network) {}

FlowId FlowSimulation::add(const FlowRequest& request) {
  const auto id = static_cast<FlowId>(flows_.size());
  TY_ASSERT(request.from < network_.hosts() && request.to < network_.hosts() && request.bytes.si() >= 0,
            fmt::format("flow {} from {} to {}, {} bytes", id, request.from, request.to, request.bytes.si()));
  FlowState& flow = flows_.emplace_back();
  waiting_.add_flow();
  flow.from = request.from;
  flow.to = request.to;
  flow.bytes = request.bytes.si();
  flow.delay = request.delay.si();
  flow.reply = request.reply.si();
  flow.hash = request.hash.value_or(id);
  flow.priority = request.priority;
  flow.plane = request.plane;
  flow.ready = std::max(request.start, now_).si();
  if (request.latency) {
    flow.latency = request.latency->si();
  } else if (flow.from != flow.to) {
    flow.latency = network_.latency(flow.from, flow.to, request.bytes).si();
  }
  if (!request.route.empty()) ways_.set_own(id, request.route);
  for (const After& after : request.after) wait(id, after);
  if (!waiting_.waits(id)) starts_.add(flows_[id].ready, id);
  return id;
}

void FlowSimulation::wait(FlowId id, const After& after) {
  TY_ASSERT(after.flow < id, fmt::format("flow {} waits for flow {}", id, after.flow));
  const FlowState& before = flows_[after.flow];
  if (after.known ? before.known : before.received) {
    flows_[id].ready = std::max(flows_[id].ready, now_.si() + flows_[id].delay);
    return;
  }
  waiting_.wait(id, after.flow, after.known);
}

void FlowSimulation::set_link_share(std::uint32_t link, double share, Seconds at) {
  TY_ASSERT(link < bundles_.links(), fmt::format("link {} of {}", link, bundles_.links()));
  TY_ASSERT(share >= 0 && share <= 1, fmt::format("{} of a link's capacity", share));
  changes_.add(std::max(at, now_).si(), link_changes_.size());
  link_changes_.push_back({link, share});
}

Seconds FlowSimulation::next_event() {
  bundles_.solve(now_.si());
  const double first = std::min({bundles_.next_sent(), starts_.next(), flights_.next(), changes_.next()});
  return std::max(Seconds(first), now_);
}

std::span<const FlowId> FlowSimulation::advance(Seconds limit) {
  done_.clear();
  while (done_.empty()) {
    const Seconds next = next_event();
    if (next > limit || next == kForever) {
      if (limit < kForever) now_ = std::max(now_, limit);
      break;
    }
    now_ = next;
    happen();
  }
  std::sort(done_.begin(), done_.end());
  return done_;
}

void FlowSimulation::run() {
  while (!advance().empty()) {
  }
}

/// All that is due: what ends, then links, then what begins; what begins may end at once.
void FlowSimulation::happen() {
  const double until = until_with(now_.si());
  ++events_;
  while (finish_sendings(until) || finish_flights(until) || change_links(until) || begin_flows(until)) {
  }
}

bool FlowSimulation::change_links(double until) {
  bool any = false;
  while (const auto due = changes_.take(until)) {
    const LinkChange change = link_changes_[*due];
    ways_.set_link(change.link, change.share == 0);
    bundles_.set_capacity(change.link,
                          change.share > 0 ? change.share * network_.capacities()[change.link] : 0);
    any = true;
  }
  if (any) reroute();
  return any;
}

bool FlowSimulation::finish_sendings(double until) {
  bool any = false;
  for (std::uint32_t flow = bundles_.take_sent(until, now_.si()); flow != kNone;
       flow = bundles_.take_sent(until, now_.si())) {
    while (flow != kNone) {
      const std::uint32_t next = flows_[flow].next;
      sent(flow);
      flow = next;
    }
    any = true;
  }
  return any;
}

bool FlowSimulation::finish_flights(double until) {
  bool any = false;
  while (const auto due = flights_.take(until)) {
    const auto flow = static_cast<FlowId>(*due / 2);
    if (*due % 2 == 0) {
      received(flow);
    } else {
      known(flow);
    }
    any = true;
  }
  return any;
}

bool FlowSimulation::begin_flows(double until) {
  bool any = false;
  while (const auto due = starts_.take(until)) {
    begin(static_cast<FlowId>(*due));
    any = true;
  }
  return any;
}

void FlowSimulation::begin(FlowId id) {
  FlowState& flow = flows_[id];
  flow.began = now_.si();
  if (flow.bytes == 0 || (flow.from == flow.to && !ways_.has_own(id))) return sent(id);
  join(id, flow.bytes);
}

const Route* FlowSimulation::way_of(FlowId id) {
  const FlowState& flow = flows_[id];
  return ways_.find(id, {flow.from, flow.to, flow.hash, flow.plane});
}

void FlowSimulation::join(FlowId id, double bytes) {
  FlowState& flow = flows_[id];
  const auto [bundle, next] = bundles_.join(id, bytes, flow.priority, way_of(id), now_.si());
  flow.bundle = bundle;
  flow.next = next;
}

/// Whether the network leads each flow of a bundle where it is; `way` is empty where it has none.
bool FlowSimulation::keeps_way(std::uint32_t bundle, const Route& way) {
  for (std::uint32_t flow = bundles_.first(bundle); flow != kNone; flow = flows_[flow].next) {
    const Route* const now = way_of(flow);
    if (now != nullptr ? *now != way : !way.empty()) return false;
  }
  return true;
}

/// Every flow under way takes the way that the links of this moment give it.
void FlowSimulation::reroute() {
  bundles_.take_slots();
  const std::uint32_t count = bundles_.size();
  Route old;
  for (std::uint32_t b = 0; b < count; ++b) {
    std::uint32_t flow = bundles_.first(b);
    if (flow == kNone || bundles_.is_of_this_moment(b) || ways_.has_own(flow)) continue;
    bundles_.route(b, old);
    if (keeps_way(b, old)) continue;
    const double left = bundles_.left(b, now_.si());
    bundles_.close(b, now_.si());
    while (flow != kNone) {
      const std::uint32_t next = flows_[flow].next;
      join(flow, left);
      flow = next;
    }
  }
}

void FlowSimulation::sent(FlowId id) {
  FlowState& flow = flows_[id];
  flow.sent = now_.si();
  flow.bundle = kNone;
  ways_.forget(id);
  if (flow.latency == 0) return received(id);
  flights_.add(now_.si() + flow.latency, 2 * std::uint64_t{id});
}

void FlowSimulation::received(FlowId id) {
  FlowState& flow = flows_[id];
  flow.end = now_.si();
  flow.received = true;
  done_.push_back(id);
  ++ended_;
  come_true(id, false);
  if (flow.reply == 0) return known(id);
  flights_.add(now_.si() + flow.reply, 2 * std::uint64_t{id} + 1);
}

void FlowSimulation::known(FlowId id) {
  flows_[id].known = true;
  come_true(id, true);
}

/// What others wait for has come.
void FlowSimulation::come_true(FlowId id, bool known) {
  waiting_.come_true(id, known, [&](FlowId waiter, bool last) {
    FlowState& next = flows_[waiter];
    next.ready = std::max(next.ready, now_.si() + next.delay);
    if (last) starts_.add(next.ready, waiter);
  });
}

FlowTimes FlowSimulation::times(FlowId id) const {
  const FlowState& flow = flows_.at(id);
  return {Seconds(flow.began), Seconds(flow.sent), Seconds(flow.end), Seconds(flow.end + flow.reply)};
}

BytesPerSecond FlowSimulation::rate(FlowId id) {
  bundles_.solve(now_.si());
  const std::uint32_t bundle = flows_.at(id).bundle;
  return BytesPerSecond(bundle == kNone ? 0 : bundles_.rate(bundle));
}

Bytes FlowSimulation::left(FlowId id) const {
  const FlowState& flow = flows_.at(id);
  if (flow.bundle != kNone) return Bytes(bundles_.left(flow.bundle, now_.si()));
  return Bytes(flow.sent < kForever.si() ? 0 : flow.bytes);
}

}  // namespace trainyard::flow
