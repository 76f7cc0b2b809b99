// The sections of a scenario as field tables.
#pragma once

#include "base/fields.h"

namespace trainyard {

struct AssumptionsInput;
struct CircuitsInput;
struct DesignInput;
struct FacilityInput;
struct FailureInput;
struct FloorInput;
struct LongHaulInput;
struct MappingInput;
struct MeasurementInput;
struct ModelInput;
struct NetworkInput;
struct OperationInput;
struct OptimizeInput;
struct OwnershipInput;
struct PhaseInput;
struct PrecisionInput;
struct ProbeInput;
struct TierInput;
struct RailInput;
struct ResilienceInput;
struct SearchInput;
struct ScheduleInput;
struct SimulationInput;
struct SiteInput;
struct StepFailureInput;
struct StepInput;
struct StragglerInput;
struct SweepInput;
struct SweepSeries;
struct TrainingInput;
struct WideAreaInput;

const FieldTable<FacilityInput>& facility_fields();
const FieldTable<TrainingInput>& training_fields();
const FieldTable<MeasurementInput>& measurement_fields();
const FieldTable<MappingInput>& mapping_fields();
const FieldTable<PrecisionInput>& precision_fields();
const FieldTable<NetworkInput>& network_fields();
const FieldTable<AssumptionsInput>& assumption_fields();
const FieldTable<RailInput>& rail_fields();
const FieldTable<ResilienceInput>& resilience_fields();
const FieldTable<CircuitsInput>& circuit_fields();
const FieldTable<ScheduleInput>& schedule_fields();
const FieldTable<OperationInput>& operation_fields();
const FieldTable<OwnershipInput>& ownership_fields();
const FieldTable<PhaseInput>& phase_fields();
const FieldTable<SiteInput>& site_fields();
const FieldTable<SimulationInput>& simulation_fields();
const FieldTable<FailureInput>& failure_fields();
const FieldTable<ProbeInput>& probe_fields();
const FieldTable<TierInput>& tier_fields();
const FieldTable<StepInput>& step_fields();
const FieldTable<StragglerInput>& straggler_fields();
const FieldTable<StepFailureInput>& step_failure_fields();
const FieldTable<WideAreaInput>& wide_area_fields();
const FieldTable<LongHaulInput>& long_haul_fields();
const FieldTable<FloorInput>& floor_fields();
const FieldTable<OptimizeInput>& optimize_fields();
const FieldTable<DesignInput>& design_fields();
const FieldTable<SearchInput>& search_fields();
const FieldTable<SweepInput>& sweep_fields();
const FieldTable<SweepSeries>& series_fields();
const FieldTable<ModelInput>& model_choice_fields();

}  // namespace trainyard
