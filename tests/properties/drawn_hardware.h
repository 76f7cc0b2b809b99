// Accelerators, domains and prices at random: no rate of them is a constant that a scenario cannot change.
#pragma once

#include "dice.h"
#include "draft.h"

namespace trainyard::properties {

/// [catalog] entries named "drawn": an accelerator without calibration (operators by roofline), its NIC, its
/// HB domain, a price model; [facility] with `devices` or less of them. Gives the devices of a domain.
std::int64_t draw_hardware(Dice& dice, Draft& draft, std::int64_t devices);

/// Rates of 100, 200, 400 or 800 Gbps: halved or doubled, a byte of them takes whole picoseconds.
Amount draw_link_rate(Dice& dice);

}  // namespace trainyard::properties
