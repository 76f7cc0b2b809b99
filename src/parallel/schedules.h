// Pipeline schedules: which pass of which chunk and microbatch each stage computes when.
//
// A schedule gives every stage an order of chunk passes. A microbatch goes through the chunks of the model by
// depth: forward from depth 0 up, backward from the last depth down. Orders say nothing of time; the executor
// does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct MappingPlan;
enum class PipelineSchedule;  // trainyard/pipeline_schedule.h

enum class ChunkWork : std::uint8_t {
  forward,
  backward,        // inputs and weights
  backward_input,  // of the inputs only; its weights follow later
  backward_weight,
};

/// One pass of one chunk on one stage.
struct ChunkPass {
  ChunkWork work = ChunkWork::forward;
  std::int32_t microbatch = 0;
  std::int32_t depth = 0;
  bool with_next = false;  // computed layer by layer in turns with the next pass, so that transfers overlap

  bool operator==(const ChunkPass&) const = default;
};

/// With the gradients of its weights.
inline bool makes_gradients(const ChunkPass& p) {
  return p.work == ChunkWork::backward || p.work == ChunkWork::backward_weight;
}

/// With the gradients of its inputs.
inline bool is_backward(const ChunkPass& p) {
  return p.work == ChunkWork::backward || p.work == ChunkWork::backward_input;
}

/// Of the work of a pass's chunk at an end of the model, which is a product: one forward pass, and two of the
/// same size backward.
inline double end_part(const ChunkPass& p) {
  constexpr double kProduct = 1.0 / 3;
  return p.work == ChunkWork::backward ? 2 * kProduct : kProduct;
}

/// Of activations that wait on the host (mapping.offload_activations), for plans and timelines alike.
namespace offloading {
constexpr std::int64_t kKept = 2;     // passes' activations that a device has room for
constexpr std::int64_t kAhead = 2;    // passes by which they come back early
constexpr std::int64_t kWorthIt = 3;  // passes from the forward to the backward one, for fewer they stay
}  // namespace offloading

/// What a schedule is made for.
struct ScheduleShape {
  std::int32_t stages = 1;
  std::int32_t microbatches = 1;
  std::int32_t chunks = 1;  // of a stage (virtual stages)
};

/// The orders of all stages, and where the chunks stand.
struct ScheduleOrder {
  std::vector<std::vector<ChunkPass>> stages;
  std::int32_t depths = 1;  // chunks that a microbatch passes
  /// The stage of a microbatch's chunk at each depth: stage_of[direction(microbatch)][depth].
  std::vector<std::vector<std::int32_t>> stage_of;
  std::int32_t second_direction = 0;  // first microbatch that goes from the last stage to the first; 0: none

  std::int32_t stage(std::int32_t microbatch, std::int32_t depth) const {
    const bool second = second_direction > 0 && microbatch >= second_direction;
    return stage_of[second ? 1 : 0][static_cast<std::size_t>(depth)];
  }
  /// Whether a microbatch is the first that passes the chunks of its direction.
  bool first_of_its_way(std::int32_t microbatch) const {
    return microbatch == 0 || (second_direction > 0 && microbatch == second_direction);
  }
};

/// What a schedule is.
struct ScheduleRules {
  ScheduleOrder (*order)(const ScheduleShape&);
  /// What the published formula says that a stage idles in a batch, with passes of a whole stage that take
  /// these times and transfers that take none.
  Seconds (*bubble)(const ScheduleShape&, Seconds forward, Seconds backward_input, Seconds backward_weight);
  /// Why a shape cannot be scheduled so, in words that follow "the schedule"; empty when it can.
  std::string (*refusal)(const ScheduleShape&);
  /// Part of the time to fill and drain that the closed form takes it to leave; none: as far as the training
  /// program gets with its virtual stages.
  std::optional<double> fill_share = {};
  bool keeps_all = false;      // no backward pass before the last forward pass: all activations at once
  bool pairs_passes = false;   // passes of opposite ways in turns, so that each hides the other's transfers
  bool weights_apart = false;  // every weight gradient is a pass of its own
};

/// One schedule of the registry.
struct ScheduleKind {
  PipelineSchedule schedule;
  std::string_view name;
  ScheduleRules rules;
};

/// All schedules, in the order of PipelineSchedule: the lines of
/// trainyard/registries/pipeline_schedules.def.
const std::vector<ScheduleKind>& pipeline_schedules();

const ScheduleKind& schedule_kind(PipelineSchedule schedule);

/// Where a scenario asks for none.
PipelineSchedule usual_schedule(std::int64_t virtual_stages);

/// The rules by which stages of so many chunks are passed.
const ScheduleRules& schedule_of_stages(const std::optional<PipelineSchedule>& schedule,
                                        std::int64_t virtual_stages);

/// Whether the passes of a step are no more than are scheduled one by one.
bool schedules_passes(const MappingPlan& mapping);

/// Whether, besides, their schedule takes them.
bool is_scheduled(const std::optional<PipelineSchedule>& schedule, const MappingPlan& mapping);

/// Of a mapping whose passes are scheduled.
ScheduleShape schedule_shape(const MappingPlan& mapping);

/// Whether a device holds two stages, as far from either end, one of each way through the model (DualPipe).
bool holds_two_stages(const std::optional<PipelineSchedule>& schedule, std::int64_t pipeline);

/// The rules of the schedule that a scenario asks for; of one that is left open, those of 1F1B.
const ScheduleRules& schedule_rules(const std::optional<PipelineSchedule>& schedule);

}  // namespace trainyard
