#include "validation/run_reader.h"

#include "validation/row_cells.h"
#include "validation/run_names.h"
#include "validation/run_words.h"

namespace trainyard {
namespace {

constexpr RealRange kValue{1e-9, 1e15};  // in any unit
constexpr RealRange kPeakTera{1e-3, 1e9};
constexpr RealRange kMemory{1, 1e18};

/// What was measured.
void read_measurement(RunRow& row, MeasuredRun& run) {
  const auto metric = row.choice<RunMetric>("metric", metric_words());
  const auto value = row.number("value", kValue);
  run.metric = metric.value_or(RunMetric::step_time);
  const auto factor = row.choice<double>("unit", unit_words(run.metric));
  if (value) run.value = *value * factor.value_or(1 / in_file_units(run.metric, 1));
  if (value && row.text("metric").empty())
    row.complain("column 'metric' is blank", "say of what 'value' is a measurement");
  if (run.metric == RunMetric::mfu && run.value.value_or(0) > 1)
    row.complain("column 'value': more than 100%");
  const auto usual = run.metric == RunMetric::mfu ? FlopConvention::mfu : FlopConvention::model;
  run.flop_convention = row.choice<FlopConvention>("flop_convention", flop_words()).value_or(usual);
  constexpr double kTeraflops = 1e12;
  if (const auto peak = row.number("peak_tflops", kPeakTera)) run.peak = FlopRate(*peak * kTeraflops);
  if (const auto bytes = row.number("measured_memory_bytes", kMemory)) run.measured_memory = Bytes(*bytes);
}

void check_peak(RunRow& row, const MeasuredRun& run, const Catalog& catalog) {
  const std::string why = beyond_peak(run, catalog);
  if (!why.empty())
    row.complain("column 'value': " + why,
                 "the unit, the precision, the devices, or 'peak_tflops' of what it ran on");
}

}  // namespace

const std::string& RunReader::accelerator(const std::string& name) {
  const auto known = accelerators_.find(name);
  if (known != accelerators_.end()) return known->second;
  return accelerators_[name] = accelerator_key(name, catalog_);
}

const ModelShape* RunReader::model(const std::string& name) {
  const auto known = models_.find(name);
  if (known != models_.end()) return known->second;
  return models_[name] = known_model(name, catalog_);
}

MeasuredRun RunReader::read(RunRow& row) {
  MeasuredRun run;
  run.where = row.where();
  run.id = row.text("id");
  run.source = row.text("source");
  run.model = row.text("model");
  run.from_memory = row.flag("from_memory").value_or(false);
  run.confidence = row.text("confidence");
  run.left_out = row.text("left_out");
  run.note = row.text("note");
  const RowCells cells(*this, row, run);
  read_model_cells(cells);
  read_device_cells(cells);
  read_layout_cells(cells);
  read_software_cells(cells);
  read_measurement(row, run);
  if (row.good()) check_peak(row, run, catalog_);
  return run;
}

}  // namespace trainyard
