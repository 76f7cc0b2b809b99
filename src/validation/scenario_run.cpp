#include "validation/scenario_run.h"

#include <memory>

#include "base/errors.h"
#include "model/model.h"
#include "scenario/scenario.h"
#include "validation/scenario_text.h"

namespace trainyard {
namespace {

Scenario parsed(std::string_view text, const std::string& name, const Catalog& catalog) {
  auto source = std::make_shared<SourceText>();
  source->name = name;
  source->text = text;
  // The caller's catalog outlives the text; the scenario holds an extended copy of it.
  const std::shared_ptr<const Catalog> known(std::shared_ptr<const Catalog>(), &catalog);
  return ScenarioText::parse(std::move(source), known).resolve();
}

}  // namespace

bool is_scenario_file(const std::string& name) { return name.ends_with(".toml"); }

MeasuredRun scenario_run(std::string_view text, const std::string& name, const Catalog& catalog) {
  const Scenario s = parsed(text, name, catalog);
  if (!s.mapping.tensor || !s.mapping.pipeline) {
    fail_input(whole(name), "a measured run states how it was cut",
               "mapping.tensor and mapping.pipeline, and what else differs from 1");
  }
  const MeasurementInput& m = s.measurement;
  MeasuredRun run;
  run.scenario_text = text;
  run.id = !m.id.empty() ? m.id : s.title.empty() ? name : s.title;
  run.source = m.source.empty() ? name : m.source;
  run.shape = resolve_shape(s.model);
  run.model = run.shape.info.name;
  run.accelerator_key = s.catalog->hb_domains.at(s.facility.hb_domain).accelerator;
  run.accelerator = run.accelerator_key;
  run.software = software_key(s);
  run.precision = s.precision.compute;
  run.devices = s.facility.devices.value_or(1);
  run.tensor = *s.mapping.tensor;
  run.pipeline = *s.mapping.pipeline;
  if (m.step_time) run.value = m.step_time->si();
  run.measured_memory = m.memory;
  return run;
}

Scenario scenario_of_run(const MeasuredRun& run, const Catalog& catalog) {
  return parsed(run.scenario_text, run.id, catalog);
}

std::string measurement_section(const MeasuredRun& run, const Catalog& catalog) {
  MeasurementInput m;
  m.id = run.id;
  m.source = run.source;
  if (run.value) m.step_time = measured_step(run, catalog);
  m.memory = run.measured_memory;
  return section_text("measurement", m, measurement_fields());
}

}  // namespace trainyard
