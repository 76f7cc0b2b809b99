#include "parallel/schedules.h"

#include "parallel/schedule_parts.h"
#include "trainyard/pipeline_schedule.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/units.h"

namespace trainyard {

const std::vector<ScheduleKind>& pipeline_schedules() {
  static const std::vector<ScheduleKind> kinds = {
#define TRAINYARD_SCHEDULE(schedule, key, sentence) {PipelineSchedule::schedule, key, schedules::schedule()},
#include "trainyard/registries/pipeline_schedules.def"
  };
  return kinds;
}

const ScheduleKind& schedule_kind(PipelineSchedule schedule) {
  return pipeline_schedules()[static_cast<std::size_t>(schedule)];
}

PipelineSchedule usual_schedule(std::int64_t virtual_stages) {
  return virtual_stages > 1 ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b;
}

const ScheduleRules& schedule_of_stages(const std::optional<PipelineSchedule>& schedule,
                                        std::int64_t virtual_stages) {
  return schedule_kind(schedule.value_or(usual_schedule(virtual_stages))).rules;
}

bool schedules_passes(const MappingPlan& m) {
  constexpr double kMostPasses = 1e8;
  return real(m.pipeline) * real(m.microbatches) * real(m.virtual_stages) <= kMostPasses;
}

bool is_scheduled(const std::optional<PipelineSchedule>& schedule, const MappingPlan& m) {
  return schedules_passes(m) &&
         schedule_of_stages(schedule, m.virtual_stages).refusal(schedule_shape(m)).empty();
}

ScheduleShape schedule_shape(const MappingPlan& m) {
  return {static_cast<std::int32_t>(m.pipeline), static_cast<std::int32_t>(m.microbatches),
          static_cast<std::int32_t>(m.virtual_stages)};
}

bool holds_two_stages(const std::optional<PipelineSchedule>& schedule, std::int64_t pipeline) {
  return pipeline > 1 && schedule_rules(schedule).pairs_passes;
}

const ScheduleRules& schedule_rules(const std::optional<PipelineSchedule>& schedule) {
  return schedule_kind(schedule.value_or(PipelineSchedule::one_f_one_b)).rules;
}

}  // namespace trainyard
