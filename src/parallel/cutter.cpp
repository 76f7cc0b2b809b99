#include "parallel/cutter.h"

#include <algorithm>

#include "base/whole_numbers.h"
#include "parallel/batch.h"
#include "scenario/in_force.h"
#include "scenario/stage_deal.h"
#include "trainyard/plan/facility.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/assumptions.h"

namespace trainyard {
namespace {

/// How the copies of a stage lie in the facility.
struct Layout {
  std::int64_t local = 0;    // copies of a stage in one HB domain
  std::int64_t domains = 0;  // HB domains, or sets of those that a group spans, with a copy of a given stage
  std::int64_t most() const { return local * domains; }
};

/// Every group of a domain holds the same stage.
Layout same_layer_layout(std::int64_t domains, std::int64_t groups, std::int64_t pipeline) {
  return {groups, domains / pipeline};
}

/// A domain holds consecutive stages: whole replicas when they fit, else part of one.
Layout consecutive_layout(std::int64_t domains, std::int64_t groups, std::int64_t pipeline) {
  if (groups >= pipeline) return {groups / pipeline, domains};
  return {1, domains * groups / pipeline};
}

/// In one datacenter of so many HB domains.
Layout layout_in(std::int64_t domains, const MappingPlan& m) {
  const std::int64_t units = domains / m.domains_per_group;
  return m.placement == Placement::same_layer ? same_layer_layout(units, m.groups_per_domain, m.pipeline)
                                              : consecutive_layout(units, m.groups_per_domain, m.pipeline);
}

/// A replica stands in one datacenter: between them gradients are summed, and nothing else is sent. Where HB
/// domains do not divide over them, the first have one more. `shared`: what is left of all of them holds
/// replicas, too.
Layout layout_of(const MappingPlan& m, const FacilityPlan& facility, bool shared) {
  const std::int64_t sites = facility.datacenters;
  const std::int64_t larger = facility.domains % sites;  // datacenters with one more
  const Layout least = layout_in(facility.domains / sites, m);
  const Layout most = larger > 0 ? layout_in(facility.domains / sites + 1, m) : least;
  if (shared && most.domains > 0) return layout_in(facility.domains, m);
  return {least.local, (sites - larger) * least.domains + larger * most.domains};
}

/// HB domains that a tensor x context group takes: as few equal parts of its context ranks as have room.
std::int64_t domains_of_group(std::int64_t tensor, std::int64_t context, std::int64_t domain_devices) {
  if (tensor > domain_devices) return ceil_div(tensor * context, domain_devices);
  std::int64_t parts = ceil_div(context, domain_devices / tensor);
  while (context % parts != 0) ++parts;
  return parts;
}

/// The counts that the scenario and the cut give.
void set_given(MappingPlan& m, const MappingInput& input, Cut cut, Placement placement) {
  m.tensor = cut.tensor;
  m.pipeline = cut.pipeline;
  m.context = input.context;
  m.expert = input.expert;
  m.expert_tensor = input.expert_tensor.value_or(cut.tensor);
  m.virtual_stages = cut.pipeline > 1 ? input.virtual_stages : 1;
  m.microbatch = input.microbatch;
  m.placement = placement;
}

/// Experts over equal shares of the tensor ranks, sets of them over whole replicas or equal parts of one.
bool deals_whole_experts(const MappingPlan& m) {
  const std::int64_t set = m.expert_devices();
  return m.tensor % m.expert_tensor == 0 && (set % m.tensor == 0 || m.tensor % set == 0);
}

}  // namespace

Cutter::Cutter(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model)
    : scenario_(scenario),
      facility_(facility),
      model_(model),
      software_(software_of(scenario)),
      measured_(scenario.assumptions.compute_model == ComputeModel::calibrated),
      memory_(scenario, model) {}

const StageRanges& Cutter::stages(StageCut cut) {
  return stages_.of({cut.stages, cut.last_layers}, [&] { return stage_ranges(model_.shape, cut); });
}

/// Microbatches of the batch that is asked for, over all replicas.
std::optional<double> Cutter::wanted_microbatches(const MappingPlan& m) const {
  const auto tokens = wanted_batch(scenario_.mapping, scenario_.training, model_.shape);
  if (!tokens) return std::nullopt;
  return *tokens / (real(model_.shape.sequence) * real(m.microbatch));
}

/// Given, else all that the devices and the batch allow.
std::int64_t Cutter::replicas(const MappingPlan& m, std::int64_t most) {
  if (scenario_.mapping.data) return *scenario_.mapping.data;
  const auto wanted = wanted_microbatches(m);
  if (!wanted) return most;
  const std::int64_t together = m.replicas_together();
  return replicas_.of({m.microbatch, most, together},
                      [&] { return replicas_for_batch(*wanted, most, together); });
}

void Cutter::set_replicas(MappingPlan& m) const {
  m.local_replicas = std::min(layout_in(facility_.domains, m).local, m.data);
  // Ranks are numbered with the stages outermost, so that a stage has its domains to itself as far as it
  // fills them, unless the scenario wants consecutive stages side by side.
  const bool consecutive = scenario_.mapping.placement == Placement::consecutive_layers;
  m.held_in_domain =
      std::min(facility_.domain_devices, (consecutive ? m.local_replicas : m.data) * m.context * m.tensor);
  const std::int64_t units = ceil_div(m.data, m.local_replicas);  // of domains_per_group
  m.datacenters = std::min(facility_.datacenters, units);
  m.peer_domains = std::max<std::int64_t>(1, units / m.datacenters) * m.domains_per_group;
  m.data_per_datacenter = std::max<std::int64_t>(1, m.data / m.datacenters);
  m.devices_used = m.data * m.pipeline * m.tensor * m.context;
  m.devices_idle = facility_.devices - m.devices_used;
}

/// Microbatches of a batch on each replica: given, from the batch's tokens, or four a pipeline stage, which
/// keeps the bubble of 1F1B below a fifth.
void Cutter::set_batch(MappingPlan& m) const {
  constexpr std::int64_t kMicrobatchesPerStage = 4;
  if (scenario_.mapping.microbatches) {
    m.microbatches = *scenario_.mapping.microbatches;
  } else if (const auto wanted = wanted_microbatches(m)) {
    m.microbatches = microbatches_each(*wanted, m.data);
  } else {
    m.microbatches = m.pipeline == 1 ? 1 : kMicrobatchesPerStage * m.pipeline;
  }
  m.batch_sequences = real(m.microbatch) * real(m.data) * real(m.microbatches);
  m.batch_tokens = m.batch_sequences * real(model_.shape.sequence);
}

std::int64_t Cutter::most_replicas(const MappingPlan& m) const {
  const bool shared = scenario_.assumptions.uneven_shards == UnevenShards::ideal;
  return layout_of(m, facility_, shared).most();
}

std::int64_t Cutter::devices_that_fill(MappingPlan m) const {
  const std::int64_t domain = facility_.domain_devices;
  if (m.tensor > domain) return 0;
  m.domains_per_group = domains_of_group(m.tensor, m.context, domain);
  m.groups_per_domain = std::max<std::int64_t>(1, domain / (m.tensor * m.context));
  return most_replicas(m) * m.tensor * m.context * m.pipeline;
}

CutRefusal Cutter::cut(Cut cut, Placement placement, MappingPlan& m) {
  const MappingInput& input = scenario_.mapping;
  const std::int64_t domain = facility_.domain_devices;
  set_given(m, input, cut, placement);
  // Idealised traffic knows experts over tensor ranks and replicas alone, not over context ranks.
  m.experts_on_context = measured_;
  if (!deals_whole_experts(m)) return CutRefusal::expert_tensor;
  m.last_stage_layers = last_stage_layers(model_, input, software_, m);
  m.layers_per_stage = layers_of_stage(model_.shape, stage_cut(m));
  if (cut.tensor > domain && !(input.tensor && measured_)) return CutRefusal::tensor;
  m.domains_per_group = domains_of_group(cut.tensor, input.context, domain);
  m.groups_per_domain = std::max<std::int64_t>(1, domain / (cut.tensor * input.context));
  const std::int64_t most = most_replicas(m);
  if (most < 1) return CutRefusal::stages;
  if (input.data && *input.data > most) return CutRefusal::data;
  m.data = replicas(m, most);
  set_replicas(m);
  if (m.expert_replicas() > m.expert_room()) return CutRefusal::expert;
  if (input.zero_group && m.data * m.context % *input.zero_group != 0) return CutRefusal::zero_group;
  set_batch(m);
  memory_.plan(m, stages(stage_cut(m)));
  return CutRefusal::none;
}

}  // namespace trainyard
