#include "step/build_step.h"

#include <utility>

#include "facility/networks.h"
#include "parallel/memory.h"
#include "step/builder/arrivals.h"
#include "step/builder/blueprint.h"
#include "step/builder/gradient_exchange.h"
#include "step/builder/granularity.h"
#include "step/builder/lane.h"
#include "step/builder/settings.h"
#include "step/builder/stage_work.h"
#include "step/builder/step_end.h"
#include "step/builder/writer.h"
#include "step/layer_pass.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

using namespace builder;

/// Adds steps to a graph: stage by stage, within a stage replica by replica.
class StepBuilder {
 public:
  StepBuilder(StepModel& model, const Blueprint& blueprint, std::vector<Lane> lanes)
      : b_(blueprint),
        lanes_(std::move(lanes)),
        arrivals_(model.order, model.shape, model.replicas.size()),
        writer_(model.graph, arrivals_, blueprint.plan, model.replicas),
        exchanges_(blueprint, writer_),
        stages_(blueprint, writer_, exchanges_),
        end_(blueprint, writer_) {}

  void add_step() {
    arrivals_.begin_step();
    end_.begin_step();
    for (std::int32_t stage = 0; stage < b_.shape.stages; ++stage) add_stage(stage);
    arrivals_.join(writer_.graph());
    end_.add_sums();
  }

  std::int64_t most_pieces() const { return exchanges_.most_pieces(); }

 private:
  void add_stage(std::int32_t stage) {
    const std::vector<Lane*> replicas = lanes_of(stage);
    exchanges_.begin_stage();
    for (Lane* lane : replicas) stages_.add(*lane);
    exchanges_.add_late(replicas);
    for (Lane* lane : replicas) end_.add_optimizer(*lane, exchanges_.of_stage());
  }

  /// One of each replica class.
  std::vector<Lane*> lanes_of(std::int32_t stage) {
    std::vector<Lane*> out;
    const auto stages = static_cast<std::size_t>(b_.shape.stages);
    for (auto i = static_cast<std::size_t>(stage); i < lanes_.size(); i += stages) out.push_back(&lanes_[i]);
    return out;
  }

  const Blueprint& b_;
  std::vector<Lane> lanes_;
  Arrivals arrivals_;
  Writer writer_;
  StageExchanges exchanges_;
  StageWork stages_;
  StepEnd end_;
};

Bytes states(const Plan& plan, std::int32_t stage) {
  const MemoryTerms terms = stage_memory(plan.mapping, plan.scenario, plan.model, stage);
  return terms.model_states() + terms.buffers;
}

/// Everything but the graph and what is known with it.
StepModel outline(const Plan& plan, PipelineSchedule schedule) {
  const Scenario& scenario = plan.scenario;
  StepModel out;
  out.schedule = schedule;
  out.shape = checked_shape(plan, schedule);
  out.replicas = replica_classes(scenario.step, scenario.stragglers, scenario.step_failures, plan.mapping);
  out.failures = step_failures(scenario, plan.mapping, out.replicas, networks_of(scenario));
  out.steps = static_cast<std::int32_t>(scenario.step.steps);
  return out;
}

}  // namespace

StepModel build_step(const Plan& plan, const LayerPass& given) {
  Settings settings = settings_of(plan, given);
  const LayerPass costs = settings.gather_after_optimizer ? split_ring(given, plan) : given;
  StepModel out = outline(plan, settings.schedule);
  const auto replicas = static_cast<std::int32_t>(out.replicas.size());
  settings.layers_per_operation = out.layers_per_operation =
      layers_per_operation(plan, costs, settings, out.shape, out.replicas.size());
  out.order = schedule_kind(settings.schedule).rules.order(out.shape);
  std::vector<Lane> lanes = add_lanes(out.graph, plan.mapping, costs, settings, replicas);
  for (const Lane& lane : lanes) out.compute_streams.push_back(lane.compute);
  for (std::int32_t s = 0; s < out.shape.stages; ++s) out.states.push_back(states(plan, s));
  const Blueprint blueprint{
      .plan = plan,
      .order = out.order,
      .costs = costs,
      .set = settings,
      .shape = out.shape,
      .chunks = Chunks(plan.model, out.shape, stage_cut(plan.mapping)),
      .classes = add_transfer_classes(out.graph, costs, settings),
      .streams = add_shared_streams(out.graph, costs, settings, out.shape.stages, lanes)};
  StepBuilder builder(out, blueprint, std::move(lanes));
  for (std::int32_t step = 0; step < out.steps; ++step) builder.add_step();
  out.gradient_pieces = builder.most_pieces();
  out.graph.seal();
  check_step_failures(out.graph, out.failures, plan.scenario.step_failures);
  return out;
}

StepModel build_step(const Plan& plan) { return build_step(plan, layer_pass(plan)); }

}  // namespace trainyard
