#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "report/operators.h"
#include "report/provenance_json.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

Json errors_json(const OperatorErrors& errors) {
  return {
      {"count", errors.count}, {"median_error_pct", errors.median_pct}, {"p90_error_pct", errors.p90_pct}};
}

Json judged_json(const JudgedOperators& j) {
  Json item = {{"system", j.key.system}, {"operation", j.key.operation}, {"dtype", j.key.dtype}};
  item.update(errors_json(j.all));
  item["backend"] = j.backend;
  item["sustained"] = j.sustained;
  if (j.large.count > 0) item["large"] = errors_json(j.large);
  if (j.small.count > 0) item["small"] = errors_json(j.small);
  return item;
}

Json series_json(const JudgedOperators& j) {
  Json item = judged_json(j);
  item["version"] = j.version;
  item["kernel"] = j.key.kernel;
  item["kv_dtype"] = j.key.kv_dtype;
  item["distribution"] = j.distribution;
  return item;
}

}  // namespace

std::string operators_json(const OperatorValidation& validation, const Provenance& provenance) {
  Json json;
  json["operators"] = Json::array();
  for (const JudgedOperators& j : validation.headline) json["operators"].push_back(judged_json(j));
  json["series"] = Json::array();
  for (const JudgedOperators& j : validation.series) json["series"].push_back(series_json(j));
  json["not_judged"] = Json::array();
  for (const OperatorValidation::Unknown& u : validation.unknown) {
    json["not_judged"].push_back(
        {{"system", u.key.system}, {"operation", u.key.operation}, {"dtype", u.key.dtype}, {"rows", u.rows}});
  }
  json["provenance"] = provenance_json(provenance);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string operators_csv(const OperatorValidation& validation) {
  std::string out =
      "system,operation,dtype,kv_dtype,kernel,backend,version,distribution,sustained,rows,count,"
      "median_error_pct,p90_error_pct\n";
  for (const JudgedOperators& j : validation.series) {
    for (const bool large : {true, false}) {
      const OperatorErrors& errors = large ? j.large : j.small;
      if (errors.count == 0) continue;
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(j.key.system),
                         csv_field(j.key.operation), csv_field(j.key.dtype), csv_field(j.key.kv_dtype),
                         csv_field(j.key.kernel), csv_field(j.backend), csv_field(j.version),
                         csv_field(j.distribution), j.sustained, large ? "large" : "small", errors.count,
                         number_text(errors.median_pct), number_text(errors.p90_pct));
    }
  }
  return out;
}

}  // namespace trainyard
