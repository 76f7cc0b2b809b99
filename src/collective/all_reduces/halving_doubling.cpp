// Recursive halving, then recursive doubling (Thakur et al. 2005, section 4).
#include <bit>
#include <cmath>

#include "collective/all_reduces.h"
#include "collective/ranks.h"
#include "trainyard/traffic.h"

namespace trainyard::all_reduce {
namespace {

bool power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

/// The largest whole number of halvings of so many ranks.
double halvings(std::int64_t ranks) { return std::floor(std::log2(real(ranks))); }

/// (m-1)/m of the largest power of two of ranks.
double core_share(double levels) {
  return others_share(std::int64_t{1} << static_cast<std::int64_t>(levels));
}

/// 2 (n-1)/n S/B + 2 log2(n) a; 2 S/B + 2 a more where n is not a power of two: the rest send their buffers
/// to partners first and get the sum at the end
CollectiveCost all_reduce(std::int64_t ranks) {
  const double levels = halvings(ranks);
  if (power_of_two(ranks)) return {kAllReducePasses * others_share(ranks), kAllReducePasses * levels};
  return {kAllReducePasses * (1 + core_share(levels)), kAllReducePasses * (levels + 1)};
}

/// (n-1)/n S/B + log2(n) a; S (1 + 1/n)/B + 2 a more where n is not a power of two, for whose rest partners
/// take part.
CollectiveCost pass(std::int64_t ranks) {
  const double levels = halvings(ranks);
  if (power_of_two(ranks)) return {others_share(ranks), levels};
  return {1 + core_share(levels) + 1 / real(ranks), levels + 2};
}

/// Partners at n/2, n/4, ..., 1 and halves of what is left, then back (Rabenseifner's algorithm in Thakur et
/// al. 2005). Steps: 2 log2 n. A rank sends 2 S (n - 1) / n.
void send_all_reduce(std::uint32_t ranks, std::uint64_t bytes, TransferSink& sink) {
  const Pieces pieces{bytes, ranks};
  // Of pieces [first, first + count) with first the rank's number cut to a multiple of count.
  const auto range = [&](std::uint32_t rank, std::uint32_t count) {
    const std::uint32_t first = rank & ~(count - 1);
    return pieces.before(first + count) - pieces.before(first);
  };
  for (std::uint32_t count = ranks / 2; count > 0; count /= 2) {
    for (std::uint32_t i = 0; i < ranks; ++i) sink.send(i, i ^ count, range(i ^ count, count));
    sink.end_step();
  }
  for (std::uint32_t count = 1; count < ranks; count *= 2) {
    for (std::uint32_t i = 0; i < ranks; ++i) sink.send(i, i ^ count, range(i, count));
    sink.end_step();
  }
}

std::uint64_t transfers(std::uint64_t ranks) {
  return kAllReducePasses * static_cast<std::uint64_t>(std::countr_zero(ranks)) * ranks;
}

}  // namespace

const AllReduceAlgorithm& halving_doubling() {
  static const AllReduceAlgorithm algorithm = {
      .all_reduce = all_reduce,
      .pass = pass,
      .traffic = TrafficPattern::ring,
      .measured_rings = MeasuredRings::nowhere,
      .is_ring = false,
      .schedules = {{.traffic = "halving_doubling",
                     .power_of_two = true,
                     .transfers = transfers,
                     .run = send_all_reduce}},
  };
  return algorithm;
}

}  // namespace trainyard::all_reduce
