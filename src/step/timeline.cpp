#include "step/timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/quantity_text.h"
#include "cost/cost.h"
#include "facility/networks.h"
#include "scenario/choices.h"

namespace trainyard {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
double real(std::int64_t count) { return static_cast<double>(count); }

using Works = std::array<StepTime, kStepWorks>;

constexpr std::array kResources = {StepResource::compute, StepResource::scale_up, StepResource::scale_out,
                                   StepResource::wide_area, StepResource::host};

Seconds of(const Works& works, StepWork work) { return seconds_of(works[static_cast<std::size_t>(work)]); }

ExposedTimes exposed(const Works& works) {
  return {of(works, StepWork::tensor), of(works, StepWork::context), of(works, StepWork::pipeline),
          of(works, StepWork::expert), of(works, StepWork::weights), of(works, StepWork::gradient),
          of(works, StepWork::offload)};
}

void add_time(Works& works, StepWork work, StepTime time) { works[static_cast<std::size_t>(work)] += time; }

/// How long a compute stream is at work between two moments.
StepTime computed_within(const StepGraph& graph, const Execution& run, std::uint32_t stream, StepTime from,
                         StepTime until) {
  const auto ops = graph.on_stream(stream);
  auto op =
      std::partition_point(ops.begin(), ops.end(), [&](OperationId id) { return run.finish[id] <= from; });
  StepTime sum = 0;
  for (; op != ops.end() && run.start[*op] < until; ++op)
    sum += std::min(until, run.finish[*op]) - std::max(from, run.start[*op]);
  return sum;
}

template <class F>
void each_exposed(ExposedTimes& a, const ExposedTimes& b, const F& f) {
  f(a.tensor, b.tensor);
  f(a.context, b.context);
  f(a.pipeline, b.pipeline);
  f(a.expert, b.expert);
  f(a.weights, b.weights);
  f(a.gradient, b.gradient);
  f(a.offload, b.offload);
}

class TimelineOf {
 public:
  TimelineOf(const Plan& plan, const StepModel& model, const Execution& run)
      : plan_(plan), model_(model), graph_(model.graph), run_(run), networks_(networks_of(plan.scenario)) {}

  StepTimeline timeline() {
    out_.schedule = schedule_kind(model_.schedule).name;
    out_.steps = model_.steps;
    out_.total = seconds_of(run_.end);
    out_.step = out_.total / real(out_.steps);
    collect();
    add_busy();
    for (std::int32_t r = 0; r < std::ssize(model_.replicas); ++r) {
      for (std::int32_t s = 0; s < model_.shape.stages; ++s) out_.stages.push_back(stage(r, s));
    }
    add_means();
    add_steady();
    add_rates();
    add_counts();
    add_warnings();
    return std::move(out_);
  }

 private:
  /// What is summed over the operations of a stage.
  struct Sums {
    StepTime compute = 0;
    std::array<double, kStepResources> bytes{};
    std::vector<std::pair<StepTime, double>> memory;  // changes
  };

  /// Operations that all replicas share count for each of their classes.
  void collect() {
    sums_.resize(model_.replicas.size() * index(model_.shape.stages));
    for (OperationId id = 0; id < graph_.size(); ++id) {
      const StepStream& stream = graph_.stream_of(id);
      if (stream.replica != kSharedReplica) {
        add(sums(stream.replica, stream.stage), id);
        continue;
      }
      for (std::int32_t r = 0; r < std::ssize(model_.replicas); ++r) add(sums(r, stream.stage), id);
    }
  }

  Sums& sums(std::int32_t replica, std::int32_t stage) {
    return sums_[index(std::int64_t{replica} * model_.shape.stages + stage)];
  }

  void add(Sums& sums, OperationId id) const {
    const StepOperation& op = graph_.operation(id);
    if (is_transfer(op.work)) {
      sums.bytes[static_cast<std::size_t>(graph_.class_of(id).network)] += op.bytes;
    } else {
      sums.compute += op.duration;
    }
    if (op.memory_at_start != 0) sums.memory.emplace_back(run_.start[id], op.memory_at_start);
    if (op.memory_at_end != 0) sums.memory.emplace_back(run_.finish[id], op.memory_at_end);
  }

  StageTimeline stage(std::int32_t replica, std::int32_t s) {
    Sums& sum = sums(replica, s);
    StageTimeline out;
    out.stage = s;
    out.replica_class = replica;
    const auto& outages = model_.failures.outages();
    out.fails = std::any_of(outages.begin(), outages.end(),
                            [&](const StepOutage& o) { return o.stage == s && o.replica == replica; });
    out.replicas = model_.replicas[index(replica)].replicas;
    out.compute = seconds_of(sum.compute);
    out.stopped = seconds_of(model_.failures.gone(s, replica, run_.end));
    add_waiting(out, model_.compute_stream(replica, s));
    out.compute_share = out.compute / out_.total;
    const auto share = [&](StepResource network) {
      return sum.bytes[static_cast<std::size_t>(network)] / (rate(network) * out_.total.si());
    };
    out.scale_up_share = share(StepResource::scale_up);
    out.scale_out_share = share(StepResource::scale_out);
    out.wide_area_share = share(StepResource::wide_area);
    if (rate(StepResource::host) > 0) out.host_share = share(StepResource::host);
    out.states = model_.states[index(s)];
    add_memory(out, std::move(sum.memory));
    return out;
  }

  /// What a device sends at most in a second; of compute, one second; of the host, both ways together.
  double rate(StepResource resource) const {
    switch (resource) {
      case StepResource::compute:
        return 1;
      case StepResource::scale_up:
        return networks_.scale_up.rate.si();
      case StepResource::scale_out:
        return networks_.scale_out.rate.si();
      case StepResource::wide_area:
        return networks_.wide_area.rate.si();
      case StepResource::host:
        return 2 * networks_.host.si();
    }
    return 0;
  }

  static double& of(BusyShares& shares, StepResource resource) {
    switch (resource) {
      case StepResource::compute:
        return shares.compute;
      case StepResource::scale_up:
        return shares.scale_up;
      case StepResource::scale_out:
        return shares.scale_out;
      case StepResource::wide_area:
        return shares.wide_area;
      case StepResource::host:
        break;
    }
    return shares.host;
  }

  /// Each operation spread evenly over the time for which it occupies its stream, every class as many times
  /// as it has replicas.
  void add_busy() {
    constexpr std::size_t kSpans = 240;
    out_.busy_in_time.resize(kSpans);
    double replicas = 0;
    for (const ReplicaClass& c : model_.replicas) replicas += real(c.replicas);
    const double all = replicas * real(model_.shape.stages);
    for (OperationId id = 0; id < graph_.size(); ++id) {
      const StepStream& stream = graph_.stream_of(id);
      const double copies =
          stream.replica == kSharedReplica ? replicas : real(model_.replicas[index(stream.replica)].replicas);
      add_busy(id, copies / all);
    }
    for (BusyShares& span : out_.busy_in_time) {
      for (const StepResource r : kResources) of(out_.busy, r) += of(span, r) / kSpans;
    }
  }

  void add_busy(OperationId id, double devices) {
    const StepOperation& op = graph_.operation(id);
    const bool sends = is_transfer(op.work);
    const StepResource resource = sends ? graph_.class_of(id).network : StepResource::compute;
    const double start = static_cast<double>(run_.start[id]);
    const double end = static_cast<double>(run_.freed[id]);
    if (end <= start) return;
    const double busy = sends ? op.bytes / rate(resource) * kStepTimesPerSecond : end - start;
    const double span = static_cast<double>(run_.end) / static_cast<double>(out_.busy_in_time.size());
    const double in_time = devices * busy / (end - start) / span;
    const auto last = out_.busy_in_time.size() - 1;
    const std::size_t until = std::min(last, static_cast<std::size_t>(end / span));
    for (auto i = std::min(last, static_cast<std::size_t>(start / span)); i <= until; ++i) {
      const double from = static_cast<double>(i) * span;
      const double inside = std::min(end, from + span) - std::max(start, from);
      of(out_.busy_in_time[i], resource) += std::max(0.0, inside) * in_time;
    }
  }

  /// A stage's time up to its last operation is its own compute and waiting. The chain of what that operation
  /// waited for is made of compute, some of it of other stages, and of transfers: these are exposed, and the
  /// rest of the waiting is for other stages' compute. From there to the end of the step it waits for the
  /// chain that ends the step.
  void add_waiting(StageTimeline& out, std::uint32_t stream) const {
    const auto ops = graph_.on_stream(stream);
    const OperationId own_last = ops.back();
    out.exposed = exposed(awaited_work(model_, run_, own_last, 0));
    if (run_.finish[own_last] < run_.end) {
      const ExposedTimes rest = exposed(awaited_work(model_, run_, last(), run_.finish[own_last]));
      each_exposed(out.exposed, rest, [](Seconds& a, Seconds b) { a += b; });
    }
    const Seconds waiting = out_.total - out.compute - out.stopped;
    limit(out.exposed, waiting);
    out.idle = whole_time(waiting - out.exposed.total());
  }

  /// What is left of whole picoseconds is whole, but for the rounding of sums.
  static Seconds whole_time(Seconds rest) {
    return Seconds(std::round(rest.si() * kStepTimesPerSecond) / kStepTimesPerSecond);
  }

  /// A chain over other stages may hold transfers beside which this one computed: no more than its waiting.
  static void limit(ExposedTimes& exposed, Seconds waiting) {
    const Seconds all = exposed.total();
    if (all <= waiting) return;
    const double share = waiting / all;
    each_exposed(exposed, ExposedTimes{}, [share](Seconds& a, Seconds) { a = a * share; });
  }

  /// The operation that ends the step.
  OperationId last() const {
    const auto found = std::find(run_.finish.begin(), run_.finish.end(), run_.end);
    return static_cast<OperationId>(found - run_.finish.begin());
  }

  /// Memory after every change; what is given back at a moment goes before what is taken.
  static void add_memory(StageTimeline& out, std::vector<std::pair<StepTime, double>> changes) {
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

  void add_means() {
    double weight = 0;
    for (const StageTimeline& s : out_.stages) {
      const double n = real(s.replicas);
      weight += n;
      out_.compute += s.compute * n;
      out_.idle += s.idle * n;
      out_.stopped += s.stopped * n;
      each_exposed(out_.exposed, s.exposed, [n](Seconds& a, Seconds b) { a += b * n; });
      out_.peak_memory = std::max(out_.peak_memory, s.peak_memory);
    }
    weight *= real(out_.steps);
    out_.compute = out_.compute / weight;
    out_.idle = out_.idle / weight;
    out_.stopped = out_.stopped / weight;
    each_exposed(out_.exposed, ExposedTimes{}, [weight](Seconds& a, Seconds) { a = a / weight; });
    out_.compute_share = out_.compute / out_.step;
    out_.exposed_share = out_.exposed.total() / out_.step;
    out_.bubble_share = out_.idle / out_.step;
  }

  /// Ends of the backward passes of the first stage in one step: of whole microbatches, v chunks each.
  std::vector<OperationId> backward_ends(std::int32_t replica) const {
    std::vector<OperationId> out;
    const auto ops = graph_.on_stream(model_.compute_stream(replica, 0));
    for (std::size_t i = 0; i < ops.size() / index(model_.steps); ++i) {
      const StepOperation& op = graph_.operation(ops[i]);
      if (op.work == StepWork::backward && op.layer == 0) out.push_back(ops[i]);
    }
    return out;
  }

  /// Of the class of replicas that sets the pace. GPipe's forward and backward passes never alternate.
  void add_steady() {
    if (model_.schedule == PipelineSchedule::gpipe) return;
    for (std::int32_t r = 0; r < std::ssize(model_.replicas); ++r) {
      const std::optional<SteadyPace> pace = steady_pace(r);
      if (pace && (!out_.steady || pace->time > out_.steady->time)) out_.steady = pace;
    }
  }

  /// Between fill and drain things repeat after as many microbatches as there are stages.
  std::optional<SteadyPace> steady_pace(std::int32_t replica) const {
    const std::int64_t p = model_.shape.stages;
    const std::int64_t rounds = model_.shape.microbatches / p;
    constexpr std::int64_t kFewest = 3;
    if (rounds < kFewest) return {};
    const auto ends = backward_ends(replica);
    const std::int64_t chunks = model_.shape.chunks;
    const std::int64_t drain = p + (model_.shape.microbatches % p);
    const std::int64_t measured = (rounds - 2) * p;
    const std::int64_t from = (model_.shape.microbatches - drain - measured) * chunks;
    if (from < 1 || std::ssize(ends) < from + measured * chunks) return {};
    const OperationId first = ends[index(from - 1)];
    const OperationId last = ends[index(from - 1 + measured * chunks)];
    SteadyPace pace;
    pace.microbatches = measured;
    const double n = real(measured);
    pace.time = seconds_of(run_.finish[last] - run_.finish[first]) / n;
    pace.compute = seconds_of(computed_between(first, last)) / n;
    pace.exposed = exposed(awaited_work(model_, run_, last, run_.finish[first]));
    each_exposed(pace.exposed, ExposedTimes{}, [n](Seconds& a, Seconds) { a = a / n; });
    limit(pace.exposed, pace.time - pace.compute);
    pace.idle = pace.time - pace.compute - pace.exposed.total();
    pace.exposed_share = pace.exposed.total() / (pace.compute + pace.exposed.total());
    return pace;
  }

  /// Compute of a stream after one of its operations, up to the end of another.
  StepTime computed_between(OperationId first, OperationId last) const {
    StepTime sum = 0;
    for (const OperationId id : graph_.on_stream(graph_.operation(first).stream)) {
      if (id > first && id <= last) sum += graph_.operation(id).duration;
    }
    return sum;
  }

  void add_rates() {
    const MappingPlan& m = plan_.mapping;
    const Flop useful = plan_.model.sequence_training * m.batch_sequences;
    out_.mfu = useful / (peak_rate(plan_.scenario) * out_.step * real(m.devices_used));
    out_.tokens_per_second = m.batch_tokens / out_.step.si();
  }

  void add_counts() {
    out_.operations = std::ssize(graph_.operations());
    out_.dependencies = static_cast<std::int64_t>(graph_.dependencies());
    out_.streams = std::ssize(graph_.streams());
    out_.layers_per_operation = model_.layers_per_operation;
    out_.gradient_pieces = model_.gradient_pieces;
    out_.devices = plan_.mapping.devices_used;
    out_.classes = std::ssize(out_.stages);
  }

  void add_warnings() {
    out_.warnings = plan_.mapping.warnings;
    warn_of_memory();
    warn_of_share("scale-up", &StageTimeline::scale_up_share);
    warn_of_share("scale-out", &StageTimeline::scale_out_share);
    warn_of_share("wide-area", &StageTimeline::wide_area_share);
  }

  /// The plan fits its own schedule into memory, not every one.
  void warn_of_memory() {
    const auto fullest =
        std::max_element(out_.stages.begin(), out_.stages.end(),
                         [](const auto& a, const auto& b) { return a.peak_memory < b.peak_memory; });
    if (fullest->peak_memory <= plan_.mapping.device_memory) return;
    out_.warnings.push_back(
        fmt::format("stage {} holds {} at once and a device has {}: fewer microbatches, recomputation, or a "
                    "schedule that "
                    "keeps fewer under way",
                    fullest->stage, format_quantity(fullest->peak_memory.si(), Unit::bytes),
                    format_quantity(plan_.mapping.device_memory.si(), Unit::bytes)));
  }

  /// In closed form transfers beside each other each have the whole rate.
  void warn_of_share(const char* network, double StageTimeline::*share) {
    constexpr double kRounding = 1e-9;
    const auto busiest =
        std::max_element(out_.stages.begin(), out_.stages.end(),
                         [share](const auto& a, const auto& b) { return a.*share < b.*share; });
    if ((*busiest).*share <= 1 + kRounding) return;
    out_.warnings.push_back(
        fmt::format("stage {} sends {} of what its {} link carries in the step: transfers at the same time "
                    "do not slow each "
                    "other down here; --network flow shares links out",
                    busiest->stage, format_quantity((*busiest).*share, Unit::fraction), network));
  }

  const Plan& plan_;
  const StepModel& model_;
  const StepGraph& graph_;
  const Execution& run_;
  Networks networks_;
  std::vector<Sums> sums_;
  StepTimeline out_;
};

StepFailureFacts facts_of(const StepFailureInput& failure, const MappingPlan& mapping) {
  const FailedPlaces places = failed_places(failure, mapping);
  return {.what = std::string(choice_name(failure.what)),
          .lost = failure.lost.value_or(1),
          .stage = places.stage,
          .stages = places.end_stage - places.stage,
          .replicas = places.end_replica - places.replica,
          .from = failure.from,
          .until = failure.until};
}

/// What was asked for and has no effect on this step.
std::vector<std::string> settings_without_effect(const StepModel& model, const Plan& plan) {
  const StepInput& step = plan.scenario.step;
  std::vector<std::string> out;
  const auto check = [&](const char* key, bool has_effect, const char* why) {
    if (step.places.contains(key) && !has_effect)
      out.push_back(fmt::format("step.{} has no effect: {}", key, why));
  };
  check("replicas", step.jitter > 0 || step.replicas == 1, "replicas are told apart by step.jitter");
  check("seed", step.jitter > 0, "there is no step.jitter");
  check("tensor_overlap", plan.mapping.tensor > 1 || step.tensor_overlap.value_or(0) == 0,
        "there is no tensor parallelism");
  check("prefetch", plan.scenario.mapping.zero_stage == 3,
        "weights are gathered under mapping.zero_stage = 3");
  check("gradient_bucket", model.gradient_pieces > 0, "gradients do not leave in pieces");
  return out;
}

/// Executes a step's graph with its failures.
void run(StepSimulation& step, const Plan& plan, const TransferModelMaker& network) {
  const auto transfers = network(step.model, plan);
  step.execution = execute(step.model.graph, *transfers, step.model.failures);
  step.timeline = TimelineOf(plan, step.model, step.execution).timeline();
  step.timeline.note = transfers->note();
}

/// The same graph without its failures; they stay what they are.
StepFailureCost without_failures(StepSimulation& step, const Plan& plan, const TransferModelMaker& network) {
  StepFailures failures = std::exchange(step.model.failures, {});
  run(step, plan, network);
  step.model.failures = std::move(failures);
  const StepTimeline& t = step.timeline;
  StepFailureCost out{{}, t.step, t.compute, t.exposed, t.idle};
  for (const StepFailureInput& f : plan.scenario.step_failures)
    out.failures.push_back(facts_of(f, plan.mapping));
  return out;
}

}  // namespace

std::array<StepTime, kStepWorks> awaited_work(const StepModel& model, const Execution& execution,
                                              OperationId to, StepTime from) {
  const StepGraph& graph = model.graph;
  Works out{};
  StepTime until = execution.finish[to];
  std::int32_t replica = 0;
  for (OperationId id = to; id != kNoOperation && until > from; id = execution.waited_for[id]) {
    const StepTime start = std::max(from, execution.start[id]);
    const StepStream& stream = graph.stream_of(id);
    StepTime hidden = 0;
    if (stream.replica != kSharedReplica) replica = stream.replica;
    const StepWork work = graph.operation(id).work;
    if (is_transfer(work) && work != StepWork::pipeline)
      hidden = computed_within(graph, execution, model.compute_stream(replica, stream.stage), start, until);
    if (is_transfer(work)) hidden = std::max(hidden, model.failures.gone(graph, id, start, until));
    add_time(out, StepWork::forward, hidden);
    add_time(out, work, until - start - hidden);
    until = execution.start[id];
  }
  return out;
}

TransferModelMaker analytic_network() {
  return [](const StepModel& model, const Plan& plan) {
    return analytic_transfers(model.graph, networks_of(plan.scenario), model.failures);
  };
}

StepSimulation simulate_step(const Plan& plan, const TransferModelMaker& network) {
  StepSimulation out;
  out.model = build_step(plan);
  std::optional<StepFailureCost> cost;
  if (!out.model.failures.none()) cost = without_failures(out, plan, network);
  run(out, plan, network);
  out.timeline.failure_cost = std::move(cost);
  for (std::string& warning : settings_without_effect(out.model, plan))
    out.timeline.warnings.push_back(std::move(warning));
  return out;
}

}  // namespace trainyard
