#include <fmt/core.h>

#include <algorithm>

#include "base/errors.h"
#include "cost/compute_times.h"
#include "cost/cost.h"
#include "parallel/schedules.h"
#include "report/data/goodput_words.h"
#include "report/data/quantity_list.h"
#include "scenario/choices/assumptions.h"
#include "trainyard/exposed_errors.h"
#include "trainyard/plan.h"
#include "trainyard/step_at_rate.h"

namespace trainyard {
namespace {

const GradientPlan& of_kind(const CommunicationPlan& c, GradientExchange kind) {
  const auto found = std::find_if(c.gradients.begin(), c.gradients.end(),
                                  [&](const GradientPlan& plan) { return plan.kind == kind; });
  TY_ASSERT(found != c.gradients.end(), "every plan compares all exchanges");
  return *found;
}

/// One pass around a ring, or two; empty for other algorithms and for stages with delays of their own.
std::string stage_formula(const GradientStage& stage, const std::string& key) {
  if (stage.network == NetworkLevel::wide_area || stage.peers < 2 || stage.name.starts_with("ring"))
    return {};
  if (stage.algorithm != AllReduce::bandwidth || stage.delay.si() > 0) return {};
  const bool all_reduce = stage.name.starts_with("all-reduce");
  return fmt::format("{0}({1}_peers - 1) / {1}_peers * {1}_bytes / (communication.{2}_rate_bps / 8)",
                     all_reduce ? "2 * " : "", key, network_key(stage.network));
}

constexpr const char* kAlgorithmSource = "Thakur et al. 2005, section 4; collective.h";

void add_stages(QuantityList& list, const GradientPlan& gradient, bool formulas) {
  const std::string paper = "HotNets '24 section 4.1";
  for (std::size_t i = 0; i < gradient.stages.size(); ++i) {
    const GradientStage& stage = gradient.stages[i];
    const std::string name = "gradient_stage" + std::to_string(i + 1);
    list.count(name + "_peers", stage.name + ": ranks", stage.peers);
    list.add(name, stage.name + ": buffer of a device", stage.bytes);
    const bool bandwidth = stage.algorithm == AllReduce::bandwidth;
    const std::string how =
        bandwidth ? "ring, bandwidth terms" : "algorithm: " + std::string(choice_name(stage.algorithm));
    list.add(name, stage.name + ": time", stage.time,
             {formulas ? stage_formula(stage, "communication." + name) : "",
              bandwidth ? paper : kAlgorithmSource, how});
  }
}

/// The smallest wide-area rate at which a direct exchange hides behind the backward pass.
void add_wide_area(QuantityList& list, const Plan& plan) {
  const GradientPlan& paper = of_kind(plan.communication, GradientExchange::hierarchical_all_reduce);
  if (plan.mapping.datacenters < 2) return;
  const NetworkInput& network = plan.scenario.network;
  const Seconds delay = network.wide_area_rtt * (0.5 + network.tail_loss_rtts);
  const Seconds room = plan.step.backward - delay;
  list.add("wide_area_delay", "one-way delay between datacenters, tail loss included", delay);
  list.add("wide_area", "bytes of a device and layer between datacenters", paper.stages[2].bytes);
  if (room.si() <= 0) return;
  const double others = static_cast<double>(plan.mapping.datacenters - 1);
  list.add("wide_area_rate_hidden", "wide-area rate that hides behind the backward pass",
           bit_rate(paper.stages[2].bytes * others / room),
           {.formula = "8 * communication.wide_area_bytes * (mapping.datacenters - 1) / (step.backward_s - "
                       "communication.wide_area_delay_s)"});
}

bool calibrated(const Plan& plan) {
  return plan.scenario.assumptions.compute_model == ComputeModel::calibrated;
}

Origin tensor_volume_origin(const Plan& plan) {
  const CommunicationPlan& c = plan.communication;
  const double sums = c.tensor_volume / c.layer_input;
  if (plan.model.shape.experts > 0 && sums != 2 && plan.mapping.tensor > 1)
    return {
        "", "docs/models.md, Communication",
        "all-reduces of the layer's input, in the mean over layers: one for attention, one for a dense "
        "feed-forward part or shared experts, and what ranks gather and scatter over which an expert is cut"};
  const char* formula = sums == 1 ? "communication.layer_input_bytes" : "2 * communication.layer_input_bytes";
  return {plan.mapping.tensor > 1 ? formula : "", "HotNets '24 section 4.1",
          "two all-reduces of the layer's input (one for a parallel block)"};
}

Origin tensor_time_origin(const Plan& plan) {
  const AllReduce algorithm = plan.communication.tensor_algorithm;
  if (calibrated(plan)) return {"", "docs/models.md, calibrated collectives"};
  if (algorithm != AllReduce::bandwidth || plan.scenario.network.scale_up_latency.si() > 0)
    return {"", kAlgorithmSource, "algorithm: " + std::string(choice_name(algorithm))};
  return {
      "2 * (mapping.tensor - 1) / mapping.tensor * communication.tensor_volume_bytes / "
      "(communication.scale_up_rate_bps / 8)",
      "HotNets '24 section 4.1"};
}

}  // namespace

void add_communication(std::vector<PlanQuantity>& out, const Plan& plan) {
  const CommunicationPlan& c = plan.communication;
  const std::string paper = "HotNets '24 section 4.1";
  QuantityList list(out, "communication");
  list.add("scale_up_rate", "scale-up rate in force, one direction", c.scale_up_rate);
  list.add("scale_out_rate", "scale-out rate in force, one direction", c.scale_out_rate);
  list.add("wide_area_rate", "wide-area rate in force, one direction", c.wide_area_rate);
  list.fraction("pipeline_share", "share of the scale-out rate left to pipeline transfers",
                plan.scenario.network.pipeline_share);
  list.number("bytes_per_element", "bytes of an activation on the network",
              bytes_of(plan.scenario.precision.communication));
  list.add("layer_input", "input of a layer", c.layer_input,
           {"mapping.microbatch * model.sequence / mapping.context * model.hidden * "
            "communication.bytes_per_element",
            paper});
  list.add("tensor_volume", "tensor/sequence-parallel volume, forward", c.tensor_volume,
           tensor_volume_origin(plan));
  list.add("tensor_forward", "tensor/sequence-parallel time, forward", c.tensor_forward,
           tensor_time_origin(plan));
  list.add("tensor_backward", "tensor/sequence-parallel time, backward", c.tensor_backward);
  if (plan.mapping.tensor > 1)
    list.add("tensor_bus_rate", "bus bandwidth of its all-reduces, as nccl-tests count it",
             tensor_bus_rate(plan.mapping, c));
  list.fraction("tensor_exposed", "share of it that compute does not hide", c.tensor_exposed);
  list.add("pipeline_volume", "pipeline volume of a device", c.pipeline_volume,
           {plan.mapping.pipeline > 1 ? "communication.layer_input_bytes / mapping.tensor" : "", paper});
  list.add("pipeline_transfer", "pipeline transfer", c.pipeline_transfer,
           {calibrated(plan) || c.pipeline_in_domain || plan.mapping.pipeline == 1 ||
                    plan.scenario.network.scale_out_latency.si() > 0
                ? ""
                : "communication.pipeline_volume_bytes / (communication.scale_out_rate_bps * "
                  "communication.pipeline_share / 8)",
            paper});
  if (plan.mapping.context > 1) {
    list.add("context_volume", "context-parallel volume, forward, a device", c.context_volume);
    list.add("context_forward", "context-parallel time, not hidden, forward", c.context_forward);
    list.add("context_backward", "context-parallel time, not hidden, backward", c.context_backward);
  }
  if (plan.mapping.expert > 1) {
    list.add("expert_volume", "one all-to-all of tokens, a device", c.expert_volume);
    list.text("expert_algorithm", "algorithm of the all-to-all",
              std::string(choice_name(c.expert_algorithm)));
    list.add("expert_forward", "dispatch and combine, forward", c.expert_forward);
    list.add("expert_bus_rate", "bus bandwidth of the all-to-alls, as nccl-tests count it",
             bit_rate(2 * c.expert_volume / c.expert_forward));
    list.add("expert_backward", "dispatch and combine, backward", c.expert_backward);
  }
  if (c.weight_gather.si() > 0) {
    list.add("weight_gather_volume", "weights of a layer that a device gathers", c.weight_shard);
    list.add("weight_gather", "gathering them", c.weight_gather);
  }
  list.add("router_gradient", "gradient of the replicated router", c.router_gradient);
  list.add("gradient_layer", "gradients of a layer", c.gradient_layer, {.source = paper});
  list.add("gradient_chunk", "part of them that an HB domain's replica exchanges outside", c.gradient_chunk,
           {"communication.gradient_layer_bytes / (mapping.local_replicas * mapping.context)", paper});
  list.text("tensor_algorithm", "algorithm of tensor parallelism's all-reduces",
            std::string(choice_name(c.tensor_algorithm)));
  list.text("gradient_exchange", "gradient exchange in force", std::string(choice_name(c.gradient.kind)));
  add_stages(list, c.gradient, plan.mapping.experts_as_the_rest() && !calibrated(plan));
  for (const GradientPlan& gradient : c.gradients) {
    const std::string name(choice_name(gradient.kind));
    list.add(name, name + ": pipelined time", gradient.pipelined);
    list.add(name + "_exposed", name + ": exposed", gradient.exposed,
             {.formula = "max(0, communication." + name + "_s - step.backward_s)"});
  }
  add_wide_area(list, plan);
}

namespace {

/// Whether layer times are FLOP over the peak and nothing else.
bool plain_layer_times(const Plan& plan) {
  const AssumptionsInput& a = plan.scenario.assumptions;
  const bool even =
      a.uneven_shards == UnevenShards::ideal || plan.model.shape.heads % plan.mapping.tensor == 0;
  return a.compute_model == ComputeModel::ideal && !a.matmul_efficiency && even;
}

bool counted_in_forward(const Plan& plan) {
  return plan.scenario.assumptions.attention_recompute == AttentionRecompute::counted_in_forward;
}

std::string forward_formula(const Plan& plan) {
  if (!plain_layer_times(plan)) return {};
  const std::string repeated = counted_in_forward(plan) ? "(1 + 3 * step.recompute_share) * " : "";
  return repeated +
         "model.layer_forward_flop * mapping.microbatch / (mapping.tensor * mapping.context) / "
         "step.peak_rate_flop_per_s";
}

std::string backward_formula(const Plan& plan) {
  if (counted_in_forward(plan)) return "2 * step.forward_s";
  return plain_layer_times(plan) ? "(2 + 3 * step.recompute_share) * step.forward_s" : "";
}

void add_exposed_of_step(QuantityList& list, const StepPlan& s) {
  const double share = s.exposed_share_step;
  const ExposedInterval exposed = exposed_interval(s.step_interval, share);
  const Origin origin{.how = s.step_interval.basis};
  list.fraction("batch_exposed_share", "exposed share of a step", share);
  list.fraction("batch_exposed_share_low", "its 80% interval, from", exposed.share_low, origin);
  list.fraction("batch_exposed_share_high", "to", exposed.share_high, origin);
  list.add("batch_exposed", "exposed communication of a step", s.step * share,
           {"step.batch_s * step.batch_exposed_share"});
  list.add("batch_exposed_low", "its 80% interval, from", s.step * share * exposed.time.low, origin);
  list.add("batch_exposed_high", "to", s.step * share * exposed.time.high, origin);
}

}  // namespace

void add_step(std::vector<PlanQuantity>& out, const Plan& plan) {
  const StepPlan& s = plan.step;
  const std::string paper = "HotNets '24 section 6";
  const std::string schedule = "Narayanan et al. 2021, section 2.2";
  QuantityList list(out, "step");
  list.add("peak_rate", "peak rate of a device in force", peak_rate(plan.scenario));
  list.add("forward", "forward pass of a layer", s.forward,
           {.formula = forward_formula(plan), .how = "operator times (assumptions.compute_model)"});
  list.add("backward", "backward pass of a layer", s.backward,
           {.formula = backward_formula(plan), .how = "twice the forward pass, and recomputation"});
  list.add("host_wait", "of both passes, waiting for the host to launch kernels", s.host_wait,
           {"", "docs/models.md, bound by the host"});
  list.fraction("recompute_share", "extra computation by recomputation", s.recompute_share,
                {.source = "Korthikanti et al. 2023, section 5"});
  const Origin played{.how = "the passes of step.schedule, played (src/cost/played_passes.cpp)"};
  const bool pairs = s.plays_passes() && holds_two_stages(plan.scenario.step.schedule, plan.mapping.pipeline);
  if (pairs)
    list.fraction("passes_exposed", "of transfers within passes, what no other pass of the device hides",
                  s.passes_exposed, played);
  list.add("exposed_tensor", "exposed: tensor parallelism", s.exposed_tensor,
           {std::string(pairs ? "step.passes_exposed * " : "") +
                "communication.tensor_exposed * (communication.tensor_forward_s + "
                "communication.tensor_backward_s)",
            paper});
  list.add("exposed_pipeline", "exposed: pipeline, a layer", s.exposed_pipeline,
           {calibrated(plan)
                ? ""
                : "2 * communication.pipeline_transfer_s * mapping.virtual_stages / mapping.layers_per_stage",
            paper});
  list.add("exposed_context", "exposed: context parallelism", s.exposed_context);
  list.add("exposed_expert", "exposed: expert parallelism", s.exposed_expert);
  list.add("exposed_weights", "exposed: gathering weights", s.exposed_weights);
  list.add("exposed_gradient", "exposed: gradient exchange", s.exposed_gradient, {.source = paper});
  list.add("gradient_hidden", "gradient exchange behind the backward pass",
           std::min(plan.communication.gradient.pipelined, s.backward));
  list.add(
      "exposed", "exposed communication of a layer", s.exposed,
      {"step.exposed_tensor_s + step.exposed_pipeline_s + step.exposed_context_s + step.exposed_expert_s + "
       "step.exposed_weights_s + step.exposed_gradient_s",
       paper});
  list.add("steady", "a layer in steady state", s.steady_time,
           {"step.forward_s + step.backward_s + step.exposed_s", paper});
  list.fraction("exposed_share", "exposed share in steady state", s.exposed_share,
                {"step.exposed_s / step.steady_s", paper});
  list.add("microbatch", "layers and transfers of the slowest stage, one microbatch", s.microbatch_time);
  list.add("head", "embedding, output matrix and host on that stage, one microbatch", s.head_time);
  list.add("pace", "a microbatch on the slowest stage", s.pace,
           {"step.microbatch_s + step.head_s", schedule});
  list.add("replica", "a microbatch on all stages, one after another, without transfers between them",
           s.replica_time);
  list.fraction("fill_share", "part of fill and drain that the schedule leaves", s.fill_share,
                s.plays_passes() ? played : Origin{});
  list.add("fill_sends", "of fill and drain: transfers between stages", s.fill_sends);
  const Seconds even =
      (s.replica_time - s.pace + s.exposed_pipeline * static_cast<double>(plan.mapping.layers_per_stage)) *
          s.fill_share +
      s.fill_sends;
  const bool spared = s.bubble < even * (1 - 1e-9);
  list.add("bubble", "pipeline fill and drain", s.bubble,
           {spared ? ""
                   : "(step.replica_s - step.pace_s + step.exposed_pipeline_s * mapping.layers_per_stage) * "
                     "step.fill_share + step.fill_sends_s",
            schedule});
  list.add("gradient_sum", "sums of gradients, once a batch", s.gradient_sum);
  list.add("weights_return", "gathers of updated weights, once a batch", s.weights_return);
  const Origin beside{.how = calibrated(plan) ? "docs/models.md, exchanges beside passes" : ""};
  list.add("weights_exposed_batch", "gathers and scatters of ZeRO 3 exposed in a batch",
           s.weights_exposed_step, beside);
  list.add("offload_exposed_batch", "passes that wait for activations to go to the host and return, a batch",
           s.offload_exposed_step, played);
  list.number("straggling", "factor of the slowest server", s.straggling,
              {.source = "Jiang et al. 2024, section 6.3"});
  list.add("gradient_exposed_batch", "gradient exchange exposed once a batch", s.gradient_exposed_step,
           beside);
  list.add("optimizer", "optimizer update", s.optimizer_time);
  list.add(
      "batch_pipeline", "a batch, with fill and drain", s.step_pipeline,
      {"(step.pace_s * mapping.microbatches + step.bubble_s + step.gradient_exposed_batch_s + "
       "step.weights_exposed_batch_s + step.offload_exposed_batch_s + step.optimizer_s) * step.straggling",
       schedule});
  list.add("batch_steady", "a batch, steady state", s.step_steady,
           {"step.steady_s * mapping.layers_per_stage * mapping.microbatches", paper});
  list.text("rule", "rule in force", std::string(choice_name(plan.scenario.assumptions.step_rule)));
  list.add("batch", "step time", s.step);
  list.add("batch_low", "its 80% interval, from", s.step * s.step_interval.low,
           {.how = s.step_interval.basis});
  list.add("batch_high", "to", s.step * s.step_interval.high, {.how = s.step_interval.basis});
  list.add("achieved", "model FLOP a second and device",
           plan.model.sequence_training * plan.mapping.batch_sequences /
               (s.step * static_cast<double>(plan.mapping.devices_used)),
           {.formula = "step.mfu * step.peak_rate_flop_per_s"});
  list.number("gpu_hours", "device-hours of the training run",
              s.days_to_train.si() / 3600 * static_cast<double>(plan.mapping.devices_used),
              {.formula = "step.days_to_train_s / 3600 * mapping.devices_used"});
  list.fraction("bubble_share", "share of fill and drain", s.bubble_share);
  add_exposed_of_step(list, s);
  list.fraction(
      "mfu", "model FLOP utilization", s.mfu,
      {.formula = "model.sequence_training_flop * mapping.batch_sequences / (step.peak_rate_flop_per_s * "
                  "step.batch_s * mapping.devices_used)",
       .source = "Chowdhery et al. 2022, appendix B"});
  list.number("tokens_per_second", "tokens a second", s.tokens_per_second,
              {.formula = "mapping.batch_tokens / step.batch_s"});
  list.number("tokens", "tokens of the training run", s.tokens);
  list.number("steps", "steps of the training run", s.steps,
              {.formula = "step.tokens / mapping.batch_tokens"});
  list.add("days_to_train", "time to train", s.days_to_train, {.formula = "step.batch_s * step.steps"});
}

namespace {

/// At which rates, and whether they last.
std::string months_words(const Plan& plan, const std::optional<TrainingForm>& months) {
  const std::string out =
      plan.scenario.resilience ? "" : "at default rates: the scenario has no [resilience]";
  const std::string servers = months ? servers_words(*months) : "";
  return out.empty() ? servers : out + words_after("; ", servers);
}

}  // namespace

void add_months(std::vector<PlanQuantity>& out, const Plan& plan) {
  QuantityList list(out, "step");
  const auto months = months_by_default(plan);
  // Unknown where parts cannot be counted.
  list.fraction_known("useful_share", "useful share of the time with failures",
                      months ? std::optional(months->useful) : std::nullopt,
                      {.source = "Daly 2006; docs/models.md, months", .how = months_words(plan, months)});
  // Nor where training does not end.
  list.add_known("calendar_time", "time to train with failures", months ? months->time : std::nullopt,
                 {.formula = "step.days_to_train_s / step.useful_share"});
}

}  // namespace trainyard
