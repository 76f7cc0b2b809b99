#include <algorithm>
#include <cmath>
#include <map>

#include "base/stopping.h"
#include "catalog/catalog.h"
#include "trainyard/calibration_fit.h"
#include "trainyard/catalog.h"
#include "trainyard/run_prediction.h"
#include "trainyard/validation.h"

namespace trainyard {
namespace {

struct NamedError {
  double percent = 0;
  double vote = 1;
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
    out.votes += error.vote;
    out.mean_abs_by_votes += error.vote * sizes.back();
    if (sizes.back() >= std::abs(out.worst)) {
      out.worst = error.percent;
      out.worst_id = error.id;
    }
  }
  out.mean_abs_by_votes /= out.votes;
  std::sort(sizes.begin(), sizes.end());
  const std::size_t half = sizes.size() / 2;
  out.median_abs = sizes.size() % 2 == 1 ? sizes[half] : (sizes[half - 1] + sizes[half]) / 2;
  return out;
}

ValidatedRun validate(const MeasuredRun& run, const Catalog& catalog, bool with_timeline) {
  ValidatedRun out;
  out.run = run;
  if (run.value) {
    out.measured_step = measured_step(run, catalog);
    out.measured = in_file_units(run.metric, *run.value);
  }
  out.memory_measured = run.measured_memory;
  try {
    const RunPrediction p = predict_run(run, catalog, with_timeline);
    out.plan = p.step;
    out.step = p.timeline;
    out.why_no_step = p.why_no_timeline;
    out.effects = p.effects;
    out.fits = p.fits;
    out.memory_doubt = p.memory_doubt;
    out.warnings = p.warnings;
    out.predicted = in_file_units(run.metric, metric_of_step(run, p.step, catalog));
    out.interval = p.plan.step.step_interval;
    out.memory_predicted = p.plan.mapping.device.total();
    out.memory_interval = p.plan.step.memory_interval;
  } catch (const InputError& error) {
    out.refused = error.what();
  } catch (const Infeasible& error) {
    out.refused = error.what();
  }
  return out;
}

/// One vote for each distinct configuration of the runs that count.
void share_votes(std::vector<ValidatedRun>& runs) {
  std::map<std::string, std::vector<ValidatedRun*>> copies;
  for (ValidatedRun& v : runs) {
    if (v.counts()) copies[configuration_of(v.run)].push_back(&v);
  }
  for (const auto& [configuration, same] : copies) {
    for (ValidatedRun* v : same) v->vote = 1 / static_cast<double>(same.size());
  }
}

/// The runs of one source that count, by their place.
struct SourceRuns {
  std::string source;
  std::vector<std::size_t> runs;
};

/// In the order in which sources appear.
std::vector<SourceRuns> grouped(const std::vector<ValidatedRun>& runs) {
  std::vector<SourceRuns> out;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].counts()) continue;
    const auto [found, added] = places.emplace(runs[i].run.source, out.size());
    if (added) out.push_back({runs[i].run.source, {}});
    out[found->second].runs.push_back(i);
  }
  return out;
}

NamedError error_of(const ValidatedRun& v, double vote) { return {*v.plan_error_pct(), vote, v.run.id}; }

std::vector<NamedError> errors_of(const std::vector<ValidatedRun>& runs,
                                  const std::vector<std::size_t>& places) {
  std::vector<NamedError> out;
  for (const std::size_t i : places) out.push_back(error_of(runs[i], runs[i].vote));
  return out;
}

/// Whether a run is predicted with constants of a user's own, of which nobody here knows what they were
/// fitted to.
bool has_own_constants(const MeasuredRun& run, const Catalog& catalog) {
  const std::string key =
      run.scenario_text.empty() ? calibration_key(catalog, run.accelerator_key) : run.scenario_calibration;
  if (key.empty()) return false;  // general ones
  const Calibration* used = catalog.calibrations.find(key);
  const Calibration* shipped = shipped_catalog()->calibrations.find(key);
  if (!used || !shipped) return true;
  const auto differs = [&](const Field<Calibration>& field) {
    return field.text(*used) != field.text(*shipped);
  };
  return std::any_of(calibration_fields().begin(), calibration_fields().end(), differs);
}

/// A source that no fit has seen is as if held out already; another is predicted with constants of the
/// others.
void add_held_out(Validation& out, const std::vector<SourceRuns>& sources, const Catalog& catalog) {
  const std::vector<MeasuredRun> known = shipped_runs(catalog);
  std::vector<NamedError> all;
  for (const SourceRuns& source : sources) {
    const bool seen = std::any_of(known.begin(), known.end(),
                                  [&](const MeasuredRun& run) { return run.source == source.source; });
    std::vector<NamedError> errors;
    if (seen) {
      const Catalog others = fitted_catalog(catalog, known, source.source);
      for (const std::size_t i : source.runs)
        errors.push_back(error_of(validate(out.runs[i].run, others, false), out.runs[i].vote));
    } else {
      std::vector<std::size_t> others = source.runs;
      std::erase_if(others, [&](std::size_t i) { return has_own_constants(out.runs[i].run, catalog); });
      if (others.empty()) continue;
      errors = errors_of(out.runs, others);
    }
    all.insert(all.end(), errors.begin(), errors.end());
    out.held_out.push_back({source.source, summarize(errors)});
  }
  out.held_out_all = summarize(all);
}

}  // namespace

Validation validate_runs(const std::vector<MeasuredRun>& runs, const Catalog& catalog) {
  Validation out;
  for (const MeasuredRun& run : runs) {
    pause_point();
    out.runs.push_back(validate(run, catalog, true));
  }
  share_votes(out.runs);
  std::vector<NamedError> errors;
  std::vector<NamedError> step_errors;
  std::vector<NamedError> memory;
  for (const ValidatedRun& v : out.runs) {
    if (v.counts()) errors.push_back(error_of(v, v.vote));
    if (v.counts() && v.step) step_errors.push_back({*v.step_error_pct(), v.vote, v.run.id});
    if (const auto percent = v.memory_error_pct()) memory.push_back({*percent, 1, v.run.id});
  }
  const std::vector<SourceRuns> sources = grouped(out.runs);
  for (const SourceRuns& source : sources)
    out.by_source.push_back({source.source, summarize(errors_of(out.runs, source.runs))});
  out.all = summarize(errors);
  out.all_step = summarize(step_errors);
  out.memory = summarize(memory);
  add_held_out(out, sources, catalog);
  return out;
}

}  // namespace trainyard
