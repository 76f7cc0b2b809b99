// The part of a plan that says what is bought.
#pragma once

#include <cstdint>
#include <optional>

#include "trainyard/catalog_records.h"
#include "trainyard/units.h"

namespace trainyard {

/// What is bought and how much power it takes (HotNets '24 section 2).
struct FacilityPlan {
  std::optional<Usd> budget;  // given, or the price of the domains over the compute share
  Usd compute_cost;           // price of the HB domains bought
  Usd network_budget;
  Usd other_budget;
  Usd domain_price;
  Watts domain_power;
  std::int64_t domains = 0;
  std::int64_t domain_devices = 0;  // K
  double racks = 0;
  std::int64_t devices = 0;
  std::int64_t datacenters = 1;
  PeakRates dense;  // all devices together
  PeakRates sparse;
  Watts power_compute;
  Watts power_overhead;  // storage and network
  Watts power_it;
  Watts power_low;   // at the lower PUE
  Watts power_high;  // at the higher PUE
};

}  // namespace trainyard
