#include "trainyard/report/plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "catalog/choices.h"
#include "cost/compute_times.h"
#include "cost/cost.h"
#include "report/data/exposed_words.h"
#include "report/data/goodput_words.h"
#include "report/data/mapping_words.h"
#include "report/data/show.h"
#include "scenario/choices/assumptions.h"
#include "scenario/choices/mapping.h"
#include "scenario/choices/training.h"
#include "scenario/in_force.h"
#include "trainyard/plan.h"
#include "trainyard/quantities.h"
#include "trainyard/step_at_rate.h"

namespace trainyard {
namespace {

/// Sections with aligned labels.
class Story {
 public:
  void title(const std::string& text) { out_ += text + "\n"; }
  void section(const std::string& name) { out_ += fmt::format("\n{}. {}\n", ++sections_, name); }
  void row(const std::string& label, const std::string& text) {
    out_ += fmt::format("   {:<17}{}\n", label, text);
  }
  void line(const std::string& text) { out_ += text + "\n"; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  int sections_ = 0;
};

void tell_facility(Story& story, const Plan& plan) {
  const FacilityPlan& f = plan.facility;
  const FacilityInput& in = plan.scenario.facility;
  const Precision precision = plan.scenario.precision.compute;
  story.section("Infrastructure");
  story.row("money", fmt::format("{}: {} for compute, {} for the network, {} for the rest", show(*f.budget),
                                 show(f.compute_cost), show(f.network_budget), show(f.other_budget)));
  story.row("devices",
            fmt::format("{} {} in {} x {} ({})", show_count(f.devices), plan.accelerator,
                        show_count(f.domains), plan.hb_domain, counted(f.datacenters, "datacenter")));
  const auto& dense = f.dense.at(precision);
  const auto& sparse = f.sparse.at(precision);
  story.row("peak", fmt::format("{}: {}{}", choice_name(precision), dense ? show(*dense) + " dense" : "",
                                sparse ? (dense ? ", " : "") + show(*sparse) + " sparse" : ""));
  story.row("power",
            fmt::format("{} compute, {} IT, {} to {} facility (PUE {} to {})", show(f.power_compute),
                        show(f.power_it), show(f.power_low), show(f.power_high), in.pue_low, in.pue_high));
}

void tell_scaling(Story& story, const Plan& plan) {
  const ScalingPlan& s = plan.scaling;
  if (s.laws.empty()) return;
  story.section("Scaling laws");
  story.row("compute", show(s.compute) +
                           (s.duration ? fmt::format(" in {} at {}", show(*s.duration), show(s.rate)) : ""));
  for (const LawPoint& point : s.laws) {
    const std::string loss = point.loss ? fmt::format(", loss {:.3f}", *point.loss) : "";
    const std::string mark = point.law == plan.scenario.training.law ? "  <- training.law" : "";
    story.row(std::string(choice_name(point.law)),
              fmt::format("{} parameters, {}{}{}", show_many(point.parameters),
                          counted(show_many(point.tokens), "token"), loss, mark));
  }
}

void tell_model(Story& story, const Plan& plan) {
  const ModelShape& s = plan.model.shape;
  const ParameterCount& p = plan.model.parameters;
  story.section("Model: " + s.info.name);
  story.row(
      "shape",
      fmt::format("{}{} x {} hidden, {}, vocabulary {}, sequence {}", counted(s.layers, "layer"),
                  s.mtp_layers > 0 ? fmt::format(" and {} of multi-token prediction", s.mtp_layers) : "",
                  show_count(s.hidden), counted(s.heads, "head"), show_count(s.vocabulary),
                  show_count(s.sequence)));
  std::string size = show_many(p.total);
  if (p.mtp > 0) size += fmt::format(" (multi-token prediction: {})", show_many(p.mtp));
  if (s.experts > 0) {
    size += fmt::format(", {} active ({} of {}; one expert: {})", show_many(p.active), s.experts_per_token,
                        counted(s.experts, "expert"), show_many(p.one_expert));
  }
  story.row("parameters", size);
  story.row("depth to width",
            fmt::format("the law gives {:.0f} layers x {}{}", plan.model.law_depth,
                        show_count(plan.model.law_width), s.experts > 0 ? " for one expert" : ""));
}

void tell_mapping(Story& story, const Plan& plan) {
  const MappingPlan& m = plan.mapping;
  story.section("Mapping and memory");
  std::string groups = fmt::format("tensor {} x pipeline {} x data {}", m.tensor, m.pipeline, m.data);
  if (m.context > 1) groups += fmt::format(" x context {}", m.context);
  if (m.expert > 1) groups += fmt::format(", expert {}", m.expert);
  if (m.expert_tensor != m.tensor) groups += fmt::format(", expert tensor {}", m.expert_tensor);
  if (m.virtual_stages > 1) groups += fmt::format(", {}", counted(m.virtual_stages, "virtual stage"));
  if (m.last_stage_layers > 0)
    groups += fmt::format(", {} on the last stage", counted(m.last_stage_layers, "layer"));
  story.row("groups", groups + fmt::format(" = {}, {} idle", counted(show_count(m.devices_used), "device"),
                                           show_count(m.devices_idle)));
  story.row("placement",
            m.placement == Placement::same_layer
                ? fmt::format("{} of one stage in an HB domain, {} a datacenter",
                              counted(m.local_replicas, "replica"), counted(m.peer_domains, "peer domain"))
                : "consecutive stages of a replica in an HB domain");
  story.row("batch", fmt::format("{}: {} of {} on each replica", counted(show_many(m.batch_tokens), "token"),
                                 counted(show_count(m.microbatches), "microbatch"), m.microbatch));
  const MappingInput& input = plan.scenario.mapping;
  story.row("to save memory",
            fmt::format("ZeRO stage {}, recomputation {}", zero_text(input), recompute_text(input)));
  story.row("model states", fmt::format("{}: weights {}, gradients {}, optimizer {}",
                                        show(m.model_memory.model_states()), show(m.model_memory.weights),
                                        show(m.model_memory.gradients), show(m.model_memory.optimizer)));
  story.row("fullest device",
            fmt::format("{}{} of {}: states {}, activations {}, buffers {}", show(m.device.total()),
                        margin_text(plan.step.memory_interval), show(m.device_memory),
                        show(m.device.model_states()), show(m.device.activations), show(m.device.buffers)));
  if (m.host_activations.si() > 0) {
    story.row("offload", fmt::format("{} a device in host memory at {} each way", show(m.host_activations),
                                     show(m.offload_rate)));
  }
  for (const PlacementComparison& p : plan.placements) {
    const bool chosen = p.placement == m.placement;
    story.row(
        chosen ? "  this placement" : "  the other",
        fmt::format("{}: {} of gradients leave the domain ({} to sum), exposed {}", choice_name(p.placement),
                    show(p.gradient_out_of_domain), show(p.gradient), show_share(p.exposed_share)));
  }
}

void tell_communication(Story& story, const Plan& plan) {
  const CommunicationPlan& c = plan.communication;
  story.section("Communication of a layer and microbatch");
  story.row("networks", fmt::format("scale-up {}, scale-out {}, wide area {} a device, one direction",
                                    show(c.scale_up_rate), show(c.scale_out_rate), show(c.wide_area_rate)));
  if (plan.mapping.tensor > 1) {
    story.row(
        "tensor/sequence",
        fmt::format("{} a pass: {} forward, {} backward, bus {}", show(c.tensor_volume),
                    show(c.tensor_forward), show(c.tensor_backward), show(tensor_bus_rate(plan.mapping, c))));
  }
  if (plan.mapping.pipeline > 1) {
    story.row("pipeline", fmt::format("{} a device: {} to the next stage", show(c.pipeline_volume),
                                      show(c.pipeline_transfer)));
  }
  if (plan.mapping.context > 1) {
    story.row("context", fmt::format("{}: {} not hidden", show(c.context_volume),
                                     show(c.context_forward + c.context_backward)));
  }
  if (plan.mapping.expert > 1) {
    story.row("expert",
              fmt::format("{} an all-to-all: {} a pass, bus {}", show(c.expert_volume),
                          show(c.expert_forward), show(bit_rate(2 * c.expert_volume / c.expert_forward))));
  }
  const auto& stages = c.gradient.stages;
  if (std::none_of(stages.begin(), stages.end(), [](const GradientStage& s) { return s.peers > 1; })) return;
  std::string holders = counted(plan.mapping.data, "replica");
  if (plan.mapping.context > 1) holders += fmt::format(" of {} context ranks", plan.mapping.context);
  story.row("gradients", fmt::format("{} a layer, {} over {}", show(c.gradient_layer),
                                     choice_name(c.gradient.kind), holders));
  for (const GradientStage& stage : c.gradient.stages) {
    if (stage.peers < 2) continue;
    story.row("", fmt::format("{:<34}{:>12} over {:>4} ranks: {}", stage.name, show(stage.bytes), stage.peers,
                              show(stage.time)));
  }
  for (const GradientPlan& other : c.gradients) {
    if (other.kind == c.gradient.kind) continue;
    story.row("  instead", fmt::format("{}: {}, exposed {}", choice_name(other.kind), show(other.pipelined),
                                       show(other.exposed)));
  }
}

void tell_exposed(Story& story, const StepPlan& s) {
  const std::pair<const char*, Seconds> kinds[] = {
      {"tensor", s.exposed_tensor}, {"pipeline", s.exposed_pipeline}, {"context", s.exposed_context},
      {"expert", s.exposed_expert}, {"weights", s.exposed_weights},   {"gradients", s.exposed_gradient}};
  std::string text = show(s.exposed) + " = " + show_share(s.exposed_share);
  for (const auto& [name, time] : kinds) {
    if (time.si() > 0) text += fmt::format(", {} {}", name, show(time));
  }
  story.row("exposed", text);
}

void tell_step(Story& story, const Plan& plan) {
  const StepPlan& s = plan.step;
  story.section("Step time");
  story.row("layer", fmt::format("forward {}, backward {} ({} a device)", show(s.forward), show(s.backward),
                                 show(peak_rate(plan.scenario))));
  tell_exposed(story, s);
  story.row("step", fmt::format("{} ({}); steady state {}, with fill and drain {}", show(s.step),
                                choice_name(plan.scenario.assumptions.step_rule), show(s.step_steady),
                                show(s.step_pipeline)));
  if (s.step_interval.high > s.step_interval.low) {
    story.row("  80% interval", fmt::format("{} to {} ({})", show(s.step * s.step_interval.low),
                                            show(s.step * s.step_interval.high), s.step_interval.basis));
  }
  if (s.exposed_share_step > 0)
    story.row("  exposed", exposed_of_step_text(s.step, s.step_interval, s.exposed_share_step));
  if (s.offload_exposed_step.si() > 0) {
    story.row("  offloading", fmt::format("passes wait {} for activations to go to the host and return",
                                          show(s.offload_exposed_step * s.straggling)));
  }
  story.row("software", software_key(plan.scenario) +
                            (plan.scenario.training.software ? "" : " (the accelerator's usual one)"));
  story.row("at full rate", fmt::format("the same tokens take {} at {}", show(plan.scaling.model_duration),
                                        show(plan.scaling.rate)));
  story.row("utilization", fmt::format("MFU {}, exposed {}, fill and drain {}", show_share(s.mfu),
                                       show_share(s.exposed_share_step), show_share(s.bubble_share)));
  const FlopRate achieved = peak_rate(plan.scenario) * s.mfu;
  const double hours = s.days_to_train.si() / 3600 * static_cast<double>(plan.mapping.devices_used);
  story.row("achieved", fmt::format("{} a device", show(achieved)));
  story.row("training",
            fmt::format("{} in {}: {}, {} device-hours", counted(show_many(s.tokens), "token"),
                        counted(show_count(s.steps), "step"), show(s.days_to_train), show_many(hours)));
  const auto months = months_by_default(plan);
  if (!months) return story.row("  with failures", "unknown (`trainyard goodput` says why)");
  story.row("  with failures",
            fmt::format("{}: {} of the time is useful{}{} (`trainyard goodput`)",
                        months->time ? show(*months->time) : std::string("training does not end"),
                        show_share(months->useful), plan.scenario.resilience ? "" : " at default rates",
                        words_after(", ", servers_words(*months))));
}

void tell_cost(Story& story, const Plan& plan) {
  const CostPlan& c = plan.cost;
  story.section("Cost of the training run");
  story.row("energy",
            fmt::format("{} at {}: {}", show(c.energy), show(c.electricity_price), show(c.energy_cost)));
  story.row("total", fmt::format("{} with {} written off: {} a million tokens, {} a token", show(c.run_cost),
                                 show(c.capital_cost), show(c.per_million_tokens), show(c.energy_per_token)));
}

}  // namespace

std::string margin_text(const Interval& interval) {
  if (interval.high <= 1) return {};
  constexpr double kPercent = 100;
  const double less = (1 - interval.low) * kPercent;
  const double more = (interval.high - 1) * kPercent;
  constexpr double kLopsided = 1.5;
  return more > kLopsided * less ? fmt::format(" -{:.0f} to +{:.0f}%", less, more)
                                 : fmt::format(" +-{:.0f}%", more);
}

std::string plan_text(const Plan& plan) {
  (void)plan_quantities(plan);  // throws where a number is none
  Story story;
  story.title(plan.scenario.title.empty() ? plan.scenario.source_name : plan.scenario.title);
  tell_facility(story, plan);
  tell_scaling(story, plan);
  tell_model(story, plan);
  tell_mapping(story, plan);
  tell_communication(story, plan);
  tell_step(story, plan);
  tell_cost(story, plan);
  for (const std::string& warning : plan.mapping.warnings) story.line("\nwarning: " + warning);
  return story.take();
}

}  // namespace trainyard
