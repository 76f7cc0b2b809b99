#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "report/provenance_json.h"
#include "report/validation.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

Json summary_json(const ErrorSummary& errors) {
  return {{"runs", errors.runs},
          {"mean_abs_error_pct", errors.mean_abs},
          {"median_abs_error_pct", errors.median_abs},
          {"worst_error_pct", errors.worst},
          {"worst_id", errors.worst_id}};
}

Json run_json(const ValidatedRun& v) {
  Json item = {{"id", v.run.id},
               {"source", v.run.source},
               {"metric", metric_name(v.run.metric)},
               {"unit", file_unit(v.run.metric)},
               {"measured", v.measured},
               {"predicted", v.predicted},
               {"error_pct", v.error_pct()},
               {"measured_step_s", v.measured_step.si()},
               {"predicted_step_s", v.predicted_step.si()}};
  if (v.memory_measured) {
    item["memory_measured_bytes"] = v.memory_measured->si();
    item["memory_predicted_bytes"] = v.memory_predicted->si();
    item["memory_error_pct"] = *v.memory_error_pct();
  }
  if (!v.run.assumed.empty()) item["assumed"] = v.run.assumed;
  return item;
}

}  // namespace

std::string validation_json(const Validation& validation, const Provenance& provenance) {
  Json json;
  json["runs"] = Json::array();
  for (const ValidatedRun& v : validation.runs) json["runs"].push_back(run_json(v));
  json["mean_abs_error_pct"] = validation.all.mean_abs;
  json["median_abs_error_pct"] = validation.all.median_abs;
  json["worst_error_pct"] = validation.all.worst;
  json["worst_id"] = validation.all.worst_id;
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
  json["left_out_mean_abs_error_pct"] = validation.held_out_all.mean_abs;
  if (validation.memory.runs > 0) json["memory"] = summary_json(validation.memory);
  json["provenance"] = provenance_json(provenance);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string validation_csv(const Validation& validation) {
  std::string out =
      "id,source,metric,unit,measured,predicted,error_pct,memory_measured_bytes,memory_predicted_bytes,"
      "memory_error_pct\n";
  for (const ValidatedRun& v : validation.runs) {
    out += fmt::format("{},{},{},{},{},{},{}", csv_field(v.run.id), csv_field(v.run.source),
                       metric_name(v.run.metric), file_unit(v.run.metric), number_text(v.measured),
                       number_text(v.predicted), number_text(v.error_pct()));
    if (v.memory_measured) {
      out += fmt::format(",{},{},{}\n", number_text(v.memory_measured->si()),
                         number_text(v.memory_predicted->si()), number_text(*v.memory_error_pct()));
    } else {
      out += ",,,\n";
    }
  }
  return out;
}

}  // namespace trainyard
