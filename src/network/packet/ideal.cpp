#include "network/packet/ideal.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace trainyard::packet {
namespace {

/// Ends of links: a host's sending side, then its receiving side.
struct End {
  double capacity = 0;
  std::uint32_t open = 0;  // flows without a rate
};

/// Bytes a picosecond of a host's links, unless its own pace is slower.
double capacity(const Layout& layout, Pace pace) {
  const double links =
      static_cast<double>(layout.planes) / static_cast<double>(layout.links.front().picoseconds_per_byte);
  if (!pace.limits()) return links;
  return std::min(links, static_cast<double>(Pace::kKib) / static_cast<double>(pace.picoseconds_per_kib));
}

}  // namespace

std::vector<double> fair_rates(const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to,
                               std::uint32_t hosts, double send_capacity, double receive_capacity) {
  std::vector<End> ends(hosts, {send_capacity, 0});
  ends.resize(2 * std::size_t{hosts}, {receive_capacity, 0});
  std::vector<std::vector<std::uint32_t>> flows_at(ends.size());
  for (std::uint32_t f = 0; f < from.size(); ++f) {
    for (const std::size_t end : {std::size_t{from[f]}, std::size_t{hosts} + to[f]}) {
      ++ends[end].open;
      flows_at[end].push_back(f);
    }
  }
  // The end with the smallest share first; shares only grow while others are served.
  using Share = std::pair<double, std::size_t>;
  std::priority_queue<Share, std::vector<Share>, std::greater<>> shares;
  const auto share = [&](std::size_t end) { return ends[end].capacity / ends[end].open; };
  for (std::size_t end = 0; end < ends.size(); ++end) {
    if (ends[end].open > 0) shares.push({share(end), end});
  }
  std::vector<double> rates(from.size(), -1);
  while (!shares.empty()) {
    const auto [old_share, end] = shares.top();
    shares.pop();
    if (ends[end].open == 0) continue;
    if (share(end) > old_share) {
      shares.push({share(end), end});
      continue;
    }
    const double rate = share(end);
    for (const std::uint32_t f : flows_at[end]) {
      if (rates[f] >= 0) continue;
      rates[f] = rate;
      for (const std::size_t side : {std::size_t{from[f]}, std::size_t{hosts} + to[f]}) {
        ends[side].capacity = std::max(0.0, ends[side].capacity - rate);
        --ends[side].open;
      }
    }
  }
  return rates;
}

FluidSchedule::FluidSchedule(const Layout& layout, const HostLimits& limits, std::vector<Flow>& flows,
                             const std::vector<Dependency>& dependencies,
                             const std::vector<Picoseconds>& latency)
    : flows_(flows),
      latency_(latency),
      hosts_(layout.hosts()),
      send_capacity_(capacity(layout, limits.send)),
      receive_capacity_(capacity(layout, limits.receive)),
      after_(flows.size()),
      conditions_(flows.size(), 0),
      left_(flows.size(), 0) {
  for (const Dependency& d : dependencies) {
    after_[d.before].push_back(d.after);
    ++conditions_[d.after];
  }
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    ready_at_.push_back(flows[f].start);
    left_[f] = static_cast<double>(flows[f].bytes);
    if (conditions_[f] == 0) starts_.emplace_back(flows[f].start, f);
  }
  std::make_heap(starts_.begin(), starts_.end(), std::greater<>{});
}

Picoseconds FluidSchedule::next_start() const { return starts_.empty() ? kNever : starts_.front().first; }

void FluidSchedule::begin_due(Picoseconds now) {
  while (next_start() <= now) {
    const std::uint32_t flow = starts_.front().second;
    std::pop_heap(starts_.begin(), starts_.end(), std::greater<>{});
    starts_.pop_back();
    flows_[flow].began = now;
    active_.push_back(flow);
  }
}

void FluidSchedule::end(std::uint32_t flow, Picoseconds now) {
  flows_[flow].received = flows_[flow].finished = now + latency_[flow];
  for (const std::uint32_t next : after_[flow]) {
    ready_at_[next] = std::max(ready_at_[next], flows_[flow].finished);
    if (--conditions_[next] > 0) continue;
    starts_.emplace_back(ready_at_[next], next);
    std::push_heap(starts_.begin(), starts_.end(), std::greater<>{});
  }
}

void FluidSchedule::run() {
  constexpr double kNothing = 1e-6;  // bytes
  std::vector<std::uint32_t> from;
  std::vector<std::uint32_t> to;
  Picoseconds now = 0;
  while (!active_.empty() || !starts_.empty()) {
    if (active_.empty()) now = next_start();
    begin_due(now);
    from.clear();
    to.clear();
    for (const std::uint32_t f : active_) {
      from.push_back(flows_[f].from);
      to.push_back(flows_[f].to);
    }
    const std::vector<double> rates = fair_rates(from, to, hosts_, send_capacity_, receive_capacity_);
    double first_end = static_cast<double>(kNever);
    for (std::size_t i = 0; i < active_.size(); ++i)
      first_end = std::min(first_end, left_[active_[i]] / rates[i]);
    Picoseconds step = static_cast<Picoseconds>(std::max(1.0, std::min(first_end + 0.5, 1e19)));
    if (next_start() != kNever) step = std::min(step, std::max<Picoseconds>(1, next_start() - now));
    now += step;
    std::vector<std::uint32_t> still;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const std::uint32_t f = active_[i];
      left_[f] -= rates[i] * static_cast<double>(step);
      // Within a picosecond of its end.
      if (left_[f] <= kNothing + rates[i]) {
        end(f, now);
      } else {
        still.push_back(f);
      }
    }
    active_ = std::move(still);
  }
}

}  // namespace trainyard::packet
