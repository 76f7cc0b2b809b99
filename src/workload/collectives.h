// Collectives as flows that wait for each other.
//
// All but the windowed all-to-all go by chunks: the buffer is cut into chunks, and each chunk goes through
// the steps of the algorithm on its own. In a step a host sends at most one flow of a chunk. That flow begins
// when what the host was sent in the step before has been received, and when the chunk before it was sent in
// the same step (its sender knows that it arrived). Steps of different chunks overlap; work at the hosts
// takes no time.
//
// Notation of the comments: N hosts, a buffer of B bytes, c chunks. Pieces differ by at most a byte where
// sizes do not divide. Every function throws InputError, naming the setting, for what cannot be cut so.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "workload/workload.h"

namespace trainyard {
struct CollectiveSchedule;
}

namespace trainyard::workload {

struct Collective {
  std::vector<std::uint32_t> hosts;  // that take part, in the order of their ranks
  std::uint64_t bytes = 0;           // of a host's buffer
  std::uint64_t chunks = 1;
  std::uint64_t group = 1;  // hosts of a group; of the windowed all-to-all, flows of a host at a time
};

/// A schedule of src/collective/, chunk by chunk; its file says what it does. Flows: the schedule's transfers
/// times c.
Workload scheduled(const Collective& collective, const CollectiveSchedule& schedule);

/// All-reduce by two levels of rings: reduce-scatter inside groups of g consecutive hosts, all-reduce of the
/// hosts of equal rank in their groups, all-gather inside groups (Cho et al. 2019, BlueConnect). g divides N.
/// Steps: 2 (g - 1) + 2 (N / g - 1). Flows: N c times that. A host sends 2 B (g - 1) / g inside its group and
/// 2 B (N / g - 1) / N across: 2 B (N - 1) / N together.
Workload hierarchical_all_reduce(const Collective& collective);

/// All-reduce by two binary trees of half of the buffer each (NCCL's double tree; Sanders, Speck, Traeff
/// 2009): sums go up, then the result down; a rank that is inside one tree is a leaf of the other, or nearly.
/// A flow begins when all that it passes on has been received, and the chunk before it was sent on the same
/// way. Flows: 4 (N - 1) c. A host sends at most 2 B, all hosts 2 B (N - 1).
Workload tree_all_reduce(const Collective& collective);

/// Collectives of switches that sum and copy, by their names as simulation.traffic.
struct InNetworkTraffic {
  std::string_view traffic;
  Reduction::Kind kind;
};
inline constexpr InNetworkTraffic kInNetworkTraffics[] = {
    {"in_network_all_reduce", Reduction::Kind::all_reduce},
    {"in_network_reduce_scatter", Reduction::Kind::reduce_scatter},
    {"in_network_all_gather", Reduction::Kind::all_gather}};

/// One of them for each group of g consecutive hosts by itself; g divides N. Flows as
/// src/collective/library_schedules.h says; the packets of transports that sum in switches go up and down a
/// tree in their place.
Workload in_network(const Collective& collective, Reduction::Kind kind);

/// Every host sends B / (N - 1) to every other one, to its neighbour on the right first, then to the one
/// behind it (Thakur et al. 2005), `group` flows at a time: a flow begins when the one that many before it is
/// known to have arrived. Not by chunks. Steps: (N - 1) / group, rounded up. Flows: N (N - 1). A host sends
/// B.
Workload all_to_all_windowed(const Collective& collective);

/// Stage i sends B / c to stage i + 1 for each of c microbatches, when it has received that microbatch (Huang
/// et al. 2019, GPipe, forward only).
/// Steps: N - 2 + c. Flows: (N - 1) c. A host sends B, the last one nothing.
Workload pipeline_transfers(const Collective& collective);

}  // namespace trainyard::workload
