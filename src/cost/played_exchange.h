// What replicas exchange beside the passes of a step, which are played layer by layer with it: gathers of
// weights and sums of gradients stand in line on one network. And what passes wait for the host.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/exchange_line.h"
#include "cost/played_passes.h"
#include "parallel/schedules.h"
#include "trainyard/units.h"

namespace trainyard {

struct CommunicationPlan;
struct CostCase;
struct LayerCosts;
struct MappingPlan;
struct StepTimes;

/// Under ZeRO 3. `contention`: part of what runs beside each other by which both get longer
/// (Software::contention). `forward`, `backward`: compute of a layer.
LayerExchange layer_gathers(double contention, Seconds gather, Seconds sum, Seconds forward,
                            Seconds backward);

/// Passes of a mapping with measured constants.
class PlayedExchange {
 public:
  /// Keeps nothing of what it is given. Of `step` what interleaved stages lose.
  PlayedExchange(const CostCase& costs, const MappingPlan& mapping, const CommunicationPlan& communication,
                 const StepTimes& step, const LayerCosts& layer);

  /// What all passes of a step take longer with the exchange than without.
  Seconds exposed(const LayerExchange& exchange) const;

  /// What they take longer, without an exchange, where activations go to the host.
  Seconds exposed_to_host() const;

  /// Of one layer and microbatch; transfers are what the next layer waits for.
  struct Layer {
    Seconds forward;
    Seconds forward_transfers;
    Seconds backward;
    Seconds backward_transfers;
    Seconds weight;       // of `backward`, its weights' gradients
    double gathered = 1;  // in usual layers
    double summed = 1;    // the same
  };

  struct Chunk : PlayedChunk {
    double gathered_first = 0;   // with its first layer, in usual ones
    double gathered_behind = 0;  // for what follows its last
    double summed_first = 0;     // with the gradients of its last layer
    double summed_last = 0;      // with those of its first
    Seconds to_host{0};          // what its pass keeps, to the host and back; 0: nothing goes there
  };

  struct Passes {
    const ScheduleRules* rules = nullptr;
    Layer usual;
    Layer dense;
    std::vector<Chunk> chunks;  // by depth
    std::int64_t ahead = 1;     // passes through layers by which weights are gathered
    double ends_returned = 1;   // bytes of what returns of the chunks' ends, over those of their layers
    bool gathers = false;       // before passes: ZeRO 3
    bool repeats = false;       // gathers and sums for every microbatch
    bool waits = false;         // a stage goes on when its output has left
    Seconds stall;              // before the first pass of the first stage
  };

 private:
  Seconds time(const Passes& passes, const LayerExchange& exchange, bool every_microbatch) const;

  Passes passes_;
  ScheduleShape shape_;
};

}  // namespace trainyard
