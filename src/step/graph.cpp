#include "step/graph.h"

#include <fmt/core.h>

#include <cmath>

#include "base/errors.h"
#include "base/finite.h"
#include "base/stopping.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

constexpr const char* kGraph = "step graph";

constexpr std::string_view kWorkNames[kStepWorks] = {
    "forward", "recompute", "backward", "backward_weight", "head",     "optimizer", "tensor",
    "context", "pipeline",  "expert",   "weights",         "gradient", "offload"};

constexpr std::string_view kResourceNames[kStepResources] = {"compute", "scale_up", "scale_out", "wide_area",
                                                             "host"};

}  // namespace

std::string_view step_work_name(StepWork work) { return kWorkNames[static_cast<std::size_t>(work)]; }

std::string_view step_resource_name(StepResource resource) {
  return kResourceNames[static_cast<std::size_t>(resource)];
}

StepTime step_time(Seconds time) {
  const double ps = std::round(time.si() * kStepTimesPerSecond);
  if (ps >= 0 && ps <= static_cast<double>(kLongestStep)) return static_cast<StepTime>(ps);
  fail_input(whole(kTheAnswer), fmt::format("an operation takes {:.4g} s", time.si()),
             fmt::format("allowed: 0 to {:.4g} s; a rate near zero makes transfers endless",
                         seconds_of(kLongestStep).si()));
}

std::uint32_t StepGraph::add_stream(StepStream stream) {
  streams_.push_back(std::move(stream));
  return static_cast<std::uint32_t>(streams_.size() - 1);
}

std::uint16_t StepGraph::add_class(TransferClass transfer_class) {
  TY_ASSERT(classes_.size() < std::numeric_limits<std::uint16_t>::max(), "a class is a kind, not a transfer");
  classes_.push_back(std::move(transfer_class));
  return static_cast<std::uint16_t>(classes_.size() - 1);
}

OperationId StepGraph::add(const StepOperation& operation) {
  pause_point();
  TY_ASSERT(operations_.size() < kNoOperation, "the builder bounds its graphs");
  operations_.push_back(operation);
  return static_cast<OperationId>(operations_.size() - 1);
}

void StepGraph::depend(OperationId later, OperationId earlier) { pending_.push_back({later, earlier}); }

std::int32_t StepGraph::receiving_stage(OperationId id) const {
  const std::int32_t own = stream_of(id).stage;
  if (operation(id).work != StepWork::pipeline) return own;
  for (const OperationId later : successors(id)) {
    if (stream_of(later).stage != own) return stream_of(later).stage;
  }
  return own;
}

std::string StepGraph::describe(OperationId id) const {
  const StepOperation& op = operations_[id];
  const StepStream& stream = streams_[op.stream];
  return fmt::format("operation {} ({}, stage {}, stream {}, microbatch {})", id, step_work_name(op.work),
                     stream.stage, stream.name, op.microbatch);
}

void StepGraph::check_operations() const {
  if (operations_.empty()) fail_input(whole(kGraph), "the graph has no operations");
  for (const TransferClass& c : classes_) {
    if (!(c.rate_share > 0)) fail_input(whole(kGraph), fmt::format("'{}' has no bandwidth", c.name));
  }
  for (OperationId id = 0; id < operations_.size(); ++id) {
    const StepOperation& op = operations_[id];
    if (op.stream >= streams_.size())
      fail_input(whole(kGraph), fmt::format("operation {} is on unknown stream {}", id, op.stream));
    if (is_transfer(op.work) && op.transfer >= classes_.size())
      fail_input(whole(kGraph), fmt::format("{} is of unknown class {}", describe(id), op.transfer));
    if (op.duration < 0 || !(op.bytes >= 0))
      fail_input(whole(kGraph), fmt::format("{} has a negative duration or size", describe(id)));
  }
  for (const Edge& edge : pending_) {
    if (edge.later >= operations_.size() || edge.earlier >= operations_.size())
      fail_input(whole(kGraph), fmt::format("a dependency of operation {} on {}, of {} operations",
                                            edge.later, edge.earlier, operations_.size()));
  }
}

/// Kahn's algorithm over dependencies and the order of streams.
void StepGraph::check_cycles() const {
  std::vector<std::uint32_t> waits(operations_.size());
  std::vector<OperationId> next_on_stream(operations_.size(), kNoOperation);
  for (OperationId id = 0; id < operations_.size(); ++id)
    waits[id] = static_cast<std::uint32_t>(predecessors(id).size());
  for (std::uint32_t s = 0; s < streams_.size(); ++s) {
    if (streams_[s].order != StreamOrder::program) continue;
    const auto ops = on_stream(s);
    for (std::size_t i = 0; i + 1 < ops.size(); ++i) {
      next_on_stream[ops[i]] = ops[i + 1];
      ++waits[ops[i + 1]];
    }
  }
  std::vector<OperationId> ready;
  for (OperationId id = 0; id < operations_.size(); ++id) {
    if (waits[id] == 0) ready.push_back(id);
  }
  std::size_t done = 0;
  while (!ready.empty()) {
    const OperationId id = ready.back();
    ready.pop_back();
    ++done;
    const auto release = [&](OperationId later) {
      if (--waits[later] == 0) ready.push_back(later);
    };
    for (const OperationId later : successors(id)) release(later);
    if (next_on_stream[id] != kNoOperation) release(next_on_stream[id]);
  }
  if (done == operations_.size()) return;
  OperationId stuck = 0;
  while (waits[stuck] == 0) ++stuck;
  fail_input(whole(kGraph), fmt::format("{} of {} operations wait for each other, among them {}",
                                        operations_.size() - done, operations_.size(), describe(stuck)));
}

void StepGraph::seal() {
  check_operations();
  const auto group = [](std::size_t lists, std::size_t items, auto key, auto item) {
    Lists out;
    out.begin.assign(lists + 1, 0);
    for (std::size_t i = 0; i < items; ++i) ++out.begin[key(i) + 1];
    for (std::size_t i = 0; i < lists; ++i) out.begin[i + 1] += out.begin[i];
    out.items.resize(items);
    std::vector<std::uint32_t> at(out.begin.begin(), out.begin.end() - 1);
    for (std::size_t i = 0; i < items; ++i) out.items[at[key(i)]++] = item(i);
    return out;
  };
  const std::size_t n = operations_.size();
  edges_ = pending_.size();
  successors_ = group(
      n, edges_, [&](std::size_t i) { return pending_[i].earlier; },
      [&](std::size_t i) { return pending_[i].later; });
  predecessors_ = group(
      n, edges_, [&](std::size_t i) { return pending_[i].later; },
      [&](std::size_t i) { return pending_[i].earlier; });
  by_stream_ = group(
      streams_.size(), n, [&](std::size_t i) { return operations_[i].stream; },
      [](std::size_t i) { return static_cast<OperationId>(i); });
  pending_.clear();
  pending_.shrink_to_fit();
  check_cycles();
}

}  // namespace trainyard
