// What [simulation] and a transport's traits say of the network, checked against its links.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "network/packet/queueing.h"
#include "trainyard/errors.h"
#include "trainyard/load_balancing.h"

namespace trainyard::packet {
struct TransportTraits;
}

namespace trainyard {

struct SimulationInput;
struct Scenario;
}  // namespace trainyard

namespace trainyard::packet {

/// Throws InputError for packets, queues and parameters that cannot be simulated.
void check_sizes(const Scenario& scenario);

/// The settings of a network's shortest and longest delay.
struct DelaySources {
  Location shortest;
  Location longest;
  std::optional<Location> slowed;  // what is left of the rate of links that a failure slows
};
/// Throws InputError where a packet of so many bytes is under way for too many windows of the shortest delay:
/// at the setting that makes it so.
void check_windows(const Layout& layout, std::uint64_t packet_bytes,
                   const std::function<DelaySources()>& sources);

/// What the room behind a pause has to hold at least, of links with full packets of so many bytes.
std::uint64_t headroom_needed(const QueueRules& rules, const Layout& layout, std::uint64_t packet_bytes);

/// Throws InputError for pauses, marks and buffers that contradict each other, or that lose packets.
QueueRules queue_rules(const SimulationInput& input, const TransportTraits& traits, const Layout& layout);

/// Gives every link the bit errors of [simulation]. Throws InputError where links have their own.
void set_errors(Layout& layout, const SimulationInput& input);

/// Throws InputError for what the transport cannot do with paths.
LoadBalancing load_balancing(const SimulationInput& input, const TransportTraits& traits);
/// Of a sprayed flow; 0: paths are chosen one by one. Throws InputError where nothing is sprayed.
std::uint32_t entropies(const SimulationInput& input, LoadBalancing choice);

/// Of data packets for one acknowledgement; 0: what suits the transport. Throws InputError for transports
/// that have no choice.
std::uint32_t packets_per_ack(const SimulationInput& input, const TransportTraits& traits);

/// Throws InputError for limits that the links keep anyway.
HostLimits host_limits(const SimulationInput& input, const Layout& layout);

}  // namespace trainyard::packet
