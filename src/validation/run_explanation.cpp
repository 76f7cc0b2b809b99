#include "trainyard/run_explanation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "trainyard/catalog.h"
#include "validation/run_words.h"
#include "validation/scenario_run.h"

namespace trainyard {
namespace {

/// Settings that a row often leaves open, each on its own.
std::vector<std::string> changes(const MeasuredRun& run, const Catalog& catalog) {
  std::vector<std::string> out;
  for (const auto& entry : catalog.software) {
    const std::string key = entry.first;
    if (key != run.software && key != "none") out.push_back("training.software = \"" + key + "\"");
  }
  const auto hide = [&](const char* name, Hidden what) {
    if (std::find(run.hides.begin(), run.hides.end(), what) != run.hides.end()) return;
    out.push_back(std::string("training.hides = [\"") + name + "\"]");
    out.push_back(std::string("training.exposes = [\"") + name + "\"]");
  };
  hide("tensor", Hidden::tensor);
  hide("gradients", Hidden::gradients);
  hide("pipeline", Hidden::pipeline);
  hide("expert", Hidden::expert);
  out.push_back("training.graphs = true");
  out.push_back("training.graphs = false");
  if (run.context > 1) {
    for (const auto& [name, kind] : exchange_words())
      out.push_back(fmt::format("training.context_exchange = \"{}\"", name));
  }
  if (bytes_of(run.precision) < bytes_of(Precision::bf16)) {
    out.push_back("training.low_attention = true");
    out.push_back("training.low_attention = false");
    out.push_back("training.low_output = true");
    out.push_back("training.low_output = false");
  }
  if (!run.compiled) out.push_back("training.compiled = true");
  for (const auto& [name, kind] :
       {std::pair{"none", Recompute::none}, std::pair{"selective", Recompute::selective},
        std::pair{"full", Recompute::full}}) {
    if (kind != run.recompute) out.push_back(std::string("mapping.recompute = \"") + name + "\"");
  }
  if (run.virtual_stages > 1) out.push_back("mapping.virtual_stages = 1");
  if (run.attention == Attention::flash) out.push_back("mapping.attention = \"stored\"");
  return out;
}

double distance(Seconds predicted, Seconds measured) { return std::abs(std::log(predicted / measured)); }

}  // namespace

RunExplanation explain_run(const MeasuredRun& run, const Catalog& catalog) {
  RunExplanation out;
  out.run = run;
  out.prediction = predict_run(run, catalog, true);
  if (!run.value) return out;
  out.measured = measured_step(run, catalog);
  // As who sets it in the run's scenario sees it.
  const bool row = run.scenario_text.empty();
  const MeasuredRun as_scenario = row ? scenario_run(scenario_text_of(run, catalog), run.id, catalog) : run;
  for (const std::string& setting : changes(run, catalog)) {
    MeasuredRun changed = as_scenario;
    changed.scenario_changes.push_back(setting);
    try {
      const RunPrediction p = predict_run(changed, catalog);
      if (distance(p.step, *out.measured) < distance(out.prediction.step, *out.measured))
        out.closer.push_back({setting, p.step, p.plan.mapping.device.total(), p.fits, p.memory_doubt});
    } catch (const InputError&) {  // this run cannot have been so
    } catch (const Infeasible&) {
    }
  }
  std::stable_sort(out.closer.begin(), out.closer.end(), [&](const WhatIf& a, const WhatIf& b) {
    if (a.fits != b.fits) return a.fits;
    return distance(a.plan, *out.measured) < distance(b.plan, *out.measured);
  });
  return out;
}

}  // namespace trainyard
