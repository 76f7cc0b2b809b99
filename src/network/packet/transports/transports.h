// The transports that packets can be sent with: what each expects of the network, and its run.
#pragma once

#include <string>
#include <vector>

#include "network/packet/run_outcome.h"
#include "trainyard/load_balancing.h"
#include "trainyard/scenario/simulation.h"
#include "trainyard/transports.h"

namespace trainyard::packet {

struct TransportSetup;

/// A setting that the run's other settings leave nothing to do.
struct IdleSetting {
  std::string section;
  std::string key;  // empty: all of the section
  std::string why;
  std::string takes_it;  // what would give it something to do
  std::string but = "";  // of a section, the one that acts
};

/// What a network does for a transport unless the scenario says otherwise. Queues in packets.
/// Of uet-htsim: every report comes before so many queues are served.
constexpr double kQueuesOfTimeout = 6;

struct TransportTraits {
  RunOutcome (*run)(const TransportSetup&, const TransportsInput&, const WindowTick&);
  LoadBalancing load_balancing;
  /// How it can deliver, first how it does unless told otherwise; empty: in its own way alone.
  std::vector<Delivery> deliveries = {};
  bool keeps_connections = false;  // that carry several messages, with acknowledgements for several packets
  bool trim = false;
  double mark_from = 0;  // a share of the queue
  double mark_all = 0;   // a share of the queue; 0: no marks, and it does not listen to any
  bool mark_leaving = false;
  bool mark_to_hosts = true;  // at the links of receivers, too
  bool pause = false;
  bool acknowledgements_first = false;
  bool names_ways = true;  // acknowledgements say which way a packet went
  bool answers = true;     // senders learn what has arrived
  bool sums = false;       // switches sum what hosts send
  bool by_window = false;  // flows begin with simulation.window
  bool backs_off = true;   // its timeouts double
  void (*check)(const TransportsInput&) =
      nullptr;  // throws InputError for parameters that do not go together
  /// What it expects otherwise by its own settings.
  void (*adapt)(TransportTraits&, const TransportsInput&) = nullptr;
  double timeout_queues = 0;  // its usual timeout: a round trip and so many full queues; 0: one for all
  bool goes_back = false;     // go-back-N: what overtakes is a loss
  /// Packets that it sends beside so many of data, for codes; none: it sends no others.
  std::uint64_t (*beside)(const TransportsInput&, std::uint64_t packets) = nullptr;
  /// Settings of its own, or of [simulation], that idle beside these; none: its own all act.
  std::vector<IdleSetting> (*idle)(const SimulationInput&, const TransportsInput&) = nullptr;
};

/// Of any transport but Transport::ideal, which sends no packets.
const TransportTraits& traits_of(Transport transport);

/// The same by its own settings.
TransportTraits traits_of(Transport transport, const TransportsInput& settings);

/// The same with the delivery that is asked for. Throws InputError at simulation.delivery where the transport
/// has no such way.
TransportTraits traits_of(const SimulationInput& input, const TransportsInput& settings);

/// Throws InputError for parameters of any transport that do not go together.
void check_parameters(const TransportsInput& input);

/// Each in its own source file.
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) TransportTraits name##_traits();
#include "trainyard/registries/transports.def"

}  // namespace trainyard::packet
