// Schedules whose idle time no formula says for passes of unequal length: their order is played.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct ScheduleRules;

/// Of a microbatch on a stage, one way: its compute, and what each kind of transfer then waits for.
struct WayTimes {
  Seconds compute;
  Seconds tensor;
  Seconds context;
  Seconds expert;
  Seconds alone() const { return compute + tensor + context + expert; }
};

struct PlayedStage {
  std::int64_t layers = 1;
  WayTimes forward;
  WayTimes backward;    // weights' gradients among its compute
  Seconds weight;       // these
  Seconds ends;         // what stands beside the layers, forward and backward
  Seconds send_before;  // to the stage before it
  Seconds send_behind;  // to the stage behind it
};

/// Of a device, in a step.
struct PlayedTransfers {
  Seconds sends;      // to other stages, that it waited for
  Seconds exposed;    // of the transfers within its passes, what no other pass hid
  Seconds transfers;  // all of these
};

struct PlayedStep {
  Seconds time;  // of all passes
  PlayedTransfers busiest;
};

/// Passes grow as the square of the stages: of more than these none are played.
inline constexpr std::int64_t kMostPlayedStages = 128;

/// `waits`: a stage goes on when its output has left. Every microbatch beyond some times the stages adds as
/// much as the one before.
PlayedStep played_passes(const ScheduleRules& rules, const std::vector<PlayedStage>& stages,
                         std::int64_t microbatches, bool waits);

}  // namespace trainyard
