#include "trainyard/report/validation.h"

#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "trainyard/exposed_errors.h"
#include "trainyard/run_explanation.h"
#include "trainyard/validation.h"
#include "validation/run_columns.h"
#include "validation/run_names.h"

namespace trainyard {
namespace {

/// No run has no error, which is not an error of 0.
Json unless_empty(const ErrorSummary& errors, const Json& value) { return errors.runs > 0 ? value : Json(); }

Json summary_json(const ErrorSummary& errors) {
  return {{"runs", errors.runs},
          {"votes", errors.votes},
          {"mean_abs_error_pct", unless_empty(errors, errors.mean_abs)},
          {"mean_abs_error_by_votes_pct", unless_empty(errors, errors.mean_abs_by_votes)},
          {"median_abs_error_pct", unless_empty(errors, errors.median_abs)},
          {"worst_error_pct", unless_empty(errors, errors.worst)},
          {"worst_id", unless_empty(errors, errors.worst_id)}};
}

Json seconds_or_null(const std::optional<Seconds>& time, double factor = 1) {
  return time ? Json(time->si() * factor) : Json();
}

Json bytes_or_null(const std::optional<Bytes>& bytes, double factor = 1) {
  return bytes ? Json(bytes->si() * factor) : Json();
}

Json run_json(const ValidatedRun& v) {
  Json item = {{"id", v.run.id},
               {"source", v.run.source},
               {"accelerator", v.run.accelerator_key},
               {"software", v.run.software},
               {"measured_s", seconds_or_null(v.measured_step)},
               {"plan_s", seconds_or_null(v.plan)},
               {"plan_low_s", seconds_or_null(v.plan, v.interval.low)},
               {"plan_high_s", seconds_or_null(v.plan, v.interval.high)},
               {"step_s", seconds_or_null(v.step)},
               {"step_low_s", seconds_or_null(v.step, v.interval.low)},
               {"step_high_s", seconds_or_null(v.step, v.interval.high)},
               {"error_plan_pct", or_null(v.plan_error_pct())},
               {"error_step_pct", or_null(v.step_error_pct())},
               {"interval_basis", v.interval.basis},
               {"measured_memory_bytes", bytes_or_null(v.memory_measured)},
               {"memory_bytes", bytes_or_null(v.memory_predicted)},
               {"memory_low_bytes", bytes_or_null(v.memory_predicted, v.memory_interval.low)},
               {"memory_high_bytes", bytes_or_null(v.memory_predicted, v.memory_interval.high)},
               {"error_memory_pct", or_null(v.memory_error_pct())},
               {"fits", or_null(v.fits)},
               {"metric", metric_name(v.run.metric)},
               {"unit", file_unit(v.run.metric)},
               {"measured", or_null(v.measured)},
               {"predicted", or_null(v.predicted)},
               {"vote", v.vote}};
  if (v.step) {
    // Signed seconds that add up to step_s - plan_s.
    for (const StepEffect& e : v.effects) item["step_less_plan_s"][e.what] = (e.step - e.plan).si();
  }
  if (!v.memory_doubt.empty()) item["memory_doubt"] = v.memory_doubt;
  if (!v.refused.empty()) item["refused"] = v.refused;
  if (!v.warnings.empty()) item["warnings"] = v.warnings;
  if (!v.why_no_step.empty()) item["step_refused"] = v.why_no_step;
  if (!v.run.left_out.empty()) item["not_counted"] = v.run.left_out;
  if (!v.run.assumed.empty()) item["assumed"] = v.run.assumed;
  return item;
}

}  // namespace

std::string explanation_json(const RunExplanation& e, const Provenance& provenance) {
  Json json = {{"id", e.run.id},
               {"measured_s", seconds_or_null(e.measured)},
               {"plan_s", e.prediction.step.si()},
               {"step_s", seconds_or_null(e.prediction.timeline)}};
  json["terms"] = Json::array();
  for (const StepEffect& term : e.prediction.effects)
    json["terms"].push_back({{"what", term.what}, {"plan_s", term.plan.si()}, {"step_s", term.step.si()}});
  json["closer"] = Json::array();
  for (const WhatIf& change : e.closer) {
    Json item = {{"setting", change.setting},
                 {"plan_s", change.plan.si()},
                 {"memory_bytes", change.memory.si()},
                 {"fits", change.fits}};
    if (!change.memory_doubt.empty()) item["memory_doubt"] = change.memory_doubt;
    json["closer"].push_back(std::move(item));
  }
  json["provenance"] = provenance_json(provenance);
  return dumped(json);
}

std::string validation_json(const Validation& validation, const Provenance& provenance) {
  Json json;
  json["runs"] = Json::array();
  for (const ValidatedRun& v : validation.runs) json["runs"].push_back(run_json(v));
  const ErrorSummary& all = validation.all;
  json["mean_abs_error_pct"] = unless_empty(all, all.mean_abs);
  json["mean_abs_error_by_votes_pct"] = unless_empty(all, all.mean_abs_by_votes);
  json["counted_runs"] = all.runs;
  json["votes"] = all.votes;
  json["median_abs_error_pct"] = unless_empty(all, all.median_abs);
  json["step"] = summary_json(validation.all_step);
  json["worst_error_pct"] = unless_empty(all, all.worst);
  json["worst_id"] = unless_empty(all, all.worst_id);
  json["by_source"] = Json::array();
  for (const SourceErrors& s : validation.by_source) {
    Json item = {{"source", s.source}};
    item.update(summary_json(s.errors));
    json["by_source"].push_back(std::move(item));
  }
  json["left_out"] = Json::array();
  for (const SourceErrors& s : validation.held_out) {
    Json item = {{"source", s.source}};
    item.update(summary_json(s.errors));
    json["left_out"].push_back(std::move(item));
  }
  json["left_out_mean_abs_error_pct"] =
      unless_empty(validation.held_out_all, validation.held_out_all.mean_abs);
  if (const auto exposed = exposed_errors(validation)) {
    json["exposed_errors"] = {{"runs", exposed->runs},
                              {"ratio", exposed->ratio},
                              {"ratio_low", exposed->low},
                              {"ratio_high", exposed->high}};
  }
  if (validation.memory.runs > 0) json["memory"] = summary_json(validation.memory);
  json["provenance"] = provenance_json(provenance);
  return dumped(json);
}

std::string run_columns_json() {
  Json json;
  json["columns"] = Json::array();
  for (const RunColumn& column : run_columns()) {
    json["columns"].push_back({{"name", column.name},
                               {"required", column.required()},
                               {"blank", column.blank},
                               {"meaning", column.meaning}});
  }
  json["frameworks"] = Json::array();
  for (const FrameworkSpelling& s : framework_spellings())
    json["frameworks"].push_back({{"holds", s.text}, {"software", s.software}, {"why", s.why}});
  json["releases"] = Json::array();
  for (const SoftwareRelease& r : software_releases())
    json["releases"].push_back(
        {{"of", r.program}, {"from", r.from}, {"until", r.until}, {"software", r.software}});
  return dumped(json);
}

std::string validation_csv(const Validation& validation) {
  CsvTable table(
      "id,source,measured_s,plan_s,plan_low_s,plan_high_s,step_s,step_low_s,step_high_s,error_plan_pct,error_"
      "step_pct,"
      "measured_memory_bytes,memory_bytes,memory_low_bytes,memory_high_bytes,error_memory_pct,metric,unit,"
      "measured,predicted,vote,not_counted");
  const auto scaled = [](const auto& predicted, double factor) {
    return predicted ? std::optional(predicted->si() * factor) : std::nullopt;
  };
  for (const ValidatedRun& v : validation.runs)
    table.row(v.run.id, v.run.source, v.measured_step, v.plan, scaled(v.plan, v.interval.low),
              scaled(v.plan, v.interval.high), v.step, scaled(v.step, v.interval.low),
              scaled(v.step, v.interval.high), v.plan_error_pct(), v.step_error_pct(), v.memory_measured,
              v.memory_predicted, scaled(v.memory_predicted, v.memory_interval.low),
              scaled(v.memory_predicted, v.memory_interval.high), v.memory_error_pct(),
              metric_name(v.run.metric), file_unit(v.run.metric), v.measured, v.predicted, v.vote,
              v.run.left_out);
  return std::move(table).text();
}

}  // namespace trainyard
