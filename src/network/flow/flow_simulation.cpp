#include "network/flow/flow_simulation.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/errors.h"
#include "base/mixing.h"

namespace trainyard::flow {
namespace {

constexpr double kSameMoment = 1e-12;  // of the time

double until_with(double time) { return time * (1 + kSameMoment); }

std::uint64_t hash_of(const Route& route, double bytes, std::uint8_t priority) {
  std::uint64_t hash = mixed(std::bit_cast<std::uint64_t>(bytes) ^ priority);
  for (const LinkShare& use : route)
    hash = mixed(hash ^ use.link ^ (std::bit_cast<std::uint64_t>(use.share) << 1U));
  return hash;
}

}  // namespace

FlowSimulation::FlowSimulation(const Network& network, bool resolve_all)
    : network_(network),
      shares_(network.capacities(), resolve_all),
      carried_(network.capacities().size(), 0) {}

FlowId FlowSimulation::add(const FlowRequest& request) {
  const auto id = static_cast<FlowId>(flows_.size());
  TY_ASSERT(request.from < network_.hosts() && request.to < network_.hosts() && request.bytes.si() >= 0,
            fmt::format("flow {} from {} to {}, {} bytes", id, request.from, request.to, request.bytes.si()));
  FlowState& flow = flows_.emplace_back();
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
  if (!request.route.empty()) own_routes_.emplace(id, Route(request.route.begin(), request.route.end()));
  for (const After& after : request.after) wait(id, after);
  if (flows_[id].waits == 0) starts_.push({flows_[id].ready, id});
  return id;
}

void FlowSimulation::wait(FlowId id, const After& after) {
  TY_ASSERT(after.flow < id, fmt::format("flow {} waits for flow {}", id, after.flow));
  FlowState& before = flows_[after.flow];
  if (after.known ? before.known : before.received) {
    flows_[id].ready = std::max(flows_[id].ready, now_.si() + flows_[id].delay);
    return;
  }
  ++flows_[id].waits;
  waiters_.push_back({id, before.waiters, after.known});
  before.waiters = static_cast<std::uint32_t>(waiters_.size() - 1);
}

void FlowSimulation::set_link_share(std::uint32_t link, double share, Seconds at) {
  TY_ASSERT(link < carried_.size(), fmt::format("link {} of {}", link, carried_.size()));
  TY_ASSERT(share >= 0 && share <= 1, fmt::format("{} of a link's capacity", share));
  changes_.push({std::max(at, now_).si(), link_changes_.size()});
  link_changes_.push_back({link, share});
}

/// Rates anew, and when their flows will be sent.
void FlowSimulation::solve() {
  if (!unsolved_) return;
  unsolved_ = false;
  take_slots();
  const std::vector<std::uint32_t>& changed = shares_.update();
  for (const std::uint32_t slot : changed) {
    const std::uint32_t b = bundle_of_slot_[slot];
    Bundle& bundle = bundles_[b];
    settle(bundle);
    bundle.rate = shares_.rate(slot) / bundle.count;
    schedule(b);
  }
  if (stale_ > sendings_.size() / 2) drop_stale();
}

/// Takes what was sent since then from what is left.
void FlowSimulation::settle(Bundle& bundle) const {
  bundle.left = left_of(bundle);
  bundle.since = now_.si();
}

void FlowSimulation::schedule(std::uint32_t b) {
  Bundle& bundle = bundles_[b];
  if (bundle.scheduled) ++stale_;
  ++bundle.version;
  bundle.scheduled = bundle.rate > 0;
  if (!bundle.scheduled) return;
  sendings_.push_back({bundle.since + bundle.left / bundle.rate, b, bundle.version});
  std::push_heap(sendings_.begin(), sendings_.end(), std::greater<>{});
}

void FlowSimulation::drop_stale() {
  std::erase_if(sendings_, [&](const Sending& s) { return bundles_[s.bundle].version != s.version; });
  std::make_heap(sendings_.begin(), sendings_.end(), std::greater<>{});
  stale_ = 0;
}

Seconds FlowSimulation::next_event() {
  solve();
  while (!sendings_.empty() && bundles_[sendings_.front().bundle].version != sendings_.front().version) {
    std::pop_heap(sendings_.begin(), sendings_.end(), std::greater<>{});
    sendings_.pop_back();
    --stale_;
  }
  double first = sendings_.empty() ? kForever.si() : sendings_.front().time;
  for (const Events* events : {&starts_, &flights_, &changes_}) {
    if (!events->empty()) first = std::min(first, events->top().time);
  }
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
  while (!changes_.empty() && changes_.top().time <= until) {
    const LinkChange change = link_changes_[changes_.top().what];
    changes_.pop();
    down_.set(change.link, change.share == 0);
    shares_.set_capacity(change.link,
                         change.share > 0 ? change.share * network_.capacities()[change.link] : 0);
    any = true;
  }
  if (any) {
    unsolved_ = true;
    reroute();
  }
  return any;
}

bool FlowSimulation::finish_sendings(double until) {
  bool any = false;
  while (!sendings_.empty() && sendings_.front().time <= until) {
    const Sending sending = sendings_.front();
    std::pop_heap(sendings_.begin(), sendings_.end(), std::greater<>{});
    sendings_.pop_back();
    if (bundles_[sending.bundle].version != sending.version) {
      --stale_;
      continue;
    }
    bundles_[sending.bundle].scheduled = false;
    bundles_[sending.bundle].left = 0;
    std::uint32_t flow = bundles_[sending.bundle].first;
    close(sending.bundle);
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
  while (!flights_.empty() && flights_.top().time <= until) {
    const std::uint64_t what = flights_.top().what;
    flights_.pop();
    const auto flow = static_cast<FlowId>(what / 2);
    if (what % 2 == 0) {
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
  while (!starts_.empty() && starts_.top().time <= until) {
    const auto flow = static_cast<FlowId>(starts_.top().what);
    starts_.pop();
    begin(flow);
    any = true;
  }
  return any;
}

void FlowSimulation::begin(FlowId id) {
  FlowState& flow = flows_[id];
  flow.began = now_.si();
  const auto own = own_routes_.find(id);
  if (flow.bytes == 0 || (flow.from == flow.to && own == own_routes_.end())) return sent(id);
  join(id, flow.bytes);
}

/// The links of a flow, into route_.
bool FlowSimulation::find_route(FlowId id) {
  const auto own = own_routes_.find(id);
  if (own != own_routes_.end()) {
    route_ = own->second;
    return true;
  }
  route_.clear();
  return network_.route({flows_[id].from, flows_[id].to, flows_[id].hash, flows_[id].plane}, down_, route_);
}

/// Puts a flow with so many bytes left into the bundle of its equals, or into one of its own.
void FlowSimulation::join(FlowId id, double bytes) {
  FlowState& flow = flows_[id];
  const bool way = find_route(id);
  if (way) {
    unsolved_ = true;
    const auto [equal, is_new] =
        bundles_of_moment_.try_emplace(hash_of(route_, bytes, flow.priority), free_bundle());
    if (!is_new && is_equal(bundles_[equal->second], bytes, flow.priority)) {
      Bundle& bundle = bundles_[equal->second];
      flow.bundle = equal->second;
      flow.next = bundle.first;
      bundle.first = id;
      ++bundle.count;
      return;
    }
  }
  open_bundle(id, bytes);
  if (way) {
    bundles_[flow.bundle].pending = static_cast<std::uint32_t>(pending_.size());
    pending_.push_back({flow.bundle, pending_links_.size(), pending_links_.size() + route_.size()});
    pending_links_.insert(pending_links_.end(), route_.begin(), route_.end());
  }
}

std::uint32_t FlowSimulation::free_bundle() {
  if (free_bundles_.empty()) {
    free_bundles_.push_back(static_cast<std::uint32_t>(bundles_.size()));
    bundles_.emplace_back();
  }
  return free_bundles_.back();
}

void FlowSimulation::open_bundle(FlowId id, double bytes) {
  FlowState& flow = flows_[id];
  flow.bundle = free_bundle();
  free_bundles_.pop_back();
  flow.next = kNone;
  Bundle& bundle = bundles_[flow.bundle];
  const std::uint32_t version = bundle.version;
  bundle = {};
  bundle.version = version;  // grows for ever: what was planned for an old bundle is not for this one
  bundle.first = id;
  bundle.count = 1;
  bundle.priority = flow.priority;
  bundle.total = bundle.left = bytes;
  bundle.since = now_.si();
}

/// Whether a bundle of this moment is over the links of route_ with so many bytes.
bool FlowSimulation::is_equal(const Bundle& bundle, double bytes, std::uint8_t priority) const {
  if (bundle.pending == kNone || bundle.total != bytes || bundle.priority != priority) return false;
  const Pending& pending = pending_[bundle.pending];
  return std::equal(route_.begin(), route_.end(),
                    pending_links_.begin() + static_cast<std::ptrdiff_t>(pending.first),
                    pending_links_.begin() + static_cast<std::ptrdiff_t>(pending.end));
}

/// Bundles of this moment become flows to be solved.
void FlowSimulation::take_slots() {
  for (const Pending& pending : pending_) {
    Bundle& bundle = bundles_[pending.bundle];
    bundle.pending = kNone;
    bundle.slot = shares_.add({pending_links_.data() + pending.first, pending.end - pending.first},
                              bundle.count, bundle.priority);
    if (bundle_of_slot_.size() <= bundle.slot)
      bundle_of_slot_.resize(2 * std::size_t{bundle.slot} + 1, kNone);
    bundle_of_slot_[bundle.slot] = pending.bundle;
  }
  pending_.clear();
  pending_links_.clear();
  bundles_of_moment_.clear();
}

/// Takes a bundle out; its flows keep their places in its list.
void FlowSimulation::close(std::uint32_t b) {
  Bundle& bundle = bundles_[b];
  if (bundle.slot != kNone) {
    count_carried(bundle, carried_);
    shares_.remove(bundle.slot);
    unsolved_ = true;
  }
  if (bundle.scheduled) ++stale_;
  bundle.scheduled = false;
  ++bundle.version;
  bundle.first = kNone;
  free_bundles_.push_back(b);
}

void FlowSimulation::count_carried(const Bundle& bundle, std::vector<double>& carried) const {
  Route route;
  shares_.route(bundle.slot, route);
  const double moved = bundle.total - left_of(bundle);
  for (const LinkShare& use : route) carried[use.link] += moved * bundle.count * use.share;
}

/// Every flow under way takes the way that the links of this moment give it.
void FlowSimulation::reroute() {
  take_slots();
  const std::size_t bundles = bundles_.size();
  Route old;
  for (std::uint32_t b = 0; b < bundles; ++b) {
    Bundle& bundle = bundles_[b];
    if (bundle.first == kNone || bundle.pending != kNone || own_routes_.contains(bundle.first)) continue;
    old.clear();
    if (bundle.slot != kNone) shares_.route(bundle.slot, old);
    bool same = true;
    for (std::uint32_t flow = bundle.first; flow != kNone && same; flow = flows_[flow].next)
      same = find_route(flow) ? route_ == old : bundle.slot == kNone;
    if (same) continue;
    settle(bundle);
    const double left = bundle.left;
    std::uint32_t flow = bundle.first;
    close(b);
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
  own_routes_.erase(id);
  if (flow.latency == 0) return received(id);
  flights_.push({now_.si() + flow.latency, 2 * std::uint64_t{id}});
}

void FlowSimulation::received(FlowId id) {
  FlowState& flow = flows_[id];
  flow.end = now_.si();
  flow.received = true;
  done_.push_back(id);
  ++ended_;
  come_true(id, false);
  if (flow.reply == 0) return known(id);
  flights_.push({now_.si() + flow.reply, 2 * std::uint64_t{id} + 1});
}

void FlowSimulation::known(FlowId id) {
  flows_[id].known = true;
  come_true(id, true);
}

/// What others wait for has come.
void FlowSimulation::come_true(FlowId id, bool known) {
  for (std::uint32_t w = flows_[id].waiters; w != kNone; w = waiters_[w].next) {
    if (waiters_[w].known != known) continue;
    FlowState& next = flows_[waiters_[w].flow];
    next.ready = std::max(next.ready, now_.si() + next.delay);
    if (--next.waits == 0) starts_.push({next.ready, waiters_[w].flow});
  }
}

double FlowSimulation::left_of(const Bundle& bundle) const {
  return std::max(0.0, bundle.left - bundle.rate * (now_.si() - bundle.since));
}

FlowTimes FlowSimulation::times(FlowId id) const {
  const FlowState& flow = flows_.at(id);
  return {Seconds(flow.began), Seconds(flow.sent), Seconds(flow.end), Seconds(flow.end + flow.reply)};
}

BytesPerSecond FlowSimulation::rate(FlowId id) {
  solve();
  const std::uint32_t bundle = flows_.at(id).bundle;
  return BytesPerSecond(bundle == kNone ? 0 : bundles_[bundle].rate);
}

Bytes FlowSimulation::left(FlowId id) const {
  const FlowState& flow = flows_.at(id);
  if (flow.bundle != kNone) return Bytes(left_of(bundles_[flow.bundle]));
  return Bytes(flow.sent < kForever.si() ? 0 : flow.bytes);
}

std::vector<double> FlowSimulation::carried() const {
  std::vector<double> out = carried_;
  for (const Bundle& bundle : bundles_) {
    if (bundle.first != kNone && bundle.slot != kNone) count_carried(bundle, out);
  }
  return out;
}

}  // namespace trainyard::flow
