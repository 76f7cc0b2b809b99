// Jobs and failures of which tests of months are made.
#pragma once

#include <cstdint>

#include "trainyard/goodput.h"

namespace trainyard {

inline constexpr double kHour_s = 3600;
inline constexpr double kDay_s = 86400;

inline FailureMode stopping(double per_day, std::int64_t hosts = 0, double repair_h = 24) {
  FailureMode mode;
  mode.rate_per_s = per_day / kDay_s;
  mode.hosts = hosts;
  mode.lasts = Seconds(repair_h * kHour_s);
  return mode;
}

inline FailureMode slowing(double per_day, double slowdown, double hours) {
  FailureMode mode = stopping(per_day, 0, hours);
  mode.cause = FailureCause::switch_chip;
  mode.stops = false;
  mode.slowdown = slowdown;
  return mode;
}

inline FailureMode of_cause(FailureCause cause, double per_day, double lasts_h, double slowdown = 0) {
  FailureMode mode = stopping(per_day, cause == FailureCause::planned ? 0 : 1, lasts_h);
  mode.cause = cause;
  mode.slowdown = slowdown;
  return mode;
}

/// Eight failures a day, a minute until seen, five to start again.
inline GoodputCase usual() {
  GoodputCase c;
  c.modes = {stopping(8)};
  c.hosts = 128;
  c.replicas = 16;
  c.least_replicas = 12;
  c.detection = Seconds(60);
  c.hang_detection = Seconds(600);
  c.restart = Seconds(300);
  c.repair = Seconds(kDay_s);
  c.stall = c.write = Seconds(30);
  c.period = Seconds(54 * kDay_s);
  c.runs = 400;
  return c;
}

}  // namespace trainyard
