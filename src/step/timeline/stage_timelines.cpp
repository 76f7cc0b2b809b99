#include "step/timeline/stage_timelines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/whole_numbers.h"
#include "step/build_step.h"
#include "step/executor.h"
#include "step/timeline/awaited_work.h"
#include "step/timeline/exposed_times.h"
#include "step/timeline/link_rates.h"

namespace trainyard {
namespace {

/// What is summed over the operations of a stage.
struct Sums {
  StepTime compute = 0;
  Slowed slowed;
  std::array<double, kStepResources> bytes{};
  std::vector<std::pair<StepTime, double>> memory;  // changes
};

void add(Sums& sums, const StepGraph& graph, const Execution& run, OperationId id) {
  const StepOperation& op = graph.operation(id);
  if (is_transfer(op.work)) {
    sums.bytes[static_cast<std::size_t>(graph.class_of(id).network)] += op.bytes;
  } else {
    sums.compute += op.duration - op.slowed.all();
    sums.slowed.by_weights += op.slowed.by_weights;
    sums.slowed.by_gradients += op.slowed.by_gradients;
  }
  if (op.memory_at_start != 0) sums.memory.emplace_back(run.start[id], op.memory_at_start);
  if (op.memory_at_end != 0) sums.memory.emplace_back(run.finish[id], op.memory_at_end);
}

/// By replica class, then by stage.
std::vector<Sums> sums_of(const StepModel& model, const Execution& run) {
  const StepGraph& graph = model.graph;
  const std::int64_t stages = model.shape.stages;
  std::vector<Sums> out(model.replicas.size() * index(stages));
  for (OperationId id = 0; id < graph.size(); ++id) {
    const StepStream& stream = graph.stream_of(id);
    const bool shared = stream.replica == kSharedReplica;
    const std::int64_t first = shared ? 0 : stream.replica;
    const std::int64_t end = shared ? std::ssize(model.replicas) : first + 1;
    for (std::int64_t r = first; r < end; ++r) add(out[index(r * stages + stream.stage)], graph, run, id);
  }
  return out;
}

/// What is left of whole picoseconds is whole and not below 0, but for the rounding of sums.
Seconds whole_time(Seconds rest) {
  return Seconds(std::max(0.0, std::round(rest.si() * kStepTimesPerSecond)) / kStepTimesPerSecond);
}

/// Memory after every change; what is given back at a moment goes before what is taken.
void add_memory(StageTimeline& out, std::vector<std::pair<StepTime, double>> changes) {
  std::sort(changes.begin(), changes.end());
  double bytes = out.states.si();
  out.peak_memory = out.states;
  out.memory.push_back({Seconds(0), out.states});
  for (const auto& [time, change] : changes) {
    bytes += change;
    const Seconds at = seconds_of(time);
    if (out.memory.back().time == at) {
      out.memory.back().bytes = Bytes(bytes);
    } else {
      out.memory.push_back({at, Bytes(bytes)});
    }
    out.peak_memory = std::max(out.peak_memory, Bytes(bytes));
  }
}

class StagesOf {
 public:
  StagesOf(const StepModel& model, const Execution& run, const Networks& networks)
      : model_(model), run_(run), networks_(networks), total_(seconds_of(run.end)), chains_(model, run) {}

  StageTimeline stage(std::int32_t replica, std::int32_t s, Sums sums) {
    StageTimeline out;
    out.stage = s;
    out.replica_class = replica;
    const auto& outages = model_.failures.outages();
    out.fails = std::any_of(outages.begin(), outages.end(),
                            [&](const StepOutage& o) { return o.stage == s && o.replica == replica; });
    out.replicas = model_.replicas[index(replica)].replicas;
    out.compute = seconds_of(sums.compute);
    out.stopped = seconds_of(model_.failures.gone(s, replica, run_.end));
    add_waiting(out, model_.compute_stream(replica, s), sums.slowed);
    out.compute_share = out.compute / total_;
    out.scale_up_share = share(sums, StepResource::scale_up);
    out.scale_out_share = share(sums, StepResource::scale_out);
    out.wide_area_share = share(sums, StepResource::wide_area);
    if (rate_of(networks_, StepResource::host) > 0) out.host_share = share(sums, StepResource::host);
    out.states = model_.states[index(s)];
    add_memory(out, std::move(sums.memory));
    return out;
  }

 private:
  double share(const Sums& sums, StepResource network) const {
    return sums.bytes[static_cast<std::size_t>(network)] / (rate_of(networks_, network) * total_.si());
  }

  /// A stage's time up to its last operation is its own compute, what transfers beside it slow it by, and
  /// waiting. The chain of what that operation waited for is made of compute, some of it of other stages, and
  /// of transfers: these are exposed, and the rest of the waiting is for other stages' compute. From there to
  /// the end of the step it waits for the chain that ends the step.
  void add_waiting(StageTimeline& out, std::uint32_t stream, const Slowed& slowed) {
    const OperationId own_last = model_.graph.on_stream(stream).back();
    out.exposed = chains_.transfers_until(own_last);
    if (run_.finish[own_last] < run_.end)
      add_exposed(out.exposed, chains_.transfers_to_the_end(run_.finish[own_last]));
    const Seconds waiting = total_ - out.compute - seconds_of(slowed.all()) - out.stopped;
    out.exposed = limited(out.exposed, waiting);
    out.idle = whole_time(waiting - out.exposed.total());
    add_exposed(out.exposed, exposed_of(slowed));
  }

  const StepModel& model_;
  const Execution& run_;
  const Networks& networks_;
  Seconds total_;
  AwaitedChains chains_;
};

}  // namespace

std::vector<StageTimeline> stage_timelines(const StepModel& model, const Execution& run,
                                           const Networks& networks) {
  std::vector<Sums> sums = sums_of(model, run);
  StagesOf stages(model, run, networks);
  std::vector<StageTimeline> out;
  for (std::int32_t r = 0; r < std::ssize(model.replicas); ++r) {
    for (std::int32_t s = 0; s < model.shape.stages; ++s)
      out.push_back(stages.stage(r, s, std::move(sums[out.size()])));
  }
  return out;
}

}  // namespace trainyard
