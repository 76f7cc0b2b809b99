#include "parallel/settings_in_vain.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "model/model.h"
#include "scenario/choices/training.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/assumptions.h"

namespace trainyard {
namespace {

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

/// Why there is nothing of a kind to hide or to wait for; "" where there is.
std::string why_none(const Scenario& scenario, const MappingPlan& m, Hidden what) {
  switch (what) {
    case Hidden::tensor:
      return m.tensor == 1 ? "there is one tensor rank" : "";
    case Hidden::gradients:
      return m.data * m.context == 1 ? "there is one replica" : "";
    case Hidden::pipeline:
      return m.pipeline == 1 ? "there is one pipeline stage" : "";
    case Hidden::expert:
      if (scenario.model.shape.experts == 0) return "the model has no experts";
      return m.expert == 1 ? "every device holds all experts" : "";
  }
  return {};
}

/// The same of training.hides and training.exposes.
std::vector<std::string> hiding_in_vain(const Scenario& scenario, const MappingPlan& m) {
  const TrainingInput& training = scenario.training;
  std::vector<std::string> out;
  const auto note = [&](std::string_view key, const std::vector<Hidden>& kinds) {
    for (const Hidden what : kinds) {
      const std::string why = why_none(scenario, m, what);
      if (!why.empty())
        out.push_back(fmt::format("training.{} = \"{}\" changes nothing: {}", key, choice_name(what), why));
    }
  };
  note("hides", training.hides);
  note("exposes", training.exposes);
  return out;
}

/// The same of what only narrow products, or measured launches, take.
std::vector<std::string> kernels_in_vain(const Scenario& scenario) {
  const TrainingInput& training = scenario.training;
  const bool wide = bytes_of(scenario.precision.compute) > bytes_of(Precision::fp8);
  const bool calibrated = scenario.assumptions.compute_model == ComputeModel::calibrated;
  std::vector<std::string> out;
  const auto note = [&](bool stated, std::string_view key, std::string_view why) {
    if (stated) out.push_back(fmt::format("training.{} changes nothing: {}", key, why));
  };
  constexpr std::string_view kWide = "products are not in 8 bits or fewer";
  constexpr std::string_view kNoLaunches = "only the calibrated compute model counts launches";
  note(wide && training.low_attention.value_or(false), "low_attention", kWide);
  note(wide && training.low_output.value_or(false), "low_output", kWide);
  note(!calibrated && training.graphs.value_or(false), "graphs", kNoLaunches);
  note(!calibrated && training.blocking_launches, "blocking_launches", kNoLaunches);
  return out;
}

}  // namespace

std::vector<std::string> settings_in_vain(const Scenario& scenario, const MappingPlan& m) {
  std::vector<std::string> out;
  for (std::string what : {imbalance_in_vain(scenario, m), exchange_in_vain(scenario, m),
                           compiler_in_vain(scenario), wholly_in_vain(scenario), windows_in_vain(scenario)})
    if (!what.empty()) out.push_back(std::move(what));
  for (const auto& several :
       {hiding_in_vain(scenario, m), kernels_in_vain(scenario), shares_in_vain(scenario)})
    out.insert(out.end(), several.begin(), several.end());
  return out;
}

}  // namespace trainyard
