// A day in parts: who has which devices.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operation/site_power.h"
#include "trainyard/operation.h"

namespace trainyard::operation {

/// What a day is made of, beside its rule.
struct DayCase {
  const SitePower& power;
  const OperationInput& settings;
  Watts power_limit;
  UsdPerJoule flat_price;
  std::int64_t devices = 0;
  std::int64_t replicas = 0;
  std::int64_t replica_devices = 0;
  Seconds ideal{0};  // to train on all devices, without failures
  /// Time with failures of what takes so long without; nothing: it never ends.
  std::function<std::optional<Seconds>(Seconds)> with_failures = {};
  double capital_usd_per_s = 0;
};

/// What repeats: a day, or a week where weekends have curves of their own.
Seconds period_of(const OperationInput& settings);

/// Equal parts of a day in which every curve is constant. Throws InputError for curves without a common part
/// of a minute.
std::size_t parts_of_day(const OperationInput& settings);

/// Throws Infeasible where idle devices alone draw more than a cap.
/// Of a week, figures are those of its mean day.
OperationDay plan_day(const DayCase& c, OperationRule rule, bool with_service,
                      std::optional<double> pause_above, std::string name);

}  // namespace trainyard::operation
