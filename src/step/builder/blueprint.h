// What a step's graph is built from: all of it is known before the first operation is added.
#pragma once

#include <cstdint>

#include "parallel/schedules.h"
#include "step/builder/chunks.h"
#include "step/builder/settings.h"
#include "step/builder/shared_streams.h"
#include "step/builder/transfer_classes.h"
#include "step/layer_pass.h"

namespace trainyard {
struct Plan;
}

namespace trainyard::builder {

/// Refers to the plan and to the order, which have to outlive it.
struct Blueprint {
  const Plan& plan;
  const ScheduleOrder& order;
  LayerPass costs;
  Settings set;
  ScheduleShape shape;
  Chunks chunks;
  TransferClasses classes;
  SharedStreams streams;

  /// A stage on both ways through the model holds a chunk of each.
  bool both_ways() const { return order.second_direction > 0; }

  std::uint32_t exchange_stream(std::int32_t stage, std::size_t stage_of_exchange) const {
    return streams.exchange[static_cast<std::size_t>(stage) * costs.exchange.size() + stage_of_exchange];
  }
};

}  // namespace trainyard::builder
