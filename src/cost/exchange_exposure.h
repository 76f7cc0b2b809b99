// What a step waits for of the exchange of gradients over its replicas, whatever the exchange takes.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>

#include "cost/exchange_times.h"
#include "cost/played_exchange.h"
#include "cost/step_effort.h"
#include "trainyard/units.h"

namespace trainyard {

struct CommunicationPlan;
struct CostCase;
struct ExchangePhases;
struct LayerCosts;
struct MappingPlan;
struct StepTimes;

class ExchangeExposure {
 public:
  /// Keeps nothing of what it is given. `step` needs the times of a layer and the pace of a microbatch.
  ExchangeExposure(const CostCase& costs, const MappingPlan& mapping, const CommunicationPlan& communication,
                   const StepTimes& step, const LayerCosts& layer, StepEffort effort = StepEffort::whole);

  /// Of a step. Measured ZeRO 3: with the gathers of weights, which share the network with the sums.
  Seconds of_step(const ExchangePhases& layer) const { return staged(layer).exposed; }

  /// What a device of a stage sums, in usual layers.
  struct SummedStage {
    double layers = 0;
    double embedding = 0;  // of these
    double behind = 0;     // the first
  };

  /// Two ways of a step, not under ZeRO 3: `all`, and of that what no compute of the step can hide. The
  /// embedding's gradients come last, and the next step begins with its weights.
  struct Exchanged {
    Seconds all;
    Seconds ends;
  };
  /// Sums of gradients and gathers of what the optimizer updated, of a stage: one behind the first ends so
  /// many of its backward passes earlier, and begins as many forward ones later.
  struct BothWays {
    Exchanged sums;
    Exchanged returns;
    double stages_behind = 0;
  };

  /// What a step waits for, of that what compute loses to the transfers beside it, and the stage's exchange
  /// that is waited for longest.
  struct Exposed {
    Seconds exposed;
    Seconds contention;
    BothWays longest;
  };

  /// Below ZeRO 3: of these stages, and where passes are played, of what is exchanged of a usual layer.
  Exposed of_stages(std::initializer_list<BothWays> stages, const LayerExchange& layer) const;

  /// Of an exchange in stages, on the device that sums most.
  Exposed staged(const ExchangePhases& layer) const;

  /// Whether a step's exchange is bounded, not played, and what it waits for at least: under ZeRO 3 what the
  /// network cannot carry beside the passes, else nothing. `scatter`: of a usual layer.
  bool bounds() const { return bounds_; }
  Seconds least(Seconds scatter) const;

  /// As a part of every layer and microbatch in steady state (HotNets '24 section 6).
  Seconds of_layer(const ExchangePhases& layer) const;

  /// The longest exchange of a layer that costs a step nothing: measured ones that run beside compute slow it
  /// from the first byte on. Infinite: whatever it takes.
  Seconds hidden() const;

  /// Whether weights are gathered in every pass, by measured constants: the exposed exchange is a part of
  /// theirs.
  bool with_weights() const { return measured_ && zero3_; }

 private:
  Seconds beside(Seconds transfer, Seconds compute) const;
  Seconds beside(Exchanged exchanged, Seconds compute) const;
  Exposed idealised(Seconds layer) const;
  Seconds of_stage(const BothWays& stage) const;
  Seconds contention(const BothWays& stage) const;
  BothWays in_stages(const ExchangePhases& layer, const SummedStage& stage) const;
  Seconds with_gathers(const ExchangePhases& sums) const;
  Seconds unplayed_gathers(Seconds scatter, Seconds once) const;
  double forward_share() const { return forward_all_ / (forward_all_ + backward_all_); }

  std::array<SummedStage, 3> summed_stages_;  // the first, the last, the fullest
  bool measured_ = false;
  bool hides_ = false;  // the program does, beside the last backward and the next forward pass
  double contention_ = 0;
  bool wholly_ = false;  // the scenario says that nothing is left
  bool zero3_ = false;
  double layers_ = 1;    // whose exchanges count, in usual ones
  double gathered_ = 1;  // whose gathers do
  ExchangedEnds gathered_ends_;
  ExchangedEnds summed_ends_;
  double stage_layers_ = 1;  // over which a plan spreads them
  double microbatches_ = 1;
  bool repeats_ = false;  // for each microbatch, under ZeRO 3
  double gathers_ = 1;    // a step
  double ways_ = 1;       // passes through all layers of a stage that a step waits for with these
  std::optional<PlayedExchange> played_;
  bool bounds_ = false;     // in place of playing
  double least_layer_ = 1;  // what a layer exchanges at least, in usual ones
  Seconds passes_;          // of a step, without what they wait for of exchanges
  Seconds gather_;
  Seconds forward_;   // of a layer, compute alone
  Seconds backward_;  // the same
  Seconds forward_all_;
  Seconds backward_all_;     // of a layer, with its transfers
  double behind_share_ = 0;  // of a microbatch's passes, what is left when its first gradients are there
  double last_ = 1;          // microbatches that end a step and hide it
  double chunks_ = 1;        // of a stage's layers
  Seconds pace_;
  double straggling_ = 1;  // by which all of it is longer
  Seconds
      room_;  // passes that end a step, or begin one: output matrices stand before sums and behind returns
};

}  // namespace trainyard
