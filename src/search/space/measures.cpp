#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "parallel/batch.h"
#include "parallel/program_rules.h"
#include "search/space/measure_kinds.h"
#include "search/space/network_measures.h"
#include "trainyard/plan.h"
#include "trainyard/quantity_text.h"
#include "trainyard/search.h"

namespace trainyard {
namespace {

double budget_of(const Plan& plan) { return plan.facility.budget ? plan.facility.budget->si() : 0; }

double gpu_hours(const Plan& plan) {
  constexpr double kHour = 3600;
  return plan.step.days_to_train.si() / kHour * static_cast<double>(plan.mapping.devices_used);
}

/// As a share of the batch that is asked for; 0 where none is.
double batch_error(const Plan& plan) {
  const Scenario& s = plan.scenario;
  const std::optional<double> wanted = wanted_batch(s.mapping, s.training, plan.model.shape);
  return wanted ? std::abs(plan.mapping.batch_tokens / *wanted - 1) : 0;
}

double broken_rules(const Plan& plan) {
  return (in_whole_rounds(plan.mapping) ? 0 : 1) + (in_whole_replicas(plan.mapping) ? 0 : 1);
}

using Read = double (*)(const Plan&);

SearchMeasure least(const char* name, const char* label, Unit unit, Read read) {
  return {.name = name, .label = label, .unit = unit, .read = read, .of_numbers = true};
}

SearchMeasure bounded(SearchMeasure measure) {
  measure.bounded = true;
  return measure;
}

SearchMeasure of_facility(SearchMeasure measure) {
  measure.of_facility = true;
  return measure;
}

const std::array<SearchMeasure, 16>& measures_of_plans() {
  static const std::array<SearchMeasure, 16> all = {
      timed(least("step_time", "step time", Unit::seconds, [](const Plan& p) { return p.step.step.si(); })),
      timed(bounded(least("training_time", "time to train", Unit::seconds,
                          [](const Plan& p) { return p.step.days_to_train.si(); }))),
      timed(bounded(least("price", "cost of the training run", Unit::usd,
                          [](const Plan& p) { return p.cost.run_cost.si(); }))),
      timed(bounded(least("gpu_hours", "device-hours of the training run", Unit::number, gpu_hours))),
      timed(bounded(least("energy", "energy of the training run", Unit::joules,
                          [](const Plan& p) { return p.cost.energy.si(); }))),
      least("exposed", "exposed share of a step", Unit::fraction,
            [](const Plan& p) { return p.step.exposed_share_step; }),
      timed(bounded(largest(least("throughput", "tokens a second", Unit::number,
                                  [](const Plan& p) { return p.step.tokens_per_second; }))),
            -1),
      timed(largest(least("mfu", "model FLOP utilization", Unit::fraction,
                          [](const Plan& p) { return p.step.mfu; })),
            -1),
      timed(bounded(least("token_price", "cost of a million tokens", Unit::usd,
                          [](const Plan& p) { return p.cost.per_million_tokens.si(); }))),
      least("memory", "memory of the fullest device", Unit::bytes,
            [](const Plan& p) { return p.mapping.device.total().si(); }),
      of_facility(least("power", "facility power at the high PUE", Unit::watts,
                        [](const Plan& p) { return p.facility.power_high.si(); })),
      of_facility(least("budget", "budget", Unit::usd, budget_of)),
      of_facility(least("devices", "devices", Unit::number,
                        [](const Plan& p) { return static_cast<double>(p.facility.devices); })),
      of_facility(largest(least("parameters", "parameters of the model", Unit::number,
                                [](const Plan& p) { return p.model.parameters.total; }))),
      least("batch_error", "deviation from the batch asked for", Unit::fraction, batch_error),
      least("broken_rules", "rules of training programs that the mapping breaks", Unit::number, broken_rules),
  };
  return all;
}

const std::vector<SearchMeasure>& measures() {
  static const std::vector<SearchMeasure> all = [] {
    std::vector<SearchMeasure> out(measures_of_plans().begin(), measures_of_plans().end());
    for (SearchMeasure& measure : network_measures()) out.push_back(std::move(measure));
    return out;
  }();
  return all;
}

}  // namespace

std::string SearchMeasure::key() const {
  return name.find('.') == std::string::npos ? name + std::string(unit_suffix(unit)) : name;
}

std::vector<SearchLimit> usual_limits() {
  return {{*find_measure("batch_error"), true, kBatchTolerance,
           fmt::format("batch_error <= {}", kBatchTolerance)},
          {*find_measure("broken_rules"), true, 0, "broken_rules <= 0"}};
}

std::span<const SearchMeasure> search_measures() { return measures(); }

const SearchMeasure* find_measure(std::string_view name) {
  if (name == "time") name = "step_time";
  if (name == "days") name = "training_time";
  const auto& all = measures();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const SearchMeasure& m) { return m.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace trainyard
