#include "collective/library_schedules.h"

#include <bit>

namespace trainyard {
namespace {

/// Of pieces that a rank holds at multiples of 2 `distance`, those that have a partner `distance` further on.
std::uint64_t pieces_sent(std::uint64_t ranks, std::uint64_t distance) {
  return (ranks - 1 - distance) / (2 * distance) + 1;
}

std::uint64_t steps_of(std::uint64_t ranks) { return static_cast<std::uint64_t>(std::bit_width(ranks - 1)); }

/// Bytes of the pieces that `rank` sends over `distance`: of ranks rank, rank - 2 distance, ...
std::uint64_t bytes_sent(const Pieces& pieces, std::uint64_t rank, std::uint64_t distance) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < pieces_sent(pieces.count, distance); ++i)
    sum += pieces.of((rank + pieces.count - 2 * distance * i) % pieces.count);
  return sum;
}

void send_all_gather(std::uint32_t ranks, std::uint64_t bytes, TransferSink& sink) {
  const Pieces pieces{bytes, ranks};
  for (std::uint64_t distance = std::uint64_t{1} << (steps_of(ranks) - 1); distance > 0; distance /= 2) {
    for (std::uint64_t i = 0; i < ranks; ++i)
      sink.send(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>((i + distance) % ranks),
                bytes_sent(pieces, i, distance));
    sink.end_step();
  }
}

/// Where the all-gather sends from i to i + d, this sends back the sums for the same pieces.
void send_reduce_scatter(std::uint32_t ranks, std::uint64_t bytes, TransferSink& sink) {
  const Pieces pieces{bytes, ranks};
  for (std::uint64_t distance = 1; distance < ranks; distance *= 2) {
    for (std::uint64_t i = 0; i < ranks; ++i)
      sink.send(static_cast<std::uint32_t>((i + distance) % ranks), static_cast<std::uint32_t>(i),
                bytes_sent(pieces, i, distance));
    sink.end_step();
  }
}

void send_to_next(std::uint32_t ranks, std::uint64_t bytes, TransferSink& sink) {
  for (std::uint32_t i = 0; i < ranks; ++i) sink.send(i, (i + 1) % ranks, bytes);
  sink.end_step();
}

std::uint64_t transfers_of_steps(std::uint64_t ranks) { return steps_of(ranks) * ranks; }
std::uint64_t transfers_of_one(std::uint64_t ranks) { return ranks; }

void join(std::vector<TreeRank>& tree, std::uint32_t rank, std::uint32_t parent) {
  tree[rank].parent = parent;
  tree[parent].children.push_back(rank);
}

/// The second of ranks that are counted from the other end or shifted.
std::uint32_t renamed(std::uint32_t rank, std::uint32_t ranks) {
  return ranks % 2 == 0 ? ranks - 1 - rank : (rank + 1) % ranks;
}

}  // namespace

const CollectiveSchedule& pat_all_gather() {
  static const CollectiveSchedule schedule = {.traffic = "pat_all_gather",
                                              .power_of_two = false,
                                              .transfers = transfers_of_steps,
                                              .run = send_all_gather};
  return schedule;
}

const CollectiveSchedule& pat_reduce_scatter() {
  static const CollectiveSchedule schedule = {.traffic = "pat_reduce_scatter",
                                              .power_of_two = false,
                                              .transfers = transfers_of_steps,
                                              .run = send_reduce_scatter};
  return schedule;
}

const CollectiveSchedule& in_network() {
  static const CollectiveSchedule schedule = {
      .traffic = "in_network", .power_of_two = false, .transfers = transfers_of_one, .run = send_to_next};
  return schedule;
}

std::vector<TreeRank> first_tree(std::uint32_t ranks) {
  std::vector<TreeRank> tree(ranks);
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    const std::uint32_t low = rank & (~rank + 1);  // its lowest bit
    std::uint32_t parent = (rank ^ low) | (low << 1U);
    if (parent >= ranks) parent = rank ^ low;
    join(tree, rank, parent);
  }
  return tree;
}

std::vector<TreeRank> second_tree(std::uint32_t ranks) {
  const std::vector<TreeRank> first = first_tree(ranks);
  std::vector<TreeRank> tree(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    TreeRank& made = tree[renamed(rank, ranks)];
    if (first[rank].parent != TreeRank::kNone) made.parent = renamed(first[rank].parent, ranks);
    for (const std::uint32_t child : first[rank].children) made.children.push_back(renamed(child, ranks));
  }
  return tree;
}

}  // namespace trainyard
