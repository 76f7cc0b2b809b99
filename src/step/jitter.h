// Compute times that vary from device to device and operation to operation.
#pragma once

#include <cstdint>

namespace trainyard {

/// Log-normal factors with mean 1, drawn for what they are for: the same seed, operation and device give the
/// same factor whatever else is drawn.
class Jitter {
 public:
  /// `variation`: standard deviation over mean, 0 for none; `devices` of a group wait for their slowest.
  Jitter(double variation, std::uint64_t seed, std::int64_t devices);

  /// The slowest of the group's devices in one operation.
  double slowest(std::uint64_t operation) const;

 private:
  /// Standard normal.
  double normal(std::uint64_t operation, std::uint64_t device) const;

  std::uint64_t seed_;
  std::int64_t devices_;
  double sigma_;
};

}  // namespace trainyard
