// Pipelines whose idle time no formula says for passes of unequal length: the schedule's order is played.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/stages.h"
#include "trainyard/units.h"

namespace trainyard {

struct ScheduleRules;
struct ScheduleShape;

/// Of a microbatch on a stage, one way: its compute, and what each kind of transfer then waits for.
struct WayTimes {
  Seconds compute;
  Seconds tensor;
  Seconds context;
  Seconds expert;
  Seconds alone() const { return compute + tensor + context + expert; }
};

struct PlayedChunk {
  StageLayers layers;
  WayTimes forward;
  WayTimes backward;    // weights' gradients among its compute
  Seconds weight;       // these
  Seconds head;         // work at an end of the model, forward and backward
  Seconds each;         // what every chunk takes besides, forward and backward
  Seconds send_before;  // to the chunk before it
  Seconds send_behind;  // to the chunk behind it
  Seconds ends() const { return head + each; }
};

/// Of a device, in a step.
struct PlayedTransfers {
  Seconds sends;      // to other stages, that it waited for
  Seconds exposed;    // of the transfers within its passes, what no other pass hid
  Seconds transfers;  // all of these
};

struct PlayedStep {
  Seconds time;   // of all passes
  Seconds sends;  // of that, between stages
  PlayedTransfers busiest;
};

/// A step of so many microbatches, of which the schedule plays the first, and at how many rounds less, each
/// of `period` microbatches: behind some rounds every one adds as much as the one before.
struct PlayedRounds {
  std::int32_t played = 0;
  std::int32_t fewer = 0;  // 0: all are played
  double more = 0;         // rounds
};
PlayedRounds played_rounds(const ScheduleRules& rules, const ScheduleShape& shape, std::int32_t rounds);

/// `chunks`: by depth. `waits`: a stage goes on when its output has left.
PlayedStep played_passes(const ScheduleRules& rules, const ScheduleShape& shape,
                         const std::vector<PlayedChunk>& chunks, bool waits);

}  // namespace trainyard
