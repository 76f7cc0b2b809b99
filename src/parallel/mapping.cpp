#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/whole_numbers.h"
#include "parallel/batch.h"
#include "parallel/cutter.h"
#include "parallel/parallel.h"
#include "parallel/program_rules.h"
#include "parallel/replicas.h"
#include "scenario/stage_deal.h"
#include "trainyard/plan/facility.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

void warn_batch(MappingPlan& m, double wanted, const Scenario& scenario, std::int64_t most) {
  if (std::abs(m.batch_tokens / wanted - 1) > kBatchTolerance) {
    m.warnings.push_back(
        fmt::format("a batch is {:.4g} tokens, not the {:.4g} asked for: {} {} whole microbatches",
                    m.batch_tokens, wanted, counted(m.data, "replica"), agreeing(m.data, "takes", "take")));
  } else if (!scenario.mapping.data && m.data < most) {
    m.warnings.push_back(
        fmt::format("a batch of {:.4g} tokens is shared by {} of the {} that there is room for; {} {} idle",
                    m.batch_tokens, counted(m.data, "replica"), most, counted(m.devices_idle, "device"),
                    agreeing(m.devices_idle, "is", "are")));
  }
}

/// "expert = 8", or "a set of experts on 4 replicas".
std::string experts_text(const MappingPlan& m) {
  return m.expert_tensor == m.tensor ? fmt::format("expert = {}", m.expert)
                                     : "a set of experts on " + expert_places_text(m, m.expert_replicas());
}

/// A count of the mapping, and the nearest ones with which no device would be idle.
struct IdleRemedy {
  const char* key;
  std::int64_t MappingPlan::*count;
  bool given;         // by the scenario
  std::int64_t most;  // that is looked at
};

/// "tensor = 2 or tensor = 4"; empty where no near value of this count alone fills the devices.
std::string near_counts(const MappingPlan& m, const IdleRemedy& remedy, std::int64_t devices,
                        const Cutter& cutter) {
  MappingPlan other = m;
  const auto fills = [&](std::int64_t count) {
    other.*remedy.count = count;
    return cutter.devices_that_fill(other) == devices;
  };
  const auto text = [&](std::int64_t count) { return fmt::format("{} = {}", remedy.key, count); };
  std::string out;
  std::int64_t below = m.*remedy.count - 1;
  while (below > 0 && !fills(below)) --below;
  if (below > 0) out = text(below);
  std::int64_t above = m.*remedy.count + 1;
  while (above <= remedy.most && !fills(above)) ++above;
  if (above <= remedy.most) out += (out.empty() ? "" : " or ") + text(above);
  return out;
}

/// Devices that the counts of the scenario leave idle; those that the batch leaves are said elsewhere.
void warn_idle(MappingPlan& m, const Scenario& scenario, const FacilityPlan& facility, std::int64_t most,
               std::int64_t layers, const Cutter& cutter) {
  if (m.devices_idle <= 0) return;
  if (m.data < most) {
    if (scenario.mapping.data)
      m.warnings.push_back(
          fmt::format("data = {} of the {} replicas that there is room for: {} of {} devices {} idle", m.data,
                      most, m.devices_idle, facility.devices, agreeing(m.devices_idle, "is", "are")));
    return;
  }
  const IdleRemedy counts[] = {
      {"tensor", &MappingPlan::tensor, scenario.mapping.tensor.has_value(), facility.domain_devices},
      {"context", &MappingPlan::context, m.context > 1 && !scenario.mapping.open.context,
       facility.domain_devices},
      {"pipeline", &MappingPlan::pipeline, scenario.mapping.pipeline.has_value(), layers}};
  std::string given;
  std::string remedies;
  for (const IdleRemedy& remedy : counts) {
    if (!remedy.given) continue;
    given += fmt::format("{}{} = {}", given.empty() ? "" : ", ", remedy.key, m.*remedy.count);
    const std::string near = near_counts(m, remedy, facility.devices, cutter);
    if (!near.empty()) remedies += (remedies.empty() ? "" : ", or ") + near;
  }
  if (given.empty()) return;
  m.warnings.push_back(fmt::format(
      "{} leave{} {} of {} devices idle{}", given, given.find(',') == std::string::npos ? "s" : "",
      m.devices_idle, facility.devices, remedies.empty() ? "" : "; none would be with " + remedies));
}

void warn_uneven(MappingPlan& m, const ModelShape& shape, const Scenario& scenario) {
  if (const auto asked = scenario.mapping.last_stage_layers; asked && *asked != m.last_stage_layers) {
    m.warnings.push_back(
        m.pipeline == 1
            ? "mapping.last_stage_layers changes nothing: there is one pipeline stage"
            : fmt::format("mapping.last_stage_layers = {} is more than the other stages hold: {} are kept",
                          *asked, m.last_stage_layers));
  }
  const StageDeal deal(shape, stage_cut(m));
  if (const std::int64_t full = deal.fullest(); full < m.pipeline) {
    const std::int64_t others = deal.layers(full);
    const std::int64_t last = deal.layers(m.pipeline - 1);
    // Output matrices may weigh more than a layer.
    const std::string pace = shape.mtp_layers > 0 || m.last_stage_layers > 0 ? ""
                             : full == 1                                     ? " and sets the pace"
                                                                             : " and set the pace";
    m.warnings.push_back(
        fmt::format("{} layers over {} stages: {} {}{}, the others {}{}", shape.blocks(), m.pipeline,
                    full == 1 ? "the first holds" : fmt::format("the first {} hold", full), deal.most(), pace,
                    others, last < others ? fmt::format(", the last {}", last) : ""));
  }
  const std::int64_t spread = m.expert_replicas();
  if (spread > 1 && m.expert_places() % spread != 0 && spread % m.expert_places() != 0) {
    m.warnings.push_back(
        fmt::format("{} and the {} of a stage in an HB domain do not divide: some experts are counted with "
                    "fewer copies",
                    experts_text(m), expert_places_text(m, m.expert_places())));
  }
  if (m.domains_per_group > 1) {
    m.warnings.push_back(
        fmt::format("a tensor x context group of {} spans {} HB domains and pays for the way",
                    m.tensor * m.context, m.domains_per_group));
  }
  if (shape.heads % m.tensor != 0) {
    const bool ideal = scenario.assumptions.uneven_shards == UnevenShards::ideal;
    m.warnings.push_back(
        fmt::format("{} {} not divide by tensor = {}: {}", counted(shape.heads, "head"),
                    agreeing(shape.heads, "does", "do"), m.tensor,
                    ideal ? "taken as even" : "some devices wait for those with one head more"));
  }
}

}  // namespace

std::string Cutter::why(CutRefusal refusal, const MappingPlan& m) const {
  switch (refusal) {
    case CutRefusal::none:
      break;
    case CutRefusal::tensor:
      return fmt::format("tensor = {} is more than the {} of an HB domain", m.tensor,
                         counted(facility_.domain_devices, "device"));
    case CutRefusal::stages: {
      const std::int64_t domains = ceil_div(facility_.domains, facility_.datacenters);
      return fmt::format(
          "{}{} {} not hold {}{} under this placement", counted(domains, "HB domain"),
          facility_.datacenters > 1 ? " of a datacenter" : "", agreeing(domains, "does", "do"),
          counted(m.pipeline, "stage"),
          m.domains_per_group == 1 ? "" : fmt::format(" of {} domains each", m.domains_per_group));
    }
    case CutRefusal::data:
      return fmt::format("data: {} of {} {} more than the {} that fit",
                         counted(*scenario_.mapping.data, "replica"),
                         counted(m.tensor * m.pipeline * m.context, "device"),
                         agreeing(*scenario_.mapping.data, "is", "are"), most_replicas(m));
    case CutRefusal::expert:
      return fmt::format(
          "expert = {} is more than the {}{}{}", m.expert,
          m.expert_ranks() > 1
              ? fmt::format("{} parts of replicas that hold experts of their own", m.data * m.expert_ranks())
              : counted(m.data, "replica"),
          m.context > 1 ? fmt::format(" of {} context ranks", m.context) : "",
          m.expert_tensor > 1 ? "; mapping.expert_tensor = 1 spreads experts over tensor ranks too" : "");
    case CutRefusal::expert_tensor:
      return fmt::format(
          "a set of experts on expert x expert_tensor = {} x {} devices neither divides the tensor = {} "
          "ranks "
          "of a replica nor fills whole replicas",
          m.expert, m.expert_tensor, m.tensor);
    case CutRefusal::zero_group:
      return fmt::format("zero_group = {} does not divide the {}{}", *scenario_.mapping.zero_group,
                         counted(m.data * m.context, "replica"),
                         m.context > 1 ? fmt::format(" (data = {} x context = {})", m.data, m.context) : "");
  }
  return {};
}

void Cutter::warn(MappingPlan& m) const {
  if (const auto wanted = wanted_batch(scenario_.mapping, scenario_.training, model_.shape))
    warn_batch(m, *wanted, scenario_, most_replicas(m));
  warn_idle(m, scenario_, facility_, most_replicas(m), model_.shape.blocks(), *this);
  warn_uneven(m, model_.shape, scenario_);
}

std::optional<MappingPlan> cut_model(const Scenario& scenario, const FacilityPlan& facility,
                                     const ModelPlan& model, Cut cut, Placement placement, std::string* why) {
  Cutter cutter(scenario, facility, model);
  MappingPlan m;
  const CutRefusal refusal = cutter.cut(cut, placement, m);
  if (refusal != CutRefusal::none) {
    if (why) *why = cutter.why(refusal, m);
    return std::nullopt;
  }
  cutter.warn(m);
  return m;
}

ReplicaGroups replica_groups(const MappingPlan& m) {
  const std::int64_t local = std::max<std::int64_t>(1, m.local_replicas * m.context / m.domains_per_group);
  return {local, m.peer_domains, m.datacenters};
}

ReplicaGroups sharing_groups(const ReplicaGroups& all, std::optional<std::int64_t> group) {
  if (!group) return all;
  const auto whole = [](std::int64_t wanted, std::int64_t most) {
    return std::clamp<std::int64_t>(wanted, 1, most);
  };
  ReplicaGroups out;
  out.local = whole(*group, all.local);
  out.peers = whole(*group / out.local, all.peers);
  out.datacenters = whole(*group / (out.local * out.peers), all.datacenters);
  return out;
}

ReplicaGroups expert_groups(const MappingPlan& m) {
  const std::int64_t spread = m.expert_replicas();
  const std::int64_t places = m.expert_places();
  // Ranks of a replica in a domain that hold the same experts.
  const std::int64_t same =
      m.experts_on_context ? 1 : std::max<std::int64_t>(1, m.context / m.domains_per_group);
  if (m.expert_domains() == 1)
    return {places * m.expert_sets() / spread * same, m.peer_domains, m.datacenters};
  const std::int64_t spans = m.experts_on_context ? 1 : m.domains_per_group;  // domains with the same experts
  const std::int64_t there = places * m.peer_domains / spans;                 // of a datacenter
  if (spread <= there) return {same, there / spread * spans, m.datacenters};
  return {same, spans, std::max<std::int64_t>(1, m.datacenters * there / spread)};
}

ReplicaGroups sharing_expert_groups(const MappingPlan& m, std::optional<std::int64_t> group) {
  if (group) group = std::max<std::int64_t>(1, *group * m.tensor / m.expert_devices());
  return sharing_groups(expert_groups(m), group);
}

DeviceParameters layer_parameters(const ModelPlan& model, const MappingPlan& mapping) {
  const ParameterCount& p = model.parameters;
  return {(p.layer - p.experts) / real(mapping.tensor), p.experts / real(mapping.expert_devices())};
}

}  // namespace trainyard
