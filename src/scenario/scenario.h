// The sections of a scenario as field tables, and what several folders read off a resolved one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/fields.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

/// A section of the scenario file, for help, documents and JSON Schema.
struct SectionInfo {
  std::string name;
  std::string sentence;
  std::vector<FieldInfo> fields;
  bool repeated = false;  // written as [[name]]
};
std::vector<SectionInfo> scenario_sections();

/// Key of the training program in force: the scenario's, else the accelerator's usual one, else "none".
std::string software_key(const Scenario& scenario);

/// Its habits, with what the scenario says of this run.
Software software_of(const Scenario& scenario);

/// Whether the scenario says that its run hides something, and that nothing of it is left.
bool hides(const Scenario& scenario, Hidden what);
bool hides_wholly(const Scenario& scenario, Hidden what);

/// The accelerator of the scenario's HB domain.
const Accelerator& accelerator_of(const Scenario& scenario);

/// Layers of the fullest of so many pipeline stages.
constexpr std::int64_t layers_of_stage(std::int64_t layers, std::int64_t stages) {
  return (layers + stages - 1) / stages;
}

const FieldTable<FacilityInput>& facility_fields();
const FieldTable<TrainingInput>& training_fields();
const FieldTable<MeasurementInput>& measurement_fields();
const FieldTable<MappingInput>& mapping_fields();
const FieldTable<PrecisionInput>& precision_fields();
const FieldTable<NetworkInput>& network_fields();
const FieldTable<AssumptionsInput>& assumption_fields();
const FieldTable<RailInput>& rail_fields();
const FieldTable<SiteInput>& site_fields();
const FieldTable<SimulationInput>& simulation_fields();
const FieldTable<FailureInput>& failure_fields();
const FieldTable<StepInput>& step_fields();
const FieldTable<StragglerInput>& straggler_fields();
const FieldTable<StepFailureInput>& step_failure_fields();
const FieldTable<WideAreaInput>& wide_area_fields();
const FieldTable<LongHaulInput>& long_haul_fields();
const FieldTable<FloorInput>& floor_fields();
const FieldTable<OptimizeInput>& optimize_fields();
const FieldTable<DesignInput>& design_fields();
const FieldTable<SweepInput>& sweep_fields();
const FieldTable<SweepSeries>& series_fields();
const FieldTable<ModelInput>& model_choice_fields();

/// Calls f(section, record, fields) for the parameters of every transport.
template <class Transports, class F>
void each_transport_section(Transports& t, const F& f) {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) f(#section, t.section, own_fields<Record>());
#include "trainyard/registries/transports.def"
}

/// The sections whose settings a transport uses; none for `ideal`.
std::vector<std::string> transport_sections(Transport transport);

}  // namespace trainyard
