#include "step/build_step.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/errors.h"
#include "cost/calibrated_compute.h"
#include "cost/exchange_times.h"
#include "facility/networks.h"
#include "parallel/parallel.h"
#include "scenario/choices.h"
#include "scenario/scenario.h"
#include "step/jitter.h"

namespace trainyard {
namespace {

/// Above the first, layers of a chunk are taken together; above the second, the step is refused.
constexpr double kManyOperations = 2e6;
constexpr double kMostOperations = 2e7;

/// Pieces of a layer that go through the stages of the exchange one behind the other, where the scenario does
/// not say how large they are.
constexpr double kPiecesOfLayer = 8;

/// Of the head's work: one forward pass, and two of the same size backward.
constexpr double kHeadPart = 1.0 / 3;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
double real(std::int64_t count) { return static_cast<double>(count); }

/// Where a setting of [step] stands; for one that is left out, and so follows from others, the whole
/// scenario.
Location place(const Scenario& scenario, const std::string& key) {
  const auto found = scenario.step.places.find(key);
  return found == scenario.step.places.end() ? whole(scenario.source_name) : found->second;
}

/// "scale-up"
std::string spoken(StepResource network) {
  std::string name(step_resource_name(network));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

PipelineSchedule chosen_schedule(const Scenario& scenario, const MappingPlan& m) {
  const PipelineSchedule usual =
      m.virtual_stages > 1 ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b;
  return scenario.step.schedule.value_or(usual);
}

ScheduleShape checked_shape(const Scenario& scenario, const MappingPlan& m, PipelineSchedule schedule) {
  constexpr double kMostPasses = 1e8;
  if (real(m.pipeline) * real(m.microbatches) * real(m.virtual_stages) > kMostPasses) {
    fail_input(place(scenario, "schedule"),
               fmt::format("{} microbatches on {} stages are more than a step's simulation takes",
                           m.microbatches, m.pipeline),
               "give fewer: mapping.microbatches or training.batch_tokens");
  }
  const ScheduleShape shape{static_cast<std::int32_t>(m.pipeline), static_cast<std::int32_t>(m.microbatches),
                            static_cast<std::int32_t>(m.virtual_stages)};
  const std::string refusal = schedule_kind(schedule).refusal(shape);
  if (!refusal.empty()) {
    fail_input(place(scenario, "schedule"),
               fmt::format("the schedule {} {}", schedule_kind(schedule).name, refusal),
               "change step.schedule, mapping.microbatches, mapping.pipeline or mapping.virtual_stages");
  }
  return shape;
}

/// What all stages of a step share.
struct Settings {
  PipelineSchedule schedule;
  GradientOverlap overlap;
  ExchangeEvery every;
  double tensor_overlap;
  std::int64_t prefetch;
  bool offload;
  bool gather_after_optimizer;  // ZeRO 1 and 2: the exchange's all-gathers carry updated weights
  bool embedding_exchange;
  bool gradient_norm;
  bool next_waits;  // the next microbatch's passes wait for an exchange of every microbatch
  bool gathers_ahead = false;
  bool shares_gathers = false;  // ZeRO 3: gathers and scatters take turns on one communicator
  std::int64_t layers_per_operation = 1;
};

using Operations = std::vector<OperationId>;

/// Builds the graph stage by stage; within a stage, replica by replica.
class StepBuilder {
 public:
  StepBuilder(const Plan& plan, const LayerPass& costs)
      : plan_(plan),
        m_(plan.mapping),
        costs_(costs),
        jitter_(plan.scenario.step.jitter, static_cast<std::uint64_t>(plan.scenario.step.seed),
                plan.mapping.tensor * plan.mapping.context) {
    const Scenario& scenario = plan.scenario;
    const StepInput& step = scenario.step;
    const bool steady = scenario.assumptions.step_rule == StepRule::steady_state;
    set_.schedule = chosen_schedule(scenario, m_);
    const bool measured = calibration_in_force(scenario) != nullptr;
    const Software software = software_of(scenario);
    buffers_ = software.buffers;
    const bool beside = !measured || software.hides_gradients || scenario.mapping.zero_stage == 3;
    set_.overlap = step.gradient_overlap.value_or(steady   ? GradientOverlap::beside_pass
                                                  : beside ? GradientOverlap::bucketed
                                                           : GradientOverlap::after_batch);
    const bool often = measured && scenario.mapping.zero_stage == 3 && software.repeated_gathers;
    set_.every =
        step.exchange_every.value_or(steady || often ? ExchangeEvery::microbatch : ExchangeEvery::batch);
    set_.next_waits = !often;
    set_.shares_gathers = measured && costs.weight_gather && scenario.step.replicas == 1;
    set_.tensor_overlap = step.tensor_overlap.value_or(1 - plan.communication.tensor_exposed);
    set_.prefetch = step.prefetch;
    set_.offload = scenario.mapping.offload_activations;
    if (set_.overlap == GradientOverlap::after_batch && set_.every == ExchangeEvery::microbatch) {
      fail_input(place(scenario, "gradient_overlap"), "after_batch exchanges gradients once a batch",
                 "step.exchange_every = \"batch\", or another gradient_overlap");
    }
    const std::int64_t zero = scenario.mapping.zero_stage;
    set_.gather_after_optimizer = (zero == 1 || zero == 2) && set_.every == ExchangeEvery::batch &&
                                  set_.overlap != GradientOverlap::beside_pass;
    if (set_.gather_after_optimizer) split_ring();
    set_.gathers_ahead = set_.gather_after_optimizer && costs.gathers_ahead && step.steps == 1;
    set_.embedding_exchange = step.embedding_exchange.value_or(costs.embedding.has_value());
    if (set_.embedding_exchange && !costs.embedding) {
      fail_input(
          place(plan_.scenario, "embedding_exchange"), "no embedding of this plan stands on two stages",
          "it does with mapping.pipeline above 1, assumptions.embedding_placement = \"ends\" and a model "
          "with tied_embeddings");
    }
    set_.gradient_norm = step.gradient_norm.value_or(!steady) && costs.gradient_norm;
    out_.schedule = set_.schedule;
    out_.shape = checked_shape(scenario, m_, set_.schedule);
    out_.replicas = replica_classes(scenario, m_);
    out_.failures = step_failures(scenario, m_, out_.replicas, networks_of(scenario));
    out_.steps = static_cast<std::int32_t>(step.steps);
    choose_granularity();
    out_.order = schedule_kind(set_.schedule).order(out_.shape);
  }

  StepModel build() {
    add_streams();
    add_classes();
    for (std::int32_t s = 0; s < out_.shape.stages; ++s) out_.states.push_back(states(s));
    for (std::int32_t step = 0; step < out_.steps; ++step) add_step();
    out_.graph.seal();
    check_step_failures(out_.graph, out_.failures, plan_.scenario.step_failures);
    return std::move(out_);
  }

 private:
  /// Streams and state of a stage of a replica class, kept from step to step.
  struct Lane {
    std::uint32_t compute = 0;
    std::uint32_t tensor = 0;
    std::uint32_t context = 0;
    std::uint32_t expert = 0;
    std::uint32_t forward = 0;   // to the next stage
    std::uint32_t backward = 0;  // to the one before
    std::uint32_t weights = 0;
    std::uint32_t to_host = 0;
    std::uint32_t from_host = 0;
    OperationId last = kNoOperation;                   // on the compute stream
    Operations blocking;                               // what its next operation waits for besides
    Operations layer_ends;                             // of passes through layers, in order
    Operations pass_ends;                              // of the step's passes, in order
    std::map<std::int32_t, Operations> weights_ready;  // by depth: what its next forward pass waits for
    std::map<std::int64_t, OperationId> on_host;       // by microbatch and depth
    Operations sends;                                  // to the host, in order
  };

  /// One exchange of gradients, which all replicas share.
  struct Exchange {
    std::int32_t depth = -1;  // of its chunk; -1: of all chunks of the stage
    Operations first;         // of each piece
    Operations reduced;       // what the optimizer waits for
    Operations gathering;     // what waits for the optimizer
    Operations last;
  };

  /// An optimizer, and what its device's gradients are ready after.
  struct Update {
    OperationId optimizer = kNoOperation;
    std::int32_t stage = 0;
    Operations gradients;
  };

  /// Compute of some layers of a pass.
  struct LayerCompute {
    StepWork work;
    Seconds time;
    Seconds attention;
    std::optional<PassTransfer> context;  // beside the attention
    std::uint16_t context_class;
  };

  /// A chunk pass while its layers are added.
  struct Pass {
    ChunkPass what;
    std::int64_t position = 0;  // in the stage's order
    std::int64_t layers = 0;
    std::int64_t done = 0;
    bool complete = false;
    bool exchanges = false;
    Operations ready;  // what its next operation waits for
    OperationId last = kNoOperation;
    double gathered = 0;  // layers whose gradients wait for their bucket to fill
  };

  // ---- what the graph is made of

  /// Layers of a chunk.
  std::int64_t layers_of(std::int32_t depth) const {
    const std::int64_t stage = depth % out_.shape.stages;
    const std::int64_t chunk = depth / out_.shape.stages;
    const std::int64_t held = stage_layers(plan_.model.shape.layers, m_.pipeline, stage);
    const std::int64_t chunks = out_.shape.chunks;
    return held / chunks + (chunk < held % chunks ? 1 : 0);
  }

  bool is_last_depth(std::int32_t depth) const { return depth == out_.shape.stages * out_.shape.chunks - 1; }

  double pieces_of_layer() const {
    if (costs_.exchange.empty()) return 0;
    const auto bucket = plan_.scenario.step.gradient_bucket;
    return bucket ? layer_gradients() / *bucket : kPiecesOfLayer;
  }

  /// Gradients of a layer that a device brings into the exchange.
  Bytes layer_gradients() const {
    Bytes most{0};
    for (const GradientStage& stage : plan_.communication.gradient.stages) most = std::max(most, stage.bytes);
    return most;
  }

  /// Operations of the graph, about.
  double expected_operations(std::int64_t layers_per_operation) const {
    const double passes = real(out_.shape.stages) * real(out_.shape.microbatches) * real(out_.shape.chunks);
    const bool split = set_.schedule == PipelineSchedule::zb_h1;
    const double groups =
        std::ceil(real(m_.layers_per_stage) / real(out_.shape.chunks) / real(layers_per_operation));
    const double context = costs_.context_forward ? 4 : 0;
    const double gather = costs_.weight_gather ? 2 : 0;
    const double recompute = costs_.usual.recompute.si() > 0 ? 1 : 0;
    const double overlapped = set_.tensor_overlap > 0 ? 2 : 0;
    const double of_group = 2 + (split ? 1 : 0) + real(std::ssize(costs_.after_forward)) +
                            real(std::ssize(costs_.after_backward)) + context + gather + recompute +
                            overlapped;
    const double of_pass = groups * of_group + 2 + (set_.offload ? 2 : 0);
    const bool often = set_.every == ExchangeEvery::microbatch;
    const double exchanges = (often ? passes : real(out_.shape.stages) * real(out_.shape.chunks)) * groups;
    const double pieces = set_.overlap == GradientOverlap::beside_pass
                              ? 1
                              : std::max(1.0, pieces_of_layer() * real(layers_per_operation));
    const double exchange = exchanges * pieces * real(std::ssize(costs_.exchange));
    return (passes * of_pass * real(std::ssize(out_.replicas)) + exchange) * real(out_.steps);
  }

  void choose_granularity() {
    const std::int64_t most = std::max<std::int64_t>(1, m_.layers_per_stage / out_.shape.chunks);
    std::int64_t layers = 1;
    while (layers < most && expected_operations(layers) > kManyOperations) ++layers;
    set_.layers_per_operation = out_.layers_per_operation = layers;
    const double expected = expected_operations(layers);
    if (expected <= kMostOperations) return;
    fail_input(whole(plan_.scenario.source_name),
               fmt::format("a step of some {:.2g} operations is more than is simulated ({:.2g})", expected,
                           kMostOperations),
               "fewer microbatches, replicas or steps, or a larger step.gradient_bucket");
  }

  /// A stage on both ways through the model holds a chunk of each.
  Bytes states(std::int32_t stage) const {
    const auto of = [&](std::int32_t s) {
      const MemoryTerms terms = stage_memory(m_, plan_.scenario, plan_.model, s);
      return terms.model_states() + terms.buffers;
    };
    return both_ways() ? of(stage) + of(out_.shape.stages - 1 - stage) : of(stage);
  }

  bool both_ways() const { return out_.order.second_direction > 0; }

  void add_streams() {
    for (std::int32_t r = 0; r < std::ssize(out_.replicas); ++r) {
      for (std::int32_t s = 0; s < out_.shape.stages; ++s) lanes_.push_back(lane(r, s));
    }
    for (const Lane& l : lanes_) out_.compute_streams.push_back(l.compute);
    for (std::int32_t s = 0; s < out_.shape.stages; ++s) {
      for (std::size_t i = 0; i < costs_.exchange.size(); ++i) {
        exchange_streams_.push_back(exchange_stream(s, i));
      }
    }
    const auto shared = [&](const PassTransfer& t, std::int32_t stage) {
      return out_.graph.add_stream({t.name, t.network, stage, kSharedReplica, StreamOrder::program});
    };
    if (set_.embedding_exchange) {
      for (const std::int32_t s : {0, out_.shape.stages - 1})
        embedding_streams_.push_back(shared(*costs_.embedding, s));
    }
    if (set_.gradient_norm) norm_stream_ = shared(*costs_.gradient_norm, 0);
  }

  Lane lane(std::int32_t replica, std::int32_t stage) {
    const auto add = [&](const char* name, StepResource resource) {
      return out_.graph.add_stream({name, resource, stage, replica, StreamOrder::program});
    };
    Lane l;
    l.compute = add("compute", StepResource::compute);
    if (m_.tensor > 1) l.tensor = add("tensor", StepResource::scale_up);
    if (costs_.context_forward) l.context = add("context", costs_.context_forward->network);
    for (const PassTransfer& t : costs_.after_backward) {
      if (t.work == StepWork::context) l.context = add("context", t.network);
      if (t.work == StepWork::expert) l.expert = add("expert", t.network);
    }
    if (out_.shape.stages > 1) {
      l.forward = add("send forward", pipeline_transfer(stage, stage + 1).network);
      l.backward = add("send backward", pipeline_transfer(stage - 1, stage).network);
    }
    if (costs_.weight_gather) {
      const StreamOrder order = set_.shares_gathers ? StreamOrder::ready : StreamOrder::program;
      l.weights = out_.graph.add_stream({"weights", costs_.weight_gather->network, stage, replica, order});
    }
    if (set_.offload) {
      l.to_host = add("to host", StepResource::host);
      l.from_host = add("from host", StepResource::host);
    }
    return l;
  }

  /// A stream for each stage of the exchange, or one for all on the same network.
  std::uint32_t exchange_stream(std::int32_t stage, std::size_t i) {
    const PassTransfer& transfer = costs_.exchange[i];
    if (set_.shares_gathers) return lanes_[index(stage)].weights;
    if (costs_.exchange_shares_networks) {
      for (std::size_t j = 0; j < i; ++j) {
        if (costs_.exchange[j].network == transfer.network)
          return exchange_streams_[index(stage) * costs_.exchange.size() + j];
      }
    }
    return out_.graph.add_stream({costs_.exchange_shares_networks
                                      ? "gradients, " + spoken(transfer.network)
                                      : fmt::format("gradients {}: {}", i + 1, transfer.name),
                                  transfer.network, stage, kSharedReplica, StreamOrder::ready});
  }

  /// Stages of an HB domain are next to each other where it holds consecutive layers.
  const PassTransfer& pipeline_transfer(std::int32_t from, std::int32_t to) const {
    const bool consecutive = m_.placement == Placement::consecutive_layers;
    const bool wraps = from < 0 || to >= m_.pipeline;
    const bool same = consecutive && (m_.groups_per_domain >= m_.pipeline ||
                                      (!wraps && from / m_.groups_per_domain == to / m_.groups_per_domain));
    return same ? costs_.to_next_stage : costs_.to_next_domain;
  }

  void add_classes() {
    const auto add = [&](const PassTransfer& t) {
      return out_.graph.add_class(
          {t.name, t.work, t.network, t.ranks, t.rate_share, t.rounds, t.passes, t.delay});
    };
    // An operation of several layers waits for all of their delays.
    const auto layers = real(set_.layers_per_operation);
    const auto beside = [this](const PassTransfer& t) {
      return t.work == StepWork::tensor ? set_.tensor_overlap : 0;
    };
    for (const PassTransfer& t : costs_.after_forward) {
      after_forward_.push_back(add(delayed(t, layers * (1 - beside(t)))));
      beside_forward_.push_back(add(delayed(t, layers * beside(t))));
    }
    for (const PassTransfer& t : costs_.after_backward) {
      after_backward_.push_back(add(delayed(t, layers * (1 - beside(t)))));
      beside_backward_.push_back(add(delayed(t, layers * beside(t))));
    }
    if (costs_.context_forward) context_[0] = add(delayed(*costs_.context_forward, layers));
    if (costs_.context_backward) context_[1] = add(delayed(*costs_.context_backward, layers));
    if (costs_.weight_gather) weight_gather_ = add(*costs_.weight_gather);
    for (const PassTransfer& t : costs_.exchange) exchange_.push_back(add(t));
    to_next_stage_ = add(costs_.to_next_stage);
    to_next_domain_ = add(costs_.to_next_domain);
    if (set_.embedding_exchange) embedding_ = add(*costs_.embedding);
    if (set_.gradient_norm) gradient_norm_ = add(*costs_.gradient_norm);
    if (costs_.stall.si() > 0) {
      PassTransfer stall{StepWork::pipeline, "interleaving", StepResource::scale_out, 2, Bytes(0), 1, 0};
      stall.delay = costs_.stall;
      stall_ = add(stall);
    }
    if (set_.offload)
      offload_ = out_.graph.add_class({"offload", StepWork::offload, StepResource::host, 1, 1, 0, 1});
  }

  static PassTransfer delayed(PassTransfer t, double times) {
    t.rounds *= times;
    return t;
  }

  // ---- one step

  void add_step() {
    const std::size_t chunks = index(std::int64_t{out_.shape.microbatches} * out_.order.depths);
    arrives_[0].assign(out_.replicas.size() * chunks, kNoOperation);
    arrives_[1] = arrives_[0];
    awaits_.clear();
    updates_.clear();
    for (std::int32_t s = 0; s < out_.shape.stages; ++s) {
      exchanges_.clear();
      for (std::int32_t r = 0; r < std::ssize(out_.replicas); ++r) add_stage(r, s);
      add_optimizers(s);
    }
    for (const Awaited& a : awaits_) {
      const OperationId arrival = arrives_[a.direction][a.chunk];
      TY_ASSERT(arrival != kNoOperation, "a schedule passes every chunk");
      out_.graph.depend(a.by, arrival);
    }
    const Operations sums = set_.embedding_exchange ? add_embedding_exchange() : Operations{};
    if (set_.gradient_norm) add_gradient_norm(sums);
  }

  void add_stage(std::int32_t replica, std::int32_t stage) {
    replica_ = replica;
    stage_ = stage;
    lane_ = &lanes_[index(replica * out_.shape.stages + stage)];
    lane_->pass_ends.clear();
    next_exchange_ = 0;
    if (set_.gathers_ahead && replica == 0) add_gathers_ahead();
    add_stall();
    const auto& order = out_.order.stages[index(stage)];
    note_positions(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      Pass pass = begin(order[i], static_cast<std::int64_t>(i));
      if (!order[i].with_next) {
        while (!pass.complete) add_layers(pass);
        end(pass);
        continue;
      }
      ++i;
      Pass other = begin(order[i], static_cast<std::int64_t>(i));
      while (!pass.complete || !other.complete) {
        if (!pass.complete) add_layers(pass);
        if (!other.complete) add_layers(other);
      }
      end(pass);
      end(other);
    }
  }

  static std::int64_t chunk_key(std::int32_t microbatch, std::int32_t depth, std::int32_t depths) {
    return std::int64_t{microbatch} * depths + depth;
  }
  std::int64_t key(const ChunkPass& p) const { return chunk_key(p.microbatch, p.depth, out_.order.depths); }

  /// Where each chunk's backward pass stands, and which pass is the last to make a chunk's gradients.
  void note_positions(const std::vector<ChunkPass>& order) {
    backward_at_.clear();
    last_gradient_.clear();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const ChunkWork work = order[i].work;
      if (set_.offload && (work == ChunkWork::backward || work == ChunkWork::backward_input))
        backward_at_[key(order[i])] = at;
      if (work == ChunkWork::backward || work == ChunkWork::backward_weight)
        last_gradient_[order[i].depth] = at;
    }
  }

  Pass begin(const ChunkPass& what, std::int64_t position) {
    Pass pass;
    pass.what = what;
    pass.position = position;
    pass.layers = layers_of(what.depth);
    pass.ready = std::exchange(lane_->blocking, {});
    if (what.with_next) lane_->blocking = pass.ready;
    if (what.work == ChunkWork::forward) {
      for (const OperationId id : std::exchange(lane_->weights_ready[what.depth], {}))
        pass.ready.push_back(id);
    }
    pass.exchanges = !costs_.exchange.empty() && makes_gradients(what) &&
                     (set_.every == ExchangeEvery::microbatch || last_gradient_[what.depth] == position);
    if (is_backward(what)) {
      bring_back(pass);
      if (is_last_depth(what.depth)) add_head(pass);
    }
    // Two passes' activations fit: the next one waits until the first of them has left.
    constexpr std::ptrdiff_t kKept = 2;
    if (what.work == ChunkWork::forward && std::ssize(lane_->sends) >= kKept)
      pass.ready.push_back(lane_->sends[lane_->sends.size() - kKept]);
    if (what.work == ChunkWork::forward && what.depth == 0 && !is_last_depth(0)) add_head(pass);
    return pass;
  }

  static bool makes_gradients(const ChunkPass& p) {
    return p.work == ChunkWork::backward || p.work == ChunkWork::backward_weight;
  }
  static bool is_backward(const ChunkPass& p) {
    return p.work == ChunkWork::backward || p.work == ChunkWork::backward_input;
  }

  static StepWork work_of(ChunkWork work) {
    if (work == ChunkWork::forward) return StepWork::forward;
    return work == ChunkWork::backward_weight ? StepWork::backward_weight : StepWork::backward;
  }

  /// The next layers of a pass, as one operation of compute and its transfers. A chunk without layers, of a
  /// stage that holds fewer than the others, only passes on what arrives.
  void add_layers(Pass& pass) {
    if (pass.layers == 0) {
      simple(pass, work_of(pass.what.work), Seconds(0), 0);
      pass.complete = true;
      return;
    }
    const std::int64_t done = pass.done;
    const std::int64_t layers = std::min(set_.layers_per_operation, pass.layers - done);
    pass.done += layers;
    pass.complete = pass.done == pass.layers;
    const bool forward = pass.what.work == ChunkWork::forward;
    const std::int64_t first = forward ? done : pass.layers - done - layers;
    const double n = real(layers);
    const PassTimes t = times_of(pass, first, layers);
    const bool gathers = add_gather(pass, n);
    if (forward) await_weights(pass, first);
    const Seconds first_head = done == 0 ? costs_.ends.each / out_.shape.chunks : Seconds(0);
    switch (pass.what.work) {
      case ChunkWork::forward: {
        const Seconds slowed = gathers ? costs_.contention_forward * n : Seconds(0);
        compute(pass,
                {StepWork::forward, t.forward + slowed + first_head * kHeadPart, t.attention_forward,
                 costs_.context_forward, context_[0]},
                n, first);
        break;
      }
      case ChunkWork::backward:
      case ChunkWork::backward_input: {
        const Seconds slowed = gathers ? costs_.contention_backward * n : Seconds(0);
        if (t.recompute.si() > 0) simple(pass, StepWork::recompute, t.recompute, first);
        const Seconds weights = pass.what.work == ChunkWork::backward ? t.backward_weight : Seconds(0);
        compute(pass,
                {StepWork::backward, t.backward_input + weights + slowed + first_head * backward_head(pass),
                 std::min(t.attention_forward * 2, t.backward_input), costs_.context_backward, context_[1]},
                n, first);
        break;
      }
      case ChunkWork::backward_weight:
        compute(pass,
                {StepWork::backward_weight, t.backward_weight + first_head * kHeadPart, Seconds(0),
                 std::nullopt, 0},
                n, first);
        break;
    }
    if (done == 0) hold_activations(pass);
    const double dense = real(dense_layers_in(pass, first, layers));
    if (pass.exchanges) exchange_layers(pass, n + dense * (costs_.dense_exchange - 1), pass.complete);
    if (pass.what.work != ChunkWork::backward_weight)
      add_transfers(pass, n, dense_layers_in(pass, first, layers));
    lane_->layer_ends.push_back(lane_->last);
  }

  /// Layers without experts come first on the way through the model.
  std::int64_t dense_layers_in(const Pass& pass, std::int64_t first, std::int64_t layers) const {
    if (plan_.model.dense_operators.empty()) return 0;
    std::int64_t before = first;
    const std::int32_t way = pass.what.depth % (out_.shape.stages * out_.shape.chunks);
    for (std::int32_t d = 0; d < way; ++d) before += layers_of(d);
    return std::clamp<std::int64_t>(plan_.model.shape.dense_layers - before, 0, layers);
  }

  /// Of so many layers of a pass, from its `first` on.
  PassTimes times_of(const Pass& pass, std::int64_t first, std::int64_t layers) const {
    const double dense = real(dense_layers_in(pass, first, layers));
    const double usual = real(layers) - dense;
    const auto sum = [&](auto member) { return costs_.usual.*member * usual + costs_.dense.*member * dense; };
    return {sum(&PassTimes::forward), sum(&PassTimes::attention_forward), sum(&PassTimes::recompute),
            sum(&PassTimes::backward_input), sum(&PassTimes::backward_weight)};
  }

  static double backward_head(const Pass& pass) {
    return pass.what.work == ChunkWork::backward ? 2 * kHeadPart : kHeadPart;
  }

  /// Output matrix and loss behind the last layer, the embedding before the first.
  void add_head(Pass& pass) {
    const Seconds time = is_last_depth(pass.what.depth) ? costs_.ends.last : costs_.ends.first;
    if (time.si() <= 0) return;
    const double part = is_backward(pass.what) ? backward_head(pass) : kHeadPart;
    simple(pass, StepWork::head, time * part, -1);
  }

  // ---- operations

  StepOperation operation(const Pass& pass, std::uint32_t stream, StepWork work, std::int64_t layer) const {
    StepOperation op;
    op.stream = stream;
    op.work = work;
    op.microbatch = pass.what.microbatch;
    op.depth = pass.what.depth;
    op.layer = static_cast<std::int32_t>(layer);
    return op;
  }

  OperationId add(const StepOperation& op, const Operations& after) {
    const OperationId id = out_.graph.add(op);
    for (const OperationId earlier : after) out_.graph.depend(id, earlier);
    return id;
  }

  /// Compute that the pass goes on after.
  OperationId simple(Pass& pass, StepWork work, Seconds time, std::int64_t layer) {
    StepOperation op = operation(pass, lane_->compute, work, layer);
    op.duration = step_time(time * slowdown());
    const OperationId id = add(op, pass.ready);
    if (pass.last == kNoOperation) await_input(pass.what, id);
    lane_->last = pass.last = id;
    pass.ready = {id};
    return id;
  }

  double slowdown() {
    const ReplicaClass& replica = out_.replicas[index(replica_)];
    double factor = jitter_.slowest(static_cast<std::uint64_t>(out_.graph.size()));
    if (replica.straggler < 0) return factor;
    const StragglerInput& s = plan_.scenario.stragglers[index(replica.straggler)];
    return s.stage == stage_ ? factor * s.slowdown : factor;
  }

  /// What the first operation of a pass waits for from another stage.
  void await_input(const ChunkPass& what, OperationId id) {
    const bool forward = what.work == ChunkWork::forward;
    if (forward ? what.depth > 0 : is_backward(what) && !is_last_depth(what.depth))
      awaits_.push_back({id, forward ? 0U : 1U, chunk(what.microbatch, what.depth)});
  }

  std::size_t chunk(std::int32_t microbatch, std::int32_t depth) const {
    return index((std::int64_t{replica_} * out_.shape.microbatches + microbatch) * out_.order.depths + depth);
  }

  /// Compute of layers, with what runs beside it: context-parallel transfers beside the attention, the
  /// overlapped share of tensor-parallel ones, and the gradient exchange where it stands beside the pass.
  void compute(Pass& pass, const LayerCompute& c, double n, std::int64_t layer) {
    const auto& [work, time, attention, context, context_class] = c;
    Operations with = pass.ready;
    if (lane_->last != kNoOperation) with.push_back(lane_->last);
    const bool begins = pass.last == kNoOperation;
    Operations beside;
    const auto start_beside = [&](StepOperation op) {
      const OperationId id = add(op, with);
      if (begins) await_input(pass.what, id);
      beside.push_back(id);
    };
    if (context) {
      start_beside(transfer(pass, lane_->context, context_class, context->bytes * n, layer));
      simple(pass, work, attention, layer);
      pass.ready.insert(pass.ready.end(), beside.begin(), beside.end());
      beside.clear();
      simple(pass, work, time - attention, layer);
    }
    const bool forward = work == StepWork::forward;
    const auto& transfers = forward ? costs_.after_forward : costs_.after_backward;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const bool overlaps = transfers[i].work == StepWork::tensor && set_.tensor_overlap > 0;
      if (!overlaps || work == StepWork::backward_weight) continue;
      start_beside(transfer(pass, lane_->tensor, forward ? beside_forward_[i] : beside_backward_[i],
                            transfers[i].bytes * (n * set_.tensor_overlap), layer));
    }
    if (pass.exchanges && set_.overlap == GradientOverlap::beside_pass)
      exchange_beside(pass, with, begins, n, beside);
    if (!context) simple(pass, work, time, layer);
    pass.ready.insert(pass.ready.end(), beside.begin(), beside.end());
  }

  StepOperation transfer(const Pass& pass, std::uint32_t stream, std::uint16_t transfer_class, Bytes bytes,
                         std::int64_t layer) const {
    StepOperation op = operation(pass, stream, out_.graph.classes()[transfer_class].work, layer);
    op.transfer = transfer_class;
    op.bytes = bytes.si();
    return op;
  }

  /// Transfers that the next layer waits for, one after another.
  void add_transfers(Pass& pass, double n, std::int64_t dense) {
    const bool forward = pass.what.work == ChunkWork::forward;
    const auto& transfers = forward ? costs_.after_forward : costs_.after_backward;
    const auto& classes = forward ? after_forward_ : after_backward_;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const bool tensor = transfers[i].work == StepWork::tensor;
      const double share = tensor ? 1 - set_.tensor_overlap : 1;
      if (share <= 0) continue;
      const bool expert = transfers[i].work == StepWork::expert;
      const double count = expert ? n - real(dense) : n;
      if (count <= 0) continue;
      const std::uint32_t stream = tensor ? lane_->tensor : expert ? lane_->expert : lane_->context;
      const StepOperation op = transfer(pass, stream, classes[i], transfers[i].bytes * (count * share), -1);
      pass.ready = {add(op, pass.ready)};
    }
  }

  /// ZeRO 3: weights of the next layers, some passes ahead. Whether they are gathered.
  bool add_gather(Pass& pass, double n) {
    if (!costs_.weight_gather || pass.what.work == ChunkWork::backward_weight) return false;
    if (costs_.gathers_once && pass.what.microbatch > 0) return false;
    Operations after;
    const auto ahead = static_cast<std::ptrdiff_t>(set_.prefetch) + 1;
    const std::ptrdiff_t done = std::ssize(lane_->layer_ends);
    if (done >= ahead) after.push_back(lane_->layer_ends[index(done - ahead)]);
    pass.ready.push_back(
        add(transfer(pass, lane_->weights, weight_gather_, costs_.weight_gather->bytes * n, -1), after));
    return true;
  }

  // ---- memory

  void hold_activations(const Pass& pass) {
    const double kept = pass.what.work == ChunkWork::forward ? activations(pass) : 0;
    out_.graph.change_memory(pass.last, kept + recomputed(pass), 0);
  }

  /// What full recomputation takes of the layer at work.
  double recomputed(const Pass& pass) const {
    return is_backward(pass.what) && pass.layers > 0 && !buffers_ ? costs_.recomputed.si() : 0;
  }

  double activations(const Pass& pass) const { return costs_.activations.si() * real(pass.layers); }

  /// Activations wait on the host only when other passes come in between.
  bool waits_on_host(std::int64_t forward, std::int64_t backward) const {
    constexpr std::int64_t kWorthIt = 3;
    return set_.offload && backward - forward >= kWorthIt;
  }

  void send_to_host(const Pass& pass) {
    if (!waits_on_host(pass.position,
                       backward_at_.count(key(pass.what)) ? backward_at_.at(key(pass.what)) : 0))
      return;
    StepOperation op = transfer(pass, lane_->to_host, offload_, Bytes(activations(pass)), -1);
    op.memory_at_end = -activations(pass);
    const OperationId sent = add(op, {pass.last});
    lane_->on_host[key(pass.what)] = sent;
    lane_->sends.push_back(sent);
  }

  /// Activations come back while the pass before is computed.
  void bring_back(Pass& pass) {
    const auto found = lane_->on_host.find(key(pass.what));
    if (found == lane_->on_host.end()) return;
    constexpr std::int64_t kAhead = 2;
    Operations after = {found->second};
    if (pass.position >= kAhead) after.push_back(lane_->pass_ends[index(pass.position - kAhead)]);
    StepOperation op = transfer(pass, lane_->from_host, offload_, Bytes(activations(pass)), -1);
    op.memory_at_start = activations(pass);
    pass.ready.push_back(add(op, after));
    lane_->on_host.erase(found);
  }

  // ---- gradients

  /// One pass of each stage of the exchange beside the backward pass, each of other gradients.
  void exchange_beside(const Pass& pass, const Operations& with, bool begins, double n, Operations& beside) {
    Exchange& e = next_exchange();
    for (std::size_t i = 0; i < costs_.exchange.size(); ++i) {
      OperationId id = kNoOperation;
      if (replica_ == 0) {
        id = add(transfer(pass, stream_of_exchange(i), exchange_[i], costs_.exchange[i].bytes * n, -1), with);
        e.first.push_back(id);
      } else {
        id = e.first[i];
        for (const OperationId earlier : with) out_.graph.depend(id, earlier);
      }
      if (begins) await_input(pass.what, id);
      beside.push_back(id);
    }
  }

  /// The same exchange for every replica class: the first makes it.
  Exchange& next_exchange() {
    if (replica_ == 0) exchanges_.emplace_back();
    return exchanges_[next_exchange_++];
  }

  std::uint32_t stream_of_exchange(std::size_t i) const {
    return exchange_streams_[index(stage_) * costs_.exchange.size() + i];
  }

  /// Gradients of these layers are there; they leave once their bucket is full.
  void exchange_layers(Pass& pass, double layers, bool last) {
    if (set_.overlap == GradientOverlap::beside_pass) return;
    pass.gathered += layers;
    const double pieces = pieces_of_layer() * pass.gathered;
    if (pieces < 1 && !last) return;
    if (set_.overlap == GradientOverlap::after_batch) {
      late_ += std::exchange(pass.gathered, 0);
      if (last && pass.what.depth == 0) late_ += costs_.first_stage_extra;
      return;
    }
    if (last && pass.what.depth == 0) pass.gathered += costs_.first_stage_extra;
    exchange_now(std::exchange(pass.gathered, 0), pass, pass.last);
  }

  void exchange_now(double layers, const Pass& pass, OperationId after) {
    Exchange& e = next_exchange();
    e.depth = pass.what.depth;
    const auto pieces = static_cast<std::int64_t>(std::max(1.0, std::round(pieces_of_layer() * layers)));
    out_.gradient_pieces = std::max(out_.gradient_pieces, pieces);
    for (std::int64_t i = 0; replica_ == 0 && i < pieces; ++i) add_piece(e, pass, layers / real(pieces));
    for (const OperationId id : e.first) out_.graph.depend(id, after);
    if (set_.every == ExchangeEvery::microbatch && set_.next_waits) {
      auto& ready = lane_->weights_ready[pass.what.depth];
      ready.insert(ready.end(), e.last.begin(), e.last.end());
    }
  }

  /// A ring all-reduce as its two passes, so that the optimizer stands between them.
  void split_ring() {
    if (plan_.communication.gradient.kind != GradientExchange::flat || costs_.exchange.size() != 1) return;
    PassTransfer& ring = costs_.exchange.front();
    if (ring.passes != 2) return;
    ring.passes = 1;
    ring.bytes = ring.bytes / 2;
    ring.rounds /= 2;
    ring.delay = ring.delay / 2;
    costs_.exchange.push_back(ring);
    costs_.exchange.front().name = "ring reduce-scatter over all replicas";
    costs_.exchange.back().name = "all-gather over all replicas";
  }

  /// A piece through the stages of the exchange. Under ZeRO 1 and 2 it is reduced, then the optimizer updates
  /// the shard, then weights are gathered in place of gradients, as many bytes.
  void add_piece(Exchange& e, const Pass& pass, double layers) {
    OperationId before = kNoOperation;
    bool gathering = false;
    for (std::size_t i = 0; i < costs_.exchange.size(); ++i) {
      StepOperation op =
          transfer(pass, stream_of_exchange(i), exchange_[i], costs_.exchange[i].bytes * layers, -1);
      const bool gathers = set_.gather_after_optimizer && is_gather(costs_.exchange[i]);
      if (gathers && set_.gathers_ahead) continue;
      if (gathers) op.work = StepWork::weights;
      const OperationId id = out_.graph.add(op);
      if (i == 0) e.first.push_back(id);
      if (gathers && !gathering) {
        gathering = true;
        if (before != kNoOperation) e.reduced.push_back(before);
        e.gathering.push_back(id);
      } else if (before != kNoOperation) {
        out_.graph.depend(id, before);
      }
      before = id;
    }
    if (!gathering) e.reduced.push_back(before);
    e.last.push_back(before);
  }

  static bool is_gather(const PassTransfer& t) { return t.name.starts_with("all-gather"); }

  /// In step after step, the weights that the last optimizer updated arrive beside the first forward passes,
  /// layer by layer.
  void add_gathers_ahead() {
    for (std::int32_t c = 0; c < out_.shape.chunks; ++c) {
      Pass pass;
      pass.what = {ChunkWork::forward, -1, c * out_.shape.stages + stage_};
      const std::int64_t held = layers_of(pass.what.depth);
      for (std::int64_t first = 0; first < held; first += set_.layers_per_operation) {
        const std::int64_t layers = std::min(set_.layers_per_operation, held - first);
        const double extra = pass.what.depth == 0 && first == 0 ? costs_.first_stage_extra : 0;
        const double dense = real(dense_layers_in(pass, first, layers));
        add_gather_ahead(pass, real(layers) + dense * (costs_.dense_exchange - 1) + extra);
      }
    }
  }

  void add_gather_ahead(const Pass& pass, double layers) {
    Operations before;
    for (std::size_t i = 0; i < costs_.exchange.size(); ++i) {
      if (!is_gather(costs_.exchange[i])) continue;
      StepOperation op =
          transfer(pass, stream_of_exchange(i), exchange_[i], costs_.exchange[i].bytes * layers, -1);
      op.work = StepWork::weights;
      before = {add(op, before)};
    }
    if (!before.empty()) ahead_[pass.what.depth].push_back(before.back());
  }

  /// Weights that a first forward pass through these layers waits for.
  void await_weights(Pass& pass, std::int64_t first) {
    const auto found = ahead_.find(pass.what.depth);
    if (found == ahead_.end() || pass.what.microbatch > 0) return;
    const std::int64_t at = first / set_.layers_per_operation;
    if (at < std::ssize(found->second)) pass.ready.push_back(found->second[index(at)]);
  }

  /// What the program loses of what interleaved stages could save, before the first pass.
  void add_stall() {
    if (costs_.stall.si() <= 0 || stage_ > 0) return;
    Pass pass;
    pass.what = {ChunkWork::forward, -1, 0};
    lane_->blocking.push_back(add(transfer(pass, lane_->forward, stall_, Bytes(1), -1), {}));
  }

  // ---- ends

  void end(Pass& pass) {
    if (pass.what.work == ChunkWork::forward) {
      if (is_last_depth(pass.what.depth)) add_head(pass);
      send_to_host(pass);
      send(pass, 0, pass.what.depth + 1);
    } else if (is_backward(pass.what)) {
      if (pass.what.depth == 0 && !is_last_depth(0)) add_head(pass);
      send(pass, 1, pass.what.depth - 1);
    } else if (is_last_depth(pass.what.depth)) {
      add_head(pass);
    }
    const double freed = makes_gradients(pass.what) ? activations(pass) : 0;
    out_.graph.change_memory(pass.last, 0, -freed - recomputed(pass));
    for (const OperationId id : pass.ready) {
      if (id != lane_->last) lane_->blocking.push_back(id);
    }
    lane_->pass_ends.push_back(pass.last);
  }

  /// The chunk's output, or the gradient of its input, to the stage that goes on.
  void send(Pass& pass, std::size_t direction, std::int32_t depth) {
    if (depth < 0 || depth >= out_.order.depths) return;
    const std::int32_t to = out_.order.stage(pass.what.microbatch, depth);
    TY_ASSERT(to != stage_, "chunks of following depths stand on different stages");
    const PassTransfer& t = pipeline_transfer(std::min(stage_, to), std::max(stage_, to));
    const bool inside = t.network == StepResource::scale_up;
    const StepOperation op = transfer(pass, direction == 0 ? lane_->forward : lane_->backward,
                                      inside ? to_next_stage_ : to_next_domain_, t.bytes, -1);
    const OperationId sent = add(op, pass.ready);
    arrives_[direction][chunk(pass.what.microbatch, depth)] = sent;
    if (costs_.blocking_sends) pass.ready.push_back(sent);
  }

  void add_optimizers(std::int32_t stage) {
    if (late_ > 0) add_late_exchanges(stage);
    for (std::int32_t r = 0; r < std::ssize(out_.replicas); ++r) {
      replica_ = r;
      lane_ = &lanes_[index(r * out_.shape.stages + stage)];
      add_optimizer();
    }
  }

  /// after_batch: from the last pass of every replica class on.
  void add_late_exchanges(std::int32_t stage) {
    const double layers = std::exchange(late_, 0) / real(std::ssize(out_.replicas));
    for (std::int32_t r = 0; r < std::ssize(out_.replicas); ++r) {
      replica_ = r;
      lane_ = &lanes_[index(r * out_.shape.stages + stage)];
      next_exchange_ = 0;
      Pass pass;
      pass.what = {ChunkWork::backward, -1, -1};
      exchange_now(layers, pass, lane_->last);
    }
  }

  void add_optimizer() {
    StepOperation op;
    op.stream = lane_->compute;
    op.work = StepWork::optimizer;
    op.duration =
        step_time((costs_.optimizer + costs_.contention_exchange) * ((both_ways() ? 2 : 1) * slowdown()));
    Operations gradients = std::exchange(lane_->blocking, {});
    for (const Exchange& e : exchanges_)
      gradients.insert(gradients.end(), e.reduced.begin(), e.reduced.end());
    const OperationId id = add(op, gradients);
    gradients.push_back(lane_->last);
    updates_.push_back({id, stage_, std::move(gradients)});
    for (const Exchange& e : exchanges_) {
      for (const OperationId gathering : e.gathering) out_.graph.depend(gathering, id);
      if (e.gathering.empty()) continue;
      for (auto& [depth, ready] : lane_->weights_ready) {
        if (e.depth < 0 || e.depth == depth) ready.insert(ready.end(), e.last.begin(), e.last.end());
      }
    }
    lane_->last = id;
    lane_->layer_ends.insert(lane_->layer_ends.end(), index(set_.prefetch) + 1, id);
  }

  /// What the gradients of these stages are ready after.
  template <class F>
  Operations gradients_of(const F& chosen) const {
    Operations out;
    for (const Update& update : updates_) {
      if (chosen(update)) out.insert(out.end(), update.gradients.begin(), update.gradients.end());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  OperationId add_sum(std::uint32_t stream, std::uint16_t transfer_class, const PassTransfer& t,
                      const Operations& after) {
    StepOperation op;
    op.stream = stream;
    op.work = t.work;
    op.transfer = transfer_class;
    op.bytes = t.bytes.si();
    return add(op, after);
  }

  /// Both copies send; the optimizers of both stages wait.
  Operations add_embedding_exchange() {
    const auto holds = [this](const Update& u) { return u.stage == 0 || u.stage == out_.shape.stages - 1; };
    const Operations ready = gradients_of(holds);
    Operations sums;
    for (const std::uint32_t stream : embedding_streams_)
      sums.push_back(add_sum(stream, embedding_, *costs_.embedding, ready));
    for (const Update& update : updates_) {
      for (std::size_t i = 0; holds(update) && i < sums.size(); ++i)
        out_.graph.depend(update.optimizer, sums[i]);
    }
    return sums;
  }

  /// No optimizer starts before the norm of all gradients is known.
  void add_gradient_norm(const Operations& sums) {
    Operations ready = gradients_of([](const Update&) { return true; });
    ready.insert(ready.end(), sums.begin(), sums.end());
    const OperationId norm = add_sum(norm_stream_, gradient_norm_, *costs_.gradient_norm, ready);
    for (const Update& update : updates_) out_.graph.depend(update.optimizer, norm);
  }

  /// A first operation waits for what arrives from another stage: 0 forward, 1 backward.
  struct Awaited {
    OperationId by;
    std::size_t direction;
    std::size_t chunk;
  };

  const Plan& plan_;
  const MappingPlan& m_;
  LayerPass costs_;
  Jitter jitter_;
  bool buffers_ = false;  // recomputed activations are among the states' buffers
  Settings set_{};
  StepModel out_;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> exchange_streams_;  // by stage, then by stage of the exchange
  std::vector<std::uint16_t> after_forward_;     // classes, as the next
  std::vector<std::uint16_t> after_backward_;
  std::vector<std::uint16_t> beside_forward_;  // of the overlapped share of those
  std::vector<std::uint16_t> beside_backward_;
  std::vector<std::uint16_t> exchange_;
  std::uint16_t context_[2] = {0, 0};
  std::uint16_t weight_gather_ = 0;
  std::uint16_t to_next_stage_ = 0;
  std::uint16_t to_next_domain_ = 0;
  std::uint16_t offload_ = 0;
  std::uint16_t stall_ = 0;
  std::vector<std::uint32_t> embedding_streams_;  // of the first and the last stage
  std::uint32_t norm_stream_ = 0;
  std::uint16_t embedding_ = 0;
  std::uint16_t gradient_norm_ = 0;
  std::vector<Update> updates_;               // of the step
  std::map<std::int32_t, Operations> ahead_;  // by depth: gathers of its layers that the last step left
  std::vector<OperationId> arrives_[2];       // by replica class, microbatch and depth
  std::vector<Awaited> awaits_;
  // Of the stage and replica class at work:
  std::int32_t replica_ = 0;
  std::int32_t stage_ = 0;
  Lane* lane_ = nullptr;
  std::vector<Exchange> exchanges_;
  std::size_t next_exchange_ = 0;
  double late_ = 0;  // layers whose gradients wait for the end of the batch
  std::map<std::int64_t, std::int64_t> backward_at_;
  std::map<std::int32_t, std::int64_t> last_gradient_;
};

}  // namespace

StepModel build_step(const Plan& plan, const LayerPass& costs) { return StepBuilder(plan, costs).build(); }

StepModel build_step(const Plan& plan) { return build_step(plan, layer_pass(plan)); }

}  // namespace trainyard
