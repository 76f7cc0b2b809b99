#include "parallel/program_rules.h"

#include <fmt/core.h>

#include <utility>

#include "base/counted.h"
#include "parallel/settings_in_vain.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

std::vector<std::string> not_offered(const Scenario& scenario, const MappingPlan& m) {
  const Software software = software_of(scenario);
  const MappingInput& input = scenario.mapping;
  std::vector<std::string> out;
  const auto note = [&](bool offered, const std::string& what) {
    if (!offered) out.push_back(fmt::format("{} does not offer {}", software.info.name, what));
  };
  note(software.tensor_parallel || m.tensor == 1, "tensor parallelism");
  note(software.pipeline_parallel || m.pipeline == 1, "pipelines");
  note(software.context_parallel || m.context == 1, "context parallelism");
  note(software.sequence_parallel || m.tensor == 1 || !input.sequence_parallel, "sequence parallelism");
  note(software.selective_recompute || input.recompute != Recompute::selective, "selective recomputation");
  note(input.zero_stage <= software.zero_stage, fmt::format("ZeRO stage {}", input.zero_stage));
  return out;
}

/// All-to-alls of context ranks share the heads of a tensor rank; "" where they can.
std::string heads_in_shares(const Scenario& scenario, const MappingPlan& m) {
  if (m.context == 1 || scenario.assumptions.compute_model != ComputeModel::calibrated) return {};
  if (software_of(scenario).context_exchange != ContextExchange::all_to_all) return {};
  const ModelShape& shape = scenario.model.shape;
  const bool latent = shape.attention == AttentionKind::latent;
  const std::int64_t pairs = latent ? shape.heads : shape.kv_heads_or_all();
  if (pairs % (m.tensor * m.context) == 0) return {};
  return fmt::format(
      "all-to-alls of {} context ranks would share {} of keys and values on {} of the tensor group, which "
      "programs refuse: training.context_exchange = \"ring\" or fewer ranks",
      m.context, counted(pairs, "head"), counted(m.tensor, "rank"));
}

}  // namespace

bool in_whole_rounds(const MappingPlan& m) {
  return m.virtual_stages <= 1 || m.microbatches % m.pipeline == 0;
}

bool in_whole_replicas(const MappingPlan& m) {
  const std::int64_t spread = m.expert_replicas();
  if (spread <= 1) return true;
  const std::int64_t places = m.expert_places();
  const bool even = places % spread == 0 || spread % places == 0;
  return even && m.expert_room() % spread == 0;
}

std::string expert_places_text(const MappingPlan& m, std::int64_t count) {
  return counted(count, m.experts_on_context && m.context > 1 ? "context rank" : "replica");
}

std::vector<std::string> program_warnings(const Scenario& scenario, const MappingPlan& m) {
  std::vector<std::string> out = not_offered(scenario, m);
  if (!in_whole_rounds(m))
    out.push_back(fmt::format(
        "interleaving takes microbatches in rounds of the {} stages: {} on each replica {} no whole rounds",
        m.pipeline, m.microbatches, agreeing(m.microbatches, "is", "are")));
  if (!in_whole_replicas(m))
    out.push_back(fmt::format("sets of experts on {} are not spread over whole ones of {}",
                              expert_places_text(m, m.expert_replicas()), m.expert_room()));
  if (scenario.model.shape.experts > 0 && m.expert_tensor < m.tensor && !scenario.mapping.sequence_parallel)
    out.emplace_back(
        "whole experts on tensor ranks need sequence parallelism, which gives each rank tokens of its own");
  std::string shared = heads_in_shares(scenario, m);
  if (!shared.empty()) out.push_back(std::move(shared));
  for (std::string& what : settings_in_vain(scenario, m)) out.push_back(std::move(what));
  return out;
}

}  // namespace trainyard
