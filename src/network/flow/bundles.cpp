#include "network/flow/bundles.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

#include "base/mixing.h"

namespace trainyard::flow {
namespace {

std::uint64_t hash_of(const Route& route, double bytes, std::uint8_t priority) {
  std::uint64_t hash = mixed(std::bit_cast<std::uint64_t>(bytes) ^ priority);
  for (const LinkShare& use : route)
    hash = mixed(hash ^ use.link ^ (std::bit_cast<std::uint64_t>(use.share) << 1U));
  return hash;
}

}  // namespace

Bundles::Bundles(std::vector<double> capacities, bool resolve_all)
    : shares_(capacities, resolve_all), carried_(capacities.size(), 0) {}

Bundles::Joined Bundles::join(std::uint32_t flow, double bytes, std::uint8_t priority, const Route* route,
                              double now) {
  if (!route) return {open(flow, bytes, priority, now), kNone};
  unsolved_ = true;
  const auto [equal, is_new] =
      bundles_of_moment_.try_emplace(hash_of(*route, bytes, priority), free_bundle());
  if (!is_new && is_equal(bundles_[equal->second], bytes, priority, *route)) {
    Bundle& bundle = bundles_[equal->second];
    ++bundle.count;
    return {equal->second, std::exchange(bundle.first, flow)};
  }
  const std::uint32_t own = open(flow, bytes, priority, now);
  bundles_[own].pending = static_cast<std::uint32_t>(pending_.size());
  pending_.push_back({own, pending_links_.size(), pending_links_.size() + route->size()});
  pending_links_.insert(pending_links_.end(), route->begin(), route->end());
  return {own, kNone};
}

std::uint32_t Bundles::free_bundle() {
  if (free_bundles_.empty()) {
    free_bundles_.push_back(size());
    bundles_.emplace_back();
  }
  return free_bundles_.back();
}

std::uint32_t Bundles::open(std::uint32_t flow, double bytes, std::uint8_t priority, double now) {
  const std::uint32_t own = free_bundle();
  free_bundles_.pop_back();
  Bundle& bundle = bundles_[own];
  const std::uint32_t version = bundle.version;
  bundle = {};
  bundle.version = version;  // grows for ever: what was planned for an old bundle is not for this one
  bundle.first = flow;
  bundle.count = 1;
  bundle.priority = priority;
  bundle.total = bundle.left = bytes;
  bundle.since = now;
  return own;
}

/// Whether a bundle of this moment is over these links with so many bytes.
bool Bundles::is_equal(const Bundle& bundle, double bytes, std::uint8_t priority, const Route& route) const {
  if (bundle.pending == kNone || bundle.total != bytes || bundle.priority != priority) return false;
  const Pending& pending = pending_[bundle.pending];
  return std::equal(route.begin(), route.end(),
                    pending_links_.begin() + static_cast<std::ptrdiff_t>(pending.first),
                    pending_links_.begin() + static_cast<std::ptrdiff_t>(pending.end));
}

void Bundles::set_capacity(std::uint32_t link, double capacity) {
  shares_.set_capacity(link, capacity);
  unsolved_ = true;
}

void Bundles::take_slots() {
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

void Bundles::solve(double now) {
  if (!unsolved_) return;
  unsolved_ = false;
  take_slots();
  const std::vector<std::uint32_t>& changed = shares_.update();
  for (const std::uint32_t slot : changed) {
    const std::uint32_t b = bundle_of_slot_[slot];
    Bundle& bundle = bundles_[b];
    bundle.left = left_of(bundle, now);
    bundle.since = now;
    bundle.rate = shares_.rate(slot) / bundle.count;
    schedule(b);
  }
  if (stale_ > sendings_.size() / 2) drop_stale();
}

void Bundles::schedule(std::uint32_t b) {
  Bundle& bundle = bundles_[b];
  if (bundle.scheduled) ++stale_;
  ++bundle.version;
  bundle.scheduled = bundle.rate > 0;
  if (!bundle.scheduled) return;
  sendings_.push_back({bundle.since + bundle.left / bundle.rate, b, bundle.version});
  std::push_heap(sendings_.begin(), sendings_.end(), std::greater<>{});
}

void Bundles::drop_stale() {
  std::erase_if(sendings_, [&](const Sending& s) { return is_stale(s); });
  std::make_heap(sendings_.begin(), sendings_.end(), std::greater<>{});
  stale_ = 0;
}

Bundles::Sending Bundles::pop_sending() {
  const Sending sending = sendings_.front();
  std::pop_heap(sendings_.begin(), sendings_.end(), std::greater<>{});
  sendings_.pop_back();
  return sending;
}

double Bundles::next_sent() {
  while (!sendings_.empty() && is_stale(sendings_.front())) {
    pop_sending();
    --stale_;
  }
  return sendings_.empty() ? std::numeric_limits<double>::infinity() : sendings_.front().time;
}

std::uint32_t Bundles::take_sent(double until, double now) {
  while (!sendings_.empty() && sendings_.front().time <= until) {
    const Sending sending = pop_sending();
    if (is_stale(sending)) {
      --stale_;
      continue;
    }
    Bundle& bundle = bundles_[sending.bundle];
    bundle.scheduled = false;
    bundle.left = 0;
    const std::uint32_t first = bundle.first;
    close(sending.bundle, now);
    return first;
  }
  return kNone;
}

void Bundles::close(std::uint32_t b, double now) {
  Bundle& bundle = bundles_[b];
  if (bundle.slot != kNone) {
    count_carried(bundle, now, carried_);
    shares_.remove(bundle.slot);
    unsolved_ = true;
  }
  if (bundle.scheduled) ++stale_;
  bundle.scheduled = false;
  ++bundle.version;
  bundle.first = kNone;
  free_bundles_.push_back(b);
}

bool Bundles::route(std::uint32_t bundle, Route& out) const {
  out.clear();
  if (bundles_[bundle].slot == kNone) return false;
  shares_.route(bundles_[bundle].slot, out);
  return true;
}

double Bundles::left_of(const Bundle& bundle, double now) {
  return std::max(0.0, bundle.left - bundle.rate * (now - bundle.since));
}

void Bundles::count_carried(const Bundle& bundle, double now, std::vector<double>& carried) const {
  Route route;
  shares_.route(bundle.slot, route);
  const double moved = bundle.total - left_of(bundle, now);
  for (const LinkShare& use : route) carried[use.link] += moved * bundle.count * use.share;
}

std::vector<double> Bundles::carried(double now) const {
  std::vector<double> out = carried_;
  for (const Bundle& bundle : bundles_) {
    if (bundle.first != kNone && bundle.slot != kNone) count_carried(bundle, now, out);
  }
  return out;
}

}  // namespace trainyard::flow
