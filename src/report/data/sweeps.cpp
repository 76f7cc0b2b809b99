#include "trainyard/report/sweeps.h"

#include <utility>

#include "base/finite.h"
#include "report/data/csv.h"
#include "report/data/json.h"
#include "trainyard/errors.h"
#include "trainyard/planning.h"
#include "trainyard/quantities.h"

namespace trainyard {

QuantityReader reader_of(const SweepInput& sweep, const Plan& example) {
  const std::vector<PlanQuantity> quantities = plan_quantities(example);
  const Location& where = place_of(sweep.places, "quantity");
  const PlanQuantity& quantity = find_quantity(quantities, sweep.quantity, where);
  if (quantity.unit == Unit::none)
    fail_input(where.source ? where : whole(sweep.quantity), "'" + quantity.key + "' is a text, not a number",
               "only numbers can be charted");
  return {quantity.label, quantity.unit,
          [name = quantity.key](const Plan& plan) { return read_quantity_value(plan, name); }};
}

std::string sweeps_json(const std::vector<SweepResult>& sweeps, const Provenance& provenance) {
  Json json;
  json["provenance"] = provenance_json(provenance);
  json["sweeps"] = Json::array();
  for (const SweepResult& sweep : sweeps) {
    Json lines = Json::array();
    for (const SweepLine& line : sweep.lines) {
      Json points = Json::array();
      for (const SweepPoint& p : line.points) {
        Json point = {{"value", p.value}, {"x", or_null(if_any(p.x))}, {"y", or_null(if_any(p.y))}};
        if (!p.infeasible.empty()) point["infeasible"] = p.infeasible;
        points.push_back(std::move(point));
      }
      lines.push_back({{"label", line.label}, {"points", std::move(points)}});
    }
    json["sweeps"].push_back({{"name", sweep.input.name},
                              {"title", sweep.input.title},
                              {"key", sweep.input.key},
                              {"quantity", sweep.input.quantity},
                              {"series", std::move(lines)}});
  }
  return dumped(json);
}

std::string sweeps_csv(const std::vector<SweepResult>& sweeps) {
  CsvTable table("sweep,series,key,value,x,quantity,y,infeasible");
  for (const SweepResult& sweep : sweeps) {
    for (const SweepLine& line : sweep.lines) {
      for (const SweepPoint& p : line.points)
        table.row(sweep.input.name, line.label, sweep.input.key, p.value, if_any(p.x), sweep.input.quantity,
                  if_any(p.y), p.infeasible);
    }
  }
  return std::move(table).text();
}

}  // namespace trainyard
