#include "search/mapping_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/stopping.h"
#include "cost/calibrated_compute.h"
#include "cost/cost.h"
#include "cost/cost_case.h"
#include "cost/step_costs.h"
#include "parallel/batch.h"
#include "parallel/memory.h"
#include "parallel/parallel.h"
#include "parallel/program_rules.h"
#include "parallel/schedules.h"
#include "search/mapping_evaluator.h"
#include "search/mapping_merit.h"
#include "search/mapping_remedies.h"
#include "search/mapping_space.h"
#include "search/memory_doubt.h"
#include "trainyard/plan/facility.h"
#include "trainyard/plan/model.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Cuts with the wanted placement or, where it has no room, with the other one and a warning.
MappingPlan cut_either_way(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                           Cut cut) {
  const Placement wanted = scenario.mapping.placement;
  std::string why;
  if (auto mapping = cut_model(scenario, facility, model, cut, wanted, &why)) return std::move(*mapping);
  auto mapping = cut_model(scenario, facility, model, cut, other_placement(wanted));
  TY_ASSERT(mapping.has_value(), "the search has cut it");
  if (cut.pipeline > 1) mapping->warnings.push_back("placement changed: " + why);
  return std::move(*mapping);
}

/// Why a stated step.schedule does not take a mapping's counts; empty where it does.
std::string schedule_refusal(const Scenario& scenario, const MappingPlan& m) {
  // Of more passes the step's simulation says itself that they are too many.
  if (!scenario.step.schedule || !schedules_passes(m)) return {};
  const ScheduleKind& kind = schedule_kind(*scenario.step.schedule);
  const std::string refusal = kind.rules.refusal(schedule_shape(m));
  return refusal.empty() ? refusal : fmt::format("the schedule {} {}", kind.name, refusal);
}

/// Whether wider spaces hold more than the usual one.
bool widens(const Scenario& scenario) {
  const MappingInput& m = scenario.mapping;
  if (m.open.zero_stage || m.open.context) return true;
  if (scenario.assumptions.uneven_shards == UnevenShards::ideal) return false;
  return !m.tensor || !m.pipeline;
}

/// How far a search goes, and what it counts.
struct SearchEffort {
  int most_evaluations = kMostEvaluations;
  MemoryRoom room = MemoryRoom::counted;
};

/// All mappings that are nearly as fast as the best.
struct NearBest {
  double share;  // of the best one's speed
  std::vector<RankedMapping> mappings;

  bool reaches(const Merit& merit, const Merit& best) const {
    return merit.keeps_batch >= best.keeps_batch && merit.speed >= share * best.speed;
  }
};

/// Tries the mappings of a space, and keeps the best one that fits; those near to it too, where they are
/// wanted.
class MappingSearch {
 public:
  MappingSearch(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                SpaceWidth width, const SearchEffort& effort, ClosestCut& closest,
                NearBest* near_best = nullptr)
      : given_(scenario),
        facility_(facility),
        space_(scenario, facility, model, width),
        batch_(wanted_batch(scenario.mapping, scenario.training, model.shape)),
        effort_(effort),
        memory_(memory_interval(scenario)),
        closest_(closest),
        near_best_(near_best),
        trial_(scenario.mapping.open.any() ? std::optional(scenario) : std::nullopt),
        evaluator_(this->scenario(), facility, model) {}

  std::optional<RankedMapping> best() {
    const auto groups = static_cast<int>(space_.tensors().size());
    for (int i = 0; i < groups; ++i) {
      // A share of the evaluations for each size, so that none goes untried.
      evaluations_left_ += effort_.most_evaluations / groups;
      try_tensor(space_.tensors()[static_cast<std::size_t>(i)]);
      if (best_ && given_.mapping.goal == MappingGoal::smallest_tensor) break;
    }
    if (std::string why = evaluator_.why(); !why.empty()) closest_.why = std::move(why);
    if (!best_ && !closest_.mapping) closest_.unscheduled = unscheduled_;
    return best_;
  }

 private:
  const Scenario& scenario() const { return trial_ ? *trial_ : given_; }

  /// A count of the scenario under trial; without a trial it has the only value there is.
  template <class T>
  void set(T MappingInput::*member, T value) {
    if (trial_) trial_->mapping.*member = value;
  }

  void try_tensor(std::int64_t tensor) {
    for (const std::int64_t context : space_.contexts()) {
      const bool chosen = given_.mapping.open.context;
      if (chosen && context > 1 && tensor * context > facility_.domain_devices) return;
      set(&MappingInput::context, context);
      for (const std::int64_t microbatch : space_.microbatches()) {
        set(&MappingInput::microbatch, microbatch);
        // Where no cut has room for a microbatch, none has for a larger one.
        if (!try_experts(tensor)) break;
      }
    }
  }

  bool try_experts(std::int64_t tensor) {
    bool any_fits = false;
    for (const std::int64_t expert : space_.experts()) {
      set(&MappingInput::expert, expert);
      for (const std::optional<std::int64_t> cut : space_.expert_tensors(tensor)) {
        set(&MappingInput::expert_tensor, cut);
        layer_ = {};
        for (const std::int64_t pipeline : space_.pipelines())
          any_fits |= try_virtual_stages({tensor, pipeline});
      }
    }
    return any_fits;
  }

  bool try_virtual_stages(Cut cut) {
    bool any_fits = false;
    for (const std::int64_t chunks : space_.virtual_stages(cut.pipeline)) {
      set(&MappingInput::virtual_stages, chunks);
      const Outcome outcome = try_memory(cut);
      any_fits |= outcome == Outcome::fits;
      // More chunks keep more microbatches waiting.
      if (outcome != Outcome::fits && given_.mapping.open.virtual_stages) break;
    }
    return any_fits;
  }

  enum class Outcome { fits, too_large, impossible };

  /// Of ZeRO stages and recomputations, those that fit and of which no cheaper pair fits with room to spare.
  Outcome try_memory(Cut cut) {
    pause_point();
    const auto zero_stages = space_.zero_stages(cut.pipeline);
    const auto& recomputes = space_.recomputes();
    if (zero_stages.size() * recomputes.size() > 1) {
      const Outcome smallest = cut_with(cut, zero_stages.back(), recomputes.back());
      if (smallest != Outcome::fits) return smallest;
    }
    std::size_t end = recomputes.size();
    Outcome outcome = Outcome::too_large;
    for (const std::int64_t zero : zero_stages) {
      auto& layers = layer_[static_cast<std::size_t>(zero)];
      for (std::size_t i = 0; i < end; ++i) {
        const Outcome now = cut_with(cut, zero, recomputes[i]);
        if (now == Outcome::impossible) return now;
        if (now != Outcome::fits) continue;
        consider(layers[i]);
        outcome = now;
        if (fits(cut_, memory_.high)) end = i;
      }
      if (end > 0 && space_.recomputes_by_layer() && try_some_layers(cut, zero)) outcome = Outcome::fits;
    }
    return outcome;
  }

  /// As few layers of each chunk (virtual stage) as leave room, where the whole of a chunk is too much and
  /// nothing too little; the rule of Megatron-LM's --recompute-num-layers.
  bool try_some_layers(Cut cut, std::int64_t zero) {
    const std::int64_t chunks = cut.pipeline * scenario().mapping.virtual_stages;
    std::int64_t most = (given_.model.shape.blocks() + chunks - 1) / chunks;
    std::int64_t least = 0;
    const auto leaves_room = [&](std::int64_t layers) {
      set(&MappingInput::recompute_layers,
          std::optional(std::min(layers * chunks, given_.model.shape.blocks())));
      return cut_with(cut, zero, Recompute::full) == Outcome::fits && fits(cut_, memory_.high);
    };
    while (most - least > 1) {
      const std::int64_t middle = least + (most - least) / 2;
      (leaves_room(middle) ? most : least) = middle;
    }
    const bool some = least + 1 == most && most * chunks < given_.model.shape.blocks() && leaves_room(most);
    if (some) {
      Seconds without = layer_[static_cast<std::size_t>(zero)].front();  // a bound
      consider(without);
    }
    set(&MappingInput::recompute_layers, std::optional<std::int64_t>());
    return some;
  }

  /// Cuts into cut_, if that is one that programs can run.
  Outcome cut_with(Cut cut, std::int64_t zero, Recompute recompute) {
    set(&MappingInput::zero_stage, zero);
    set(&MappingInput::recompute, recompute);
    if (evaluator_.cut(cut, cut_) != CutRefusal::none || !runs(cut_)) return Outcome::impossible;
    if (has_room()) return Outcome::fits;
    closest_.offer(cut_);
    return Outcome::too_large;
  }

  bool has_room() const { return effort_.room == MemoryRoom::doubtful ? may_fit(cut_, memory_) : fits(cut_); }

  /// Of the counts that are chosen here, whether training programs, and the step's schedule, take them.
  bool runs(const MappingPlan& m) {
    const MappingOpen& open = given_.mapping.open;
    return (!open.virtual_stages || in_whole_rounds(m)) && (!open.expert || in_whole_replicas(m)) &&
           scheduled(m);
  }

  bool scheduled(const MappingPlan& m) {
    if (!chooses_mapping(given_.mapping)) return true;
    const std::string refusal = schedule_refusal(given_, m);
    if (refusal.empty()) return true;
    unscheduled_ = fmt::format("{} (with tensor = {}, pipeline = {}, the last that was tried)", refusal,
                               m.tensor, m.pipeline);
    return false;
  }

  /// `layer`: compute of one but copies, which no mapping like this takes less than; 0 until one was
  /// evaluated.
  void consider(Seconds& layer) {
    if (layer.si() > 0 && !wanted(merit(fastest(cut_, layer)))) return;
    if (best_ && evaluations_left_ <= 0) return;
    --evaluations_left_;
    if (best_ && evaluator_.bounds() &&
        !wanted(merit(evaluator_.times(cut_, StepEffort::bound).tokens_per_second)))
      return;
    const StepTimes step = evaluator_.times(cut_);
    layer = step.forward + step.backward - step.copies;
    const Merit merit = this->merit(step.tokens_per_second);
    if (!wanted(merit)) return;
    const RankedMapping found{{cut_.tensor, cut_.pipeline}, scenario().mapping, merit};
    if (near_best_) near_best_->mappings.push_back(found);
    if (!best_ || merit.better_than(best_->merit)) best_ = found;
  }

  Merit merit(double tokens_per_second) const {
    const bool counted = effort_.room == MemoryRoom::counted && chooses_mapping(given_.mapping);
    return merit_of(cut_, batch_, tokens_per_second, counted ? chance_of_room(cut_, memory_) : 1);
  }

  bool wanted(const Merit& merit) const {
    if (!best_) return true;
    return near_best_ ? near_best_->reaches(merit, best_->merit) : merit.better_than(best_->merit);
  }

  /// Tokens a second if only compute took time: `layer` for each layer and microbatch, with the bubble.
  /// Stages that hold less for their output matrices, or take turns with others, work at no less than the
  /// mean.
  double fastest(const MappingPlan& m, Seconds layer) const {
    constexpr double kRounding = 1.001;
    double rounds = real(m.microbatches);
    const ModelShape& shape = given_.model.shape;
    const bool mixed = shape.experts > 0 && (shape.expert_interval > 1 || shape.dense_layers > 0);
    if (shape.mtp_layers > 0 || mixed || m.last_stage_layers > 0 || shape.blocks() % m.pipeline != 0 ||
        schedule_rules(given_.step.schedule).pairs_passes) {
      const double sparse =
          real(shape.blocks() - (shape.experts > 0 ? shape.dense_before(shape.blocks()) : 0));
      return kRounding * m.batch_tokens / (layer.si() * sparse / real(m.pipeline) * rounds);
    }
    // What a schedule of zero bubbles leaves depends on its passes, and may be little.
    const double leaves = schedule_rules(given_.step.schedule).fill_share ? 0 : 1 / real(m.virtual_stages);
    if (given_.assumptions.step_rule == StepRule::pipeline) rounds += (real(m.pipeline) - 1) * leaves;
    return kRounding * m.batch_tokens / (layer.si() * real(m.layers_per_stage) * rounds);
  }

  const Scenario& given_;
  const FacilityPlan& facility_;
  MappingSpace space_;
  std::optional<double> batch_;
  SearchEffort effort_;
  Interval memory_;  // of predicted peaks
  int evaluations_left_ = 0;
  ClosestCut& closest_;
  NearBest* near_best_;
  std::optional<Scenario> trial_;  // with the counts under trial, where some are open
  MappingEvaluator evaluator_;
  MappingPlan cut_;  // under trial
  // Compute of a layer with the groups and microbatch under trial, by ZeRO stage and recomputation.
  std::array<std::array<Seconds, 3>, 4> layer_;
  std::string unscheduled_;  // why the schedule takes none, if no other mapping was found
  std::optional<RankedMapping> best_;
};

/// The best of the usual space and, where nothing there fits and keeps the batch, of wider ones.
std::optional<RankedMapping> best_of_spaces(const Scenario& scenario, const FacilityPlan& facility,
                                            const ModelPlan& model, ClosestCut& closest,
                                            const SearchEffort& effort, NearBest* near_best) {
  std::optional<RankedMapping> best;
  for (const SpaceWidth width : {SpaceWidth::usual, SpaceWidth::sharded, SpaceWidth::wide}) {
    auto found = MappingSearch(scenario, facility, model, width, effort, closest, near_best).best();
    if (found && (!best || found->merit.better_than(best->merit))) best = found;
    if (best && best->merit.keeps_batch) break;
    if (!widens(scenario)) break;
  }
  return best;
}

}  // namespace

bool chooses_mapping(const MappingInput& m) { return m.open.any() || !m.tensor || !m.pipeline; }

Merit merit_of(const MappingPlan& m, std::optional<double> batch, double tokens_per_second,
               double chance_of_room) {
  constexpr double kExact = 1e-9;
  constexpr double kInexactWorth = 0.9;
  Merit merit{true, tokens_per_second * chance_of_room, m.devices_idle, m.tensor, m.pipeline};
  if (!batch) return merit;
  const double deviation = std::abs(m.batch_tokens / *batch - 1);
  merit.keeps_batch = deviation <= kBatchTolerance;
  if (deviation > kExact) merit.speed *= kInexactWorth;
  return merit;
}

Candidate complete(Scenario scenario, const FacilityPlan& facility, const ModelPlan& model,
                   const RankedMapping& ranked) {
  scenario.mapping = ranked.input;
  Candidate out = evaluate(scenario, model, cut_either_way(scenario, facility, model, ranked.cut));
  out.input = ranked.input;
  return out;
}

std::optional<Candidate> find_mapping(const Scenario& scenario, const FacilityPlan& facility,
                                      const ModelPlan& model, ClosestCut& closest, int most_evaluations,
                                      MemoryRoom room) {
  const auto best = best_of_spaces(scenario, facility, model, closest, {most_evaluations, room}, nullptr);
  if (!best) return std::nullopt;
  return complete(scenario, facility, model, *best);
}

std::vector<RankedMapping> mappings_near_best(const Scenario& scenario, const FacilityPlan& facility,
                                              const ModelPlan& model, double share) {
  ClosestCut closest;
  NearBest near_best{share, {}};
  const auto best = best_of_spaces(scenario, facility, model, closest, {}, &near_best);
  std::vector<RankedMapping> out = std::move(near_best.mappings);
  std::erase_if(out, [&](const RankedMapping& m) { return !near_best.reaches(m.merit, best->merit); });
  std::stable_sort(out.begin(), out.end(), [](const RankedMapping& a, const RankedMapping& b) {
    return a.merit.ranks_before(b.merit);
  });
  return out;
}

Candidate evaluate(const Scenario& scenario, const ModelPlan& model, MappingPlan mapping) {
  Candidate candidate;
  const CostCase costs(scenario, model);
  const LayerCosts layer = layer_costs(costs, mapping);
  candidate.communication = plan_communication(costs, mapping, layer);
  static_cast<StepTimes&>(candidate.step) = step_times(costs, mapping, candidate.communication, layer,
                                                       stage_ranges(model.shape, stage_cut(mapping)));
  candidate.step.step_interval = costs.step_interval;
  candidate.step.memory_interval = memory_interval(scenario);
  const double offloaded =
      scenario.mapping.offload_activations ? 1 : offloaded_share(scenario.mapping, model.shape);
  if (offloaded > 0) {
    mapping.offload_rate = offloaded * mapping.activation_layer / layer.forward;
    const BytesPerSecond host = costs.networks.host;
    if (mapping.offload_rate > host) {
      mapping.warnings.push_back(
          fmt::format("offloading needs {} to the host and the link carries {}",
                      format_quantity(mapping.offload_rate.si(), Unit::bytes_per_second),
                      format_quantity(host.si(), Unit::bytes_per_second)));
    }
  }
  for (std::string missing : {missing_calibration(scenario), missing_operators(scenario),
                              missing_efficiency(scenario), bound_by_host(candidate.step)}) {
    if (!missing.empty()) mapping.warnings.push_back(std::move(missing));
  }
  for (std::string warning : program_warnings(scenario, mapping))
    mapping.warnings.push_back(std::move(warning));
  for (std::string warning : uncounted_effects(scenario, model, mapping))
    mapping.warnings.push_back(std::move(warning));
  candidate.mapping = std::move(mapping);
  return candidate;
}

Candidate choose_mapping(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                         MemoryRoom room) {
  ClosestCut closest;
  auto best = find_mapping(scenario, facility, model, closest);
  if (!best && room == MemoryRoom::doubtful && !chooses_mapping(scenario.mapping)) {
    ClosestCut unused;
    best = find_mapping(scenario, facility, model, unused, kMostEvaluations, room);
  }
  if (!best) refuse_mapping(scenario, facility, model, closest);
  if (std::string refusal = schedule_refusal(scenario, best->mapping); !refusal.empty())
    best->mapping.warnings.push_back(std::move(refusal) + ": `step` refuses this mapping");
  if (std::string doubt = memory_doubt(scenario, facility, model, *best); !doubt.empty()) {
    // For who shows warnings alone: each change is a search.
    const bool named = room == MemoryRoom::doubtful && !fits(best->mapping, best->step.memory_interval.high);
    const std::string changes = named ? changes_with_room(scenario, facility, model) : std::string();
    best->mapping.warnings.push_back(changes.empty() ? std::move(doubt) : doubt + "; " + changes);
  }
  return std::move(*best);
}

}  // namespace trainyard
