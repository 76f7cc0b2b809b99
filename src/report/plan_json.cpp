#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/output.h"
#include "report/provenance_json.h"
#include "scenario/choices.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinities: they become null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json value_of(const PlanQuantity& q) {
  if (q.unit == Unit::none) return q.text;
  if (q.unit == Unit::count) return static_cast<std::int64_t>(q.value);
  return number(q.value);
}

Json stages_json(const GradientPlan& plan) {
  Json stages = Json::array();
  for (const GradientStage& s : plan.stages) {
    stages.push_back({{"name", s.name},
                      {"network", s.network},
                      {"ranks", s.peers},
                      {"algorithm", choice_name(s.algorithm)},
                      {"buffer_bytes", number(s.bytes.si())},
                      {"time_s", number(s.time.si())}});
  }
  return stages;
}

Json gradients_json(const CommunicationPlan& c) {
  Json out = Json::array();
  for (const GradientPlan& g : c.gradients) {
    out.push_back({{"kind", choice_name(g.kind)},
                   {"in_force", g.kind == c.gradient.kind},
                   {"pipelined_s", number(g.pipelined.si())},
                   {"exposed_s", number(g.exposed.si())},
                   {"stages", stages_json(g)}});
  }
  return out;
}

Json operators_json(const ModelPlan& model) {
  Json out = Json::array();
  for (const Operator& op : model.operators) {
    out.push_back({{"name", op.name},
                   {"forward_flop", number(op.forward_flop)},
                   {"backward_flop", number(op.backward_flop)},
                   {"weight_elements", number(op.weight_elements)},
                   {"activation_elements", number(op.activation_elements)}});
  }
  return out;
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

Provenance provenance_of(const Scenario& scenario) {
  return {program_version(), scenario.source_name, scenario_hash(scenario), scenario.catalog->version};
}

std::string plan_json(const Plan& plan) {
  Json json;
  json["title"] = plan.scenario.title;
  json["provenance"] = provenance_json(provenance_of(plan.scenario));
  for (const PlanQuantity& q : plan_quantities(plan)) {
    const auto dot = q.key.find('.');
    json[q.key.substr(0, dot)][q.key.substr(dot + 1)] = value_of(q);
  }
  json["operators"] = operators_json(plan.model);
  json["gradient_exchanges"] = gradients_json(plan.communication);
  json["warnings"] = plan.mapping.warnings;
  Json settings;
  for (const auto& [key, text] : scenario_settings(plan.scenario)) settings[key] = text;
  json["settings"] = std::move(settings);
  return dump(json);
}

std::string plan_csv(const Plan& plan) {
  std::string out = "key,value,unit,label,formula,source\n";
  for (const PlanQuantity& q : plan_quantities(plan)) {
    const std::string value = q.unit == Unit::none ? csv_field(q.text) : number_text(q.value);
    out += fmt::format("{},{},{},{},{},{}\n", q.key, value, base_unit_name(q.unit), csv_field(q.label),
                       csv_field(q.formula), csv_field(q.source));
  }
  return out;
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
        Json point = {{"value", p.value}, {"x", number(p.x)}, {"y", number(p.y)}};
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
  return dump(json);
}

std::string scaling_json(const std::vector<ScalingCurve>& curves, FlopRate rate,
                         const Provenance& provenance) {
  Json json;
  json["provenance"] = provenance_json(provenance);
  json["rate_flop_per_s"] = number(rate.si());
  json["curves"] = Json::array();
  for (const ScalingCurve& curve : curves) {
    Json points = Json::array();
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const LawPoint& p = curve.points[i];
      Json point = {{"duration_s", number(curve.durations[i].si())},
                    {"parameters", number(p.parameters)},
                    {"tokens", number(p.tokens)}};
      if (p.loss) point["loss"] = number(*p.loss);
      points.push_back(std::move(point));
    }
    json["curves"].push_back({{"law", curve.name}, {"points", std::move(points)}});
  }
  return dump(json);
}

}  // namespace trainyard
