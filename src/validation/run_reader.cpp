#include "validation/run_reader.h"

#include "validation/row_cells.h"
#include "validation/run_names.h"

namespace trainyard {
namespace {

void check_peak(RunRow& row, const MeasuredRun& run, const Catalog& catalog) {
  const std::string why = beyond_peak(run, catalog);
  if (!why.empty())
    row.complain_column("value", why,
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
  const RowCells cells(*this, catalog_, row, run);
  read_model_cells(cells);
  read_device_cells(cells);
  read_layout_cells(cells);
  read_software_cells(cells);
  read_measurement_cells(cells);
  if (row.good()) check_peak(row, run, catalog_);
  return run;
}

}  // namespace trainyard
