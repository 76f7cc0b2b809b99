// Flows over a network at max-min fair rates, from event to event, driven from outside.
//
//   FlowSimulation sim(network);
//   const FlowId a = sim.add({.from = 0, .to = 1, .bytes = Bytes(1e9)});
//   const FlowId b = sim.add({.from = 1, .to = 2, .bytes = Bytes(1e6), .after = {{a}}});
//   while (sim.next_event() < kForever) {
//     for (const FlowId done : sim.advance(compute.next_event())) ...   // add() more: they begin now or
//     later
//   }
//
// A flow begins at its start, or `delay` after the last of those that it waits for has ended, whichever is
// later. Its bytes flow at the fair rate of its links, which changes whenever a flow begins or ends or a link
// fails. `latency` after the last byte left, the receiver has all: the flow has ended. Events within a share
// of 1e-12 of the time are one moment. Rates are solved anew only for the flows that a change reaches
// (fair_shares.h); flows that begin together over the same links with as many bytes are one bundle.
// The same calls give the same results to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "network/flow/bundles.h"
#include "network/flow/events.h"
#include "network/flow/flow_ways.h"
#include "network/flow/network.h"
#include "network/flow/waiting_flows.h"
#include "trainyard/units.h"

namespace trainyard::flow {

/// Flows are numbered as they are added.
using FlowId = std::uint32_t;

constexpr Seconds kForever{std::numeric_limits<double>::infinity()};

/// A flow that another one waits for.
struct After {
  FlowId flow = 0;
  bool known = false;  // until its sender knows, not only until its receiver has all
};

struct FlowRequest {
  std::uint32_t from = 0;  // hosts; the same: the bytes take no time
  std::uint32_t to = 0;
  Bytes bytes{0};
  Seconds start{0};                        // the past: now
  std::vector<After> after = {};           // flows that have been added before
  Seconds delay{0};                        // after the last of them
  std::uint8_t priority = 0;               // below FairShares::kMostPriorities; the lowest first, strictly
  std::optional<Seconds> latency = {};     // empty: the network's
  Seconds reply{0};                        // from the receiver's end until the sender knows
  std::optional<std::uint64_t> hash = {};  // for the path; empty: the flow's number
  std::uint16_t plane = RouteQuery::kPlaneOfHash;
  std::span<const LinkShare> route = {};  // these links in place of the network's routing, whatever fails
};

/// What became of a flow; kForever: has not happened.
struct FlowTimes {
  Seconds began = kForever;
  Seconds sent = kForever;      // the last byte left its host
  Seconds received = kForever;  // the last byte is at the receiver
  Seconds known = kForever;     // the sender knows
};

class FlowSimulation {
 public:
  /// The network is kept by reference. With `resolve_all`, every change solves all rates anew: slow, for
  /// comparison.
  explicit FlowSimulation(const Network& network, bool resolve_all = false);

  /// Room for so many flows.
  void reserve(std::size_t flows) {
    flows_.reserve(flows);
    waiting_.reserve(flows);
  }
  FlowId add(const FlowRequest& request);
  /// From a time on (the past: now) a link is down or up again. Flows find other ways at once.
  void set_link(std::uint32_t link, bool up, Seconds at) { set_link_share(link, up ? 1 : 0, at); }
  /// From a time on (the past: now) so much of a link's capacity is left; a link with none is down.
  void set_link_share(std::uint32_t link, double share, Seconds at);

  Seconds now() const { return now_; }
  /// When the next flow begins or ends or a rate changes, unless something is added: now or later; kForever:
  /// nothing will happen any more.
  Seconds next_event();
  /// Goes to the next moment at which flows end, but not beyond `limit`, and returns those flows in order of
  /// their numbers; none: it is `limit`, or nothing happens any more (then the time stays where it is, and
  /// with a finite limit it is `limit`). Valid until the next call.
  std::span<const FlowId> advance(Seconds limit = kForever);
  /// Until nothing happens any more.
  void run();

  std::size_t flows() const { return flows_.size(); }
  /// How many have ended.
  std::size_t ended() const { return ended_; }
  FlowTimes times(FlowId flow) const;
  /// Rate of a flow now; 0: it has not begun, has ended, or has no way.
  BytesPerSecond rate(FlowId flow);
  Bytes left(FlowId flow) const;
  /// Bytes that have crossed each link in full flows and parts of them, until now.
  std::vector<double> carried() const { return bundles_.carried(now_.si()); }

  std::uint64_t events() const { return events_; }
  /// Flows whose rates were solved, summed over all solutions.
  std::uint64_t solved() const { return bundles_.solved(); }

 private:
  static constexpr std::uint32_t kNone = Bundles::kNone;

  struct FlowState {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double bytes = 0;
    double ready = 0;  // the earliest start so far
    double delay = 0;
    double latency = 0;
    double reply = 0;
    double began = kForever.si();
    double sent = kForever.si();
    double end = kForever.si();  // received
    std::uint64_t hash = 0;
    std::uint32_t bundle = kNone;
    std::uint32_t next = kNone;  // in its bundle
    std::uint16_t plane = RouteQuery::kPlaneOfHash;
    std::uint8_t priority = 0;
    bool received = false;
    bool known = false;
  };
  struct LinkChange {
    std::uint32_t link;
    double share;  // of its capacity
  };

  void wait(FlowId flow, const After& after);
  void come_true(FlowId flow, bool known);
  void begin(FlowId flow);
  void join(FlowId flow, double bytes);
  /// The links of a flow now; nullptr: it has no way.
  const Route* way_of(FlowId flow);
  void sent(FlowId flow);
  void received(FlowId flow);
  void known(FlowId flow);
  void happen();
  bool change_links(double until);
  bool finish_sendings(double until);
  bool finish_flights(double until);
  bool begin_flows(double until);
  void reroute();
  bool keeps_way(std::uint32_t bundle, const Route& way);

  const Network& network_;
  Bundles bundles_;
  FlowWays ways_;
  Seconds now_{0};
  std::vector<FlowState> flows_;
  WaitingFlows waiting_;
  Events starts_;   // of flows
  Events flights_;  // 2 flow: received; 2 flow + 1: known
  Events changes_;  // in link_changes_
  std::vector<LinkChange> link_changes_;
  std::vector<FlowId> done_;
  std::size_t ended_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace trainyard::flow
