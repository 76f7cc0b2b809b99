// Around a ring, in n-1 steps a pass (Thakur et al. 2005, section 4).
#include "collective/all_reduces.h"
#include "collective/ranks.h"
#include "trainyard/traffic.h"

namespace trainyard::all_reduce {
namespace {

/// 2 (n-1)/n S/B + 2 (n-1) a
CollectiveCost all_reduce(std::int64_t ranks) {
  return {kAllReducePasses * others_share(ranks), kAllReducePasses * (real(ranks) - 1)};
}

CollectiveCost pass(std::int64_t ranks) { return ring_pass(ranks); }

/// Steps: 2 (n - 1). A rank sends 2 S (n - 1) / n (Patarasuk & Yuan 2009).
void send_all_reduce(std::uint32_t ranks, std::uint64_t bytes, TransferSink& sink) {
  const std::vector<Ring> ring = rings_of(1, ranks, 1, 0, bytes);
  reduce_scatter(sink, ring);
  all_gather(sink, ring);
}

/// Every rank begins with one n-th of the buffer and ends with all of it. Steps: n - 1. A rank sends
/// S (n - 1) / n (Thakur et al. 2005).
void send_all_gather(std::uint32_t ranks, std::uint64_t bytes, TransferSink& sink) {
  all_gather(sink, rings_of(1, ranks, 1, 0, bytes));
}

/// Every rank ends with one n-th of the sum. Steps: n - 1. A rank sends S (n - 1) / n (Patarasuk & Yuan
/// 2009).
void send_reduce_scatter(std::uint32_t ranks, std::uint64_t bytes, TransferSink& sink) {
  reduce_scatter(sink, rings_of(1, ranks, 1, 0, bytes));
}

std::uint64_t pass_transfers(std::uint64_t ranks) { return (ranks - 1) * ranks; }
std::uint64_t all_reduce_transfers(std::uint64_t ranks) { return kAllReducePasses * pass_transfers(ranks); }

}  // namespace

const AllReduceAlgorithm& ring() {
  static const AllReduceAlgorithm algorithm = {
      .all_reduce = all_reduce,
      .pass = pass,
      .traffic = TrafficPattern::ring,
      .measured_rings = MeasuredRings::in_known_groups,
      .is_ring = true,
      .schedules = {{.traffic = "ring_all_reduce",
                     .power_of_two = false,
                     .transfers = all_reduce_transfers,
                     .run = send_all_reduce},
                    {.traffic = "ring_all_gather",
                     .power_of_two = false,
                     .transfers = pass_transfers,
                     .run = send_all_gather},
                    {.traffic = "ring_reduce_scatter",
                     .power_of_two = false,
                     .transfers = pass_transfers,
                     .run = send_reduce_scatter}},
  };
  return algorithm;
}

}  // namespace trainyard::all_reduce
