// Rates of the networks that a device is joined to: nominal, as its ports have them, and in force, as
// transfers reach them.
//
// In force every device sends and receives at its full rate in each direction at once, the fabric is
// non-blocking, and a transfer takes delay + bytes / rate (trainyard/networks.h). Contention, queues and
// transports are what flow and packet models add.
#pragma once

#include "trainyard/networks.h"
#include "trainyard/units.h"

namespace trainyard {

struct Scenario;

/// Of a device's ports, one direction, without efficiencies: the scenario's own, else the catalog's.
struct PortRates {
  BitRate scale_up;
  BitRate scale_out;  // all NICs of a device together
};
PortRates port_rates_of(const Scenario& scenario);

/// Rates in force: those of the ports, a catalog's scale-up rate as `assumptions.scale_up_counts` takes it,
/// times the efficiencies. A catalog rate is per direction; `both_directions` doubles it, as HotNets '24
/// does.
Networks networks_of(const Scenario& scenario);

}  // namespace trainyard
