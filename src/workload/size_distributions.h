// Published distributions of flow sizes, as tables of their cumulative shares.
//
// Between two points of a table sizes are uniform (linear interpolation): so do ns-2's empirical variables
// and HPCC's traffic generator, and the means that are published for these tables are those of that rule.
// Taking logarithms in between would make the tails, and with them the number of flows at a load, something
// else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace trainyard {
enum class FlowSizes;
}

namespace trainyard::workload {

/// Shares are whole billionths, so that samples are the same on every machine.
constexpr std::uint64_t kWholeShare = 1'000'000'000;

struct SizePoint {
  std::uint64_t bytes = 0;
  std::uint64_t share = 0;  // of the flows, in billionths, that are no larger
};

class SizeDistribution {
 public:
  /// In rising order, from a share of 0 to the whole. Two points of one size: that share has just this size.
  explicit SizeDistribution(std::vector<SizePoint> points);

  /// Bytes of the flow with this hash, at least one: the inverse of the cumulative share.
  std::uint64_t sample(std::uint64_t hash) const;
  /// In bytes: the integral of the inverse.
  double mean() const;
  const std::vector<SizePoint>& points() const { return points_; }

 private:
  std::vector<SizePoint> points_;
};

/// A table, where its numbers come from, and the mean that is published with it.
struct PublishedSizes {
  FlowSizes name;
  const char* source;
  std::optional<double> mean_bytes;
  double tolerance;  // of our mean against it: tables of thousands of sizes are thinned
  std::vector<SizePoint> points;
};

/// All but `fixed`.
const std::vector<PublishedSizes>& published_sizes();

/// By name; `fixed` is all flows of `bytes`.
SizeDistribution size_distribution(FlowSizes name, std::uint64_t bytes);

}  // namespace trainyard::workload
