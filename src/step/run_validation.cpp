#include "step/run_validation.h"

#include <algorithm>
#include <cmath>

#include "step/calibration_fit.h"
#include "step/run_prediction.h"

namespace trainyard {
namespace {

struct NamedError {
  double percent = 0;
  std::string id;
};

ErrorSummary summarize(const std::vector<NamedError>& errors) {
  ErrorSummary out;
  out.runs = errors.size();
  if (errors.empty()) return out;
  std::vector<double> sizes;
  for (const NamedError& error : errors) {
    sizes.push_back(std::abs(error.percent));
    out.mean_abs += sizes.back() / static_cast<double>(errors.size());
    if (sizes.back() >= std::abs(out.worst)) {
      out.worst = error.percent;
      out.worst_id = error.id;
    }
  }
  std::sort(sizes.begin(), sizes.end());
  const std::size_t half = sizes.size() / 2;
  out.median_abs = sizes.size() % 2 == 1 ? sizes[half] : (sizes[half - 1] + sizes[half]) / 2;
  return out;
}

ValidatedRun validate(const MeasuredRun& run, const Catalog& catalog) {
  ValidatedRun out;
  out.run = run;
  out.measured_step = measured_step(run, catalog);
  out.predicted_step = predict_run(run, catalog).step;
  out.measured = in_file_units(run.metric, run.value);
  out.predicted = in_file_units(run.metric, metric_of_step(run, out.predicted_step, catalog));
  out.memory_measured = run.facts.peak_memory;
  if (out.memory_measured) out.memory_predicted = predicted_memory(run).total();
  return out;
}

/// Errors of a source's runs by a catalog.
std::vector<NamedError> errors_of(const std::string& source, const std::vector<MeasuredRun>& runs,
                                  const Catalog& catalog) {
  std::vector<NamedError> out;
  for (const MeasuredRun& run : runs) {
    if (run.source != source) continue;
    const ValidatedRun v = validate(run, catalog);
    out.push_back({v.error_pct(), run.id});
  }
  return out;
}

std::vector<SourceErrors> errors_by_source(const std::vector<ValidatedRun>& runs) {
  std::vector<SourceErrors> out;
  for (const ValidatedRun& first : runs) {
    const auto known = std::find_if(out.begin(), out.end(), [&](const SourceErrors& errors) {
      return errors.source == first.run.source;
    });
    if (known != out.end()) continue;
    std::vector<NamedError> errors;
    for (const ValidatedRun& v : runs) {
      if (v.run.source == first.run.source) errors.push_back({v.error_pct(), v.run.id});
    }
    out.push_back({first.run.source, summarize(errors)});
  }
  return out;
}

/// A run that no fit may see is as if held out already; its source is predicted with the others' constants.
void add_held_out(Validation& out, const std::vector<MeasuredRun>& runs, const Catalog& catalog) {
  const std::vector<MeasuredRun> known = shipped_runs(catalog);
  std::vector<NamedError> all;
  for (const SourceErrors& source : out.by_source) {
    const auto errors = errors_of(source.source, runs, fitted_catalog(catalog, known, source.source));
    all.insert(all.end(), errors.begin(), errors.end());
    out.held_out.push_back({source.source, summarize(errors)});
  }
  out.held_out_all = summarize(all);
}

}  // namespace

PeakMemory predicted_memory(const MeasuredRun& run) {
  MappingInput cut;
  cut.tensor = run.tensor;
  cut.pipeline = run.pipeline;
  cut.data = run.data;
  cut.context = run.context;
  cut.expert = run.expert;
  cut.virtual_stages = run.virtual_stages;
  cut.microbatch = run.microbatch;
  cut.microbatches = run.microbatches();
  cut.zero_stage = run.zero_stage;
  cut.sequence_parallel = run.sequence_parallel;
  cut.recompute = run.recompute;
  cut.attention = run.attention;
  return peak_memory(run.shape, cut, run.schedule == RunSchedule::gpipe);
}

Validation validate_runs(const std::vector<MeasuredRun>& runs, const Catalog& catalog) {
  Validation out;
  std::vector<NamedError> errors;
  std::vector<NamedError> memory;
  for (const MeasuredRun& run : runs) {
    out.runs.push_back(validate(run, catalog));
    const ValidatedRun& v = out.runs.back();
    errors.push_back({v.error_pct(), run.id});
    if (const auto percent = v.memory_error_pct()) memory.push_back({*percent, run.id});
  }
  out.by_source = errors_by_source(out.runs);
  out.all = summarize(errors);
  out.memory = summarize(memory);
  add_held_out(out, runs, catalog);
  return out;
}

}  // namespace trainyard
