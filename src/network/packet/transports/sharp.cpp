#include "network/packet/transports/sharp.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/sharp_rules.h"
#include "network/packet/transports/transports.h"
#include "trainyard/errors.h"

namespace trainyard::packet {

Sharp::Sharp(const TransportSetup& setup, std::uint64_t window)
    : layout_(setup.layout),
      flows_(setup.flows),
      sizes_(setup.sizes),
      streams_(setup),
      trees_(setup.layout, streams_.groups(), setup.seed),
      sum_delay_(setup.queues.sum_delay),
      window_(window),
      turns_(setup.layout, true, setup.seed),
      slots_(trees_.places().size() * window) {}

/// What a host sends up.
Sharp::Packet Sharp::packet_of(std::uint32_t flow, std::uint32_t sequence) const {
  Packet packet;
  packet.flow = flow;
  packet.sequence = sequence;
  packet.to = layout_.address_of_host[flows_[flow].to];
  packet.priority = flows_[flow].priority;
  const bool gives = streams_.gives(flow, sequence);
  packet.reserve = gives ? 0 : Packet::kNote;
  packet.bytes = gives ? static_cast<std::uint16_t>(streams_.payload(flow, sequence) + sizes_.header_bytes)
                       : sizes_.control_bytes;
  return packet;
}

void Sharp::pass(std::uint32_t n, const Packet& packet, Onward<Packet>& onward) {
  const std::uint32_t number = trees_.find(n, streams_.group(packet.flow));
  if (number == kNobody) return;  // as only a forged checkpoint has it
  const SumTrees::Place& place = trees_.places()[number];
  if (packet.in_port == place.parent) return copy_down(place, packet, onward);
  if ((packet.reserve & Packet::kSum) != 0) return send_on(place, packet, onward);
  sum_up(number, streams_.position(packet.flow, layout_.nodes[n].plane, packet.sequence), packet, onward);
}

/// Arrivals of a window come in no order: a sum is there with the latest of them.
void Sharp::sum_up(std::uint32_t number, std::uint64_t position, Packet packet, Onward<Packet>& onward) {
  const SumTrees::Place& place = trees_.places()[number];
  Slot& slot = slots_[number * window_ + position % window_];
  if (slot.count == 0 || packet.arrival > slot.arrival ||
      (packet.arrival == slot.arrival && packet.in_port > slot.in_port)) {
    slot.arrival = packet.arrival;
    slot.in_port = packet.in_port;
  }
  if ((packet.reserve & Packet::kNote) == 0) slot.bytes = packet.bytes;
  if (++slot.count < place.children.size()) return;
  const bool sums = slot.count > 1 && streams_.kind(packet.flow) != Reduction::Kind::all_gather;
  packet.arrival = slot.arrival + (sums ? sum_delay_ : 0);
  packet.in_port = slot.in_port;
  packet.reserve = slot.bytes > 0 ? 0 : Packet::kNote;
  packet.bytes = slot.bytes > 0 ? slot.bytes : sizes_.control_bytes;
  packet.flow = streams_.first_flow(packet.flow);
  packet.to = layout_.address_of_host[flows_[packet.flow].to];
  slot = {};
  if (packet.arrival < onward.end) return send_on(place, packet, onward);
  packet.reserve |= Packet::kSum;
  onward.deferred.push_back(packet);
}

void Sharp::send_on(const SumTrees::Place& place, Packet packet, Onward<Packet>& onward) const {
  packet.reserve &= Packet::kNote;
  if (place.parent == SumTrees::kRoot) return copy_down(place, packet, onward);
  packet.out_port = place.parent;
  onward.sent.push_back(packet);
}

/// To hosts as packets of the flows that tell them; to switches as the first flow's. Where only an owner
/// needs the data, notes go the other ways.
void Sharp::copy_down(const SumTrees::Place& place, const Packet& packet, Onward<Packet>& onward) const {
  const std::uint32_t first = streams_.first_flow(packet.flow);
  const bool for_owner = streams_.kind(first) == Reduction::Kind::reduce_scatter;
  const std::uint32_t owner_port =
      for_owner ? trees_.port_to(layout_, place, flows_[first + streams_.owner(first, packet.sequence)].from)
                : 0;
  for (const SumTrees::Child& child : place.children) {
    Packet copy = packet;
    copy.out_port = child.port;
    if (for_owner && child.port != owner_port) copy.bytes = sizes_.control_bytes;
    copy.flow = child.rank == kNobody ? first : streams_.flow_to(first, child.rank);
    copy.to = layout_.address_of_host[flows_[copy.flow].to];
    onward.sent.push_back(copy);
  }
}

void Sharp::check_restored(Picoseconds now) const {
  streams_.check_restored();
  keep_bounds(
      turns_.all([&](std::uint32_t host, std::uint32_t member) { return streams_.is_at(member, host); }));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const SumTrees::Place& place = trees_.places()[i / window_];
    keep_bounds(slots_[i].count < place.children.size());
    keep_bounds(slots_[i].count == 0 || is_past(slots_[i].arrival, now));
    keep_bounds(slots_[i].in_port < layout_.nodes[place.node].ports);
    keep_bounds(slots_[i].bytes <= sizes_.payload_bytes + sizes_.header_bytes);
  }
}

static RunOutcome run_sharp(const TransportSetup& asked, const TransportsInput& input,
                            const WindowTick& tick) {
  TransportSetup setup = asked;
  const std::uint64_t window = prepare_sums(setup, input.sharp);
  Sharp transport(setup, window);
  RunOutcome out = run_transport(setup, transport, kDataPriority + 1, tick);
  if (out.end == RunEnd::done && out.counters.finished < setup.flows.size() && out.counters.corrupted > 0)
    fail_input(whole("simulation.replay_limit"),
               "a link gave up a packet, and nobody sends again what a sum lacks",
               "a larger one, or fewer errors");
  return out;
}

static std::vector<IdleSetting> idle_beside_sums(const SimulationInput&, const TransportsInput&) {
  std::vector<IdleSetting> out;
  for (const char* key : {"control_packet", "control_queue", "acknowledgements_first", "trim", "timeout"})
    out.push_back(
        {"simulation", key, "sums are neither lost nor acknowledged", "another simulation.transport"});
  return out;
}

TransportTraits sharp_traits() {
  return {.run = run_sharp, .load_balancing = LoadBalancing::ecmp, .sums = true, .idle = idle_beside_sums};
}

template RunOutcome run_transport(const TransportSetup&, Sharp&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
