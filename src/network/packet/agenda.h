// What hosts will do by themselves, and when: begin flows, wake their transports, serve their ports.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "base/bounds.h"
#include "network/packet/packet.h"

namespace trainyard::packet {

/// A flow may begin at a host, as far as one of its conditions goes; or the next of a lineup, which is
/// numbered behind the flows.
struct Release {
  Picoseconds time = 0;
  std::uint32_t host = 0;
  std::uint32_t flow = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(time, host, flow);
  }
  bool operator>(const Release& other) const {
    return time != other.time ? time > other.time : flow > other.flow;
  }
};

class Agenda {
 public:
  explicit Agenda(const Layout& layout)
      : layout_(layout),
        starts_(layout.hosts()),
        wakes_(layout.hosts(), kNever),
        next_(layout.hosts(), kNever),
        next_of_leaf_(layout.leaves, kNever) {}

  /// Between windows.
  void add(const Release& release) {
    add_now(release);
    next_[release.host] = std::min(next_[release.host], release.time);
    Picoseconds& of_leaf = next_of_leaf_[leaf_of(layout_.address_of_host[release.host])];
    of_leaf = std::min(of_leaf, release.time);
  }
  /// While the host is at hand: its next time is still to be set.
  void add_now(const Release& release) { starts_[release.host].push(release); }

  Picoseconds start(std::uint32_t host) const {
    return starts_[host].empty() ? kNever : starts_[host].top().time;
  }
  /// The flow of the next start.
  std::uint32_t take_start(std::uint32_t host) {
    const std::uint32_t flow = starts_[host].top().flow;
    starts_[host].pop();
    return flow;
  }
  /// One time a host; kNever: none.
  Picoseconds wake(std::uint32_t host) const { return wakes_[host]; }
  void wake_at(std::uint32_t host, Picoseconds time) { wakes_[host] = time; }

  /// When something happens at a host that is not an arrival.
  Picoseconds next(std::uint32_t host) const { return next_[host]; }
  void set_next(std::uint32_t host, Picoseconds time) { next_[host] = time; }
  /// The earliest of a leaf's hosts.
  Picoseconds next_of_leaf(std::uint32_t leaf) const { return next_of_leaf_[leaf]; }
  void set_next_of_leaf(std::uint32_t leaf, Picoseconds time) { next_of_leaf_[leaf] = time; }
  Picoseconds earliest() const {
    Picoseconds out = kNever;
    for (const Picoseconds time : next_of_leaf_) out = std::min(out, time);
    return out;
  }

  std::size_t bytes() const { return starts_.size() * sizeof(Starts); }
  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, starts_, wakes_, next_, next_of_leaf_);
  }
  /// Refuses a restored state in which a host, that next sends at `service`, is looked at later than
  /// something happens there (bounds.h).
  template <class BeginsHere>
  void check_restored(std::uint32_t host, Picoseconds service, const BeginsHere& begins_here) const {
    keep_bounds(is_time(wakes_[host]) && is_time(next_[host]));
    for (Starts left = starts_[host]; !left.empty(); left.pop())
      keep_bounds(begins_here(left.top().flow) && is_time(left.top().time));
    keep_bounds(next_[host] <= std::min({start(host), wakes_[host], service}));
    keep_bounds(next_of_leaf_[leaf_of(layout_.address_of_host[host])] <= next_[host]);
  }

 private:
  using Starts = std::priority_queue<Release, std::vector<Release>, std::greater<>>;

  const Layout& layout_;
  std::vector<Starts> starts_;             // of each host
  std::vector<Picoseconds> wakes_;         // of each host
  std::vector<Picoseconds> next_;          // of each host
  std::vector<Picoseconds> next_of_leaf_;  // of each leaf
};

}  // namespace trainyard::packet
