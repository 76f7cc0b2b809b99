// From a user's TOML to a validated, fully defaulted question.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/fields.h"
#include "trainyard/scenario.h"

namespace trainyard {

/// A scenario as written: parsed once, resolved once for each set of changes (a sweep resolves it thousands
/// of times).
class ScenarioText {
 public:
  /// Reads a file or, when no such file exists, the shipped scenario of that name. `catalog_folders` are read
  /// over the shipped catalog before the scenario's own `[catalog]`. Throws InputError.
  static ScenarioText load(const std::string& file_or_name,
                           const std::vector<std::string>& catalog_folders = {});

  /// A text that is already in memory, named for messages.
  static ScenarioText parse(std::shared_ptr<const SourceText> source,
                            const std::vector<std::string>& catalog_folders = {});

  /// The same over a catalog that is already read.
  static ScenarioText parse(std::shared_ptr<const SourceText> source, std::shared_ptr<const Catalog> catalog);

  /// Makes a change that holds for every later resolve(): one `key.path=value` of --set.
  void set(const std::string& assignment, const std::string& flag = "--set");

  /// Whether the text or a change has this section.
  bool has(std::string_view section) const { return document_.find(section) != nullptr; }

  /// Whether the text or a change has this key of a section, so that its default does not stand.
  bool has(std::string_view section, std::string_view key) const;

  /// The question with these changes on top. Throws InputError with every finding.
  Scenario resolve(const std::vector<Member>& changes = {}) const;

 private:
  std::string name_;
  Table document_;
  std::shared_ptr<const Catalog> catalog_;   // shipped and folders, without the scenario's own
  std::shared_ptr<const Catalog> extended_;  // with the scenario's own; kept while no change touches it
};

/// Names and one-line titles of the scenarios that the program ships with.
struct ShippedScenario {
  std::string name;
  std::string title;
  std::string text;
};
std::vector<ShippedScenario> shipped_scenarios();

/// A section of the scenario file, for help, documents and JSON Schema.
struct SectionInfo {
  std::string name;
  std::string sentence;
  std::vector<FieldInfo> fields;
  bool repeated = false;  // written as [[name]]
};
std::vector<SectionInfo> scenario_sections();

/// Identity of a question: of every setting, defaults included, and of the catalog.
std::string scenario_hash(const Scenario& scenario);

/// Identity of what a simulation depends on: a hash of simulation_settings().
std::string simulation_hash(const Scenario& scenario);

/// Of scenario_settings() those that a simulation uses, but for absent ones.
std::vector<std::pair<std::string, std::string>> simulation_settings(const Scenario& scenario);

/// Every setting of a section with its value, defaults included: {"facility.load", "1"}.
std::vector<std::pair<std::string, std::string>> scenario_settings(const Scenario& scenario);

/// Key of the training program in force: the scenario's, else the accelerator's usual one, else "none".
std::string software_key(const Scenario& scenario);

/// Its habits, with what the scenario says of this run.
Software software_of(const Scenario& scenario);

/// Whether the scenario says that its run hides something, and that nothing of it is left.
bool hides(const Scenario& scenario, Hidden what);
bool hides_wholly(const Scenario& scenario, Hidden what);

/// The accelerator of the scenario's HB domain.
const Accelerator& accelerator_of(const Scenario& scenario);

/// The JSON Schema of a scenario file.
std::string scenario_schema();

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
