// What a network leaves to each kind of a training step's traffic.
#pragma once

namespace trainyard {

/// Shares of the scale-out rate that a topology leaves to each kind of traffic, each on its own.
struct TrafficShares {
  double pipeline = 1;
  double gradient = 1;
  double expert = 1;
  double weights = 1;
};

}  // namespace trainyard
