#include <string_view>
#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "trainyard/report/reproduction.h"

namespace trainyard {
namespace {

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::differs:
      return "differs";
    case Verdict::missing:
      return "missing";
  }
  return "missing";
}

Json step_json(const std::optional<StepCheck>& step) {
  if (!step) return nullptr;
  return {{"simulated", step->simulated},
          {"closed_form", step->closed},
          {"apart_pct", step->apart_pct()},
          {"pace_pct", step->pace_pct}};
}

}  // namespace

std::string reproduction_json(const std::vector<ReproducedRow>& rows) {
  Json json = Json::array();
  for (const ReproducedRow& row : rows) {
    Json item;
    item["id"] = row.id;
    item["published"] = or_null(row.published);
    item["computed"] = or_null(row.computed);
    item["unit"] = row.unit;
    item["tolerance_pct"] = or_null(row.tolerance_pct);
    item["status"] = verdict_name(row.verdict);
    item["note"] = row.note;
    item["source"] = row.source;
    item["where"] = row.where;
    item["quantity"] = row.quantity;
    item["relation"] = relation_text(row.relation);
    item["step"] = step_json(row.step);
    json.push_back(std::move(item));
  }
  return dumped(json);
}

std::string reproduction_csv(const std::vector<ReproducedRow>& rows) {
  CsvTable table(
      "id,published,computed,unit,tolerance_pct,status,note,step,step_closed_form,step_apart_pct,"
      "step_pace_pct");
  for (const ReproducedRow& row : rows) {
    table.add(row.id).add(row.published).add(row.computed).add(row.unit).add(row.tolerance_pct);
    table.add(verdict_name(row.verdict)).add(row.note);
    if (row.step) {
      table.row(row.step->simulated, row.step->closed, row.step->apart_pct(), row.step->pace_pct);
    } else {
      table.add_empty(4).end_row();
    }
  }
  return std::move(table).text();
}

}  // namespace trainyard
