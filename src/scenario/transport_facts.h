// What folders that hold no packets know of a transport: what the record of its parameters says.
#pragma once

#include <vector>

#include "trainyard/transports.h"

namespace trainyard {

/// Each is true where the record (include/trainyard/transports/) has the constant of its name.
struct TransportFacts {
  bool lossless = false;       // kLossless: its links are paused before they lose a packet
  bool between_sites = false;  // kBetweenSites: among those that [long_haul] compares unless told otherwise
  bool tcp_packets = false;    // kTcpPackets: htsim sends it in the packets of its TCP family
};

/// None holds for Transport::ideal, which sends no packets.
TransportFacts facts_of(Transport transport);

/// Those that [long_haul] compares unless told otherwise, in the registry's order.
std::vector<Transport> transports_between_sites();

}  // namespace trainyard
