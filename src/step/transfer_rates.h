// The rate and delay that a graph's transfers find on their networks.
#pragma once

#include <array>

#include "step/graph.h"
#include "trainyard/networks.h"
#include "trainyard/step_timeline.h"
#include "trainyard/units.h"

namespace trainyard {

class TransferRates {
 public:
  /// Throws InputError for a network without bandwidth that one of the graph's classes uses.
  TransferRates(const StepGraph& graph, const Networks& networks);

  const NetworkRate& on(StepResource network) const { return rates_[static_cast<std::size_t>(network)]; }

  /// The most that a transfer of the class sends, alone.
  BytesPerSecond most(const TransferClass& c) const { return on(c.network).rate * c.rate_share; }

  /// Time to send so much, alone. Throws InputError for what takes longer than a step may.
  StepTime alone(const TransferClass& c, double bytes) const;

  /// From the last byte sent until it has arrived; nothing takes no time.
  StepTime delay(const TransferClass& c, double bytes) const {
    return bytes > 0 ? step_time(on(c.network).delay * c.rounds + c.delay) : 0;
  }

 private:
  std::array<NetworkRate, kStepResources> rates_{};
};

}  // namespace trainyard
