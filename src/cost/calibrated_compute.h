// Layer and step compute times of a plan by the calibrated model (operator_clock.h).
#pragma once

#include <memory>

#include "cost/compute_times.h"
#include "trainyard/catalog_records.h"
#include "trainyard/units.h"

namespace trainyard {

struct MappingPlan;
class MeasuredOperators;
class OperatorClock;
struct ModelPlan;
struct Scenario;

/// The calibration that `assumptions.compute_model = "calibrated"` uses; the defaults of Calibration, as an
/// estimate, for an accelerator without one; none for another model.
const Calibration* calibration_in_force(const Scenario& scenario);

/// The constants of an accelerator without a calibration: an estimate.
const Calibration& general_calibration();

/// What was measured of the scenario's accelerator; nullptr: nothing.
std::shared_ptr<MeasuredOperators> operators_in_force(const Scenario& scenario,
                                                      const Calibration& calibration);

/// The clock of the operators of layers.
OperatorClock layer_clock(const Scenario& scenario, const Calibration& calibration);

/// The constants of one set, and the operators and the host of another.
Calibration with_operators_of(const Calibration& constants, const Calibration& own);

LayerTimes calibrated_layer_times(const Scenario& scenario, const ModelPlan& model,
                                  const MappingPlan& mapping, const Calibration& calibration, LayerKind kind);

EndTimes calibrated_end_times(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                              const Calibration& calibration);

/// The optimizer's reads and writes of what a device updates, and the framework's time for a step.
Seconds calibrated_optimizer_time(const Scenario& scenario, const ModelPlan& model,
                                  const MappingPlan& mapping, const OperatorClock& clock);

/// Says that an accelerator has no calibration although the scenario asks for one; empty otherwise.
std::string missing_calibration(const Scenario& scenario);

/// Whether the scenario's accelerator takes a calibration whose runs were all on others.
bool borrows_calibration(const Scenario& scenario, const Calibration& calibration);

/// Says which operators the accelerator's operator system lacks; empty: none, or no system.
std::string missing_operators(const Scenario& scenario);

/// Says what the roofline takes where it is in force and nobody has measured the efficiency of an
/// accelerator's matrix products; empty otherwise.
std::string missing_efficiency(const Scenario& scenario);

}  // namespace trainyard
