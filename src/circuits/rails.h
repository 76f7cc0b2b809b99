// The rails' switches, and what networks cost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/circuits.h"
#include "trainyard/network_design.h"

namespace trainyard {

struct Plan;

namespace circuits {

/// [circuits], or its defaults.
CircuitsInput settings_of(const Plan& plan);

const CircuitSwitch& switch_of(const Plan& plan, const CircuitsInput& settings);

/// Command and switch.
Seconds change_of(const Plan& plan, const CircuitsInput& settings);

/// An odd ring (of three devices or more) of ports that lie on different switches does not close. Throws
/// Infeasible.
void check_ring(const CircuitRails& rails, std::int64_t members);

/// Of all datacenters. Throws InputError for a catalog without transceivers that would do.
CircuitNetwork circuit_network(const Plan& plan, const CircuitsInput& settings, const CircuitRails& rails);

/// An electrical design, and its price.
struct Electrical {
  NetworkDesign design;
  CircuitNetwork network;
};

/// The scenario's designs that switch packets between HB domains; without any, those of the usual ones
/// (designs_of) that can be built and priced.
std::vector<Electrical> electrical_networks(const Plan& plan);

}  // namespace circuits
}  // namespace trainyard
