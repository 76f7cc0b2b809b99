#include "network/packet/transports/patience.h"

#include <algorithm>
#include <cmath>

#include "network/packet/transports/transport_setup.h"
#include "workload/workload.h"

namespace trainyard::packet {
namespace {

constexpr double kTimeouts = 5000;
constexpr double kMostBackoff = 1024;  // timeouts between two tries
constexpr double kLeastRepeated = 1e8;
constexpr double kNegligible = 1e-18;  // chance that enough tries leave
constexpr double kUnlikely = 0.01;
constexpr double kPacketsBefore = 20;  // on every link of the way

/// Ways around what is down may be longer than the longest.
double most_links(const TransportSetup& setup) {
  const double links = setup.most_switches() + 1.0;
  return setup.faults.empty() ? links : 2 * links;
}

/// Of a full packet on one link, the worst.
double chance_to_pass(const TransportSetup& setup) {
  double most = 0;
  for (const LinkRules& link : setup.layout.links)
    most = std::max(most,
                    wiring::loss_probability(link.bit_error_rate, static_cast<double>(setup.full_bytes())));
  return (1 - most) * (1 - static_cast<double>(setup.queues.lost_below) / 0x1p64);
}

/// On the slowest link, those that failures slow down included.
double longest_packet(const TransportSetup& setup) {
  Picoseconds most = 0;
  for (const LinkRules& link : setup.layout.links) most = std::max(most, link.time(setup.full_bytes()));
  return static_cast<double>(most);
}

/// After which none has arrived with a chance that never happens.
double enough_tries(double chance) { return chance < 1 ? std::log(kNegligible) / std::log1p(-chance) : 1; }

}  // namespace

Patience patience_of(const TransportSetup& setup, bool backs_off) {
  const auto timeout = static_cast<double>(std::max(setup.timeout, TransportSetup::kPatientTimeout));
  const auto horizon = static_cast<double>(picoseconds(workload::kHorizon));
  double silence = std::max(kTimeouts * timeout, kPacketsBefore * most_links(setup) * longest_packet(setup));
  double repeated = kLeastRepeated;
  const double passes = chance_to_pass(setup);
  if (passes * passes * horizon / timeout > kUnlikely) {  // between hosts of one switch
    const double chance = std::pow(passes, most_links(setup));
    const double tries = enough_tries(chance);
    if (chance < 1) silence = std::max(silence, tries * (backs_off ? kMostBackoff : 1) * timeout);
    repeated = std::max(repeated, tries * static_cast<double>(setup.full_bytes()));
  }
  return {static_cast<Picoseconds>(std::min(silence, horizon)), repeated};
}

}  // namespace trainyard::packet
