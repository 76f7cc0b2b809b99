// What sums in switches need of the network and of each other.
#pragma once

#include <cstdint>

#include "network/packet/transports/transport_setup.h"

namespace trainyard {
struct SharpInput;
}

namespace trainyard::packet {

/// The window of every stream, in packets; sets what the engine has to know of sums. Throws InputError at the
/// setting for traffic that is no collective of switches, for networks that could lose packets, which nobody
/// would send again, and for queues and memories that the windows do not fit into.
std::uint64_t prepare_sums(TransportSetup& setup, const SharpInput& input);

}  // namespace trainyard::packet
