// What a site draws with so many devices at each kind of work.
#pragma once

#include <cstdint>

#include "trainyard/scenario/operation.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;

namespace operation {

constexpr double kDay_s = 86400;

class SitePower {
 public:
  /// `computing`: share of a step in which devices compute.
  SitePower(const Plan& plan, const OperationInput& settings, double computing);

  /// Mean draw, at the higher PUE, when devices train at a share of their clock; the others idle.
  Watts draw(double training_devices, double service_devices, double clock = 1) const;
  /// Speed of training at a clock over that at the full one: transfers do not wait for clocks.
  double speed_at(double clock) const;
  /// Of all devices at full power.
  Watts full() const;
  /// Without the PUE, which does not follow within seconds: all devices train, computing for this share.
  Watts of_step(double computing) const;
  Watts idle_devices() const;  // without the PUE, too
  /// The most devices of a kind that the cap leaves beside the others.
  double most_training(Watts cap, double service_devices, double clock = 1) const;
  double most_service(Watts cap, double training_devices, double clock = 1) const;

 private:
  double training_share(double clock) const;
  double room(Watts cap, double others_w, double extra_w) const;

  const OperationInput& settings_;
  double devices_;
  double device_w_;  // at full power
  double overhead_w_;
  double pue_;
  double computing_;  // share of a step
};

}  // namespace operation
}  // namespace trainyard
