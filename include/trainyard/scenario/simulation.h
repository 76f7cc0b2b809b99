// [simulation], [[tier]], [[failure]] and [[probe]]: packets on one network of a design.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "trainyard/transports.h"
#include "trainyard/units.h"

namespace trainyard {

struct SectionPlaces;  // trainyard/errors.h

enum class LoadBalancing;

/// How far packets go.
enum class PacketRouting {
  minimal,  // by shortest ways
  valiant,  // by a random switch first (Valiant 1982)
  ugal,     // so where its queues are shorter (Singh 2005)
};

/// What a transport of Ultra Ethernet promises of a packet (UE specification 1.0, packet delivery sublayer).
enum class Delivery {
  rod,   // reliable, ordered: in the order of sending, on one path
  rud,   // reliable, unordered: once, in any order
  rudi,  // reliable, unordered, for idempotent operations: at least once, by receivers without memory
  uud,   // unreliable, unordered: at most once, and nobody knows
};

/// What stands in one simulation.
enum class SimulationExtent {
  network,     // one network of the design
  datacenter,  // all of them and the HB domains
  cluster,     // every datacenter, and the links between them
};

enum class FlowSizes { fixed, web_search, data_mining, hadoop, w1, w2, w3, w4, w5 };

/// [simulation]: packets on one network of a design.
struct SimulationInput {
  std::string design;                      // name of a [[design]]; empty: the first
  std::optional<SimulationExtent> extent;  // empty: network
  std::string traffic = "permutation";
  Bytes bytes{2e6};  // that a host sends; of a collective, its buffer; of Poisson arrivals, of a flow
  double active = 1;
  // Of traffic that is generated flow by flow; each is an error where the traffic has no use for it.
  std::optional<double> load;  // of the hosts' link rate
  std::optional<std::int64_t> flows;
  std::optional<Seconds> duration;  // of arrivals, in place of their number
  std::optional<FlowSizes> sizes;   // empty: fixed
  std::optional<std::int64_t> chunks;
  std::optional<std::int64_t> group;
  std::int64_t seed = 1;
  Transport transport = Transport::ndp;
  std::optional<Delivery> delivery;                  // empty: what the transport does
  std::optional<LoadBalancing> load_balancing;       // auto: what suits the transport
  std::optional<PacketRouting> routing;              // empty: minimal
  std::optional<std::int64_t> entropies;             // of a flow that is sprayed; empty: every path by itself
  std::optional<std::int64_t> connections_per_flow;  // that the library cuts each over; empty: 1
  Bytes packet{4096};
  Bytes header{0};
  Bytes control_packet{64};
  std::int64_t window = 50;                                 // packets
  std::optional<std::int64_t> packets_per_acknowledgement;  // empty: what suits the transport
  std::int64_t queue = 50;                                  // data packets that wait at a port
  std::optional<std::int64_t> control_queue;                // headers and control packets
  std::optional<bool> trim;                                 // auto, as the next: what suits the transport
  std::optional<double> mark_from;                          // packets
  std::optional<double> mark_all;
  std::optional<bool> mark_leaving;
  std::optional<bool> acknowledgements_first;
  std::optional<bool> pause;
  std::optional<double> pause_above;   // packets of one input port
  std::optional<double> resume_below;  // packets
  std::optional<Bytes> headroom;
  std::optional<Bytes> credit_buffer;  // behind each link, by priority; empty: no credits
  std::optional<Bytes> shared_buffer;  // of a switch; empty: none
  double shared_buffer_alpha = 1;
  bool cut_through = false;
  Seconds link_delay{1e-6};
  // Where HB domains are simulated; empty: as elsewhere.
  std::optional<Seconds> domain_delay;
  std::optional<std::int64_t> domain_queue;   // packets, at a port of an HB domain
  std::optional<std::int64_t> forward_queue;  // packets, at a port of a device that forwards
  std::optional<Seconds> timeout;  // auto: by the transport and the network, 64 ms where nothing is dropped
  Seconds flowlet_gap{50e-6};
  double packet_loss = 0;                // on each link
  std::optional<double> bit_error_rate;  // of each link; empty: 0
  std::optional<bool> link_retry;        // links send again what bit errors destroy; empty: no
  std::optional<Bytes> replay_buffer;    // of a link; empty: what a round trip of it needs
  std::optional<std::int64_t> replay_limit;
  bool failures_known = true;
  // What limits a host besides its links, all planes together; empty: nothing.
  std::optional<BitRate> host_send_rate;
  std::optional<BitRate> host_receive_rate;
  std::optional<BitRate> pcie_rate;  // each way
  std::optional<Seconds> pcie_latency;
};

/// Which end of a link.
enum class ProbeDirection {
  both,
  out,  // what the node sends
  in,   // what is sent to it
};

/// [[probe]]: a time series of links with the queues before them, or of a flow.
struct ProbeInput {
  std::optional<std::string> node;     // as in [[failure]]
  std::optional<std::int64_t> uplink;  // of it; empty: every link of the node
  std::int64_t plane = 0;
  std::optional<ProbeDirection> direction;  // empty: both
  std::optional<std::int64_t> flow;         // in place of a node
  Seconds interval{1e-6};
  Seconds from{0};
  std::optional<Seconds> until;                      // empty: the end of the run
  std::shared_ptr<const SectionPlaces> places = {};  // in the text
};

/// [[tier]]: the links of one tier of the network that is simulated, and the queues before them.
struct TierInput {
  std::int64_t tier = 0;                   // 0: links of hosts, 1: between leaves and what is above them, ...
  std::optional<Seconds> delay;            // empty, as all below: that of [simulation], or of the design
  std::optional<BitRate> rate;             // of a link
  std::optional<std::int64_t> queue;       // packets, at the ports of switches at these links
  std::optional<std::int64_t> queue_up;    // of what is sent up; else `queue`
  std::optional<std::int64_t> queue_down;  // of what is sent down
  std::shared_ptr<const SectionPlaces> places = {};  // in the text
};

/// [[failure]]: links or a whole switch, down or slower for a while.
struct FailureInput {
  std::string node;                    // "leaf 3", "spine 0", "aggregation 2", "host 7"
  std::optional<std::int64_t> uplink;  // of it; empty: every link of the node
  std::int64_t plane = 0;
  Seconds from{0};
  std::optional<Seconds> until;                      // empty: for good
  std::optional<double> rate_share;                  // that is left; empty: 0
  std::shared_ptr<const SectionPlaces> places = {};  // in the text
};

}  // namespace trainyard
