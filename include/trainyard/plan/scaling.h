// The part of a plan that says what the scaling laws advise.
#pragma once

#include <optional>
#include <vector>

#include "trainyard/scenario/training.h"
#include "trainyard/units.h"

namespace trainyard {

/// A loss-optimal size by one scaling law.
struct LawPoint {
  ScalingLaw law = ScalingLaw::hoffmann2;
  double parameters = 0;
  double tokens = 0;
  std::optional<double> loss;  // where the law predicts one, nats a token
};

/// What the scaling laws say (HotNets '24 section 3.1).
struct ScalingPlan {
  std::optional<Seconds> duration;
  Flop compute;     // what the laws may spend; 0 when the scenario gives neither duration nor budget
  FlopRate rate;    // the dense peak of all devices times law_utilization
  LawPoint chosen;  // by training.law
  std::vector<LawPoint> laws;
  double model_tokens_optimal = 0;  // for the plan's own model, by Hoffmann approach 2
  Seconds model_duration;           // to train that model on the run's tokens at `rate`
};

}  // namespace trainyard
