// What a transport and the engine are set up with, from [simulation] and the transport's traits.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {
struct TransportTraits;
}  // namespace trainyard::packet

namespace trainyard {

struct PacketCase;

/// Refers to the case, whose flows and links a run changes. `traced`: flows whose packets are followed.
/// Throws InputError for settings that the transport or the network contradicts, and for flows that are not
/// there.
packet::TransportSetup set_up(PacketCase& of, const packet::TransportTraits& traits, unsigned threads,
                              const std::vector<std::int64_t>& traced);

}  // namespace trainyard
