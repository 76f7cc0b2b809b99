// HB domains that fail, the spares that stand in, and repairs.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "trainyard/scenario/schedule.h"

namespace trainyard::schedule {

/// The unit of [schedule] failures_per_1000_days.
constexpr double kSecondsOf1000Days = 86400.0 * 1000;

class Breakdowns {
 public:
  Breakdowns(std::int64_t domains, const ScheduleInput& settings);

  /// When the next domain fails; infinite without failures. Domains fail alike, in use or not, after
  /// exponential times from the seed.
  double next_failure_s() const { return next_failure_s_; }
  std::int32_t failing_domain() const;
  void draw_next();

  double next_repair_s() const;
  /// The domain whose repair ends next.
  std::int32_t repaired();
  /// From now on for `schedule.repair_time`.
  void repair(std::int32_t domain, double now_s) { repair_until(domain, now_s + repair_s_); }
  void repair_until(std::int32_t domain, double s) { repairs_.emplace(s, domain); }

  /// A spare that stands in from now on.
  std::optional<std::int32_t> take_spare();
  /// Whether a domain was a spare, which is one less then.
  bool lose_spare(std::int32_t domain) { return spares_.erase(domain) > 0; }
  /// Whether a repaired domain becomes a spare.
  bool keep_as_spare(std::int32_t domain);

  const std::set<std::int32_t>& spares() const { return spares_; }
  /// Under repair, by the time at which it ends.
  const std::set<std::pair<double, std::int32_t>>& repairs() const { return repairs_; }

 private:
  std::int64_t domains_;
  std::uint64_t seed_;
  double repair_s_;
  double mean_s_;  // between failures of the cluster
  std::size_t wanted_spares_;
  std::uint64_t draws_ = 0;
  double next_failure_s_ = 0;
  std::set<std::int32_t> spares_;
  std::set<std::pair<double, std::int32_t>> repairs_;
};

}  // namespace trainyard::schedule
