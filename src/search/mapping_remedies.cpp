#include "search/mapping_remedies.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "parallel/memory.h"
#include "search/mapping_search.h"
#include "trainyard/errors.h"
#include "trainyard/plan/facility.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

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

/// Single changes of the mapping, tried one after the other where they change what is given.
struct Remedy {
  const char* text;
  bool (*changes)(const MappingInput&);
  void (*apply)(MappingInput&);
};

bool given_zero_below(const MappingInput& m, std::int64_t stage) {
  return !m.open.zero_stage && m.zero_stage < stage;
}

bool keeps_activations(const MappingInput& m) { return !m.open.recompute && m.recompute != Recompute::full; }

void set_zero_stage(MappingInput& m, std::int64_t stage) {
  m.zero_stage = stage;
  m.open.zero_stage = false;
}

void recompute_all(MappingInput& m) {
  m.recompute = Recompute::full;
  m.recompute_modules.clear();
  m.open.recompute = false;
}

constexpr Remedy kRemedies[] = {
    {"mapping.tensor = \"auto\"", [](const MappingInput& m) { return m.tensor.has_value(); },
     [](MappingInput& m) { m.tensor.reset(); }},
    {"mapping.pipeline = \"auto\"", [](const MappingInput& m) { return m.pipeline.has_value(); },
     [](MappingInput& m) { m.pipeline.reset(); }},
    {"mapping.microbatch = \"auto\"",
     [](const MappingInput& m) { return !m.open.microbatch && m.microbatch > 1; },
     [](MappingInput& m) { m.open.microbatch = true; }},
    {"mapping.zero_stage = 1", [](const MappingInput& m) { return given_zero_below(m, 1); },
     [](MappingInput& m) { set_zero_stage(m, 1); }},
    {"mapping.recompute = \"full\"", keeps_activations, recompute_all},
    {"mapping.offload_activations = true", [](const MappingInput& m) { return !m.offload_activations; },
     [](MappingInput& m) { m.offload_activations = true; }},
    {"mapping.zero_stage = 2", [](const MappingInput& m) { return given_zero_below(m, 2); },
     [](MappingInput& m) { set_zero_stage(m, 2); }},
    {"mapping.zero_stage = 3", [](const MappingInput& m) { return given_zero_below(m, 3); },
     [](MappingInput& m) { set_zero_stage(m, 3); }},
    {"mapping.zero_stage = 3 with recompute = \"full\"",
     [](const MappingInput& m) { return given_zero_below(m, 3) && keeps_activations(m); },
     [](MappingInput& m) {
       set_zero_stage(m, 3);
       recompute_all(m);
     }},
};

constexpr int kRemedyEvaluations = 500;  // enough to name a cut that fits

/// What a remedy's mapping has to leave room for.
enum class Room { predicted, interval };

std::optional<Candidate> find_with(Room room, const Scenario& scenario, const FacilityPlan& facility,
                                   const ModelPlan& model) {
  ClosestCut unused;
  auto found = find_mapping(scenario, facility, model, unused, kRemedyEvaluations);
  if (found && room == Room::interval && !fits(found->mapping, found->step.memory_interval.high))
    return std::nullopt;
  return found;
}

/// The fewest HB domains, doubled step by step, on which some mapping fits with sharded optimizer states.
std::string more_devices(const Scenario& scenario, FacilityPlan facility, const ModelPlan& model, Room room) {
  constexpr int kDoublings = 12;
  Scenario changed = scenario;
  MappingInput& mapping = changed.mapping;
  mapping.tensor.reset();
  mapping.pipeline.reset();
  mapping.data.reset();
  mapping.zero_stage = std::max<std::int64_t>(mapping.zero_stage, 1);
  for (int i = 0; i < kDoublings; ++i) {
    facility.domains *= 2;
    facility.devices *= 2;
    const auto found = find_with(room, changed, facility, model);
    if (!found) continue;
    return fmt::format(
        "facility.devices = {} with mapping.tensor and pipeline = \"auto\", zero_stage = {} (then tensor "
        "= {}, pipeline = {})",
        facility.devices, found->input.zero_stage, found->mapping.tensor, found->mapping.pipeline);
  }
  return {};
}

/// The changes that help, else the number of devices that does, else nothing.
std::vector<std::string> remedies(const Scenario& scenario, const FacilityPlan& facility,
                                  const ModelPlan& model, Room room) {
  std::vector<std::string> out;
  for (const Remedy& remedy : kRemedies) {
    if (!remedy.changes(scenario.mapping)) continue;
    Scenario changed = scenario;
    remedy.apply(changed.mapping);
    const auto found = find_with(room, changed, facility, model);
    if (!found) continue;
    out.push_back(fmt::format("{} (then tensor = {}, pipeline = {})", remedy.text, found->mapping.tensor,
                              found->mapping.pipeline));
  }
  if (!out.empty()) return out;
  if (std::string devices = more_devices(scenario, facility, model, room); !devices.empty())
    out.push_back(std::move(devices));
  return out;
}

std::string find_remedies(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                          const ClosestCut& closest) {
  if (const auto text = remedies(scenario, facility, model, Room::predicted); !text.empty())
    return fmt::format("any one of these would fit:\n  {}", fmt::join(text, "\n  "));
  if (!closest.mapping) return {};
  return fmt::format("an accelerator with {} of memory, or a smaller model",
                     bytes_text(closest.mapping->device.total()));
}

}  // namespace

std::string changes_with_room(const Scenario& scenario, const FacilityPlan& facility,
                              const ModelPlan& model) {
  const auto text = remedies(scenario, facility, model, Room::interval);
  if (text.empty()) return {};
  return fmt::format("any one of these would leave room for its error: {}", fmt::join(text, ", "));
}

void refuse_mapping(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                    const ClosestCut& closest) {
  if (!closest.mapping && !closest.unscheduled.empty()) {
    throw Infeasible(
        "schedule", closest.unscheduled,
        "leave step.schedule out, or change mapping.microbatches, mapping.pipeline or training.batch_tokens");
  }
  const std::string remedies = find_remedies(scenario, facility, model, closest);
  if (!closest.mapping) throw Infeasible("devices", closest.why, remedies);
  std::string shortfall = describe_shortfall(*closest.mapping);
  if (!closest.why.empty())
    shortfall += "\n  cuts that need less memory have too few devices: " + closest.why;
  throw Infeasible("device memory", shortfall, remedies);
}

}  // namespace trainyard
