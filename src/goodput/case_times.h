// A case's times in nanoseconds, as the simulation of months counts them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "trainyard/goodput.h"

namespace trainyard {

constexpr double kNanoseconds = 1e9;
constexpr std::int64_t kNeverComes = std::numeric_limits<std::int64_t>::max();

inline std::int64_t nanoseconds(double s) {
  constexpr std::int64_t kMost = kNeverComes / 2;
  const double ns = s * kNanoseconds;
  return ns < static_cast<double>(kMost) ? static_cast<std::int64_t>(ns) : kMost;
}

struct CaseTimes {
  std::int64_t period, interval, stall, delay, cycle, backup, detection, hang, manual, swap, restart;
};

inline CaseTimes times_of(const GoodputCase& c, Seconds interval) {
  CaseTimes t{};
  t.period = nanoseconds(c.period.si());
  t.interval = std::max<std::int64_t>(1, nanoseconds(interval.si()));
  t.stall = nanoseconds(c.stall.si());
  t.cycle = t.interval + t.stall;
  // A checkpoint is safe before the next one begins: goodput_form() keeps the interval that long.
  t.delay = std::clamp<std::int64_t>(nanoseconds((c.write - c.stall).si()), 0, t.interval);
  t.backup = t.interval > kNeverComes / 2 / c.backup_every ? kNeverComes / 2 : t.interval * c.backup_every;
  t.detection = nanoseconds(c.detection.si());
  t.hang = nanoseconds(c.hang_detection.si());
  t.manual = nanoseconds(c.manual_time.si());
  t.swap = nanoseconds(c.swap.si());
  t.restart = nanoseconds((c.restart + c.read).si());
  return t;
}

}  // namespace trainyard
