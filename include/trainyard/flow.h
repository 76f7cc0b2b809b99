// What is to be sent, and what became of it.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/picoseconds.h"

namespace trainyard::workload {

constexpr std::uint8_t kDataPriority = 2;  // the first of data; lower ones are those of control

/// Bytes from one host to another.
struct Flow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
  Picoseconds start = 0;  // at the earliest

  Picoseconds began = kNever;     // with its predecessors done
  Picoseconds received = kNever;  // the last byte reached the receiver
  Picoseconds finished = kNever;  // the sender knows

  std::uint8_t priority = kDataPriority;  // of its data, where the transport has no priorities of its own

  /// Of the paths up from its leaf, l * uplinks_aggregation + a, where flows have one path each.
  static constexpr std::uint16_t kPathOfHash = 0xFFFF;
  std::uint16_t path = kPathOfHash;
  std::uint16_t path_back = kPathOfHash;  // of what the receiver sends

  /// Both ways, where flows use one plane each.
  static constexpr std::uint16_t kPlaneOfHash = 0xFFFF;
  std::uint16_t plane = kPlaneOfHash;
};

/// A flow that begins no sooner than another one has ended; or a lineup of which the next one then may.
struct Dependency {
  std::uint32_t before = 0;
  std::uint32_t after = 0;  // a flow; behind the last one: a lineup
  bool on_receipt = true;   // ended: its last byte was received; else: its sender knows
};

/// Flows of one host that begin one by one, each with the next of the events that the lineup waits for,
/// whichever that is.
using Lineup = std::vector<std::uint32_t>;

/// Flows that together are a collective of switches, rank by rank, each from a host to the next one, the last
/// to the first: a flow says that its sender takes part and its receiver gets the result. Its bytes are the
/// whole buffer, of which a shard belongs to each rank where not all is for everyone.
struct Reduction {
  enum class Kind : std::uint8_t { all_reduce, reduce_scatter, all_gather };

  std::uint32_t first = 0;  // of the flows
  std::uint32_t ranks = 0;  // and how many
  Kind kind = Kind::all_reduce;
};

/// Flows from one host to another that are messages of one connection, in ascending order. A message is sent
/// behind those before it.
using Connection = std::vector<std::uint32_t>;

}  // namespace trainyard::workload
