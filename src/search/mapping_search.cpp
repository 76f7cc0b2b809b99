#include "search/mapping_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/quantity_text.h"
#include "parallel/parallel.h"
#include "scenario/scenario.h"
#include "step/calibrated_compute.h"
#include "step/step.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> small;
  std::vector<std::int64_t> large;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    small.push_back(d);
    if (d != n / d) large.push_back(n / d);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

Placement other(Placement placement) {
  return placement == Placement::same_layer ? Placement::consecutive_layers : Placement::same_layer;
}

/// Cuts with the wanted placement or, where it has no room, with the other one and a warning.
std::optional<MappingPlan> cut_either_way(const Scenario& scenario, const FacilityPlan& facility,
                                          const ModelPlan& model, Cut cut, std::string& why) {
  const Placement wanted = scenario.mapping.placement;
  if (auto mapping = cut_model(scenario, facility, model, cut, wanted, &why)) return mapping;
  std::string ignored;
  auto mapping = cut_model(scenario, facility, model, cut, other(wanted), &ignored);
  if (mapping && cut.pipeline > 1) mapping->warnings.push_back("placement changed: " + why);
  return mapping;
}

/// Every cut that the scenario leaves open.
class CutSpace {
 public:
  CutSpace(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model) {
    tensors_ =
        scenario.mapping.tensor ? std::vector{*scenario.mapping.tensor} : divisors(facility.domain_devices);
    pipelines_ =
        scenario.mapping.pipeline ? std::vector{*scenario.mapping.pipeline} : pipelines(scenario, model);
    std::erase_if(tensors_,
                  [&](std::int64_t t) { return !scenario.mapping.tensor && t > model.shape.heads; });
  }
  const std::vector<std::int64_t>& tensors() const { return tensors_; }
  const std::vector<std::int64_t>& pipelines() const { return pipelines_; }

 private:
  static std::vector<std::int64_t> pipelines(const Scenario& scenario, const ModelPlan& model) {
    const std::int64_t layers = model.shape.layers;
    const std::int64_t v = scenario.mapping.virtual_stages;
    std::vector<std::int64_t> out;
    // Of the counts that give the fullest stage the same number of layers, the smallest wastes least.
    std::int64_t fewest = layers + 1;
    for (std::int64_t p = 1; p <= layers; ++p) {
      const std::int64_t each = layers_of_stage(layers, p);
      if (each >= fewest) continue;
      fewest = each;
      if (p == 1 || each % v == 0) out.push_back(p);
    }
    return out;
  }

  std::vector<std::int64_t> tensors_;
  std::vector<std::int64_t> pipelines_;
};

/// What came closest when nothing fits.
struct Closest {
  std::optional<MappingPlan> mapping;
  std::string why;  // when no cut had devices enough

  void offer(MappingPlan candidate) {
    if (!mapping || candidate.device.total() < mapping->device.total()) mapping = std::move(candidate);
  }
};

bool better(const Candidate& a, const Candidate& b) {
  return a.step.tokens_per_second > b.step.tokens_per_second;
}

/// The best mapping that fits, or nothing.
std::optional<Candidate> search(const Scenario& scenario, const FacilityPlan& facility,
                                const ModelPlan& model, Closest& closest) {
  const CutSpace space(scenario, facility, model);
  std::optional<Candidate> best;
  for (const std::int64_t tensor : space.tensors()) {
    for (const std::int64_t pipeline : space.pipelines()) {
      auto mapping = cut_either_way(scenario, facility, model, {tensor, pipeline}, closest.why);
      if (!mapping) continue;
      if (!fits(*mapping)) {
        closest.offer(std::move(*mapping));
        continue;
      }
      Candidate candidate = evaluate(scenario, model, std::move(*mapping));
      if (!best || better(candidate, *best)) best = std::move(candidate);
    }
    if (best && scenario.mapping.goal == MappingGoal::smallest_tensor) return best;
  }
  return best;
}

std::string bytes_text(Bytes bytes) { return format_quantity(bytes.si(), Unit::bytes); }

std::string describe_shortfall(const MappingPlan& m) {
  const MemoryTerms& d = m.device;
  std::string text = fmt::format(
      "the closest cut (tensor = {}, pipeline = {}) needs {} a device and the device has {}: {} are missing\n"
      "  weights {}, gradients {}, optimizer states {}, activations {}, buffers {}",
      m.tensor, m.pipeline, bytes_text(d.total()), bytes_text(m.device_memory),
      bytes_text(d.total() - m.device_memory), bytes_text(d.weights), bytes_text(d.gradients),
      bytes_text(d.optimizer), bytes_text(d.activations), bytes_text(d.buffers));
  const std::pair<Bytes, const char*> terms[] = {{d.weights, "weights"},
                                                 {d.gradients, "gradients"},
                                                 {d.optimizer, "optimizer states"},
                                                 {d.activations, "activations"},
                                                 {d.buffers, "buffers"}};
  const auto largest = std::max_element(std::begin(terms), std::end(terms),
                                        [](const auto& a, const auto& b) { return a.first < b.first; });
  return text + fmt::format("\n  the largest term: {}", largest->second);
}

/// Single changes of the mapping, tried one after the other.
struct Remedy {
  const char* text;
  void (*apply)(MappingInput&);
};

constexpr Remedy kRemedies[] = {
    {"mapping.tensor = \"auto\"", [](MappingInput& m) { m.tensor.reset(); }},
    {"mapping.pipeline = \"auto\"", [](MappingInput& m) { m.pipeline.reset(); }},
    {"mapping.zero_stage = 1",
     [](MappingInput& m) { m.zero_stage = std::max<std::int64_t>(m.zero_stage, 1); }},
    {"mapping.recompute = \"full\"", [](MappingInput& m) { m.recompute = Recompute::full; }},
    {"mapping.offload_activations = true", [](MappingInput& m) { m.offload_activations = true; }},
    {"mapping.zero_stage = 2",
     [](MappingInput& m) { m.zero_stage = std::max<std::int64_t>(m.zero_stage, 2); }},
    {"mapping.zero_stage = 3", [](MappingInput& m) { m.zero_stage = 3; }},
    {"mapping.zero_stage = 3 with recompute = \"full\"",
     [](MappingInput& m) {
       m.zero_stage = 3;
       m.recompute = Recompute::full;
     }},
};

/// The fewest HB domains, doubled step by step, on which some mapping fits with sharded optimizer states.
std::string more_devices(const Scenario& scenario, FacilityPlan facility, const ModelPlan& model) {
  constexpr int kDoublings = 12;
  Scenario changed = scenario;
  changed.mapping.tensor.reset();
  changed.mapping.pipeline.reset();
  changed.mapping.data.reset();
  changed.mapping.zero_stage = std::max<std::int64_t>(changed.mapping.zero_stage, 1);
  for (int i = 0; i < kDoublings; ++i) {
    facility.domains *= 2;
    facility.devices *= 2;
    Closest unused;
    const auto found = search(changed, facility, model, unused);
    if (!found) continue;
    return fmt::format(
        "\n  facility.devices = {} with mapping.tensor and pipeline = \"auto\", zero_stage = {} (then tensor "
        "= {}, "
        "pipeline = {})",
        facility.devices, changed.mapping.zero_stage, found->mapping.tensor, found->mapping.pipeline);
  }
  return {};
}

std::string find_remedies(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                          const Closest& closest) {
  std::string text;
  for (const Remedy& remedy : kRemedies) {
    Scenario changed = scenario;
    remedy.apply(changed.mapping);
    Closest unused;
    const auto found = search(changed, facility, model, unused);
    if (!found) continue;
    text += fmt::format("\n  {} (then tensor = {}, pipeline = {})", remedy.text, found->mapping.tensor,
                        found->mapping.pipeline);
  }
  if (text.empty()) text = more_devices(scenario, facility, model);
  if (!text.empty()) return "any one of these would fit:" + text;
  if (!closest.mapping) return {};
  return fmt::format("an accelerator with {} of memory, or a smaller model",
                     bytes_text(closest.mapping->device.total()));
}

}  // namespace

Candidate evaluate(const Scenario& scenario, const ModelPlan& model, MappingPlan mapping) {
  Candidate candidate;
  const LayerTimes layer = layer_times(scenario, model, mapping);
  candidate.communication = plan_communication(scenario, model, mapping, layer);
  candidate.step = plan_step(scenario, model, mapping, candidate.communication, layer);
  candidate.step.memory_interval = memory_interval(scenario);
  if (scenario.mapping.offload_activations) {
    mapping.offload_rate = mapping.activation_layer / layer.forward;
    const BytesPerSecond host = networks_of(scenario).host;
    if (mapping.offload_rate > host) {
      mapping.warnings.push_back(
          fmt::format("offloading needs {} to the host and the link carries {}",
                      format_quantity(mapping.offload_rate.si(), Unit::bytes_per_second),
                      format_quantity(host.si(), Unit::bytes_per_second)));
    }
  }
  for (std::string missing : {missing_calibration(scenario), missing_efficiency(scenario)}) {
    if (!missing.empty()) mapping.warnings.push_back(std::move(missing));
  }
  candidate.mapping = std::move(mapping);
  return candidate;
}

Candidate choose_mapping(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model) {
  Closest closest;
  if (auto best = search(scenario, facility, model, closest)) return std::move(*best);
  if (!closest.mapping) {
    throw Infeasible("devices", closest.why, find_remedies(scenario, facility, model, closest));
  }
  std::string shortfall = describe_shortfall(*closest.mapping);
  if (!closest.why.empty())
    shortfall += "\n  cuts that need less memory have too few devices: " + closest.why;
  throw Infeasible("device memory", shortfall, find_remedies(scenario, facility, model, closest));
}

}  // namespace trainyard
