// Runs one transport on the engine: the template that each transport's source file instantiates.
#pragma once

#include "network/packet/archive.h"
#include "network/packet/checkpoint.h"
#include "network/packet/deadlock.h"
#include "network/packet/engine.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

template <class P>
void count_link_use(RunOutcome& out, const Layout& layout, const Ports<P>& ports) {
  out.up.resize(layout.wired_links());
  out.down.resize(layout.wired_links());
  for (const Node& node : layout.nodes) {
    for (std::uint32_t p = 0; p < node.ports; ++p) {
      const std::uint32_t index = node.first_port + p;
      if (layout.hands_over(node, index)) continue;
      const bool up = node.hosts || p >= node.ports_down;
      LinkUse& use = (up ? out.up : out.down)[layout.wires[index].link];
      const std::uint64_t sent = ports.ports[index].sent_bytes;
      use.bytes += sent;
      ++use.ports;
      use.picoseconds_per_byte = static_cast<double>(layout.link_of(index).picoseconds_per_byte);
      use.most_bytes = std::max(use.most_bytes, sent);
    }
  }
}

/// Pauses that last beyond the end.
inline void close_pauses(Counters& counters, const PagedVector<Port>& ports, Picoseconds now) {
  for (const Port& port : ports) {
    if (port.paused == 0 || port.paused_since > now) continue;
    counters.paused += now - port.paused_since;
    if (port.waiting != 0 || port.ready) counters.blocked += now - port.paused_since;
  }
}

template <class Transport>
RunOutcome run_transport(const TransportSetup& setup, Transport& transport, std::uint32_t priorities,
                         const WindowTick& tick) {
  const std::uint32_t largest_bytes = std::uint32_t{setup.sizes.payload_bytes} + setup.sizes.header_bytes;
  for (const Flow& flow : setup.flows) priorities = std::max<std::uint32_t>(priorities, flow.priority + 1U);
  Engine<Transport> engine(
      {setup.layout, setup.queues, setup.flows, setup.dependencies, setup.faults, setup.links, largest_bytes,
       priorities, setup.traced_flows, setup.limits, setup.lineups, setup.probes},
      transport, setup.threads);
  RunOutcome out;
  Checkpoints* checkpoints = setup.checkpoints;
  const auto restore = [&](std::string_view& state) {
    unpack(state, engine, transport);
    transport.check_restored(engine.now());
  };
  if (checkpoints) checkpoints->restore(restore);
  if (setup.received_bytes) *setup.received_bytes = [&engine] { return engine.received_bytes(); };
  if constexpr (requires { transport.held_back(); }) {
    if (setup.held_back) *setup.held_back = transport.held_back();
  }
  const auto save = [&](std::string& state) { pack(state, engine, transport); };
  out.end = engine.run([&](const WindowSummary& now) {
    return tick(now) && (!checkpoints || checkpoints->after_window(save));
  });
  out.counters = engine.counters();
  close_pauses(out.counters, engine.ports().ports, engine.now());
  out.now = engine.now();
  out.bytes = engine.bytes() + transport.bytes();
  if constexpr (requires { transport.lost_bytes(); }) out.lost_bytes = transport.lost_bytes();
  out.trace = engine.trace();
  engine.close_series();
  out.series = engine.series();
  count_link_use(out, setup.layout, engine.ports());
  if (out.end == RunEnd::deadlock) out.deadlock = DeadlockSearch(setup.layout, engine.ports()).cycle();
  return out;
}

}  // namespace trainyard::packet
