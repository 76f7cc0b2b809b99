#include "trainyard/report/plan.h"

#include <utility>

#include "report/data/field_values.h"
#include "report/data/quantity_values.h"
#include "scenario/choices/assumptions.h"
#include "trainyard/plan.h"
#include "trainyard/provenance.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Json stages_json(const GradientPlan& plan) {
  Json stages = Json::array();
  for (const GradientStage& s : plan.stages) {
    stages.push_back({{"name", s.name},
                      {"network", network_key(s.network)},
                      {"ranks", s.peers},
                      {"algorithm", choice_name(s.algorithm)},
                      {"buffer_bytes", number_or_null(s.bytes.si())},
                      {"time_s", number_or_null(s.time.si())}});
  }
  return stages;
}

Json gradients_json(const CommunicationPlan& c) {
  Json out = Json::array();
  for (const GradientPlan& g : c.gradients) {
    out.push_back({{"kind", choice_name(g.kind)},
                   {"in_force", g.kind == c.gradient.kind},
                   {"pipelined_s", number_or_null(g.pipelined.si())},
                   {"exposed_s", number_or_null(g.exposed.si())},
                   {"stages", stages_json(g)}});
  }
  return out;
}

Json operators_json(const ModelPlan& model) {
  Json out = Json::array();
  for (const Operator& op : model.operators) {
    out.push_back({{"name", op.name},
                   {"forward_flop", number_or_null(op.forward_flop)},
                   {"backward_flop", number_or_null(op.backward_flop)},
                   {"weight_elements", number_or_null(op.weight_elements)},
                   {"activation_elements", number_or_null(op.activation_elements)}});
  }
  return out;
}

}  // namespace

std::string plan_json(const Plan& plan) {
  Json json;
  json["title"] = plan.scenario.title;
  json["provenance"] = provenance_json(provenance_of(plan.scenario));
  for (const PlanQuantity& q : plan_quantities(plan)) {
    json[q.section()][q.name()] = value_json(q);
  }
  json["operators"] = operators_json(plan.model);
  json["gradient_exchanges"] = gradients_json(plan.communication);
  json["warnings"] = plan.mapping.warnings;
  json["settings"] = settings_in_base_units(scenario_settings(plan.scenario));
  return dumped(json);
}

std::string explain_json(const std::vector<PlanQuantity>& quantities, const std::string& key) {
  const PlanQuantity& q = find_quantity(quantities, key, whole("--explain"));
  Json inputs = Json::object();
  for (const std::string& word : formula_keys(q.formula))
    inputs[word] = value_json(find_quantity(quantities, word));
  return dumped({{"key", q.key},
                 {"label", q.label},
                 {"value", value_json(q)},
                 {"unit", base_unit_name(q.unit)},
                 {"formula", q.formula},
                 {"inputs", inputs},
                 {"how", q.how},
                 {"source", q.source}});
}

std::string plan_csv(const Plan& plan) {
  CsvTable table("key,value,unit,label,formula,source");
  for (const PlanQuantity& q : plan_quantities(plan)) {
    table.add(q.key);
    add_value(table, q);
    table.add(base_unit_name(q.unit)).add(q.label).add(q.formula).add(q.source).end_row();
  }
  return std::move(table).text();
}

}  // namespace trainyard
