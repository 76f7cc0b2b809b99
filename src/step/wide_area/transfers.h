// Exchanges between sites with what is lost of them.
#pragma once

#include <optional>
#include <vector>

#include "step/wide_area/exchanges.h"
#include "trainyard/sites_point.h"
#include "trainyard/units.h"

namespace trainyard {
struct Plan;
}

namespace trainyard::between_sites {

/// An exchange with what is lost of it.
struct Transfer {
  SiteExchange exchange;
  Bytes sent;
  double repeats = 0;
  Seconds waiting;  // for light and for repeats
};

/// What a device of a site sends: `even` if all sites were alike, `unevenness` times as much in the smallest.
struct Chunk {
  Bytes even;
  double unevenness = 1;
};

Transfer transfer_of(const Plan& plan, const SiteExchange& exchange, const Delays& delays,
                     const Chunk& chunk);

/// All that the scenario's setting allows.
std::vector<Transfer> transfers_of(const Plan& plan, const Delays& delays, const Chunk& chunk);

Seconds time_of_bytes(const Transfer& transfer, BitRate rate);
/// With its delays.
Seconds time_of(const Transfer& transfer, BitRate rate);

/// The least rate at which one of them takes no longer than `patience`, with its delays or without.
std::optional<BitRate> hiding_rate(const std::vector<Transfer>& transfers, Seconds patience,
                                   bool delays_count);

/// Whether a site with this share of the devices can hold a copy of every stage.
bool holds_a_copy(const Plan& plan, double share);

}  // namespace trainyard::between_sites
