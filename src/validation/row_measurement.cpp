#include "validation/row_cells.h"
#include "validation/run_words.h"

namespace trainyard {
namespace {

constexpr RealRange kValue{1e-9, 1e15};  // in any unit
constexpr RealRange kPeakTera{1e-3, 1e9};
constexpr RealRange kMemory{1, 1e18};

/// What was measured.
class MeasurementCells : RowCells {
 public:
  explicit MeasurementCells(const RowCells& cells) : RowCells(cells) {}

  void read() {
    run_.metric = row_.choice<RunMetric>("metric", metric_words()).value_or(RunMetric::step_time);
    read_value();
    const auto usual = run_.metric == RunMetric::mfu ? FlopConvention::mfu : FlopConvention::model;
    run_.flop_convention = row_.choice<FlopConvention>("flop_convention", flop_words()).value_or(usual);
    constexpr double kTeraflops = 1e12;
    if (const auto peak = row_.number("peak_tflops", kPeakTera)) run_.peak = FlopRate(*peak * kTeraflops);
    if (const auto bytes = row_.number("measured_memory_bytes", kMemory))
      run_.measured_memory = Bytes(*bytes);
  }

 private:
  void read_value() {
    const auto value = row_.number("value", kValue);
    const auto factor = row_.choice<double>("unit", unit_words(run_.metric));
    if (value) run_.value = *value * factor.value_or(1 / in_file_units(run_.metric, 1));
    if (value && row_.text("metric").empty())
      row_.complain("column 'metric' is blank", "say of what 'value' is a measurement");
    if (run_.metric == RunMetric::mfu && run_.value.value_or(0) > 1)
      row_.complain_column("value", "more than 100%", "100 or less, or another 'unit' or 'metric'");
  }
};

}  // namespace

void read_measurement_cells(const RowCells& cells) { MeasurementCells(cells).read(); }

}  // namespace trainyard
