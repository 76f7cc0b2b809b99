#include "parallel/parallel.h"
#include "report/data/quantity_list.h"
#include "scenario/choices/mapping.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

void add_groups(QuantityList& list, const MappingPlan& m, const MappingInput& input,
                const ModelShape& shape) {
  const bool modules = shape.mtp_layers > 0;
  list.count("tensor", "tensor-parallel size", m.tensor);
  list.count("context", "context-parallel size", m.context);
  list.count("pipeline", "pipeline stages", m.pipeline);
  list.count("virtual_stages", "virtual stages", m.virtual_stages);
  list.count("expert", "expert-parallel size", m.expert);
  list.count("expert_tensor", "tensor ranks over which an expert is cut", m.expert_tensor);
  const bool kept = m.last_stage_layers > 0;
  if (kept) list.count("last_stage_layers", "layers kept for the last stage", m.last_stage_layers);
  list.count(
      "layers_per_stage", "layers of a stage", m.layers_per_stage,
      {.formula = modules ? ""
                  : kept  ? "ceil((model.layers - mapping.last_stage_layers) / (mapping.pipeline - 1))"
                          : "ceil(model.layers / mapping.pipeline)",
       .how = modules && !kept
                  ? "of the fullest: layers and modules of multi-token prediction, of which the last takes a "
                    "layer less for each module"
                  : ""});
  list.count("groups_per_domain", "groups of an HB domain", m.groups_per_domain,
             {.how = "floor(domain devices / (tensor x context)), at least 1"});
  list.count("domains_per_group", "HB domains that a context-parallel group spans", m.domains_per_group);
  list.text("placement", "what an HB domain holds", std::string(choice_name(m.placement)));
  list.count("local_replicas", "replicas of a stage in an HB domain", m.local_replicas);
  list.count("peer_domains", "HB domains of a datacenter with the same stage", m.peer_domains);
  list.count("data", "data-parallel replicas", m.data);
  list.count("data_per_datacenter", "replicas of a datacenter", m.data_per_datacenter,
             {.formula = "floor(mapping.data / mapping.datacenters)"});
  list.count("datacenters", "datacenters that replicas are spread over", m.datacenters);
  list.count("devices_used", "devices used", m.devices_used,
             {.formula = "mapping.data * mapping.pipeline * mapping.tensor * mapping.context"});
  list.count("devices_idle", "devices idle", m.devices_idle,
             {.formula = "facility.devices - mapping.devices_used"});
  list.count("zero_stage", "ZeRO stage", input.zero_stage);
  list.text("recompute", "what the backward pass computes again", std::string(choice_name(input.recompute)));
  const bool recomputes = input.recompute != Recompute::none || !input.recompute_modules.empty();
  list.count("recompute_layers", "layers that do so",
             recomputes ? input.recompute_layers.value_or(shape.blocks()) : 0);
  list.count("microbatch", "sequences of a microbatch", m.microbatch);
  list.count("microbatches", "microbatches of a batch, a replica", m.microbatches);
  list.number("batch_sequences", "sequences of a batch", m.batch_sequences,
              {.formula = "mapping.data * mapping.microbatch * mapping.microbatches"});
  list.number("batch_tokens", "tokens of a batch", m.batch_tokens,
              {.formula = "mapping.batch_sequences * model.sequence"});
}

void add_precision(QuantityList& list, const PrecisionInput& p) {
  list.number("weight_bytes_per_parameter", "bytes of a weight, master and working copy",
              bytes_of(p.weights) + (p.master_copy ? bytes_of(p.master) : 0));
  list.number("gradient_bytes_per_parameter", "bytes of a gradient", bytes_of(p.gradients));
  list.number("optimizer_bytes_per_parameter", "bytes of the optimizer states of a parameter",
              static_cast<double>(p.optimizer_states) * bytes_of(p.optimizer));
}

void add_memory(QuantityList& list, const MappingPlan& m, const Interval& interval) {
  const std::string paper = "HotNets '24 section 4";
  list.add("model_weights", "weights of the model", m.model_memory.weights,
           {"model.parameters * mapping.weight_bytes_per_parameter", paper});
  list.add("model_gradients", "gradients of the model", m.model_memory.gradients,
           {"model.parameters * mapping.gradient_bytes_per_parameter", paper});
  list.add("model_optimizer", "optimizer states of the model", m.model_memory.optimizer,
           {"model.parameters * mapping.optimizer_bytes_per_parameter", paper});
  list.add(
      "model_states", "model states", m.model_memory.model_states(),
      {"mapping.model_weights_bytes + mapping.model_gradients_bytes + mapping.model_optimizer_bytes", paper});
  list.add("device_weights", "weights on the fullest device", m.device.weights);
  list.add("device_gradients", "gradients on the fullest device", m.device.gradients);
  list.add("device_optimizer", "optimizer states on the fullest device", m.device.optimizer);
  list.add("device_states", "model states on the fullest device", m.device.model_states(),
           {"mapping.device_weights_bytes + mapping.device_gradients_bytes + mapping.device_optimizer_bytes",
            paper});
  list.add("device_activations", "activations on the fullest device", m.device.activations);
  list.add("device_buffers", "buffers of the training program on the fullest device", m.device.buffers);
  list.add("device_total", "memory of the fullest device", m.device.total(),
           {.formula = "mapping.device_states_bytes + mapping.device_activations_bytes"
                       " + mapping.device_buffers_bytes"});
  list.add("device_total_low", "lower end of its 80% interval", m.device.total() * interval.low,
           {.source = interval.basis});
  list.add("device_total_high", "upper end of its 80% interval", m.device.total() * interval.high,
           {.source = interval.basis});
  list.add("device_memory", "memory that a device has", m.device_memory);
  list.fraction("device_memory_share", "share of it in use", m.device.total() / m.device_memory,
                {.formula = "mapping.device_total_bytes / mapping.device_memory_bytes"});
  list.add("activation_layer", "activations of a layer and microbatch, a device", m.activation_layer,
           {.source = "Korthikanti et al. 2023, section 4", .how = "kept elements x bytes / tensor"});
  list.number("in_flight", "microbatches waiting on the first stage", m.in_flight,
              {.source = "Narayanan et al. 2021, section 2.2",
               .how = "1F1B: pipeline stages; interleaved: (p-1)/v more"});
  list.add("host_activations", "activations in host memory, a device", m.host_activations);
  list.add("offload_rate", "rate to the host that offloading needs", m.offload_rate,
           {.how = "activations of a layer / forward time of a layer"});
}

}  // namespace

void add_mapping(std::vector<PlanQuantity>& out, const Plan& plan) {
  QuantityList list(out, "mapping");
  add_groups(list, plan.mapping, plan.scenario.mapping, plan.model.shape);
  add_precision(list, plan.scenario.precision);
  add_memory(list, plan.mapping, plan.step.memory_interval);
  for (const PlacementComparison& p : plan.placements) {
    const std::string name(choice_name(p.placement));
    list.add(name + "_gradient_out", name + ": gradients of a layer that leave the HB domain, a device",
             p.gradient_out_of_domain);
    list.add(name + "_gradient", name + ": gradient exchange of a layer", p.gradient);
    list.add(name + "_pipeline", name + ": mean transfer between stages", p.pipeline_transfer);
    list.fraction(name + "_exposed_share", name + ": exposed communication", p.exposed_share);
  }
}

}  // namespace trainyard
