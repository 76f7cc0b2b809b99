#include <algorithm>
#include <cmath>

#include "cost/cost.h"
#include "cost/exchange_times.h"
#include "facility/networks.h"
#include "model/model.h"
#include "trainyard/facility.h"
#include "trainyard/rail.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Rail-only '23 table 1: one multi-head attention a block.
constexpr double kUsualCollectiveRounds = 8;

/// Bytes of the batch's activations between blocks: b d elements.
Bytes batch_activations(const RailCase& r) { return Bytes(r.batch_tokens * r.hidden * r.activation_bytes); }

/// Calls `visit` with each divisor.
template <class Visit>
void for_divisors(double number, Visit visit) {
  const auto n = static_cast<std::int64_t>(number);
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    visit(real(d));
    visit(real(n / d));
  }
}

std::vector<double> or_default(const std::vector<std::int64_t>& given, std::vector<double> otherwise) {
  if (given.empty()) return otherwise;
  return {given.begin(), given.end()};
}

RailPoint point(RailCase rail, double gpus, double domain, double batch_tokens) {
  const double flop_per_token = rail.iteration.si() / rail.batch_tokens;
  rail.gpus = gpus;
  rail.domain = domain;
  rail.batch_tokens = batch_tokens;
  rail.iteration = Flop(flop_per_token * batch_tokens);
  return {gpus, domain, batch_tokens, best_iteration(rail), best_ideal_iteration(rail)};
}

double tokens_of_batch(const Scenario& scenario, const ModelShape& shape) {
  constexpr double kUsualBatchTokens = 4e6;
  if (scenario.rail.batch_tokens) return *scenario.rail.batch_tokens;
  if (scenario.training.batch_tokens) return *scenario.training.batch_tokens;
  return shape.batch_tokens.value_or(kUsualBatchTokens);
}

}  // namespace

RailIteration iteration_time(const RailCase& r, double model_group) {
  const double domains = r.gpus / r.domain;
  const double replicas = r.domain / model_group;
  RailIteration out;
  out.model_group = model_group;
  out.compute = r.iteration / (r.gpu_rate * r.gpus);
  out.across = r.layers * 2 * (domains - 1) / r.gpus * r.block / r.network_rate;
  out.inside = r.layers * 2 * (replicas - 1) / r.domain * r.block / r.domain_rate;
  out.model =
      r.layers * r.collective_rounds * (model_group - 1) / r.gpus * batch_activations(r) / r.domain_rate;
  return out;
}

Seconds ideal_iteration_time(const RailCase& r, double model_group) {
  const Bytes gradients = 2 * (r.gpus / model_group - 1) * r.block;
  const Bytes model = r.collective_rounds * (model_group - 1) * batch_activations(r);
  return r.iteration / (r.gpu_rate * r.gpus) + r.layers / r.gpus * (gradients + model) / r.domain_rate;
}

double printed_model_group(const RailCase& r) {
  return std::sqrt(r.gpus * r.block.si()) / (2 * std::sqrt(r.collective_rounds * batch_activations(r).si()));
}

double stationary_model_group(const RailCase& r) {
  return std::sqrt(2 * r.gpus * r.block.si() / (r.collective_rounds * batch_activations(r).si()));
}

RailIteration best_iteration(const RailCase& r) {
  RailIteration best = iteration_time(r, 1);
  for_divisors(r.domain, [&](double group) {
    const RailIteration candidate = iteration_time(r, group);
    if (candidate.total() < best.total()) best = candidate;
  });
  return best;
}

Seconds best_ideal_iteration(const RailCase& r) {
  Seconds best = ideal_iteration_time(r, 1);
  for_divisors(r.gpus, [&](double group) { best = std::min(best, ideal_iteration_time(r, group)); });
  return best;
}

RailCase rail_case(const Scenario& scenario) {
  const RailInput& input = scenario.rail;
  const FacilityPlan facility = plan_facility(scenario);
  const ModelShape shape = resolve_shape(scenario.model);
  const Networks networks = networks_of(scenario);
  const double element = bytes_of(exchanged_gradients(scenario));
  RailCase r;
  r.gpus = real(input.gpus.value_or(facility.devices));
  r.domain = std::min(r.gpus, real(input.domain_size.value_or(facility.domain_devices)));
  r.batch_tokens = tokens_of_batch(scenario, shape);
  r.hidden = real(shape.hidden);
  r.layers = real(shape.blocks());
  r.collective_rounds = input.collective_rounds.value_or(kUsualCollectiveRounds);
  r.activation_bytes = bytes_of(scenario.precision.communication);
  r.block = Bytes(input.block_parameters.value_or(block_parameters(shape)) * element);
  r.iteration = training_flop(shape) * (r.batch_tokens / real(shape.sequence));
  r.gpu_rate = peak_rate(scenario);
  r.domain_rate = networks.scale_up.rate;
  r.network_rate = networks.scale_out.rate;
  return r;
}

RailAnalysis analyse_rail(const Scenario& scenario) {
  const ModelShape shape = resolve_shape(scenario.model);
  RailAnalysis out;
  out.rail = rail_case(scenario);
  const RailCase& r = out.rail;
  out.best = best_iteration(r);
  out.ideal = best_ideal_iteration(r);
  out.printed_group = printed_model_group(r);
  out.stationary_group = stationary_model_group(r);
  out.bandwidth_ratio = r.domain_rate / r.network_rate;
  out.tokens = run_tokens(scenario.training, shape);
  out.days_to_train = r.iteration * (out.tokens / r.batch_tokens) / (r.gpu_rate * r.gpus);
  const auto domains = or_default(scenario.rail.domain_sizes, {8, 16, 32, 64, 128, 256, 512, 1024});
  for (const double n : or_default(scenario.rail.clusters, {r.gpus})) {
    for (const double k : domains) {
      if (k <= n) out.by_domain.push_back(point(r, n, k, r.batch_tokens));
    }
  }
  for (const double k : domains) {
    if (k < r.domain || k > r.gpus) continue;
    for (const double b : scenario.rail.batches) out.by_batch.push_back(point(r, r.gpus, k, b));
  }
  return out;
}

}  // namespace trainyard
