#include "scenario/checks.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "base/divisors.h"
#include "catalog/catalog.h"
#include "catalog/choices.h"
#include "scenario/choices/mapping.h"
#include "scenario/in_force.h"
#include "scenario/mapping_faults.h"
#include "scenario/stage_deal.h"
#include "trainyard/catalog.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// The value at a path of tables; null where there is none.
const Value* find_setting(const Table& document, std::string_view path) {
  const Table* table = &document;
  while (table) {
    const auto dot = path.find('.');
    const Value* value = table->find(path.substr(0, dot));
    if (!value || dot == std::string_view::npos) return value;
    table = value->as<Table>();
    path.remove_prefix(dot + 1);
  }
  return nullptr;
}

/// Complains at the place of a key.
class Checker {
 public:
  Checker(const Scenario& scenario, const Table& document, Findings& findings)
      : s_(scenario), document_(document), findings_(findings) {}

  void check() {
    check_facility();
    check_training();
    check_model();
    check_mapping();
    check_recompute();
    check_offload();
    check_zero_group();
    check_precision();
    if (stands("simulation.design")) check_design("simulation.design", s_.simulation.design);
    if (s_.schedule && !s_.schedule->design.empty()) check_design("schedule.design", s_.schedule->design);
    if (stands("site.grid") && s_.site.grid.empty())
      complain("site.grid", "'' names no folder", "a folder; the shipped grid needs no key");
  }

 private:
  void complain(std::string_view path, std::string message, std::string help = {}) {
    findings_.add(locate(document_, path, s_.source_name), std::move(message), std::move(help));
  }

  template <class T>
  bool known(const Entries<T>& entries, const std::string& key, std::string_view path,
             std::string_view what) {
    if (entries.contains(key)) return true;
    complain(path, fmt::format("the catalog has no {} '{}'", what, key), suggestion(key, entries.keys()));
    return false;
  }

  void check_facility() {
    const FacilityInput& f = s_.facility;
    const int starts =
        int(f.budget.has_value()) + int(f.power_limit.has_value()) + int(f.devices.has_value());
    if (starts == 0) {
      complain("facility", "[facility] does not say what to start from",
               "give one of budget, power_limit, devices");
    }
    if (starts > 1) {
      complain(f.budget ? "facility.budget" : "facility.power_limit",
               "[facility] starts from more than one of budget, power_limit, devices", "keep one of them");
    }
    if (!stands("facility.hb_domain") && f.hb_domain.empty()) {
      complain("facility", "[facility] lacks the key 'hb_domain'",
               "a key of `trainyard catalog list hb_domains`, such as \"nvl72-gb200\"");
    } else {
      known(s_.catalog->hb_domains, f.hb_domain, "facility.hb_domain", "HB domain");
    }
    known(s_.catalog->prices, f.prices, "facility.prices", "price model");
    if (f.pue_low > f.pue_high) {
      complain("facility.pue_low", fmt::format("pue_low = {} is above pue_high = {}", f.pue_low, f.pue_high));
    }
    if (f.compute_share + f.network_share > 1 + 1e-9) {
      complain("facility.compute_share", fmt::format("compute_share + network_share = {} is more than 1",
                                                     f.compute_share + f.network_share));
    }
  }

  void check_training() {
    const TrainingInput& t = s_.training;
    if (t.software) known(s_.catalog->software, *t.software, "training.software", "training program");
    if (t.duration && t.compute_budget) {
      complain("training.compute_budget", "both duration and compute_budget are given", "keep one of them");
    }
    if (t.batch_tokens && s_.mapping.microbatches) {
      complain("training.batch_tokens", "both training.batch_tokens and mapping.microbatches are given",
               "keep one of them: each follows from the other");
    }
  }

  void check_model() {
    const ModelInput& m = s_.model;
    if (m.name && m.parameters) {
      return complain("model.parameters", "both name and parameters are given", "keep one of them");
    }
    if (m.name) {
      if (!known(s_.catalog->models, *m.name, "model.name", "model")) return;
    } else if (m.parameters) {
      for (const std::string key : {"layers", "hidden"}) {
        if (stands("model." + key))
          complain("model." + key, fmt::format("both parameters and {} are given", key),
                   "keep one of them: depth and width follow from the count");
      }
      if (m.shape.sequence <= 0) complain("model", "[model] with parameters lacks the key 'sequence'");
      if (m.shape.vocabulary <= 0) complain("model", "[model] with parameters lacks the key 'vocabulary'");
      if (m.shape.layers <= 0 || m.shape.hidden <= 0) return;
    }
    for (const auto& [value, key] :
         {std::pair{m.shape.layers, "layers"}, std::pair{m.shape.hidden, "hidden"},
          std::pair{m.shape.heads, "heads"}, std::pair{m.shape.vocabulary, "vocabulary"},
          std::pair{m.shape.sequence, "sequence"}}) {
      if (value <= 0) {
        complain("model", fmt::format("[model] lacks the key '{}'", key),
                 "give name, parameters, or a whole shape");
      }
    }
    check_shape(m.shape, locate(document_, "model", s_.source_name), "[model]", findings_);
  }

  void check_mapping() {
    const MappingInput& m = s_.mapping;
    const ModelShape& shape = s_.model.shape;
    const MappingFaults faults = mapping_faults(s_);
    if (faults.empty_stages) {
      complain("mapping.pipeline",
               fmt::format("pipeline = {} leaves stages of the model's {} empty", *m.pipeline,
                           counted(shape.blocks(), "layer")),
               fmt::format("allowed: 1 to {}", shape.blocks()));
    }
    if (faults.long_last_stage) {
      complain(
          "mapping.last_stage_layers",
          fmt::format("last_stage_layers = {} of {} leaves the other {} fewer layers", *m.last_stage_layers,
                      counted(shape.blocks(), "layer"), counted(m.pipeline.value_or(2) - 1, "stage")),
          fmt::format("allowed: 1 to {}", most_of_last(shape, m.pipeline.value_or(2))));
    }
    if (faults.uneven_chunks) {
      const std::int64_t each = layers_of_stage(shape, {*m.pipeline, m.last_stage_layers.value_or(0)});
      complain("mapping.virtual_stages",
               fmt::format("virtual_stages = {} does not divide the {} of a stage", m.virtual_stages,
                           counted(each, "layer")),
               "allowed: " + divisors_text(each));
    }
    if (faults.last_without_stages)
      complain("mapping.last_stage_layers", "last_stage_layers without pipeline stages", "leave it out");
    if (faults.chunks_without_stages)
      complain("mapping.virtual_stages", "virtual_stages without pipeline stages", "allowed: 1");
    if (faults.uneven_experts) {
      complain("mapping.expert",
               shape.experts > 0 ? fmt::format("expert = {} does not divide the model's {}", m.expert,
                                               counted(shape.experts, "expert"))
                                 : fmt::format("expert = {}, and the model has no experts", m.expert),
               "allowed: " + divisors_text(std::max<std::int64_t>(1, shape.experts)));
    }
    if (faults.cut_experts) {
      complain(
          "mapping.expert_tensor",
          shape.experts > 0
              ? fmt::format("expert_tensor = {} does not divide tensor = {}", *m.expert_tensor, *m.tensor)
              : fmt::format("expert_tensor = {}, and the model has no experts", *m.expert_tensor),
          shape.experts > 0 ? "allowed: " + divisors_text(*m.tensor) : "leave it out");
    }
    if (faults.long_context) {
      complain("mapping.context", fmt::format("context = {} is more than the sequence's {}", m.context,
                                              counted(shape.sequence, "token")));
    }
    if (faults.wide_tensor) {
      const std::int64_t devices = s_.catalog->hb_domains.at(s_.facility.hb_domain).devices;
      complain("mapping.tensor",
               fmt::format("tensor = {} does not fit into an HB domain of {}", *m.tensor,
                           counted(devices, "device")),
               fmt::format("allowed: 1 to {}", devices));
    }
  }

  void check_recompute() {
    const MappingInput& m = s_.mapping;
    if (!m.recompute_modules.empty() && (m.open.recompute || m.recompute != Recompute::none)) {
      complain("mapping.recompute_modules", "recompute_modules with a recompute of its own",
               "mapping.recompute = \"none\", or no modules");
    }
    for (const RecomputeModule module : m.recompute_modules) {
      if (has_module(s_.model.shape, module)) continue;
      complain("mapping.recompute_modules",
               fmt::format("recompute_modules names {}, and the model has none", choice_name(module)));
    }
    if (m.recompute_layers && m.recompute_modules.empty() && m.recompute == Recompute::none &&
        !m.open.recompute)
      complain("mapping.recompute_layers", "recompute_layers, and nothing recomputes",
               "mapping.recompute, or mapping.recompute_modules");
  }

  void check_zero_group() {
    const MappingInput& m = s_.mapping;
    if (!m.zero_group) return;
    if (!m.open.zero_stage && m.zero_stage == 0)
      complain("mapping.zero_group", "zero_group with ZeRO stage 0, which divides nothing",
               "mapping.zero_stage = 1, 2 or 3");
    const std::int64_t replicas = m.data.value_or(0) * m.context;
    if (m.open.context || replicas == 0) return;
    if (*m.zero_group > replicas || replicas % *m.zero_group != 0)
      complain("mapping.zero_group",
               fmt::format("zero_group = {} does not divide the {} (data x context)", *m.zero_group,
                           counted(replicas, "replica")),
               "allowed: " + divisors_text(replicas));
  }

  void check_offload() {
    const MappingInput& m = s_.mapping;
    if (m.offload_layers && m.offload_activations)
      complain("mapping.offload_layers", "both offload_layers and offload_activations are given",
               "keep one of them: layers within a pass, or whole microbatches that wait");
    if (m.offload_layers && s_.model.shape.layers > 0 && *m.offload_layers > s_.model.shape.blocks())
      complain("mapping.offload_layers", fmt::format("offload_layers = {} of {}", *m.offload_layers,
                                                     counted(s_.model.shape.blocks(), "layer")));
  }

  static bool has_module(const ModelShape& shape, RecomputeModule module) {
    switch (module) {
      case RecomputeModule::core_attention:
      case RecomputeModule::attention_projections:
      case RecomputeModule::attention_output:
      case RecomputeModule::layernorm:
        return true;
      case RecomputeModule::mla_up_projection:
        return shape.attention == AttentionKind::latent;
      case RecomputeModule::mlp:
      case RecomputeModule::mlp_up:
      case RecomputeModule::mlp_activation:
        return shape.experts == 0 || shape.dense_before(shape.layers) > 0;
      case RecomputeModule::moe:
      case RecomputeModule::moe_activation:
        return shape.experts > 0;
      case RecomputeModule::shared_experts:
        return shape.shared_experts > 0;
    }
    return true;
  }

  void check_precision() {
    const HbDomain* domain = s_.catalog->hb_domains.find(s_.facility.hb_domain);
    if (!domain) return;
    const Accelerator& accelerator = s_.catalog->accelerators.at(domain->accelerator);
    const bool sparse = s_.assumptions.peak == PeakKind::sparse;
    const PeakRates& rates = sparse ? accelerator.sparse : accelerator.dense;
    if (s_.precision.scaling != Fp8Scaling::tensor && s_.precision.compute != Precision::fp8)
      complain("precision.scaling",
               fmt::format("products in {} have no scales", choice_name(s_.precision.compute)),
               "only with precision.compute = \"fp8\"");
    if (rates.at(s_.precision.compute)) return;
    std::string known_precisions;
    for (const Choice<Precision>& choice : Choices<Precision>::kAll) {
      if (rates.at(choice.value))
        known_precisions += (known_precisions.empty() ? "" : ", ") + std::string(choice.name);
    }
    complain(sparse ? "assumptions.peak" : "precision.compute",
             fmt::format("{} has no {} {} rate", accelerator.info.name, sparse ? "sparse" : "dense",
                         choice_name(s_.precision.compute)),
             known_precisions.empty() ? "it has none; use peak = \"dense\"" : "it has: " + known_precisions);
  }

  /// Whether the document says it, be it an empty text.
  bool stands(std::string_view path) const { return find_setting(document_, path) != nullptr; }

  /// Of a scenario without designs the usual ones have names, which depend on its cluster.
  void check_design(const char* path, const std::string& name) {
    std::vector<std::string> names;
    for (const DesignInput& design : s_.designs) names.push_back(design.name);
    if (names.empty() && !name.empty()) return;
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    complain(path, fmt::format("the scenario has no design '{}'", name),
             names.empty() ? "a name; without the key it is the first" : suggestion(name, names));
  }

  const Scenario& s_;
  const Table& document_;
  Findings& findings_;
};

}  // namespace

Location locate(const Table& document, std::string_view path, const std::string& fallback_name) {
  const Table* table = &document;
  Location where = whole(fallback_name);
  while (table) {
    const auto dot = path.find('.');
    const Value* value = table->find(path.substr(0, dot));
    if (!value) return where;
    where = value->where();
    if (dot == std::string_view::npos) return where;
    table = value->as<Table>();
    path.remove_prefix(dot + 1);
  }
  return where;
}

void check_scenario(const Scenario& scenario, const Table& document, Findings& findings) {
  Checker(scenario, document, findings).check();
  check_wide_area(scenario, document, findings);
}

}  // namespace trainyard
