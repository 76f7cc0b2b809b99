// Flows of hosts that may send, in turn, but each of them not before its next time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "network/packet/transports/host_tools.h"
#include "network/wiring/paths.h"

namespace trainyard::packet {

/// What a host waits for, whose flows are paced.
struct PacedHost {
  Timers paced;
  Timers timeouts;
  Timers probes;

  /// Fetches what a window of it reads first.
  void prefetch() const {
    paced.prefetch();
    timeouts.prefetch();
  }
  template <class Context>
  void plan_wake(Context& context) const {
    context.wake_at(std::min({paced.next(), timeouts.next(), probes.next()}));
  }
  template <class Archive>
  void serialize(Archive& a) {
    a(paced, timeouts, probes);
  }
};

/// Senders have `listed`: the flow is in the turns; `paced`: it waits for its time; and `next_send`, that
/// time.
class PacedTurns {
 public:
  PacedTurns(const Layout& layout, const Paths& paths, std::uint64_t seed)
      : paths_(paths), turns_(layout, paths.bound_to_plane(), seed) {}

  void prefetch(std::uint32_t host) const { turns_.prefetch(host); }
  /// A flow that is neither listed nor paced has data.
  template <class Context, class Sender>
  void add(Context& context, PacedHost& host, std::uint32_t flow, Sender& sender) {
    if (sender.next_send > context.now()) return pace(context, host, flow, sender);
    sender.listed = true;
    turns_.add(context.host(), paths_.plane_of(flow, false), flow);
    context.ready();
  }
  /// After a silence (host_tools.h).
  template <class Context, class Sender>
  void wait_anew(Context& context, std::uint32_t flow, Sender& sender) {
    packet::wait_anew(context, paths_, flow, sender, turns_);
  }
  /// Lets a flow wait for its time.
  template <class Context, class Sender>
  void pace(Context& context, PacedHost& host, std::uint32_t flow, Sender& sender) {
    if (sender.paced) return;
    sender.paced = true;
    host.paced.add(sender.next_send, flow);
    host.plan_wake(context);
  }
  /// Calls `list(flow)` for those whose time has come.
  template <class Context, class Senders, class List>
  void wake(Context& context, PacedHost& host, Senders& senders, const List& list) {
    while (host.paced.due(context.now())) {
      const std::uint32_t flow = host.paced.take();
      senders[flow].paced = false;
      list(flow);
    }
  }
  /// Goes through the flows in turn until `send(flow)` has made a packet; whether one has.
  template <class Context, class Senders, class Send>
  bool serve(Context& context, Senders& senders, const Send& send) {
    const auto usable = paths_.usable(context.plane());
    return turns_.serve(context.host(), context.plane(), usable, [&](std::uint32_t flow) {
      senders[flow].listed = false;
      return send(flow);
    });
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(turns_);
  }
  /// Refuses restored turns and timers of flows that do not send at their host.
  template <class AnyEnds>
  void check_restored(const AnyEnds& ends) const {
    ends.check_turns(turns_);
    for (std::uint32_t h = 0; h < ends.hosts.size(); ++h) {
      ends.check_timers(h, ends.hosts[h].paced);
      ends.check_timers(h, ends.hosts[h].timeouts);
      ends.check_timers(h, ends.hosts[h].probes);
    }
  }

 private:
  const Paths& paths_;
  Turns turns_;
};

}  // namespace trainyard::packet
