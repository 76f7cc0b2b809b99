// Flows under way as bundles: those that began together over the same links with as many bytes are one flow
// to the fair rates, and are sent together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "network/flow/fair_shares.h"
#include "network/flow/network.h"

namespace trainyard::flow {

/// Times in seconds, sizes in bytes. Flows are numbers to it: whoever holds them chains those of a bundle.
class Bundles {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// Capacities in bytes a second. With `resolve_all`, every change solves all rates anew.
  Bundles(std::vector<double> capacities, bool resolve_all);

  struct Joined {
    std::uint32_t bundle = kNone;
    std::uint32_t next = kNone;  // the flow of it that joined before
  };
  /// Puts a flow with so many bytes left into the bundle of its equals, or into one of its own. Without a
  /// route it waits for one.
  Joined join(std::uint32_t flow, double bytes, std::uint8_t priority, const Route* route, double now);
  void set_capacity(std::uint32_t link, double capacity);
  /// Rates anew, and when the bundles will be sent.
  void solve(double now);
  /// When the first is sent; infinite: never. After solve().
  double next_sent();
  /// Takes out the next that is sent by `until`: the first of its flows, kNone where there is none.
  std::uint32_t take_sent(double until, double now);
  /// Bundles of this moment become flows to be solved: none joins them any more.
  void take_slots();
  /// Takes a bundle out; its flows keep their chain.
  void close(std::uint32_t bundle, double now);

  /// So many there have been at once: each number below may be a bundle.
  std::uint32_t size() const { return static_cast<std::uint32_t>(bundles_.size()); }
  /// The first of its flows; kNone: it is none.
  std::uint32_t first(std::uint32_t bundle) const { return bundles_[bundle].first; }
  bool is_of_this_moment(std::uint32_t bundle) const { return bundles_[bundle].pending != kNone; }
  /// Whether it has a way; then its links.
  bool route(std::uint32_t bundle, Route& out) const;
  /// Of one of its flows.
  double rate(std::uint32_t bundle) const { return bundles_[bundle].rate; }
  double left(std::uint32_t bundle, double now) const { return left_of(bundles_[bundle], now); }
  /// Bytes that have crossed each link.
  std::vector<double> carried(double now) const;
  std::size_t links() const { return carried_.size(); }
  /// Flows whose rates were solved, summed over all solutions.
  std::uint64_t solved() const { return shares_.solved(); }

 private:
  struct Bundle {
    std::uint32_t slot = kNone;     // in shares_; none: no way, or pending
    std::uint32_t pending = kNone;  // in pending_
    std::uint32_t first = kNone;    // of its flows; none: unused
    std::uint32_t count = 0;
    std::uint32_t version = 0;  // of its entry in sendings_
    std::uint8_t priority = 0;
    bool scheduled = false;  // has an entry there
    double total = 0;        // bytes of one flow at first
    double left = 0;         // and at `since`
    double rate = 0;         // of one flow
    double since = 0;
  };
  /// A bundle of this moment: others may still join.
  struct Pending {
    std::uint32_t bundle;
    std::size_t first;  // in pending_links_
    std::size_t end;
  };
  struct Sending {
    double time;
    std::uint32_t bundle;
    std::uint32_t version;
    bool operator>(const Sending& other) const {
      return time != other.time ? time > other.time : bundle > other.bundle;
    }
  };

  static double left_of(const Bundle& bundle, double now);
  std::uint32_t free_bundle();
  std::uint32_t open(std::uint32_t flow, double bytes, std::uint8_t priority, double now);
  bool is_equal(const Bundle& bundle, double bytes, std::uint8_t priority, const Route& route) const;
  void schedule(std::uint32_t bundle);
  Sending pop_sending();
  bool is_stale(const Sending& sending) const { return bundles_[sending.bundle].version != sending.version; }
  void drop_stale();
  void count_carried(const Bundle& bundle, double now, std::vector<double>& carried) const;

  FairShares shares_;
  std::vector<Bundle> bundles_;
  std::vector<std::uint32_t> free_bundles_;
  std::vector<std::uint32_t> bundle_of_slot_;
  std::unordered_map<std::uint64_t, std::uint32_t> bundles_of_moment_;  // by hash of links and bytes
  std::vector<Pending> pending_;
  Route pending_links_;
  std::vector<Sending> sendings_;  // a heap
  std::size_t stale_ = 0;          // of them
  std::vector<double> carried_;
  bool unsolved_ = false;
};

}  // namespace trainyard::flow
