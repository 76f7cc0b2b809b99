// What is noted of ports and packets while they go by: watches of probes, and events of traced flows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/packet/packet.h"
#include "network/packet/probes.h"
#include "network/packet/queueing.h"
#include "network/packet/worker.h"
#include "network/wiring/layout.h"

namespace trainyard::packet {

class PortWatches {
 public:
  explicit PortWatches(const Layout& layout) : layout_(layout) {}

  /// Whether anything is noted.
  bool any() const { return any_; }
  /// Events of these flows, by number; empty: of none.
  void trace(std::vector<char> flows) {
    traced_flows_ = std::move(flows);
    any_ = any_ || !traced_flows_.empty();
  }
  /// Follows the ports of probes, each with a watch of its own by the probe's number.
  void follow(const std::vector<Probe>& probes) {
    any_ = true;
    watches_.resize(probes.size());
    first_.assign(layout_.wires.size(), kNobody);
    for (std::uint32_t i = 0; i < probes.size(); ++i) {
      if (probes[i].of_flow) continue;
      watches_[i].next = first_[probes[i].index];
      first_[probes[i].index] = i;
    }
  }
  PortWatch& of_probe(std::size_t number) { return watches_[number]; }

  bool traces(const Packet& packet) const {
    return any_ && !traced_flows_.empty() && packet.kind != PacketKind::pause &&
           traced_flows_[packet.flow] != 0;
  }
  template <class P>
  void note(Worker<P>& worker, Picoseconds time, std::uint32_t node, std::uint32_t port, const Packet& packet,
            TraceEvent event) const {
    worker.trace.push_back({time, node, port - layout_.nodes[node].first_port, packet.flow, packet.sequence,
                            packet.bytes, packet.kind, event});
  }

  /// A packet keeps its port busy for so long; whether it arrives.
  template <class P>
  void departed(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index, Picoseconds begins,
                Picoseconds busy, const Packet& packet, bool arrives) {
    each(port_index, [&](PortWatch& watch) {
      watch.busy += busy;
      watch.lost += arrives ? 0 : 1;
    });
    if (!traces(packet)) return;
    note(worker, begins, node, port_index, packet, TraceEvent::left);
    if (!arrives) note(worker, begins, node, port_index, packet, TraceEvent::lost);
  }
  /// What became of a packet that had to wait for a port; `queue` is that of the port, or null: of a NIC.
  template <class P>
  void admitted(Worker<P>& worker, const Port* queue, std::uint32_t node, std::uint32_t port_index,
                const Packet& packet, const Admission& of) {
    if (queue) {
      each(port_index, [&](PortWatch& watch) {
        watch.longest_bytes = std::max(watch.longest_bytes, queue->data_bytes);
        watch.marks += of.marked ? 1 : 0;
        watch.trims += of.cut ? 1 : 0;
        watch.drops += of.dropped ? 1 : 0;
      });
    }
    const TraceEvent event = of.dropped ? TraceEvent::dropped : of.cut ? TraceEvent::cut : TraceEvent::queued;
    if (of.flow_before == kNobody) return note_admission(worker, node, port_index, packet, event);
    note_admission(worker, node, port_index, packet, TraceEvent::queued);
    Packet before = packet;
    before.flow = of.flow_before;
    before.sequence = of.sequence_before;
    before.bytes = of.bytes_before;
    note_admission(worker, node, port_index, before, event);
  }
  void marked(std::uint32_t port_index) {
    each(port_index, [](PortWatch& watch) { ++watch.marks; });
  }

  template <class Archive>
  void serialize(Archive& a) {
    for (PortWatch& watch : watches_) a(watch);
  }

 private:
  template <class P>
  void note_admission(Worker<P>& worker, std::uint32_t node, std::uint32_t port_index, const Packet& packet,
                      TraceEvent event) const {
    if (traces(packet)) note(worker, packet.arrival, node, port_index, packet, event);
  }
  template <class Visit>
  void each(std::uint32_t port_index, const Visit& visit) {
    if (first_.empty()) return;
    for (std::uint32_t w = first_[port_index]; w != kNobody; w = watches_[w].next) visit(watches_[w]);
  }

  const Layout& layout_;
  bool any_ = false;
  std::vector<char> traced_flows_;    // by flow; empty: none
  std::vector<PortWatch> watches_;    // of each probe
  std::vector<std::uint32_t> first_;  // of each port; empty: none
};

}  // namespace trainyard::packet
