#include "model/model.h"
#include "report/data/quantity_list.h"
#include "scenario/choices/training.h"
#include "trainyard/plan.h"

namespace trainyard {

void add_scaling(std::vector<PlanQuantity>& out, const Plan& plan) {
  const ScalingPlan& s = plan.scaling;
  QuantityList list(out, "scaling");
  list.number("tokens_optimal", "tokens for which the model is loss-optimal", s.model_tokens_optimal,
              {.source = "Hoffmann et al. 2022, approach 2, for the active parameters"});
  list.add("rate", "rate that the laws reckon with", s.rate,
           {.how = "dense peak of all devices x law_utilization"});
  list.add(
      "model_duration", "time to train the model at that rate", s.model_duration,
      {.formula = "model.sequence_training_flop * step.tokens / model.sequence / scaling.rate_flop_per_s"});
  if (s.laws.empty()) return;
  list.text("law", "scaling law", std::string(choice_name(plan.scenario.training.law)));
  if (s.duration) {
    list.add("duration", "training time that the law may spend", *s.duration);
  }
  list.add("compute", "compute", s.compute,
           {.formula = s.duration ? "scaling.duration_s * scaling.rate_flop_per_s" : ""});
  list.number("parameters", "loss-optimal parameters", s.chosen.parameters,
              {.source = "docs/models.md, scaling laws"});
  list.number("tokens", "loss-optimal tokens", s.chosen.tokens,
              {.formula = "scaling.compute_flop / (6 * scaling.parameters)"});
  for (const LawPoint& point : s.laws) {
    const std::string law(choice_name(point.law));
    list.number(law + "_parameters", law + ": parameters", point.parameters);
    list.number(law + "_tokens", law + ": tokens", point.tokens,
                {.formula = "scaling.compute_flop / (6 * scaling." + law + "_parameters)"});
    if (point.loss) list.number(law + "_loss", law + ": loss, nats a token", *point.loss);
  }
}

namespace {

void add_shape(QuantityList& list, const ModelShape& s) {
  list.text("name", "model", s.info.name, {.source = s.info.source});
  list.count("layers", "layers", s.layers);
  if (s.mtp_layers > 0) list.count("mtp_layers", "modules of multi-token prediction", s.mtp_layers);
  list.count("hidden", "hidden size", s.hidden);
  list.count("heads", "attention heads", s.heads);
  list.count("kv_heads", "key and value heads", s.kv_heads_or_all());
  list.count("head_size", "head size", s.head_size_or_even());
  list.count("ffn", "feed-forward width", s.ffn_or_fourfold());
  list.count("vocabulary", "vocabulary", s.vocabulary);
  list.count("sequence", "sequence length, tokens", s.sequence);
  if (s.experts > 0) {
    list.count("experts", "experts of a layer", s.experts);
    list.count("experts_per_token", "experts a token is routed to", s.experts_per_token);
    list.count("shared_experts", "experts that every token passes", s.shared_experts);
    list.count("dense_layers", "layers without experts", s.dense_before(s.layers));
  }
}

void add_counts(QuantityList& list, const ModelShape& s, const ParameterCount& p) {
  list.number("embedding_parameters", "embedding", p.embedding);
  list.number("output_parameters", "output matrix", p.output);
  list.number("attention_parameters", "attention of a layer", p.attention);
  list.number("ffn_parameters", "feed-forward of a dense layer", p.ffn);
  if (s.experts > 0) {
    list.number("expert_parameters", "experts of a layer", p.experts);
    list.number("router_parameters", "router of a layer", p.router);
    list.number("one_expert_parameters", "the model with a single expert", p.one_expert);
  }
  list.number("norm_parameters", "norms of a layer", p.norms);
  list.number("final_norm_parameters", "final norm", p.final_norm);
  const std::string layer =
      s.experts > 0 ? "model.attention_parameters + model.norm_parameters + model.expert_parameters + "
                      "model.router_parameters"
                    : "model.attention_parameters + model.norm_parameters + model.ffn_parameters";
  list.number("layer_parameters", "a layer", p.layer, {.formula = layer});
  const std::string ends =
      "model.embedding_parameters + model.output_parameters + model.final_norm_parameters";
  const std::string dense =
      "model.dense_layers * (model.attention_parameters + model.norm_parameters + model.ffn_parameters)";
  const std::string modules = s.mtp_layers > 0 ? " + model.mtp_parameters" : "";
  if (s.mtp_layers > 0)
    list.number("mtp_parameters", "modules of multi-token prediction", p.mtp,
                {.source = "DeepSeek-V3 technical report 2024, section 2.2"});
  list.number(
      "parameters", "parameters", p.total,
      {.formula = (s.experts > 0 ? ends + " + " + dense +
                                       " + (model.layers - model.dense_layers) * model.layer_parameters"
                                 : ends + " + model.layers * model.layer_parameters") +
                  modules,
       .source = "docs/models.md"});
  list.number("active_parameters", "parameters that a token passes", p.active);
}

}  // namespace

void add_model(std::vector<PlanQuantity>& out, const Plan& plan) {
  const ModelPlan& m = plan.model;
  QuantityList list(out, "model");
  add_shape(list, m.shape);
  add_counts(list, m.shape, m.parameters);
  list.number("law_depth", "depth by the depth-to-width law", m.law_depth,
              {.source = "Levine et al. 2020, section 5.1"});
  list.number("law_width", "width by the depth-to-width law", m.law_width,
              {.source = "Levine et al. 2020, section 5.1", .how = "exp(5.039 + 0.0555 depth)"});
  list.add("layer_forward", "forward FLOP of a layer and sequence", m.layer_forward,
           {.source = "Narayanan et al. 2021, appendix", .how = "sum over the operators"});
  list.add("layer_backward", "backward FLOP of a layer and sequence", m.layer_backward,
           {.formula = "2 * model.layer_forward_flop"});
  list.add("sequence_training", "model FLOP of a sequence, forward and backward", m.sequence_training,
           {.source = "Narayanan et al. 2021, equation 3, without recomputation",
            .how = "3 x forward FLOP of all layers and the output matrix"});
  for (const Operator& op : m.operators) {
    if (op.forward_flop <= 0) continue;
    std::string name = "op_" + op.name;
    for (char& c : name) c = (c == ' ' || c == '-' || c == ',') ? '_' : c;
    while (name.find("__") != std::string::npos) name.erase(name.find("__"), 1);
    list.add(name, op.name + ", forward, a sequence", Unit::flop, op.forward_flop);
  }
}

}  // namespace trainyard
