// The tables of [simulation], [[failure]] and [[probe]].
#include <fmt/core.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "scenario/checks.h"
#include "scenario/choices/simulation.h"
#include "scenario/choices/transports.h"
#include "scenario/sections.h"
#include "scenario/simulation_readers.h"
#include "trainyard/errors.h"
#include "trainyard/range.h"
#include "trainyard/scenario/simulation.h"

namespace trainyard {
namespace {

/// "ring_all_reduce, halving_doubling, "
std::string traffics_of_all_reduces() {
  std::string out;
  for (const std::string_view traffics : {
#define TRAINYARD_ALL_REDUCE(name, text, sentence, chosen_by, traffics) std::string_view(traffics),
#include "trainyard/registries/all_reduces.def"
       }) {
    if (!traffics.empty()) out += std::string(traffics) + ", ";
  }
  return out;
}

/// A field that says what uses it.
template <class T>
Field<SimulationInput> setting(unsigned readers, std::string_view name, T SimulationInput::*member,
                               const Range& range, std::string_view sentence) {
  return field(name, member, range, sentence).read_by(readers);
}
template <class T>
Field<SimulationInput> setting(unsigned readers, std::string_view name, T SimulationInput::*member,
                               std::string_view sentence) {
  return setting(readers, name, member, anything(), sentence);
}

}  // namespace

const FieldTable<SimulationInput>& simulation_fields() {
  using S = SimulationInput;
  using namespace simulation_reader;
  static const FieldTable<S> table = {
      setting(kAll | kOwnNetwork, "design", &S::design, "Name of the [[design]] whose network is simulated.")
          .otherwise("the first"),
      setting(
          kAll, "extent", &S::extent,
          "What stands in one simulation. Of a datacenter and a cluster hosts are all devices, numbered by "
          "datacenter, HB domain and rank; packets between ranks that no network joins are forwarded by a "
          "device of the sender's HB domain.")
          .otherwise("network")
          .silent_when_absent(),
      setting(kAll | kOwnFlows, "traffic", &S::traffic,
              "A named traffic of `trainyard network --traffic`, all flows at once; or poisson, " +
                  traffics_of_all_reduces() +
                  "tree_all_reduce, pat_all_gather, pat_reduce_scatter, in_network_all_reduce, "
                  "in_network_reduce_scatter, in_network_all_gather, "
                  "hierarchical_all_reduce with `group`, all_to_all_windowed, pipeline with `chunks`."),
      setting(kAll | kOwnFlows, "bytes", &S::bytes, between(1, 1e15),
              "Bytes that a host sends; of a collective, its buffer; of poisson, of a flow of fixed size.")
          .from("HotNets '24 Fig. 6"),
      setting(kAll | kOwnFlows, "active", &S::active, share(), "Share of the hosts that take part.")
          .from("HotNets '24 Fig. 6"),
      setting(kAll | kOwnFlows, "load", &S::load, share(),
              "Payload of poisson flows as a share of the hosts' link rate.")
          .otherwise("none: poisson needs it"),
      setting(kAll | kOwnFlows, "flows", &S::flows, between(1, 2e7), "Number of poisson flows.")
          .otherwise("as `duration` says"),
      setting(kAll | kOwnFlows, "duration", &S::duration, positive(), "Time for which poisson flows arrive.")
          .otherwise("as `flows` says"),
      setting(kAll | kOwnFlows, "sizes", &S::sizes, "Sizes of poisson flows.").otherwise("fixed"),
      setting(
          kAll | kOwnFlows, "chunks", &S::chunks, between(1, 1e6),
          "Pieces of a collective's buffer that go through its steps one behind the other; microbatches of a "
          "pipeline.")
          .otherwise("1"),
      setting(kAll | kOwnFlows, "group", &S::group, between(1, 1e6),
              "Hosts of a group of hierarchical_all_reduce and of in_network collectives (without it: all); "
              "flows "
              "of a host at a time of all_to_all_windowed.")
          .otherwise("1"),
      setting(kAll, "seed", &S::seed, between(0, 9e15), "Seed of the traffic and of the paths."),
      setting(kAll, "transport", &S::transport, "Transport protocol."),
      setting(kAll, "delivery", &S::delivery,
              "Delivery mode of Ultra Ethernet: what nscc and rccc promise of a packet.")
          .otherwise("rud; other transports have no such choice")
          .silent_when_absent(),
      setting(kPackets | kRates, "load_balancing", &S::load_balancing, "Which path a packet takes.")
          .otherwise("what suits the transport"),
      setting(kAll, "routing", &S::routing,
              "How far packets go where ways have several lengths: on networks that are no folded Clos.")
          .otherwise("minimal")
          .silent_when_absent(),
      setting(kPackets | kRates, "entropies", &S::entropies, between(1, 65535),
              "Numbers that the packets of a sprayed flow carry in turn and that switches hash to paths, so "
              "that a "
              "flow loads its paths unevenly.")
          .otherwise("every path once a round; with bitmap 64")
          .silent_when_absent(),
      setting(
          kPackets | kRates, "connections_per_flow", &S::connections_per_flow, between(1, 64),
          "Connections that the library cuts every flow over (NCCL: queue pairs a connection), each with its "
          "own state, path and, where flows are bound to planes, plane in turn.")
          .otherwise("1")
          .silent_when_absent(),
      setting(kAll, "packet", &S::packet, between(256, 65535), "Payload of a full data packet."),
      setting(kAll, "header", &S::header, between(0, 1024),
              "Bytes on the wire on top of a data packet's payload."),
      setting(kAll, "control_packet", &S::control_packet, between(16, 1024),
              "Size of acknowledgements, pulls and headers whose payload was cut off."),
      setting(kPackets, "window", &S::window, between(1, 1e6),
              "Packets that a flow sends before it hears anything."),
      setting(kPackets, "packets_per_acknowledgement", &S::packets_per_acknowledgement, between(1, 16),
              "Data packets that one acknowledgement answers at most: at once is what is marked, a repeat, a "
              "message's last, and what the sender asks for when its window is used up. Not with ndp, homa, "
              "scheduled and fec.")
          .otherwise("1; with eqds and rccc 4")
          .silent_when_absent(),
      setting(kPackets, "queue", &S::queue, between(1, 1e6), "Data packets that may wait at a port."),
      setting(kPackets, "control_queue", &S::control_queue, between(1, 1e6),
              "Headers and control packets that may wait at a port.")
          .otherwise("twice the bytes of the data queue, as htsim's composite queues"),
      setting(kPackets, "trim", &S::trim, "Switches cut payloads off in place of dropping packets.")
          .otherwise("what suits the transport"),
      setting(kPackets, "mark_from", &S::mark_from, between(0, 1e6),
              "Queue in packets from which on switches mark congestion, ever more often.")
          .otherwise("what suits the transport"),
      setting(kPackets, "mark_all", &S::mark_all, between(0, 1e6),
              "Queue in packets from which on every packet is marked; 0: none.")
          .otherwise("what suits the transport"),
      setting(kPackets, "mark_leaving", &S::mark_leaving,
              "Mark by the queue that a packet leaves behind, not by the one it finds.")
          .otherwise("what suits the transport"),
      setting(kPackets, "acknowledgements_first", &S::acknowledgements_first,
              "Acknowledgements overtake data in switches, as headers and pulls do.")
          .otherwise("what suits the transport"),
      setting(kPackets, "pause", &S::pause,
              "Priority flow control (IEEE 802.1Qbb): full switches pause their neighbours.")
          .otherwise("what suits the transport"),
      setting(kPackets, "pause_above", &S::pause_above, between(0.01, 1e6),
              "Packets from one input port above which it is paused.")
          .otherwise("15, as htsim's lossless queues"),
      setting(kPackets, "resume_below", &S::resume_below, between(0, 1e6), "Packets below which it goes on.")
          .otherwise("12, as htsim's lossless queues"),
      setting(kPackets, "headroom", &S::headroom, between(0, 1e12),
              "Room behind a pause for what is still under way.")
          .otherwise("what the links' delays need"),
      setting(kPackets | kRates, "credit_buffer", &S::credit_buffer, between(1, 1e12),
              "Credit-based flow control (UE 1.0): room behind each link for each priority of data; a sender "
              "sends while a full packet fits.")
          .otherwise("none: no credits")
          .silent_when_absent(),
      setting(kPackets, "shared_buffer", &S::shared_buffer, between(1, 1e12),
              "Buffer that the ports of a switch share.")
          .otherwise("none: every port has its own queue"),
      setting(kPackets, "shared_buffer_alpha", &S::shared_buffer_alpha, between(0.001, 1000),
              "A port's data may take this share of what is free of the buffer.")
          .from("Choudhury & Hahne 1998"),
      setting(kAll, "cut_through", &S::cut_through, "Switches send on when the header has arrived."),
      setting(kAll | kOwnNetwork, "link_delay", &S::link_delay, between(1e-9, 1e-1),
              "Delay of every link and the port behind it."),
      setting(kAll, "domain_delay", &S::domain_delay, between(1e-9, 1e-1),
              "Delay of a link between a device and its HB domain; of a datacenter or a cluster.")
          .otherwise("link_delay")
          .silent_when_absent(),
      setting(kPackets, "domain_queue", &S::domain_queue, between(1, 1e6),
              "Data packets that wait at most at a port of an HB domain towards a device.")
          .otherwise("queue")
          .silent_when_absent(),
      setting(kPackets, "forward_queue", &S::forward_queue, between(1, 1e6),
              "Data packets that wait at most at a port of a device, which other devices' packets pass.")
          .otherwise("queue")
          .silent_when_absent(),
      setting(kPackets, "timeout", &S::timeout, between(1e-6, 10), "Silence after which a sender repeats.")
          .otherwise("1 ms; of EQDS, NSCC and RCCC a round trip and six full queues; with pauses, where "
                     "nothing is dropped, 64 ms"),
      setting(kPackets, "flowlet_gap", &S::flowlet_gap, between(1e-9, 1),
              "Pause after which a flow may take another path."),
      setting(kAll, "packet_loss", &S::packet_loss, between(0, 0.5),
              "Share of packets that bit errors destroy on each link."),
      setting(kAll, "bit_error_rate", &S::bit_error_rate, between(0, 1e-3),
              "Of each link: a packet with one wrong bit is destroyed.")
          .otherwise("0")
          .silent_when_absent(),
      setting(kPackets | kRates, "link_retry", &S::link_retry,
              "Link-level retry (UE 1.0): links send again what bit errors destroy, in order.")
          .otherwise("false")
          .silent_when_absent(),
      setting(kPackets, "replay_buffer", &S::replay_buffer, between(1, 1e12),
              "What a link keeps at most until the other end has acknowledged it; needs link_retry.")
          .otherwise("what a round trip of the link needs")
          .silent_when_absent(),
      setting(kPackets, "replay_limit", &S::replay_limit, between(1, 1000),
              "Times that a link sends a packet again before it gives it up; needs link_retry.")
          .otherwise("3, as SONiC's sample profiles")
          .silent_when_absent(),
      setting(kPackets | kRates, "failures_known", &S::failures_known,
              "Senders avoid paths over links that are down."),
      setting(kAll, "host_send_rate", &S::host_send_rate, between(1e6, 1e14),
              "What a host sends at most over all its planes together, headers and control packets included.")
          .otherwise("none: its links limit it")
          .silent_when_absent(),
      setting(kAll, "host_receive_rate", &S::host_receive_rate, between(1e6, 1e14),
              "What a host takes in at most; more waits at its NIC, in a queue like that of a switch's port.")
          .otherwise("none: its links limit it")
          .silent_when_absent(),
      setting(kAll, "pcie_rate", &S::pcie_rate, between(1e6, 1e14),
              "Rate of the bus between NIC and memory, each way, shared by all planes.")
          .otherwise("none: no bus")
          .silent_when_absent(),
      setting(kPackets | kIdeal, "pcie_latency", &S::pcie_latency, between(0, 1e-3),
              "Time of the bus on top of the packet's own, each way; needs pcie_rate.")
          .otherwise("0")
          .silent_when_absent(),
  };
  return table;
}

const FieldTable<ProbeInput>& probe_fields() {
  using P = ProbeInput;
  static const FieldTable<P> table = {
      field("node", &P::node,
            "\"leaf 3\", \"aggregation 0\", \"spine 1\" or \"host 7\": its links, with their queues.")
          .otherwise("`flow` says"),
      field("uplink", &P::uplink, between(0, 65535), "The one of its links up that is sampled.")
          .otherwise("every link of the node"),
      field("plane", &P::plane, between(0, 65535), "Of which plane."),
      field("direction", &P::direction, "Which ends of the links.").otherwise("both"),
      field("flow", &P::flow, between(0, 4e9), "Number of a flow, in place of a node.").otherwise("none"),
      field("interval", &P::interval, between(1e-12, 1e6), "Time from one sample to the next.")
          .from("as long as a few packets at 100 Gbps take"),
      field("from", &P::from, between(0, 1e6), "Time of the first sample."),
      field("until", &P::until, between(0, 1e6), "No sample comes later.").otherwise("the end of the run"),
  };
  return table;
}

const FieldTable<TierInput>& tier_fields() {
  using T = TierInput;
  static const FieldTable<T> table = {
      field(
          "tier", &T::tier, between(0, 31),
          "Which links: 0 those of hosts, 1 those between leaves and the switches above, and so on; of other "
          "networks than folded Clos ones, in the order in which results name them.")
          .required(),
      field("delay", &T::delay, between(1e-9, 1e-1), "Of one of these links.")
          .otherwise("simulation.link_delay"),
      field("rate", &T::rate, positive(), "Of one of these links, each way; not of tier 0.")
          .otherwise("that of the design's links"),
      field("queue", &T::queue, between(1, 1e6), "Data packets that may wait at a switch before such a link.")
          .otherwise("simulation.queue"),
      field("queue_up", &T::queue_up, between(1, 1e6), "The same, on the way up, in folded Clos networks.")
          .otherwise("queue"),
      field("queue_down", &T::queue_down, between(1, 1e6), "The same, on the way down.").otherwise("queue"),
  };
  return table;
}

void check_tiers(const std::vector<TierInput>& tiers, Findings& findings) {
  std::set<std::int64_t> seen;
  for (const TierInput& tier : tiers) {
    if (!seen.insert(tier.tier).second)
      findings.add(place_of(tier.places, "tier"), fmt::format("tier {} again", tier.tier),
                   "one [[tier]] for each");
    if (tier.tier == 0 && tier.rate)
      findings.add(place_of(tier.places, "rate"), "links of hosts have the rate of the design",
                   "design.rate");
  }
}

const FieldTable<FailureInput>& failure_fields() {
  using F = FailureInput;
  static const FieldTable<F> table = {
      field("node", &F::node, "\"leaf 3\", \"aggregation 0\", \"spine 1\" or \"host 7\".").required(),
      field("uplink", &F::uplink, between(0, 65535), "The one of its links up that fails.")
          .otherwise("every link of the node"),
      field("plane", &F::plane, between(0, 65535), "Of which plane."),
      field("from", &F::from, between(0, 1e6), "When it goes down."),
      field("until", &F::until, between(1e-12, 1e6), "When it is up again.").otherwise("never"),
      field("rate_share", &F::rate_share, share(), "What is left of the rate of its links.")
          .otherwise("0: they are down")
          .silent_when_absent(),
  };
  return table;
}

}  // namespace trainyard
