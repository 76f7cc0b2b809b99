#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "trainyard/operator_validation.h"
#include "trainyard/report/validation.h"

namespace trainyard {
namespace {

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
  return dumped(json);
}

std::string operators_csv(const OperatorValidation& validation) {
  CsvTable table(
      "system,operation,dtype,kv_dtype,kernel,backend,version,distribution,sustained,rows,count,"
      "median_error_pct,p90_error_pct");
  for (const JudgedOperators& j : validation.series) {
    for (const bool large : {true, false}) {
      const OperatorErrors& errors = large ? j.large : j.small;
      if (errors.count == 0) continue;
      table.row(j.key.system, j.key.operation, j.key.dtype, j.key.kv_dtype, j.key.kernel, j.backend,
                j.version, j.distribution, j.sustained, large ? "large" : "small", errors.count,
                errors.median_pct, errors.p90_pct);
    }
  }
  return std::move(table).text();
}

}  // namespace trainyard
