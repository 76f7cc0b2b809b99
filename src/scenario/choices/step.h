// The names of the enumerations of a simulated step.
#pragma once

#include "base/choices.h"
#include "trainyard/pipeline_schedule.h"
#include "trainyard/scenario/step.h"
#include "trainyard/step_fault.h"

namespace trainyard {

template <>
struct Choices<PipelineSchedule> {
  static constexpr Choice<PipelineSchedule> kAll[] = {
#define TRAINYARD_SCHEDULE(schedule, key, sentence) {PipelineSchedule::schedule, key, sentence},
#include "trainyard/registries/pipeline_schedules.def"
  };
};

template <>
struct Choices<GradientOverlap> {
  static constexpr Choice<GradientOverlap> kAll[] = {
      {GradientOverlap::bucketed, "bucketed", "a layer's gradients are exchanged as soon as they are there"},
      {GradientOverlap::beside_pass, "beside_pass",
       "each stage of the exchange stands beside the backward pass of its layer, with gradients that the "
       "stage "
       "before it finished a pass earlier, as HotNets '24 section 6 counts"},
      {GradientOverlap::after_batch, "after_batch", "after the last backward pass of the stage"}};
};

template <>
struct Choices<ExchangeEvery> {
  static constexpr Choice<ExchangeEvery> kAll[] = {
      {ExchangeEvery::batch, "batch", "after the last microbatch"},
      {ExchangeEvery::microbatch, "microbatch", "after every microbatch, as HotNets '24 section 6 counts"}};
};

template <>
struct Choices<StepFault> {
  static constexpr Choice<StepFault> kAll[] = {
#define TRAINYARD_STEP_FAULT(fault, key, sentence, takes, whose) {StepFault::fault, key, sentence},
#include "trainyard/registries/step_faults.def"
  };
};

}  // namespace trainyard
