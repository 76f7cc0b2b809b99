#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "report/provenance_json.h"
#include "report/validation.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

Json summary_json(const ErrorSummary& errors) {
  return {{"runs", errors.runs},
          {"votes", errors.votes},
          {"mean_abs_error_pct", errors.mean_abs},
          {"mean_abs_error_by_votes_pct", errors.mean_abs_by_votes},
          {"median_abs_error_pct", errors.median_abs},
          {"worst_error_pct", errors.worst},
          {"worst_id", errors.worst_id}};
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json run_json(const ValidatedRun& v) {
  const auto measured = v.measured_step ? std::optional(v.measured_step->si()) : std::nullopt;
  Json item = {{"id", v.run.id},
               {"source", v.run.source},
               {"software", v.run.software},
               {"metric", metric_name(v.run.metric)},
               {"unit", file_unit(v.run.metric)},
               {"measured", or_null(v.measured)},
               {"predicted", v.predicted},
               {"error_pct", or_null(v.error_pct())},
               {"measured_step_s", or_null(measured)},
               {"predicted_step_s", v.predicted_step.si()},
               {"vote", v.vote}};
  if (!v.run.left_out.empty()) item["not_counted"] = v.run.left_out;
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
  json["mean_abs_error_by_votes_pct"] = validation.all.mean_abs_by_votes;
  json["counted_runs"] = validation.all.runs;
  json["votes"] = validation.all.votes;
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

namespace {

std::string cell(const std::optional<double>& value) { return value ? number_text(*value) : std::string(); }
std::string cell(const std::optional<Bytes>& value) {
  return value ? number_text(value->si()) : std::string();
}

}  // namespace

std::string validation_csv(const Validation& validation) {
  std::string out =
      "id,source,metric,unit,measured,predicted,error_pct,memory_measured_bytes,memory_predicted_bytes,"
      "memory_error_pct,vote,not_counted\n";
  for (const ValidatedRun& v : validation.runs) {
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(v.run.id), csv_field(v.run.source),
                       metric_name(v.run.metric), file_unit(v.run.metric), cell(v.measured),
                       number_text(v.predicted), cell(v.error_pct()), cell(v.memory_measured),
                       cell(v.memory_predicted), cell(v.memory_error_pct()), number_text(v.vote),
                       csv_field(v.run.left_out));
  }
  return out;
}

}  // namespace trainyard
