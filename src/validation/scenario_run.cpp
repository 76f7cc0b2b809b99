#include "validation/scenario_run.h"

#include <memory>

#include "model/model.h"
#include "scenario/in_force.h"
#include "scenario/sections.h"
#include "trainyard/catalog.h"
#include "trainyard/measured_runs.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "validation/scenario_text.h"

namespace trainyard {
namespace {

Scenario parsed(std::string_view text, const std::string& name, const Catalog& catalog,
                const std::vector<std::string>& changes = {}) {
  auto source = std::make_shared<SourceText>();
  source->name = name;
  source->text = text;
  // The caller's catalog outlives the text; the scenario holds an extended copy of it.
  const std::shared_ptr<const Catalog> known(std::shared_ptr<const Catalog>(), &catalog);
  ScenarioText scenario = ScenarioText::parse(std::move(source), known);
  scenario.set(changes);
  return scenario.resolve();
}

/// A run states how it was cut: nothing is chosen for it.
void check_mapping(const Scenario& s, const std::string& name) {
  const MappingInput& m = s.mapping;
  const std::pair<const char*, bool> keys[] = {{"tensor", !m.tensor},
                                               {"pipeline", !m.pipeline},
                                               {"context", m.open.context},
                                               {"expert", m.open.expert},
                                               {"virtual_stages", m.open.virtual_stages},
                                               {"microbatch", m.open.microbatch},
                                               {"zero_stage", m.open.zero_stage},
                                               {"recompute", m.open.recompute}};
  std::string open;
  for (const auto& [key, absent] : keys) {
    if (absent) open += (open.empty() ? "mapping." : ", mapping.") + std::string(key);
  }
  if (!open.empty()) fail_input(whole(name), "a measured run states how it was cut", "state " + open);
}

/// Sequences of a step, where the scenario says them.
std::optional<std::int64_t> sequences_of(const Scenario& s, const MeasuredRun& run) {
  const MappingInput& m = s.mapping;
  if (s.training.batch_tokens)
    return static_cast<std::int64_t>(*s.training.batch_tokens) / run.shape.sequence;
  if (!m.microbatches) return std::nullopt;
  const std::int64_t replicas = run.devices / (run.tensor * run.pipeline * m.context);
  return *m.microbatches * m.microbatch * replicas;
}

void check_peak(MeasuredRun run, const Scenario& s, const std::string& name) {
  const auto sequences = sequences_of(s, run);
  if (!sequences || s.assumptions.peak == PeakKind::sparse) return;
  run.global_batch = *sequences;
  run.adapter_rank = s.training.adapter_rank;
  const std::string why = beyond_peak(run, *s.catalog);
  if (!why.empty())
    fail_input(whole(name), "measurement.step_time: " + why, "its unit, precision.compute, or the devices");
}

/// All settings but those that no prediction may depend on.
std::string settings_of(const Scenario& s) {
  std::string out = s.catalog->version();
  for (const auto& [key, value] : scenario_settings(s)) {
    if (!key.starts_with("measurement.")) out += "|" + key + "=" + value;
  }
  return out;
}

}  // namespace

bool is_scenario_file(const std::string& name) { return name.ends_with(".toml"); }

MeasuredRun scenario_run(std::string_view text, const std::string& name, const Catalog& catalog) {
  const Scenario s = parsed(text, name, catalog);
  check_mapping(s, name);
  const MeasurementInput& m = s.measurement;
  MeasuredRun run;
  run.scenario_text = text;
  run.scenario_settings = settings_of(s);
  run.scenario_calibration = calibration_of(s);
  run.left_out = m.left_out;
  run.from_memory = m.from_memory;
  run.confidence = m.confidence;
  run.id = !m.id.empty() ? m.id : s.title.empty() ? name : s.title;
  run.source = m.source.empty() ? name : m.source;
  run.shape = resolve_shape(s.model);
  run.model = run.shape.info.name;
  run.accelerator_key = s.catalog->hb_domains.at(s.facility.hb_domain).accelerator;
  run.accelerator = run.accelerator_key;
  run.software = software_key(s);
  run.precision = s.precision.compute;
  run.scaling = s.precision.scaling;
  run.devices = s.facility.devices.value_or(1);
  run.tensor = *s.mapping.tensor;
  run.pipeline = *s.mapping.pipeline;
  if (m.step_time) run.value = m.step_time->si();
  run.measured_memory = m.memory;
  check_peak(run, s, name);
  return run;
}

Scenario scenario_of_run(const MeasuredRun& run, const Catalog& catalog) {
  return parsed(run.scenario_text, run.id, catalog, run.scenario_changes);
}

std::string measurement_section(const MeasuredRun& run, const Catalog& catalog) {
  MeasurementInput m;
  m.id = run.id;
  m.source = run.source;
  if (run.value) m.step_time = measured_step(run, catalog);
  m.memory = run.measured_memory;
  m.left_out = run.left_out;
  m.from_memory = run.from_memory;
  m.confidence = run.confidence;
  return section_text("measurement", m, measurement_fields());
}

}  // namespace trainyard
