// Packets that are sent once, by Ultra Ethernet's unreliable unordered delivery (UUD; UE specification 1.0,
// packet delivery sublayer): no acknowledgement, no repeat, no congestion control. Hosts send at the rate of
// their links; what is lost is lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/packet/transports/ends.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

/// A flow has finished, for its sender, when its last packet leaves. Its receipt is that of the last packet
/// that arrived so far, whatever is missing: nothing may wait for it (Dependency::on_receipt).
class Unreliable {
 public:
  using Packet = packet::Packet;

  explicit Unreliable(const TransportSetup& setup);

  std::size_t bytes() const { return ends_.bytes(); }
  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    ends_.serialize_with(a, turns_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const { return packet.sequence < ends_.packets.count(packet.flow); }

  template <class Context>
  void start(Context& context, std::uint32_t flow) {
    list(context, flow);
    look_again(context);
  }

  template <class Context>
  bool offer(Context& context, Packet& out) {
    const auto sends_here = [&](std::uint32_t flow) { return takes_plane(flow, context.plane()); };
    return turns_.serve(context.host(), context.plane(), sends_here, [&](std::uint32_t flow) {
      Sender& sender = ends_.senders[flow];
      out = ends_.packets.data<Packet>(flow, sender.next++);
      ends_.paths.choose(out, context.host(), context.plane(), false, context.now(), sender.paths);
      if (sender.next < ends_.packets.count(flow)) {
        list(context, flow);
      } else {
        context.finished(flow);
        if (!turns_.any(context.host())) context.wake_at(kNever);
      }
      return true;
    });
  }

  template <class Context>
  void receive(Context& context, const Packet& packet) {
    if (packet.kind != PacketKind::data) return;  // a header is nothing without its payload
    ends_.receivers[packet.flow].bytes += ends_.packets.payload(packet.flow, packet.sequence);
    context.received(packet.flow);
  }

  /// Links may have changed.
  template <class Context>
  void wake(Context& context) {
    if (!turns_.any(context.host())) return;
    context.ready();
    look_again(context);
  }

  /// What a probe sees of a flow.
  void look(std::uint32_t flow, FlowSample& sample) const {
    sample.received_bytes = ends_.receivers[flow].bytes;
  }
  /// Of each flow, what has not arrived.
  std::vector<std::uint64_t> lost_bytes() const;

 private:
  struct Sender {
    std::uint32_t next = 0;
    Paths::State paths;

    template <class Archive>
    void serialize(Archive& a) {
      a(next, paths);
    }
  };
  struct Receiver {
    std::uint64_t bytes = 0;
    Paths::State paths;

    template <class Archive>
    void serialize(Archive& a) {
      a(bytes, paths);
    }
  };
  struct Host {
    template <class Archive>
    void serialize(Archive&) {}
  };

  template <class Context>
  void list(Context& context, std::uint32_t flow) {
    turns_.add(context.host(), ends_.paths.plane_of(flow, false), flow);
    context.ready();
  }
  /// A flow with planes to choose from passes over those that are known to be down, until all are.
  bool takes_plane(std::uint32_t flow, std::uint32_t plane) const {
    if (ends_.paths.bound_to_plane() || ends_.paths.usable(plane)(flow)) return true;
    for (std::uint32_t other = 0; other < planes_; ++other) {
      if (ends_.paths.usable(other)(flow)) return false;
    }
    return true;
  }
  /// A port that had nothing to send may have something when links have changed.
  template <class Context>
  void look_again(Context& context) {
    context.wake_at(context.now() + timeout_);
  }

  Picoseconds timeout_;
  std::uint32_t planes_;
  Ends<Sender, Receiver, Host> ends_;
  Turns turns_;
};

/// Runs the engine with it.
RunOutcome run_unreliable(const TransportSetup& setup, const WindowTick& tick);

}  // namespace trainyard::packet
