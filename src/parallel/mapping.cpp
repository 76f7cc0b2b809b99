#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/whole_numbers.h"
#include "parallel/batch.h"
#include "parallel/memory.h"
#include "parallel/parallel.h"
#include "parallel/replicas.h"
#include "scenario/in_force.h"
#include "trainyard/plan/facility.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"

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

/// Microbatches of the batch that is asked for, over all replicas.
std::optional<double> wanted_microbatches(const MappingPlan& m, const Scenario& scenario,
                                          const ModelShape& shape) {
  const auto tokens = wanted_batch(scenario.mapping, scenario.training, shape);
  if (!tokens) return std::nullopt;
  return *tokens / (real(shape.sequence) * real(m.microbatch));
}

/// Given, else all that the devices and the batch allow.
std::int64_t replicas(const MappingPlan& m, std::int64_t most, const Scenario& scenario,
                      const ModelShape& shape) {
  if (scenario.mapping.data) return *scenario.mapping.data;
  const auto wanted = wanted_microbatches(m, scenario, shape);
  return wanted ? replicas_for_batch(*wanted, most, m.expert) : most;
}

void set_replicas(MappingPlan& m, const Layout& layout, const FacilityPlan& facility) {
  m.local_replicas = std::min(layout.local, m.data);
  const std::int64_t units = ceil_div(m.data, m.local_replicas);  // of domains_per_group
  m.datacenters = std::min(facility.datacenters, units);
  m.peer_domains = std::max<std::int64_t>(1, units / m.datacenters) * m.domains_per_group;
  m.data_per_datacenter = std::max<std::int64_t>(1, m.data / m.datacenters);
  m.devices_used = m.data * m.pipeline * m.tensor * m.context;
  m.devices_idle = facility.devices - m.devices_used;
}

void warn_batch(MappingPlan& m, double wanted, const Scenario& scenario, std::int64_t most) {
  if (std::abs(m.batch_tokens / wanted - 1) > kBatchTolerance) {
    m.warnings.push_back(
        fmt::format("a batch is {:.4g} tokens, not the {:.4g} asked for: {} replicas take whole microbatches",
                    m.batch_tokens, wanted, m.data));
  } else if (!scenario.mapping.data && m.data < most) {
    m.warnings.push_back(
        fmt::format("a batch of {:.4g} tokens is shared by {} replicas of the {} that there is room for; {} "
                    "devices are idle",
                    m.batch_tokens, m.data, most, m.devices_idle));
  }
}

/// Microbatches of a batch on each replica: given, from the batch's tokens, or four a pipeline stage, which
/// keeps the bubble of 1F1B below a fifth.
void set_batch(MappingPlan& m, const Scenario& scenario, const ModelShape& shape, std::int64_t most) {
  constexpr std::int64_t kMicrobatchesPerStage = 4;
  const auto wanted = wanted_microbatches(m, scenario, shape);
  if (scenario.mapping.microbatches) {
    m.microbatches = *scenario.mapping.microbatches;
  } else if (wanted) {
    m.microbatches = microbatches_each(*wanted, m.data);
  } else {
    m.microbatches = m.pipeline == 1 ? 1 : kMicrobatchesPerStage * m.pipeline;
  }
  m.batch_sequences = real(m.microbatch) * real(m.data) * real(m.microbatches);
  m.batch_tokens = m.batch_sequences * real(shape.sequence);
  if (wanted) warn_batch(m, *wanted_batch(scenario.mapping, scenario.training, shape), scenario, most);
}

/// HB domains that a tensor x context group takes: as few equal parts of its context ranks as have room.
std::int64_t domains_of_group(std::int64_t tensor, std::int64_t context, std::int64_t domain_devices) {
  if (tensor > domain_devices) return ceil_div(tensor * context, domain_devices);
  std::int64_t parts = ceil_div(context, domain_devices / tensor);
  while (context % parts != 0) ++parts;
  return parts;
}

void warn_uneven(MappingPlan& m, const ModelShape& shape, const Scenario& scenario) {
  if (shape.layers % m.pipeline != 0) {
    const std::int64_t full = shape.layers % m.pipeline;
    m.warnings.push_back(fmt::format("{} layers over {} stages: {} {} and set{} the pace, the others {}",
                                     shape.layers, m.pipeline,
                                     full == 1 ? "the first holds" : fmt::format("the first {} hold", full),
                                     m.layers_per_stage, full == 1 ? "s" : "", m.layers_per_stage - 1));
  }
  if (m.expert > 1 && m.local_replicas % m.expert != 0 && m.expert % m.local_replicas != 0) {
    m.warnings.push_back(fmt::format(
        "expert = {} and the {} replicas of a stage in an HB domain do not divide: some experts are "
        "counted with fewer copies",
        m.expert, m.local_replicas));
  }
  if (m.domains_per_group > 1) {
    m.warnings.push_back(
        fmt::format("a tensor x context group of {} spans {} HB domains and pays for the way",
                    m.tensor * m.context, m.domains_per_group));
  }
  if (shape.heads % m.tensor != 0) {
    const bool ideal = scenario.assumptions.uneven_shards == UnevenShards::ideal;
    m.warnings.push_back(
        fmt::format("{} heads do not divide by tensor = {}: {}", shape.heads, m.tensor,
                    ideal ? "taken as even" : "some devices wait for those with one head more"));
  }
}

}  // namespace

std::optional<MappingPlan> cut_model(const Scenario& scenario, const FacilityPlan& facility,
                                     const ModelPlan& model, Cut cut, Placement placement, std::string* why) {
  const MappingInput& input = scenario.mapping;
  const auto refuse = [&](std::string reason) {
    if (why) *why = std::move(reason);
    return std::nullopt;
  };
  MappingPlan m;
  m.tensor = cut.tensor;
  m.pipeline = cut.pipeline;
  m.context = input.context;
  m.expert = input.expert;
  m.virtual_stages = cut.pipeline > 1 ? input.virtual_stages : 1;
  m.microbatch = input.microbatch;
  m.placement = placement;
  m.layers_per_stage = layers_of_stage(model.shape.layers, cut.pipeline);
  const bool measured = scenario.assumptions.compute_model == ComputeModel::calibrated;
  if (cut.tensor > facility.domain_devices && !(input.tensor && measured)) {
    return refuse(fmt::format("tensor = {} is more than the {} devices of an HB domain", cut.tensor,
                              facility.domain_devices));
  }
  m.domains_per_group = domains_of_group(cut.tensor, input.context, facility.domain_devices);
  m.groups_per_domain = std::max<std::int64_t>(1, facility.domain_devices / (cut.tensor * input.context));
  const std::int64_t units = facility.domains / m.domains_per_group;
  const Layout layout = placement == Placement::same_layer
                            ? same_layer_layout(units, m.groups_per_domain, cut.pipeline)
                            : consecutive_layout(units, m.groups_per_domain, cut.pipeline);
  if (layout.most() < 1) {
    return refuse(fmt::format(
        "{} HB domains do not hold {} stages{} under this placement", facility.domains, cut.pipeline,
        m.domains_per_group == 1 ? "" : fmt::format(" of {} domains each", m.domains_per_group)));
  }
  if (input.data && *input.data > layout.most()) {
    return refuse(fmt::format("data = {} replicas of {} devices are more than the {} that fit", *input.data,
                              cut.tensor * cut.pipeline * input.context, layout.most()));
  }
  m.data = replicas(m, layout.most(), scenario, model.shape);
  set_replicas(m, layout, facility);
  // Idealised traffic knows experts over replicas alone.
  if (m.expert > m.data * (measured ? m.context : 1)) {
    return refuse(fmt::format("expert = {} is more than the {} replicas{}", m.expert, m.data,
                              m.context > 1 ? fmt::format(" of {} context ranks", m.context) : ""));
  }
  set_batch(m, scenario, model.shape, layout.most());
  warn_uneven(m, model.shape, scenario);
  plan_memory(m, scenario, model);
  return m;
}

ReplicaGroups replica_groups(const MappingPlan& m) {
  const std::int64_t local = std::max<std::int64_t>(1, m.local_replicas * m.context / m.domains_per_group);
  return {local, m.peer_domains, m.datacenters};
}

ReplicaGroups expert_groups(const MappingPlan& m) {
  const std::int64_t local_context = std::max<std::int64_t>(1, m.context / m.domains_per_group);
  if (m.expert <= m.local_replicas) {
    return {m.local_replicas / m.expert * local_context, m.peer_domains, m.datacenters};
  }
  const std::int64_t replicas = m.local_replicas * m.peer_domains / m.domains_per_group;
  if (m.expert > replicas * m.datacenters) {  // a set takes some context ranks of every replica
    return {std::max<std::int64_t>(1, m.data * m.context / m.expert), 1, 1};
  }
  return {local_context, std::max<std::int64_t>(1, replicas / m.expert) * m.domains_per_group, m.datacenters};
}

DeviceParameters layer_parameters(const ModelPlan& model, const MappingPlan& mapping) {
  const ParameterCount& p = model.parameters;
  const double tensor = real(mapping.tensor);
  return {(p.layer - p.experts) / tensor, p.experts / (tensor * real(mapping.expert))};
}

}  // namespace trainyard
