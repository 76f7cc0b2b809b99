#include "cost/exchange_phases.h"

#include <algorithm>
#include <array>

#include "collective/collective.h"
#include "cost/cost.h"
#include "cost/cost_case.h"
#include "cost/exchange_times.h"
#include "parallel/schedules.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr std::size_t kNetworks = 3;

/// Stages that follow each other, piece by piece.
struct Line {
  Seconds busiest;  // network's or stage's
  Seconds apart;    // the same before, between or behind datacenters
  Seconds chain;
  Seconds first;  // of these
  Seconds delay;
  std::array<Seconds, kNetworks> by_network{};
  std::array<Seconds, kNetworks> side{};  // of the datacenters' exchange

  void add(const GradientStage& stage, double part, StageOverlap overlap) {
    const Seconds sending = part * (stage.time - stage.delay);
    if (first.si() <= 0) first = sending;
    chain += sending;
    delay += part * stage.delay;
    Seconds& network = by_network[static_cast<std::size_t>(stage.network)];
    network += sending;
    if (stage.network == NetworkLevel::wide_area) side.fill(Seconds(0));
    Seconds& part_of_network = side[static_cast<std::size_t>(stage.network)];
    part_of_network += sending;
    const bool alone = overlap == StageOverlap::slowest_stage;
    busiest = std::max(busiest, alone ? sending : network);
    apart = std::max(apart, alone ? sending : part_of_network);
  }
};

/// A ring over all replicas, of which the second pass gathers weights where the optimizer is divided.
bool has_two_passes(const std::vector<GradientStage>& stages) {
  return stages.size() == 1 && stages.front().passes == 2 && !stages.front().gathers;
}

}  // namespace

double exchange_pieces(const Scenario& scenario, const std::vector<GradientStage>& stages) {
  constexpr double kUsual = 8;  // where the scenario does not say how large they are
  const auto bucket = scenario.step.gradient_bucket;
  if (!bucket) return kUsual;
  Bytes most{0};
  for (const GradientStage& stage : stages) most = std::max(most, stage.bytes);
  return most / *bucket;
}

ExchangePhases exchange_phases(const CostCase& costs, const std::vector<GradientStage>& stages) {
  const StageOverlap overlap = costs.scenario.assumptions.stage_overlap;
  ExchangePhases out;
  if (!costs.calibration) {
    out.by_layer = true;
    out.sum = pipelined_time(stages, overlap);
    return out;
  }
  const std::int64_t zero = costs.scenario.mapping.zero_stage;
  const bool returns = zero == 1 || zero == 2;
  const double summed = returns && has_two_passes(stages) ? 0.5 : 1;
  Line sums;
  Line gathers;
  for (const GradientStage& stage : stages) {
    if (returns && stage.gathers) {
      gathers.add(stage, 1, overlap);
      continue;
    }
    sums.add(stage, summed, overlap);
    if (summed < 1) gathers.add(stage, 1 - summed, overlap);
  }
  out.in_turns = zero == 3;
  out.pieces = std::max(1.0, exchange_pieces(costs.scenario, stages));
  out.sum = out.in_turns ? sums.chain : sums.busiest;
  out.sum_apart = out.in_turns ? sums.chain : sums.apart;
  out.chain = sums.chain;
  if (out.in_turns && sums.chain.si() > 0) out.first = sums.first / sums.chain;
  out.delay = sums.delay;
  out.returned = gathers.busiest;
  // Ahead of the first pass whole layers return.
  const double apart = costs.software.hides_gradients ? 1 : out.pieces;
  out.returned_once = gathers.delay + (gathers.chain - gathers.busiest) / apart;
  return out;
}

ExchangePhases with_far_stage(ExchangePhases phases, Seconds sending, Seconds waiting) {
  if (phases.by_layer) {
    phases.sum = std::max(phases.sum, sending + waiting);
    return phases;
  }
  const Seconds chain = phases.chain + sending;
  if (chain.si() > 0) phases.first *= phases.chain / chain;
  if (phases.first <= 0) phases.first = 1;  // it is the first
  phases.chain = chain;
  phases.delay += waiting;
  phases.sum = phases.in_turns ? phases.chain : std::max(phases.sum, sending);
  phases.sum_apart = phases.in_turns ? phases.chain : std::max(phases.sum_apart, sending);
  return phases;
}

Seconds summed_once(const ExchangePhases& phases) {
  return phases.delay + beyond(phases.chain, phases.sum) / phases.pieces;
}

double layer_of_step(const CostCase& costs, const MappingPlan& m) {
  if (!costs.calibration) return 1;
  const bool often = repeats_gathers(costs.scenario, costs.software, m);
  // Sums of a microbatch that others follow through the pipeline are waited for beside these.
  const double times = often ? std::max(1.0, real(m.microbatches) / real(m.pipeline)) : 1;
  return times / most_summed_layers(costs, m) / (often ? real(m.microbatches) : 1);
}

Seconds pipelined_exchange(const ExchangePhases& phases, double layer_of_step) {
  if (phases.by_layer) return phases.sum;
  return phases.sum + phases.returned + layer_of_step * (summed_once(phases) + phases.returned_once);
}

}  // namespace trainyard
