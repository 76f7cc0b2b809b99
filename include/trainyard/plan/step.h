// The part of a plan that says how long a step takes.
#pragma once

#include <cmath>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

/// A prediction's 80% interval, and on what it rests.
struct Interval {
  double low = 1;  // over the predicted value
  double high = 1;
  std::string basis;

  /// Of its lower half, in logarithms: what runs by a program's makers scatter.
  double half_width() const { return -std::log(low); }
};

/// Times of one layer and of a step (HotNets '24 section 6).
struct StepTimes {
  static constexpr double kNotPlayed = -1;
  bool plays_passes() const { return passes_exposed >= 0; }  // of a schedule, in place of a formula

  Seconds forward;  // compute of one layer, one microbatch
  Seconds backward;
  double recompute_share = 0;  // extra compute of recomputation over the whole step
  Seconds host_wait;           // of one layer and microbatch: both passes wait for the host to launch kernels
  Seconds copies;              // of one layer: in both passes, around gathers and scatters of ZeRO 3
  Seconds exposed_tensor;      // of one layer, forward and backward
  Seconds exposed_pipeline;
  Seconds exposed_context;
  Seconds exposed_expert;    // of one with experts
  double expert_layers = 0;  // with experts, of the stage that sets the pace
  Seconds exposed_weights;   // ZeRO-3: gathering weights
  Seconds exposed_gradient;
  Seconds exposed;           // sum, steady state
  double exposed_share = 0;  // of compute + exposed, steady state
  Seconds steady_time;       // of a microbatch on a stage, steady state

  Seconds microbatch_time;        // of one stage: its layers, forward, backward and exposed transfers
  Seconds head_time;              // output matrix and embedding of the last stage, for one microbatch
  Seconds bubble;                 // fill and drain
  Seconds gradient_exposed_step;  // of the exchange at the end of a batch, and of what follows it
  Seconds end_sums;               // of that: a tied embedding's gradients over stages, the norm of all
  Seconds optimizer_time;
  Seconds pace;                        // of a microbatch on the slowest stage, everything included
  Seconds replica_time;                // of a microbatch on all stages, one after another, without transfers
                                       // between them
  double fill_share = 1;               // part of fill and drain that the schedule leaves
  double passes_exposed = kNotPlayed;  // of transfers within passes, where these were played
  Seconds fill_sends;                  // of the bubble: transfers between stages
  Seconds stall;                       // of the bubble: what programs lose of what interleaved stages save
  Seconds gradient_sum;                // of a step: sums of gradients on the first stage, whole
  Seconds weights_return;              // of a step: gathers of updated weights, whole
  Seconds exchange_contention;         // of a step: by how much both slow the compute beside them
  Seconds weights_exposed_step;        // ZeRO 3: gathers and scatters that compute does not hide
  Seconds offload_exposed_step;        // passes that wait for their activations to go to the host and return
  double straggling = 1;               // factor of the slowest server, which everybody waits for
  Seconds step;                        // of one batch, by assumptions.step_rule
  Seconds step_pipeline;               // of one batch with fill and drain
  Seconds step_steady;                 // of one batch in steady state
  double exposed_share_step = 0;       // transfers over the step
  double bubble_share = 0;
  double mfu = 0;
  double tokens_per_second = 0;
  double tokens = 0;  // of the training run
  double steps = 0;
  Seconds days_to_train;
};

/// The same with error bars.
struct StepPlan : StepTimes {
  Interval step_interval;
  Interval memory_interval;
};

}  // namespace trainyard
