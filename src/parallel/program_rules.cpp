#include "parallel/program_rules.h"

#include <fmt/core.h>

#include <utility>

#include "base/counted.h"
#include "model/model.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/assumptions.h"

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

/// Why training.expert_imbalance is not what counts; "" where it is.
std::string imbalance_in_vain(const Scenario& scenario, const MappingPlan& m) {
  const ModelShape& shape = scenario.model.shape;
  const double asked = scenario.training.expert_imbalance;
  if (asked <= 1) return {};
  if (shape.experts == 0) return "training.expert_imbalance changes nothing: the model has no experts";
  if (m.expert == 1) return "training.expert_imbalance changes nothing: every device holds all experts";
  const double most = fullest_device(shape, real(m.expert), asked);
  if (most >= asked) return {};
  return fmt::format(
      "training.expert_imbalance = {:.6g}: the fullest of {} devices, with {:.6g} of {} experts, gets {:.6g} "
      "times the mean at most, which is counted",
      asked, m.expert, real(shape.experts) / real(m.expert), shape.experts, most);
}

/// Why training.context_exchange is not what counts; "" where it is.
std::string exchange_in_vain(const Scenario& scenario, const MappingPlan& m) {
  if (!scenario.training.context_exchange) return {};
  if (m.context == 1) return "training.context_exchange changes nothing: there is one context rank";
  if (scenario.assumptions.compute_model != ComputeModel::calibrated)
    return "training.context_exchange changes no times: only the calibrated compute model knows exchanges";
  if (scenario.mapping.attention != Attention::flash)
    return "training.context_exchange changes no attention's time: its matrix is stored";
  return {};
}

/// Shares of rates that the compute model does not ask for.
std::vector<std::string> shares_in_vain(const Scenario& scenario) {
  const AssumptionsInput& a = scenario.assumptions;
  std::vector<std::string> out;
  const bool memory = a.memory_efficiency != AssumptionsInput{}.memory_efficiency;
  if (a.compute_model == ComputeModel::calibrated) {
    const auto note = [&](bool stated, std::string_view key) {
      if (stated)
        out.push_back(
            fmt::format("assumptions.{} changes nothing: calibrated times have constants of their own; "
                        "assumptions.compute_model = \"roofline\" takes it",
                        key));
    };
    note(a.matmul_efficiency.has_value(), "matmul_efficiency");
    note(memory, "memory_efficiency");
  } else if (a.compute_model == ComputeModel::ideal && memory) {
    out.emplace_back(
        "assumptions.memory_efficiency changes nothing: under \"ideal\" only products take time");
  }
  return out;
}

/// Why training.compiled is not what counts; "" where it is.
std::string compiler_in_vain(const Scenario& scenario) {
  const Software& own = scenario.catalog->software.at(software_key(scenario));
  if (!scenario.training.compiled || own.unfused > 0 || own.compiled_loss_bytes ||
      own.compiled_loss_held_bytes)
    return {};
  return fmt::format("training.compiled changes nothing: {} leaves a compiler nothing to fuse",
                     own.info.name);
}

/// The same of training.hides_wholly.
std::string wholly_in_vain(const Scenario& scenario) {
  if (!scenario.training.hides_wholly || hides(scenario, Hidden::gradients) ||
      hides(scenario, Hidden::expert))
    return {};
  return "training.hides_wholly changes nothing: training.hides has neither gradients nor expert";
}

/// The same of model.windowed_layers.
std::string windows_in_vain(const Scenario& scenario) {
  const ModelShape& shape = scenario.model.shape;
  if (shape.windowed_layers >= 1 || shape.attention_window > 0) return {};
  return "model.windowed_layers changes nothing: without model.attention_window no layer has a window";
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
  const std::string uneven = imbalance_in_vain(scenario, m);
  for (const std::string& what :
       {uneven, exchange_in_vain(scenario, m), heads_in_shares(scenario, m), compiler_in_vain(scenario),
        wholly_in_vain(scenario), windows_in_vain(scenario)})
    if (!what.empty()) out.push_back(what);
  for (std::string& what : shares_in_vain(scenario)) out.push_back(std::move(what));
  return out;
}

}  // namespace trainyard
