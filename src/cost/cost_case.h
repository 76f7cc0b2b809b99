// What the costs of all mappings of a scenario go by, looked up once.
#pragma once

#include <memory>
#include <optional>

#include "cost/operator_clock.h"
#include "trainyard/catalog_records.h"
#include "trainyard/networks.h"
#include "trainyard/plan/step.h"
#include "trainyard/units.h"

namespace trainyard {

class MeasuredOperators;
struct ModelPlan;
struct Scenario;
struct ScheduleRules;

/// Scenario and model must outlive it; the counts of [mapping], its ZeRO stage and recomputation may change.
struct CostCase {
  /// Throws InputError for networks that contradict each other.
  CostCase(const Scenario& scenario, const ModelPlan& model);

  const Scenario& scenario;
  const ModelPlan& model;
  Software software;
  const Calibration* calibration;                // nullptr: an idealisation
  std::optional<OperatorClock> clock;            // of layers, where there is a calibration
  std::shared_ptr<MeasuredOperators> operators;  // with measured collectives; nullptr: none
  Networks networks;
  double domain_devices = 1;
  double element_bytes = 0;   // of an activation on the network
  double gradient_bytes = 0;  // of a gradient on the network
  FlopRate peak;              // of a device
  const ScheduleRules& schedule;
  double run_tokens = 0;
  Interval step_interval;
};

}  // namespace trainyard
