#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "parallel/parallel.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

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

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void set_replicas(MappingPlan& m, const Layout& layout, const MappingInput& input,
                  const FacilityPlan& facility) {
  m.data = input.data.value_or(layout.most());
  m.local_replicas = std::min(layout.local, m.data);
  const std::int64_t units = ceil_divide(m.data, m.local_replicas);  // of domains_per_group
  m.datacenters = std::min(facility.datacenters, units);
  m.peer_domains = std::max<std::int64_t>(1, units / m.datacenters) * m.domains_per_group;
  m.data_per_datacenter = std::max<std::int64_t>(1, m.data / m.datacenters);
  m.devices_used = m.data * m.pipeline * m.tensor * m.context;
  m.devices_idle = facility.devices - m.devices_used;
}

/// Microbatches of a batch on each replica: given, from the batch's tokens, or four a pipeline stage, which
/// keeps the bubble of 1F1B below a fifth.
void set_batch(MappingPlan& m, const Scenario& scenario, const ModelShape& shape) {
  constexpr std::int64_t kMicrobatchesPerStage = 4;
  const double sequences_per_microbatch = real(m.microbatch) * real(m.data);
  const auto wanted = scenario.training.batch_tokens ? scenario.training.batch_tokens : shape.batch_tokens;
  if (scenario.mapping.microbatches) {
    m.microbatches = *scenario.mapping.microbatches;
  } else if (wanted) {
    const double exact = *wanted / (real(shape.sequence) * sequences_per_microbatch);
    m.microbatches = static_cast<std::int64_t>(std::clamp(std::round(exact), 1.0, 1e12));
  } else {
    m.microbatches = m.pipeline == 1 ? 1 : kMicrobatchesPerStage * m.pipeline;
  }
  m.batch_sequences = sequences_per_microbatch * real(m.microbatches);
  m.batch_tokens = m.batch_sequences * real(shape.sequence);
  if (!scenario.mapping.microbatches && wanted && std::abs(m.batch_tokens / *wanted - 1) > 0.01) {
    m.warnings.push_back(
        fmt::format("a batch is {:.4g} tokens, not the {:.4g} asked for: {} replicas take whole microbatches",
                    m.batch_tokens, *wanted, m.data));
  }
}

/// HB domains that a tensor x context group takes: as few equal parts of its context ranks as have room.
std::int64_t domains_of_group(std::int64_t tensor, std::int64_t context, std::int64_t domain_devices) {
  std::int64_t parts = ceil_divide(context, domain_devices / tensor);
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
  if (cut.tensor > facility.domain_devices) {
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
  set_replicas(m, layout, input, facility);
  if (m.expert > m.data * m.context) {
    return refuse(fmt::format("expert = {} is more than the {} replicas{}", m.expert, m.data,
                              m.context > 1 ? fmt::format(" of {} context ranks", m.context) : ""));
  }
  set_batch(m, scenario, model.shape);
  warn_uneven(m, model.shape, scenario);
  plan_memory(m, scenario, model);
  return m;
}

ReplicaGroups replica_groups(const MappingPlan& m) {
  return {m.local_replicas * m.context / m.domains_per_group, m.peer_domains, m.datacenters};
}

ReplicaGroups expert_groups(const MappingPlan& m) {
  const std::int64_t local_context = m.context / m.domains_per_group;
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
