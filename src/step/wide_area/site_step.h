// A step of a plan with another exchange between its sites.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cost/exchange_exposure.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;

/// A way to sum the gradients of a layer with a stage of its own between sites.
struct StagedSum {
  Bytes between;   // of a device, over the sites
  Seconds inside;  // of its other stages, which no other traffic between sites slows
};

/// The plan has to outlive it.
class SiteStep {
 public:
  explicit SiteStep(const Plan& plan);

  /// The plan's hierarchical exchanges: the one that the scenario names, else all. Empty for one site.
  const std::vector<StagedSum>& sums() const { return sums_; }

  /// The pipelined exchange of a layer's gradients with this time between sites.
  static Seconds pipelined(const StagedSum& sum, Seconds between) { return std::max(sum.inside, between); }

  /// What a batch waits for of an exchange whose layers take this long, beyond what hides it: a layer's part.
  /// The mean of batches with and without an exchange between sites.
  Seconds exposed(Seconds layer) const {
    return mean(exposure_.of_layer(undisturbed_), exposure_.of_layer(layer));
  }

  /// A batch, by the rule of the scenario; one site's is the plan's.
  Seconds batch(Seconds layer) const { return mean(one_batch(undisturbed_), one_batch(layer)); }

  /// Of all communication, of a layer in steady state.
  double exposed_share(Seconds layer) const;

  /// The quickest exchange of a layer: one that takes no time between sites.
  Seconds undisturbed() const { return undisturbed_; }

  /// The longest exchange of a layer that costs a step nothing: what compute hides, or the quickest stages
  /// inside take.
  Seconds hidden() const { return std::max(undisturbed_, exposure_.hidden()); }

 private:
  Seconds mean(Seconds without, Seconds with) const { return without + (with - without) / every_; }
  Seconds one_batch(Seconds layer) const;

  const Plan& plan_;
  ExchangeExposure exposure_;
  std::vector<StagedSum> sums_;
  Seconds undisturbed_;
  Seconds planned_step_;   // what the plan's own exchange exposes of a step
  Seconds planned_layer_;  // and of a layer
  double layers_;
  double every_;
};

}  // namespace trainyard
