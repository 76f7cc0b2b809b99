// [facility] and [network]: what is bought, and the rates of its networks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

/// [facility]: what is bought, and how much power it takes. Exactly one of budget, power_limit, devices is
/// given.
struct FacilityInput {
  std::optional<Usd> budget;
  std::optional<Watts> power_limit;
  std::optional<std::int64_t> devices;
  std::string hb_domain;  // key of the catalog
  std::optional<Usd> domain_price;
  std::optional<Watts> domain_power;
  double compute_share = 0.70;
  double network_share = 0.10;
  double overhead_power_share = 0.20;
  double pue_low = 1.15;
  double pue_high = 1.30;
  std::int64_t datacenters = 1;
  std::string prices = "us-industrial";
  std::optional<UsdPerJoule> electricity_price;
  double load = 1.0;
  std::optional<Seconds> depreciation;
};

/// [network]: rates per direction and per device; absent: the catalog's.
struct NetworkInput {
  std::optional<BitRate> scale_up_rate;
  std::optional<BitRate> scale_out_rate;
  BitRate wide_area_rate{20e9};
  Seconds wide_area_rtt{0.060};
  double tail_loss_rtts = 0;
  double scale_up_efficiency = 1.0;
  double scale_out_efficiency = 1.0;
  double pipeline_share = 1.0;
  double gradient_share = 1.0;
  double expert_share = 1.0;
  double weights_share = 1.0;
  double expert_forwarded = 0;  // part of experts' traffic between HB domains that passes one first
  Seconds scale_up_latency{0};
  Seconds scale_out_latency{0};
  std::optional<BytesPerSecond> host_rate;
};

}  // namespace trainyard
