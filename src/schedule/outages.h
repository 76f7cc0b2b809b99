// When shared parts fail and are repaired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace trainyard::schedule {

class SharedParts;

/// A part by its kind and number.
using PartNumber = std::pair<std::size_t, std::int64_t>;

class Outages {
 public:
  /// `parts` outlives this.
  Outages(const SharedParts& parts, std::int64_t seed);

  /// When the next part fails; infinite where none ever does. Parts fail alike, after exponential times from
  /// the seed.
  double next_failure_s() const { return next_failure_s_; }
  double next_repair_s() const;
  /// The part that fails then; draws the next.
  PartNumber failing();
  /// Whether it was whole, and is down from now on.
  bool begin(const PartNumber& part, double now_s);
  /// The part whose repair ends next, whole again.
  PartNumber end();
  bool any() const { return !down_.empty(); }

 private:
  void draw_next();

  const SharedParts& parts_;
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  double rate_per_s_ = 0;
  double next_failure_s_ = 0;
  std::set<std::pair<double, PartNumber>> repairs_;
  std::set<PartNumber> down_;
};

}  // namespace trainyard::schedule
