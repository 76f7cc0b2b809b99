// [operation]: training beside other work on one site, through the hours of a day or of a week.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

/// Whose devices and power come first.
enum class OperationRule { service_first, training_first };

/// [operation]. A curve is a day in equal parts, beginning at midnight.
struct OperationInput {
  OperationRule rule = OperationRule::service_first;
  std::vector<double> service;             // curve: share of the devices that other work wants; empty: none
  std::vector<double> prices_usd_per_mwh;  // curve; empty: the facility's price all day
  std::vector<double> caps;                // curve: share of the power limit that may be drawn; empty: all
  std::vector<double> weekend_service;     // the same on Saturdays and Sundays; empty: as on other days
  std::vector<double> weekend_prices_usd_per_mwh;
  std::vector<double> weekend_caps;
  std::optional<Watts> power_limit;  // of the site; empty: what it draws with all devices at full power
  std::optional<double> pause_above_usd_per_mwh;  // training stops in hours of a higher price
  Usd service_hour{2.0};                          // that a device's hour of other work earns
  Seconds change_time{300};                       // training stands still when its replicas change
  double least_replicas = 0;                      // share of the replicas below which training waits
  double compute_power = 0.82;                    // of a device's power, while it computes
  double transfer_power = 0.40;                   // while it waits for transfers
  double idle_power = 0.15;
  double service_power = 0.60;
  bool slow_devices = true;         // caps may lower clocks, where that trains more than fewer replicas
  double clock_exponent = 2;        // of the clock, in the power of computing beyond idling
  double least_clock = 0.5;         // share of the full clock
  std::optional<Watts> ramp_limit;  // by which the site's power may change within a minute
  bool checkpoints_share_network = true;
};

}  // namespace trainyard
