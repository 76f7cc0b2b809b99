// The passes of a stage in the schedule's order: what each waits for before and sends after its layers.
#pragma once

#include <cstdint>

#include "parallel/schedules.h"
#include "step/builder/activations.h"
#include "step/builder/arrivals.h"
#include "step/builder/blueprint.h"
#include "step/builder/lane.h"
#include "step/builder/layer_work.h"
#include "step/builder/offload.h"
#include "step/builder/pass.h"
#include "step/builder/pass_transfers.h"
#include "step/builder/weight_prefetch.h"
#include "step/builder/weights_ahead.h"

namespace trainyard::builder {

class StageExchanges;
class Writer;

class StageWork {
 public:
  StageWork(const Blueprint& blueprint, Writer& writer, StageExchanges& exchanges);
  StageWork(const StageWork&) = delete;  // its parts refer to each other
  StageWork& operator=(const StageWork&) = delete;

  /// All passes of a lane's step.
  void add(Lane& lane);

 private:
  void add_stall(Lane& lane);
  Pass begin(Lane& lane, std::int64_t position);
  void end(Pass& pass);
  void send(Pass& pass, Way way);
  const std::vector<ChunkPass>& order(const Lane& lane) const {
    return b_.order.stages[static_cast<std::size_t>(lane.stage)];
  }

  const Blueprint& b_;
  Writer& writer_;
  StageExchanges& exchanges_;
  Activations activations_;
  Offload offload_;
  WeightPrefetch prefetch_;
  WeightsAhead ahead_;
  PassTransfers transfers_;
  LayerWork layers_;
};

}  // namespace trainyard::builder
