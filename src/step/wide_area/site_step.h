// A step of a plan with another exchange between its sites.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "trainyard/plan.h"
#include "trainyard/units.h"

namespace trainyard {

/// The plan has to outlive it.
class SiteStep {
 public:
  explicit SiteStep(const Plan& plan);

  /// The stage of the exchange that crosses sites.
  const GradientStage& stage() const { return stage_; }

  /// The pipelined exchange of a layer's gradients with this time between sites: no other stage shares the
  /// wide area.
  Seconds pipelined(Seconds between) const { return std::max(inside_, between); }

  /// Beyond a layer's backward pass; the mean of batches with and without an exchange between sites.
  Seconds exposed(Seconds between) const {
    return mean(beyond(pipelined(Seconds(0))), beyond(pipelined(between)));
  }

  /// A batch, by the rule of the scenario.
  Seconds batch(Seconds between) const { return mean(one_batch(Seconds(0)), one_batch(between)); }

  /// Of all communication, of a layer in steady state.
  double exposed_share(Seconds between) const;

 private:
  Seconds mean(Seconds without, Seconds with) const { return without + (with - without) / every_; }
  Seconds beyond(Seconds time) const { return std::max(Seconds(0), time - plan_.step.backward); }
  Seconds one_batch(Seconds between) const;

  const Plan& plan_;
  const GradientStage& stage_;
  Seconds inside_;  // of the exchange's other stages
  double layers_;
  double every_;
};

}  // namespace trainyard
