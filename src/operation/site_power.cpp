#include "operation/site_power.h"

#include <algorithm>
#include <cmath>

#include "trainyard/plan.h"

namespace trainyard::operation {

SitePower::SitePower(const Plan& plan, const OperationInput& settings, double computing)
    : settings_(settings),
      devices_(static_cast<double>(plan.facility.devices)),
      device_w_(plan.facility.power_compute.si() / devices_),
      overhead_w_(plan.facility.power_overhead.si()),
      pue_(plan.scenario.facility.pue_high),
      computing_(computing) {}

double SitePower::speed_at(double clock) const { return 1 / (computing_ / clock + 1 - computing_); }

/// Of a device's power, mean of a step.
double SitePower::training_share(double clock) const {
  const double compute = settings_.idle_power + (settings_.compute_power - settings_.idle_power) *
                                                    std::pow(clock, settings_.clock_exponent);
  const double computing = computing_ / clock * speed_at(clock);
  return compute * computing + settings_.transfer_power * (1 - computing);
}

Watts SitePower::draw(double training_devices, double service_devices, double clock) const {
  const double idle = devices_ - training_devices - service_devices;
  const double busy = training_devices * training_share(clock) + service_devices * settings_.service_power;
  return Watts(pue_ * (overhead_w_ + device_w_ * (busy + idle * settings_.idle_power)));
}

Watts SitePower::full() const { return Watts(pue_ * (overhead_w_ + device_w_ * devices_)); }

Watts SitePower::of_step(double computing) const {
  return Watts(overhead_w_ +
               device_w_ * devices_ *
                   (settings_.compute_power * computing + settings_.transfer_power * (1 - computing)));
}

Watts SitePower::idle_devices() const {
  return Watts(overhead_w_ + device_w_ * devices_ * settings_.idle_power);
}

/// Devices that change from idling to work, each of which draws `extra_w` more.
double SitePower::room(Watts cap, double others_w, double extra_w) const {
  if (cap.si() < others_w) return 0;
  return extra_w > 0 ? (cap.si() - others_w) / (pue_ * extra_w) : devices_;
}

double SitePower::most_training(Watts cap, double service_devices, double clock) const {
  const double extra_w = device_w_ * (training_share(clock) - settings_.idle_power);
  return std::min(devices_ - service_devices, room(cap, draw(0, service_devices).si(), extra_w));
}

double SitePower::most_service(Watts cap, double training_devices, double clock) const {
  const double extra_w = device_w_ * (settings_.service_power - settings_.idle_power);
  return std::min(devices_ - training_devices, room(cap, draw(training_devices, 0, clock).si(), extra_w));
}

}  // namespace trainyard::operation
