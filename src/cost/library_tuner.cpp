// The choice of algorithm and protocol as NCCL makes it: least estimate of latency plus bytes over rate
// (NCCL 2.27, src/graph/tuning.cc: ncclTopoTuneModel, ncclTopoGetAlgoTime; src/enqueue.cc: topoGetAlgoInfo),
// for one node of NVLink. Its trees are never the quickest estimate there and are left out; PAT is for one
// device a node.
#include <algorithm>

#include "cost/library_steps.h"

namespace trainyard {
namespace {

/// baseLat and hwLat of rings over NVLink, of LL, LL128 and Simple, in us.
constexpr double kBaseUs[] = {6.6, 14.0, 8.4};
constexpr double kHopUs[] = {0.6, 1.9, 3.4};
/// hwLat of NVLS.
constexpr double kInSwitchUs = 25;
constexpr double kLlShare = 0.5;
constexpr double kLl128Share = 0.92;          // 120 of 128 bytes, rounded as there
constexpr double kInSwitchShare = 5.0 / 6.0;  // of NVLS's bus rate, algorithm over bus
/// NVLS sums types of two bytes and more, over more than two devices (src/transport/nvls.cc).
constexpr double kLeastSummed = 2;
constexpr std::int64_t kLeastInSwitch = 3;

double bus_rate(const LibraryFacts& f, LibraryProtocol protocol) {
  const double all = f.graph_channels * f.channel_rate_gb_s;
  if (protocol == LibraryProtocol::ll) return std::min(f.ll_rate_gb_s, all * kLlShare);
  if (protocol == LibraryProtocol::ll128)
    return std::min(all * kLl128Share, f.graph_channels * f.ll128_channel_rate_gb_s);
  return all;
}

double ring_steps(const LibraryCall& call) {
  const auto n = static_cast<double>(call.devices);
  return call.operation == "all_reduce" ? 2 * (n - 1) : n - 1;
}

LibraryRun ring_run(const LibraryFacts& f, const LibraryCall& call, LibraryProtocol protocol) {
  LibraryRun out;
  out.protocol = protocol;
  const double steps = ring_steps(call);
  const double rate = bus_rate(f, protocol) * static_cast<double>(call.devices) / steps * kBytesPerUsOfGb;
  const auto p = static_cast<std::size_t>(protocol);
  out.estimate_us = kBaseUs[p] + steps * kHopUs[p] + call.bytes / rate;
  return out;
}

LibraryRun in_switch_run(const LibraryFacts& f, const LibraryCall& call) {
  LibraryRun out;
  out.algorithm = LibraryAlgorithm::in_switch;
  const double rate =
      static_cast<double>(call.devices) * f.in_switch_rate_gb_s * kInSwitchShare * kBytesPerUsOfGb;
  out.estimate_us = kInSwitchUs + call.bytes / rate;
  return out;
}

/// Switches sum nothing of a gather: any type will do.
bool switches_can(const LibraryFacts& f, const LibraryCall& call) {
  return f.in_switch_channels > 0 && call.devices >= kLeastInSwitch &&
         (call.element_bytes >= kLeastSummed || call.operation == "all_gather");
}

/// Between two devices LL up to a size (NCCL_P2P_LL_THRESHOLD), Simple above it: no estimate decides.
std::vector<LibraryRun> pair_runs(const LibraryFacts& f, const LibraryCall& call) {
  const bool small = call.bytes / static_cast<double>(call.devices) <= f.p2p_ll_bytes;
  std::vector<LibraryRun> out(2);
  out[0].protocol = LibraryProtocol::ll;
  out[1].protocol = LibraryProtocol::simple;
  out[small ? 1 : 0].estimate_us = 1;
  for (LibraryRun& run : out) {
    run.algorithm = LibraryAlgorithm::pairwise;
    run.estimate_is_time = false;
  }
  return out;
}

}  // namespace

std::vector<LibraryRun> tuner_runs(const LibraryFacts& f, const LibraryCall& call) {
  if (call.operation == "alltoall") return pair_runs(f, call);
  std::vector<LibraryRun> out = {ring_run(f, call, LibraryProtocol::ll)};
  if (f.ll128_channel_rate_gb_s > 0) out.push_back(ring_run(f, call, LibraryProtocol::ll128));
  out.push_back(ring_run(f, call, LibraryProtocol::simple));
  if (call.operation == "all_reduce" && switches_can(f, call)) out.push_back(in_switch_run(f, call));
  return out;
}

std::vector<LibraryRun> possible_runs(const LibraryFacts& f, const LibraryCall& call) {
  std::vector<LibraryRun> out = tuner_runs(f, call);
  const bool pass = call.operation == "reduce_scatter" || call.operation == "all_gather";
  if (!pass || !switches_can(f, call)) return out;
  out.push_back(in_switch_run(f, call));
  out.back().estimate_is_time = false;
  return out;
}

LibraryRun tuned_run(const LibraryFacts& facts, const LibraryCall& call) {
  const std::vector<LibraryRun> runs = tuner_runs(facts, call);
  return *std::min_element(runs.begin(), runs.end(), [](const LibraryRun& a, const LibraryRun& b) {
    return a.estimate_us < b.estimate_us;
  });
}

}  // namespace trainyard
