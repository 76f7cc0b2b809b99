// A step's time without a timeline: every microbatch at the pace of the slowest stage, and what stands
// beside.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/whole_numbers.h"
#include "cost/cost.h"
#include "cost/cost_case.h"
#include "cost/end_sums.h"
#include "cost/exposed_parts.h"
#include "cost/measured_collectives.h"
#include "cost/pipeline_chunks.h"
#include "cost/played_exchange.h"
#include "cost/played_passes.h"
#include "cost/stage_sends.h"
#include "cost/step_costs.h"
#include "cost/step_exchange.h"
#include "parallel/schedules.h"
#include "parallel/stages.h"
#include "scenario/in_force.h"
#include "scenario/stage_deal.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// HotNets '24 section 6: one layer in steady state. Tensor, pipeline, context and expert transfers stand
/// between layers and are exposed; the gradient exchange hides behind the layer's backward pass.
void add_steady_state(StepTimes& step, const CommunicationPlan& c, const LayerTimes& layer,
                      const MappingPlan& m, const StageSends& sends) {
  step.forward = layer.forward;
  step.backward = layer.backward;
  step.recompute_share = layer.recompute_share;
  step.host_wait = layer.host_wait;
  step.copies = layer.copies;
  step.exposed_tensor = c.tensor_exposed * (c.tensor_forward + c.tensor_backward);
  step.exposed_pipeline = sends.each / real(m.layers_per_stage);
  step.fill_sends = sends.fill;
  step.exposed_context = c.context_forward + c.context_backward;
  step.exposed_expert = c.expert_exposed * (c.expert_forward + c.expert_backward);
  step.exposed_weights = beyond(c.weight_gather, layer.forward) + beyond(c.weight_gather, layer.backward);
  step.exposed_gradient = c.gradient.exposed;
}

void add_sums(StepTimes& step) {
  step.exposed = step.exposed_tensor + step.exposed_pipeline + step.exposed_context + step.exposed_expert +
                 step.exposed_weights + step.exposed_gradient;
  step.steady_time = step.forward + step.backward + step.exposed;
  step.exposed_share = step.exposed / step.steady_time;
}

/// Part of the time to fill and drain that a schedule leaves: what it is known to leave, or 1/v of
/// interleaved stages (Narayanan et al. 2021, section 2.2) as far as the program gets there.
double fill_share(const CostCase& c, const MappingPlan& m) {
  if (const auto share = c.schedule.fill_share) return *share;
  return 1 - c.software.interleaving * (1 - 1 / real(m.virtual_stages));
}

/// Of servers of eight, one in two hundred is a tenth slower, and everybody waits for it (Jiang et al. 2024,
/// section 6.3).
double straggling(std::int64_t devices) {
  constexpr double kServer = 8;
  constexpr double kSlowServers = 0.005;
  constexpr double kSlower = 0.1;
  return 1 + kSlower * (1 - std::pow(1 - kSlowServers, real(devices) / kServer));
}

/// Times of a step of one mapping.
class ClosedForm {
 public:
  ClosedForm(const CostCase& costs, const MappingPlan& mapping, const CommunicationPlan& communication,
             const LayerCosts& layer, const StageRanges& stages, StepEffort effort)
      : costs_(costs),
        effort_(effort),
        scenario_(costs.scenario),
        model_(costs.model),
        m_(mapping),
        c_(communication),
        software_(costs.software),
        calibration_(costs.calibration),
        layer_(layer),
        usual_(layer.usual),
        dense_(layer.dense),
        ends_(ends_of_stages(layer.ends, costs.scenario, mapping.pipeline)),
        stages_(stages) {
    if (calibration_) collectives_.emplace(costs, mapping);
  }

  StepTimes times() {
    step_.fill_share = fill_share(costs_, m_);
    sends_ = stage_sends(costs_, m_, c_, step_.fill_share);
    add_steady_state(step_, c_, usual_, m_, sends_);
    play();
    add_stages();
    step_.straggling = calibration_ ? straggling(m_.devices_used) : 1;
    wait_for_host();
    step_.optimizer_time = optimizer_time(costs_, m_);
    add_exchange(step_, costs_, m_, c_, layer_, collectives_ ? &*collectives_ : nullptr, effort_);
    step_.end_sums = end_sums(costs_, m_, c_);
    step_.gradient_exposed_step += step_.end_sums;
    add_sums(step_);
    const Seconds batch = step_.pace * real(m_.microbatches) + step_.bubble + step_.gradient_exposed_step +
                          step_.weights_exposed_step + step_.offload_exposed_step + step_.optimizer_time;
    step_.step_pipeline = batch * step_.straggling;
    step_.step_steady = step_.steady_time * real(m_.layers_per_stage * m_.microbatches);
    return step_;
  }

 private:
  /// A microbatch passes a layer forward and backward.
  Seconds layer_pair(const LayerTimes& layer, bool experts) const {
    return layer.forward + layer.backward + step_.exposed_tensor + step_.exposed_context +
           (experts ? step_.exposed_expert : Seconds(0)) +
           (weights_by_step() ? Seconds(0) : step_.exposed_weights);
  }
  bool weights_by_step() const { return collectives_.has_value(); }

  /// One pair of passes of a microbatch through a stage.
  struct StagePass {
    Seconds layers;  // with its sends
    Seconds ends;
    double expert_layers = 0;
  };

  Seconds layers_time(const StageLayers& layers) const {
    return real(layers.sparse) * layer_pair(usual_, true) + real(layers.dense) * layer_pair(dense_, false);
  }

  StagePass pass_of(std::int64_t stage, const StageLayers& layers) const {
    const bool last = stage + 1 == m_.pipeline;
    return {layers_time(layers) + sends_.each,
            ends_.each + (stage == 0 ? ends_.first : Seconds(0)) + (last ? ends_.last : Seconds(0)),
            real(layers.sparse)};
  }

  void set_pace(const StagePass& pass) {
    if (pass.layers + pass.ends <= step_.pace) return;
    step_.pace = pass.layers + pass.ends;
    step_.microbatch_time = pass.layers;
    step_.head_time = pass.ends;
    step_.expert_layers = pass.expert_layers;
  }

  bool both_ways() const { return holds_two_stages(scenario_.step.schedule, m_.pipeline); }

  /// 1F1B, interleaved or not: m microbatches at the pace of the slowest stage; the others fill and drain.
  void add_stages() {
    for (const StageRange& range : stages_) {  // the first and the last stage stand alone
      const StagePass pass = pass_of(range.first, range.layers);
      step_.replica_time += real(range.count) * (pass.layers - sends_.each + pass.ends);
      if (!both_ways()) set_pace(pass);
    }
    if (both_ways()) pace_both_ways();
    if (played_) {
      wait_no_longer_than_played();
    } else {
      pace_chunks();
    }
    step_.exposed_pipeline = sends_.each / real(m_.layers_per_stage);
    const Seconds others = step_.replica_time - (step_.pace - sends_.each);
    if (m_.virtual_stages > 1) step_.stall = others * (fill_share(costs_, m_) - 1 / real(m_.virtual_stages));
    if (played_) {
      const Seconds fill = beyond(played_->time, step_.pace * real(m_.microbatches));
      step_.fill_sends = std::min(fill, beyond(played_->sends, sends_.each * real(m_.microbatches)));
      step_.fill_share = (fill - step_.fill_sends + step_.stall) / others;
    }
    step_.bubble = others * step_.fill_share + step_.fill_sends;
    if (played_) return;
    const bool one_f_one_b = !costs_.schedule.fill_share && !costs_.schedule.keeps_all;
    if (one_f_one_b && !waits_for_chunks()) step_.bubble = step_.bubble - spared_by_uneven_stages();
  }

  /// Some waits for sends pass while the device has nothing to do anyway.
  void wait_no_longer_than_played() {
    const Seconds excess = beyond(step_.pace, played_->time / real(m_.microbatches));
    const Seconds less = std::min(excess, sends_.each);
    step_.pace = step_.pace - less;
    step_.microbatch_time = step_.microbatch_time - less;
    sends_.each = sends_.each - less;
  }

  /// Where times are calibrated: what passes wait for each other depends on the length of each.
  void play() {
    if (!collectives_ || m_.pipeline == 1 || !plays_passes(scenario_, m_)) return;
    const ScheduleRules& rules = schedule_of_stages(scenario_.step.schedule, m_.virtual_stages);
    const std::vector<PlayedChunk> chunks = played_chunks(costs_, m_, c_, layer_);
    const bool waits = !hides_sends(software_, m_);
    const Seconds shortest = shortest_of_chunks(rules, schedule_shape(m_), chunks, waits);
    if (effort_ == StepEffort::bound) {
      sends_ = {};
      if (rules.pairs_passes)
        step_.exposed_tensor = step_.exposed_context = step_.exposed_expert = Seconds(0);
      played_.emplace();
      played_->time = shortest;
      return;
    }
    played_ = played_passes(rules, schedule_shape(m_), chunks, waits);
    // What of a long step is not played may follow a slower stage than what is.
    played_->time = std::max(played_->time, shortest);
    const PlayedTransfers& busiest = played_->busiest;
    sends_.each = busiest.sends / real(m_.microbatches);
    step_.passes_exposed = 1;
    if (!rules.pairs_passes) return;
    const double exposed = busiest.transfers.si() > 0 ? busiest.exposed / busiest.transfers : 1;
    step_.passes_exposed = exposed;
    step_.exposed_tensor = step_.exposed_tensor * exposed;
    step_.exposed_context = step_.exposed_context * exposed;
    step_.exposed_expert = step_.exposed_expert * exposed;
  }

  /// Passes whose activations wait on the host, beside the same passes whose activations stay.
  void wait_for_host() {
    if (!played_ || effort_ == StepEffort::bound || !waits_for_host(scenario_, m_)) return;
    step_.offload_exposed_step = PlayedExchange(costs_, m_, c_, step_, layer_).exposed_to_host();
  }

  /// A stage's whole pass, and that of its chunks at either end of the model.
  struct EndChunks {
    Seconds all;
    Seconds first;
    Seconds last;
  };

  /// Of each stage of a range, which are alike.
  EndChunks end_chunks(const StageDeal& deal, const StageRange& range) const {
    const StagePass pass = pass_of(range.first, range.layers);
    const Seconds layers = pass.layers - sends_.each;
    const std::int64_t chunks = m_.virtual_stages;
    const double held = real(std::max<std::int64_t>(1, deal.layers(range.first)));
    const auto chunk = [&](std::int64_t which) {
      return layers * (real(deal.layers_of_chunk(range.first, which, chunks)) / held) +
             ends_.each / real(chunks);
    };
    const bool last = range.first + 1 == m_.pipeline;
    return {layers + pass.ends, chunk(0) + (range.first == 0 ? ends_.first : Seconds(0)),
            chunk(chunks - 1) + (last ? ends_.last : Seconds(0))};
  }

  /// Of the last chunks of all stages but the first.
  Seconds last_chunks(const StageDeal& deal) const {
    Seconds out{0};
    for (const StageRange& range : stages_) {
      if (range.first == 0) continue;  // it stands alone
      const Seconds one = end_chunks(deal, range).last;
      for (std::int64_t stage = 0; stage < range.count; ++stage) out += one;
    }
    return out;
  }

  /// Under 1F1B a stage waits for its first microbatch's way through those behind it, and for its last one's:
  /// where these are faster than the slowest, a step is shorter than all its microbatches there and one
  /// elsewhere.
  Seconds spared_by_uneven_stages() const {
    const StageDeal deal(model_.shape, stage_cut(m_));
    const double backward = usual_.backward / (usual_.forward + usual_.backward);
    const double chunks = real(m_.virtual_stages);
    const double passes = real(m_.microbatches) * chunks;
    Seconds before{0};
    Seconds after = last_chunks(deal);
    Seconds longest{0};
    for (const StageRange& range : stages_) {
      const EndChunks own = end_chunks(deal, range);
      const Seconds one = own.all / chunks;
      for (std::int64_t stage = range.first; stage < range.first + range.count; ++stage) {
        if (stage > 0) after = after - own.last;
        const double behind = real(m_.pipeline - 1 - stage);
        const double ahead = std::max(1.0, passes - behind);  // forward passes behind the first
        Seconds through = after + one * ((1 - backward) * ahead + backward * passes);
        through = std::max(through, one * passes);  // a stage that never waits
        if (passes >= behind + 2) through = std::max(through, 2 * after + one * (passes - behind));
        longest = std::max(longest, before + through);
        before += own.first;
      }
    }
    const Seconds pace = step_.pace - sends_.each;
    return beyond(pace * real(m_.microbatches) + (step_.replica_time - pace) / chunks, longest);
  }

  /// Where passes of opposite ways take turns, a device holds the two stages that are as far from either end,
  /// and works at their mean.
  void pace_both_ways() {
    const auto pass = [&](std::int64_t stage) {
      return pass_of(stage, stage_layers(model_.shape, stage_cut(m_), stage));
    };
    for (std::int64_t stage = 0; stage < (m_.pipeline + 1) / 2; ++stage) {
      const StagePass one = pass(stage);
      const StagePass other = pass(m_.pipeline - 1 - stage);
      set_pace({(one.layers + other.layers) / 2, (one.ends + other.ends) / 2,
                (one.expert_layers + other.expert_layers) / 2});
    }
  }

  /// Whether chunks differ by more than a layer.
  bool waits_for_chunks() const {
    return m_.virtual_stages > 1 && (model_.shape.mtp_layers > 0 || m_.last_stage_layers > 0);
  }

  /// Interleaved stages pass their chunks in step: output matrices in a chunk that is longer than those
  /// before it are waited for by all, however few layers their stage has (as the timeline of the step shows).
  void pace_chunks() {
    if (!waits_for_chunks()) return;
    const StageDeal deal(model_.shape, stage_cut(m_));
    const std::int64_t last = m_.pipeline - 1;
    double expert_layers = 0;
    Seconds layers = sends_.each;
    Seconds ends = ends_.each;
    std::int64_t before = 0;
    for (std::int64_t chunk = 0; chunk < m_.virtual_stages; ++chunk) {
      const auto of_stage = [&](std::int64_t stage) {
        const StageLayers out =
            model_layers(model_.shape, before, deal.layers_of_chunk(stage, chunk, m_.virtual_stages));
        before += out.total();
        return out;
      };
      StageLayers slowest;
      for (std::int64_t stage = 0; stage < last; ++stage) {
        const StageLayers own = of_stage(stage);
        if (layers_time(own) > layers_time(slowest)) slowest = own;
      }
      const Seconds full = layers_time(slowest);
      const Seconds own = layers_time(of_stage(last));
      layers += std::max(full, own);
      expert_layers += real(slowest.sparse);
      if (chunk + 1 == m_.virtual_stages) ends += beyond(own + ends_.last, std::max(full, own));
    }
    set_pace({layers, ends, expert_layers});
  }

  const CostCase& costs_;
  StepEffort effort_;
  const Scenario& scenario_;
  const ModelPlan& model_;
  const MappingPlan& m_;
  const CommunicationPlan& c_;
  const Software& software_;
  const Calibration* calibration_;
  const LayerCosts& layer_;
  const LayerTimes& usual_;
  const LayerTimes& dense_;
  EndTimes ends_;
  const StageRanges& stages_;
  StageSends sends_;
  std::optional<MeasuredCollectives> collectives_;
  std::optional<PlayedStep> played_;
  StepTimes step_;
};

void add_utilization(StepTimes& step, const CostCase& c, const MappingPlan& m) {
  const bool steady = c.scenario.assumptions.step_rule == StepRule::steady_state;
  step.step = steady ? step.step_steady : step.step_pipeline;
  const ExposedParts parts = exposed_parts(step, m);
  step.exposed_share_step = steady ? step.exposed_share : parts.exposed() / step.step;
  step.bubble_share = steady ? 0 : parts.bubble / step.step;
  const Flop useful = c.model.sequence_training * m.batch_sequences;
  step.mfu = useful / (c.peak * step.step * real(m.devices_used));
  step.tokens_per_second = m.batch_tokens / step.step.si();
}

void add_training_run(StepTimes& step, const CostCase& c, const MappingPlan& m) {
  step.tokens = c.run_tokens;
  step.steps = step.tokens / m.batch_tokens;
  step.days_to_train = step.step * step.steps;
}

}  // namespace

std::string bound_by_host(const StepTimes& step) {
  constexpr double kWorthSaying = 0.02;
  constexpr double kPercent = 100;
  const double share = step.host_wait / (step.forward + step.backward);
  if (!(share > kWorthSaying)) return {};
  return fmt::format(
      "the host launches kernels more slowly than the device runs them: {:.0f}% of a layer's time; larger "
      "microbatches, fewer experts a device or, where there are none, captured graphs (training.graphs) "
      "shorten it",
      share * kPercent);
}

bool hides_sends(const Software& software, const MappingPlan& mapping) {
  return software.hides_pipeline || (software.hides_interleaved && mapping.virtual_stages > 1);
}

StepTimes step_times(const CostCase& costs, const MappingPlan& mapping,
                     const CommunicationPlan& communication, const LayerCosts& layer,
                     const StageRanges& stages, StepEffort effort) {
  StepTimes step = ClosedForm(costs, mapping, communication, layer, stages, effort).times();
  add_utilization(step, costs, mapping);
  add_training_run(step, costs, mapping);
  return step;
}

}  // namespace trainyard
