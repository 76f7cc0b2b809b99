// Times of collectives by the steps in which NCCL runs them. Channels, threads and chunks by its rules
// (NCCL 2.27, src/enqueue.cc: topoGetAlgoInfo, calcCollChunking, addP2pToPlan; src/include/comm.h,
// collectives.h), the constants fitted. docs/models.md, "Collectives as libraries run them".
#include "cost/library_steps.h"

#include <algorithm>
#include <cmath>

#include "cost/operator_model.h"

namespace trainyard {
namespace {

constexpr double kKiB = 1024;

// Threads of a channel and bytes of a thread below which threads, then channels, are left out.
constexpr double kThreads[] = {512, 640, 512};
constexpr double kThreadBytes[] = {8, 8, 64};  // of LL times the devices
constexpr double kWarps = 128;                 // threads are halved while they divide by this

constexpr double kLlLine = 8;                 // bytes of data that a thread moves at once
constexpr double kChunk = 2048 * kKiB;        // of Simple: 4 of 8 steps of a buffer of 4 MiB
constexpr double kLeastSlice = 32 * kKiB;     // 1/32 of a slice of 2 steps
constexpr double kLlWire = 2;                 // bytes on the wire for one of data
constexpr double kLl128Wire = 128.0 / 120.0;  //
constexpr double kInSwitchChunks[] = {128 * kKiB, 64 * kKiB, 32 * kKiB, 16 * kKiB};
constexpr double kInSwitchLoops[] = {64, 8, 2};  // below which the next smaller chunk is taken
constexpr double kP2pChunk = 512 * kKiB;
constexpr double kP2pLeastPart = kP2pChunk / 8;
constexpr double kHalfKiB = 512;

// How sharply the larger of two limits takes over; fitted once, for all systems.
constexpr double kLlBlend = 2;
constexpr double kLinkBlend = 3;

struct Grid {
  double channels, threads;
};

Grid grid_of(const LibraryFacts& f, const LibraryCall& call, LibraryProtocol protocol, double wished) {
  const auto p = static_cast<std::size_t>(protocol);
  const double bytes =
      kThreadBytes[p] * (protocol == LibraryProtocol::ll ? static_cast<double>(call.devices) : 1);
  Grid out{wished > 0 ? wished : f.channels, kThreads[p]};
  if (!(wished > 0)) {
    const double filled = std::floor(call.bytes / (out.threads * bytes));
    out.channels = std::clamp(filled, 1.0, out.channels);
  }
  while (call.bytes < out.channels * out.threads * bytes && std::fmod(out.threads, kWarps) == 0)
    out.threads /= 2;
  return out;
}

bool narrow(const LibraryCall& call) { return call.element_bytes < 2 && call.operation != "all_gather"; }

void time_ll(LibraryRun& run, const LibraryCall& call, const std::vector<double>& c) {
  const double piece = run.piece_bytes / run.channels;
  const double rounds = std::max(1.0, piece / (kLlLine * run.threads));
  const double round_us =
      kLlLine * run.threads / (c[ring_ll_rate] * kBytesPerUsOfGb) * (narrow(call) ? c[ring_ll_narrow] : 1);
  run.wire_bytes = run.piece_bytes * kLlWire;
  run.start_us = c[ring_start] + c[ring_ll_channel] * std::log2(run.channels);
  run.step_us = blended(c[ring_ll_hop], round_us * rounds, kLlBlend);
  run.tail_us = c[ring_ll_tail] * round_us * (rounds - 1);
}

void time_ll128(LibraryRun& run, const LibraryCall& call, const std::vector<double>& c) {
  const double work = run.piece_bytes / run.channels / (c[ring_ll128_rate] * kBytesPerUsOfGb) *
                      (narrow(call) ? c[ring_ll128_narrow] : 1);
  run.wire_bytes = run.piece_bytes * kLl128Wire;
  run.start_us = c[ring_start];
  run.step_us = c[ring_ll128_hop] + work;
  run.tail_us = c[ring_ll_tail] * work;
}

void time_simple(LibraryRun& run, const LibraryCall& call, const std::vector<double>& c) {
  const double piece = run.piece_bytes / run.channels;
  const double loops = std::max(1.0, piece / kChunk);
  const double chunk = piece / loops;
  const double slice = std::max(chunk / 2, std::min(chunk, kLeastSlice));
  const double us_per_byte =
      (narrow(call) ? c[ring_simple_narrow] : 1) / (c[ring_simple_rate] * kBytesPerUsOfGb);
  // Every step is a hop and a slice behind the one before, unless data is more: of the link, or of the
  // processors, which also copy once more than there are steps.
  const double waits = loops * run.steps * (c[ring_simple_hop] + slice * us_per_byte) +
                       c[ring_simple_tail] * slice * us_per_byte;
  const double data =
      blended((run.steps + 1) * piece * us_per_byte,
              run.steps * run.piece_bytes / (c[ring_simple_link] * kBytesPerUsOfGb), kLinkBlend);
  run.wire_bytes = run.piece_bytes;
  run.start_us = c[ring_start] + c[ring_simple_start];
  run.step_us = blended(waits, data, 1 + c[ring_simple_overlap]) / run.steps;
}

void time_ring(LibraryRun& run, const LibraryFacts& f, const LibraryCall& call,
               const std::vector<double>& c) {
  const Grid grid = grid_of(f, call, run.protocol, run.channels);
  const auto n = static_cast<double>(call.devices);
  run.channels = grid.channels;
  run.threads = grid.threads;
  run.steps = call.operation == "all_reduce" ? 2 * (n - 1) : n - 1;
  run.piece_bytes = call.bytes / n;
  if (run.protocol == LibraryProtocol::ll) return time_ll(run, call, c);
  if (run.protocol == LibraryProtocol::ll128) return time_ll128(run, call, c);
  time_simple(run, call, c);
}

/// Chunks go through the switch in loops: every device's share is summed on its way to its head, then
/// multicast; loops overlap but for the first `depth`. A reduce-scatter leaves the multicast out and an
/// all-gather the sum: the other half has as much to do on the links, and takes as long.
void time_in_switch(LibraryRun& run, const LibraryFacts& f, const LibraryCall& call,
                    const std::vector<double>& c) {
  if (!(run.channels > 0)) run.channels = f.in_switch_channels;
  run.threads = kThreads[1];
  const auto n = static_cast<double>(call.devices);
  std::size_t size = 0;
  for (std::size_t i = 0; i < std::size(kInSwitchLoops); ++i) {
    if (call.bytes < kInSwitchLoops[i] * run.channels * n * kInSwitchChunks[size]) size = i + 1;
  }
  const double chunk = kInSwitchChunks[size];
  run.steps = std::max(1.0, call.bytes / (run.channels * n * chunk));
  run.piece_bytes = call.bytes / run.steps;
  run.wire_bytes = run.piece_bytes * (call.operation == "all_reduce" ? 1 + 1 / n : 1);
  run.start_us = c[ring_switch_start];
  run.step_us = c[ring_switch_loop] + chunk * n / (c[ring_switch_rate] * kBytesPerUsOfGb);
  run.tail_us = c[ring_switch_depth] * run.step_us;
}

void time_pairs(LibraryRun& run, const LibraryFacts& f, const LibraryCall& call,
                const std::vector<double>& c) {
  const auto n = static_cast<double>(call.devices);
  const double pair = call.bytes / n;
  const double all = run.channels > 0 ? run.channels : f.p2p_channels;
  run.threads = kThreads[0];
  run.piece_bytes = pair * (n - 1);
  run.steps = 1;
  if (run.protocol == LibraryProtocol::ll) {
    run.channels = all;
    run.wire_bytes = run.piece_bytes * kLlWire;
    run.start_us = c[pair_start] + c[pair_doubling] * std::log2(n);
    run.step_us = blended(c[pair_ll_growth] * std::log2(1 + pair / kHalfKiB),
                          call.bytes / (c[pair_ll_rate] * kBytesPerUsOfGb), kLlBlend);
    return;
  }
  const double of_pair = std::clamp(std::ceil(pair / kP2pLeastPart), 1.0, std::max(1.0, all / n));
  run.channels = of_pair * n;
  run.wire_bytes = run.piece_bytes;
  run.start_us = c[pair_simple_start] + c[pair_simple_doubling] * std::log2(n);
  run.step_us =
      std::min(pair / of_pair, kP2pChunk) / (c[pair_simple_part] * kBytesPerUsOfGb) +
      blended(call.bytes / (c[pair_simple_rate] * kBytesPerUsOfGb),
              run.piece_bytes / (c[pair_simple_link] * kBytesPerUsOfGb), 1 + c[pair_simple_overlap]);
}

const std::vector<StepConstant>& ring_table() {
  static const std::vector<StepConstant> table = {
      {"start_us", 6},
      {"ll_hop_us", 1},
      {"ll_channel_us", 0.1},
      {"ll_rate_gb_s", 10},
      {"ll_tail", 0.5},
      {"ll_narrow", 1.1},
      {"ll128_hop_us", 2},
      {"ll128_rate_gb_s", 10},
      {"ll128_narrow", 1.1},
      {"simple_start_us", 3},
      {"simple_hop_us", 6},
      {"simple_rate_gb_s", 20},
      {"simple_tail", 1},
      {"simple_narrow", 1.1},
      {"simple_link_gb_s", 330},
      {"simple_overlap", 2},
      {"in_switch_start_us", 10},
      {"in_switch_depth", 2},
      {"in_switch_loop_us", 6},
      {"in_switch_rate_gb_s", 20},
  };
  return table;
}

const std::vector<StepConstant>& pair_table() {
  static const std::vector<StepConstant> table = {
      {"start_us", 8},          {"doubling_us", 0.5},      {"ll_rate_gb_s", 100},
      {"ll_growth_us", 0.1},    {"simple_start_us", 10},   {"simple_doubling_us", 0.5},
      {"simple_part_gb_s", 30}, {"simple_rate_gb_s", 500}, {"simple_link_gb_s", 350},
      {"simple_overlap", 5},
  };
  return table;
}

std::vector<std::size_t> from_to(std::size_t first, std::size_t last) {
  std::vector<std::size_t> out;
  for (std::size_t i = first; i < last; ++i) out.push_back(i);
  return out;
}

}  // namespace

const std::vector<StepConstant>& step_constants(const std::string& operation) {
  return operation == "alltoall" ? pair_table() : ring_table();
}

std::vector<std::size_t> constants_needed(const std::string& operation, LibraryAlgorithm algorithm,
                                          LibraryProtocol protocol) {
  const bool ll = protocol == LibraryProtocol::ll;
  if (operation == "alltoall")
    return ll ? from_to(pair_start, pair_simple_start) : from_to(pair_simple_start, pair_constants);
  if (algorithm == LibraryAlgorithm::in_switch) return from_to(ring_switch_start, ring_constants);
  std::vector<std::size_t> out = ll ? from_to(ring_ll_hop, ring_ll128_hop)
                                 : protocol == LibraryProtocol::ll128
                                     ? from_to(ring_ll128_hop, ring_simple_start)
                                     : from_to(ring_simple_start, ring_switch_start);
  out.push_back(ring_start);
  if (protocol == LibraryProtocol::ll128) out.push_back(ring_ll_tail);
  if (operation == "all_gather")
    std::erase_if(out, [](std::size_t i) {
      return i == ring_ll_narrow || i == ring_ll128_narrow || i == ring_simple_narrow;
    });
  return out;
}

void time_run(LibraryRun& run, const LibraryFacts& facts, const LibraryCall& call,
              const std::vector<double>& constants) {
  if (run.algorithm == LibraryAlgorithm::pairwise) return time_pairs(run, facts, call, constants);
  if (run.algorithm == LibraryAlgorithm::in_switch) return time_in_switch(run, facts, call, constants);
  time_ring(run, facts, call, constants);
}

}  // namespace trainyard
