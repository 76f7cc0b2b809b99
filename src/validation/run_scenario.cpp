#include "validation/run_scenario.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "catalog/catalog.h"
#include "scenario/sections.h"
#include "trainyard/catalog.h"
#include "trainyard/measured_runs.h"
#include "trainyard/pipeline_schedule.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "validation/scenario_run.h"
#include "validation/scenario_text.h"

namespace trainyard {
namespace {

constexpr const char* kDomain = "measured";

/// A known domain of the accelerator, for its price, power and NIC.
const HbDomain* domain_with(const Catalog& catalog, const std::string& accelerator) {
  for (const auto& [key, domain] : catalog.hb_domains) {
    if (domain.accelerator == accelerator) return &domain;
  }
  return nullptr;
}

/// Devices of a domain that a run uses: of 72 often 64, so that all domains are alike and groups do not cross
/// them.
std::int64_t used_of_domain(const MeasuredRun& run) {
  // Boards without NVLink: a tensor-parallel group shares its server's PCIe at the accelerator's own rate.
  const std::int64_t domain = run.devices_per_hb_domain == 1 ? run.tensor : run.devices_per_hb_domain;
  const std::int64_t most = std::min(run.devices, domain);
  const std::int64_t group = run.tensor * run.context;
  const auto even = [&](std::int64_t devices, std::int64_t of) {
    return run.devices % devices == 0 && (devices % of == 0 || of % devices == 0);
  };
  const std::int64_t experts = run.expert * run.expert_tensor.value_or(run.tensor) * run.context;
  for (const std::int64_t of : {std::max(experts, group), group}) {
    for (std::int64_t devices = most; 2 * devices > most; --devices) {
      if (even(devices, of)) return devices;
    }
  }
  return most;
}

std::string domain_table(const MeasuredRun& run, const Catalog& catalog) {
  const std::int64_t devices = used_of_domain(run);
  const HbDomain* like = domain_with(catalog, run.accelerator_key);
  const Accelerator& accelerator = catalog.accelerators.at(run.accelerator_key);
  const double each =
      like ? static_cast<double>(devices) / static_cast<double>(like->devices) : static_cast<double>(devices);
  HbDomain domain;
  domain.accelerator = run.accelerator_key;
  domain.devices = devices;
  domain.price = like ? like->price * each : accelerator.price.value_or(Usd(1)) * each;
  domain.power = like ? like->power * each : std::max(accelerator.tdp, Watts(1)) * each;
  domain.nic = like ? like->nic : catalog.nics.begin()->first;
  domain.info.name = "domain of the measured run";
  domain.info.source = "the row's devices_per_hb_domain; price, power and NIC do not enter times";
  return section_text(fmt::format("catalog.hb_domains.{}", kDomain), domain, hb_domain_fields());
}

TrainingInput training_of(const MeasuredRun& run) {
  TrainingInput training;
  training.software = run.software;
  training.compiled = run.compiled;
  training.hides = run.hides;
  training.hides_wholly = run.hides_wholly;
  training.exposes = run.exposes;
  training.graphs = run.graphs;
  training.blocking_launches = run.blocking_launches;
  training.context_exchange = run.context_exchange;
  training.low_attention = run.low_attention;
  training.low_output = run.low_output;
  training.adapter_rank = run.adapter_rank;
  training.expert_imbalance = run.expert_imbalance;
  return training;
}

MappingInput mapping_of(const MeasuredRun& run) {
  MappingInput mapping;
  mapping.tensor = run.tensor;
  mapping.pipeline = run.pipeline;
  mapping.data = run.data;
  mapping.context = run.context;
  mapping.expert = run.expert;
  mapping.expert_tensor = run.expert_tensor;
  mapping.virtual_stages = run.virtual_stages;
  mapping.last_stage_layers = run.last_stage_layers;
  mapping.microbatch = run.microbatch;
  mapping.microbatches = run.microbatches();
  mapping.zero_stage = run.zero_stage;
  mapping.sequence_parallel = run.sequence_parallel;
  mapping.recompute = run.recompute;
  mapping.recompute_layers = run.recompute_layers;
  mapping.recompute_modules = run.recompute_modules;
  mapping.offload_layers = run.offload_layers;
  mapping.zero_group = run.zero_group;
  mapping.attention = run.attention;
  return mapping;
}

/// Gradients stay in memory as the program exchanges them; frozen weights are kept as they are multiplied.
PrecisionInput precision_of(const MeasuredRun& run, const Catalog& catalog) {
  PrecisionInput precision;
  precision.compute = run.precision;
  precision.scaling = run.scaling;
  precision.gradients = catalog.software.at(run.software).gradients;
  if (run.precision == Precision::fp16)
    precision.weights = precision.activations = precision.communication = precision.gradients =
        Precision::fp16;
  precision.activation_input = run.activation_input;
  if (run.states) {
    precision.weights = precision.gradients = precision.optimizer = *run.states;
    precision.master_copy = false;
  }
  if (run.adapter_rank && bytes_of(run.precision) < bytes_of(precision.weights))
    precision.weights = run.precision;
  return precision;
}

NetworkInput network_of(const MeasuredRun& run, const Catalog& catalog) {
  NetworkInput network;
  // A rate that nobody stated: as fast as inside, which the reader says it assumed.
  network.scale_out_rate = run.nic_rate.value_or(catalog.accelerators.at(run.accelerator_key).scale_up_rate);
  return network;
}

/// All counts of the mapping are written: an absent one would be chosen.
std::string mapping_section(const MeasuredRun& run) {
  std::string text = "\n[mapping]\n";
  const MappingInput mapping = mapping_of(run);
  for (const Field<MappingInput>& f : mapping_fields()) {
    const std::string value = f.text(mapping);
    if (!value.empty()) text += f.info.name + " = " + value + "\n";
  }
  return text;
}

std::optional<PipelineSchedule> schedule_of(const MeasuredRun& run) {
  switch (run.schedule) {
    case RunSchedule::gpipe:
      return PipelineSchedule::gpipe;
    case RunSchedule::zero_bubble:
      return PipelineSchedule::zb_h1;
    case RunSchedule::dualpipe:
      return PipelineSchedule::dualpipe;
    case RunSchedule::one_forward_one_backward:
    case RunSchedule::interleaved:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string run_toml(const MeasuredRun& run, const Catalog& catalog) {
  if (!run.scenario_text.empty()) return run.scenario_text;
  FacilityInput facility;
  facility.devices = run.devices;
  facility.hb_domain = kDomain;
  StepInput step;
  step.schedule = schedule_of(run);
  const std::set<std::string> info = {"name", "source", "sources", "note"};
  std::string text = "title = " + toml_quoted(run.id) + "\n";
  text += section_text("facility", facility, facility_fields());
  text += section_text("training", training_of(run), training_fields());
  text += section_text("model", run.shape, model_fields(), info);
  text += mapping_section(run);
  text += section_text("precision", precision_of(run, catalog), precision_fields());
  text += section_text("network", network_of(run, catalog), network_fields());
  text += "\n[assumptions]\ncompute_model = \"calibrated\"\n";
  text += section_text("step", step, step_fields());
  return text + domain_table(run, catalog);
}

Scenario run_scenario(const MeasuredRun& run, const Catalog& catalog) {
  if (!run.scenario_text.empty()) return scenario_of_run(run, catalog);
  auto source = std::make_shared<SourceText>();
  source->name = run.id;
  source->text = run_toml(run, catalog);
  // The caller's catalog outlives the text; the scenario holds an extended copy of it.
  const std::shared_ptr<const Catalog> known(std::shared_ptr<const Catalog>(), &catalog);
  return ScenarioText::parse(std::move(source), known).resolve();
}

}  // namespace trainyard
