// A step of a plan with another exchange between its sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cost/exchange_exposure.h"
#include "cost/exchange_phases.h"
#include "trainyard/plan/communication.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;

/// A way to sum the gradients of a layer with a stage of its own between sites.
struct StagedSum {
  Bytes between;          // of a device, over the sites
  ExchangePhases inside;  // of its other stages, which no other traffic between sites slows
};

/// The plan has to outlive it.
class SiteStep {
 public:
  explicit SiteStep(const Plan& plan);

  /// The plan's hierarchical exchanges: the one that the scenario names, else all. Empty for one site.
  const std::vector<StagedSum>& sums() const { return sums_; }

  /// The exchange of a layer's gradients with this stage between sites: of its bytes, and its delays.
  static ExchangePhases with(const StagedSum& sum, Seconds sending, Seconds waiting) {
    return with_far_stage(sum.inside, sending, waiting);
  }

  /// By which of two exchanges is chosen: what one of a layer takes, with its part of what is waited for
  /// once.
  Seconds length(const ExchangePhases& layer) const { return pipelined_exchange(layer, layer_of_step_); }

  /// What a batch waits for of such an exchange of its layers, beyond what hides it: a layer's part. The mean
  /// of batches with and without an exchange between sites.
  Seconds exposed(const ExchangePhases& layer) const {
    return mean(exposure_.of_layer(undisturbed_), exposure_.of_layer(layer));
  }

  /// A batch, by the rule of the scenario; one site's is the plan's.
  Seconds batch(const ExchangePhases& layer) const { return mean(one_batch(undisturbed_), one_batch(layer)); }

  /// Of all communication, of a layer in steady state.
  double exposed_share(const ExchangePhases& layer) const;

  /// The quickest exchange of a layer: one that takes no time between sites.
  const ExchangePhases& undisturbed() const { return undisturbed_; }

  /// The longest stage between sites that costs a step nothing but, where times are calibrated, its delays:
  /// what compute hides, or the other stages take. None where stages follow each other.
  std::optional<Seconds> patience(const StagedSum& sum) const;

  /// Whether an exchange's delays count against that.
  bool waits_by_layer() const { return undisturbed_.by_layer; }

 private:
  Seconds mean(Seconds without, Seconds with) const { return without + (with - without) / every_; }
  Seconds one_batch(const ExchangePhases& layer) const;

  const Plan& plan_;
  ExchangeExposure exposure_;
  std::vector<StagedSum> sums_;
  ExchangePhases undisturbed_;
  Seconds planned_step_;   // what the plan's own exchange exposes of a step
  Seconds planned_layer_;  // and of a layer
  double layer_of_step_;
  double layers_;
  double every_;
};

}  // namespace trainyard
