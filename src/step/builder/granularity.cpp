#include "step/builder/granularity.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cost/exchange_phases.h"
#include "parallel/schedules.h"
#include "step/builder/settings.h"
#include "step/layer_pass.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"

namespace trainyard::builder {
namespace {

/// Above the first, layers of a chunk are taken together; above the second, the step is refused.
constexpr double kManyOperations = 2e6;
constexpr double kMostOperations = 2e7;

/// Operations of the graph, about, by layers an operation.
class OperationCount {
 public:
  OperationCount(const Plan& plan, const LayerPass& costs, const Settings& settings,
                 const ScheduleShape& shape, std::size_t replica_classes)
      : plan_(plan),
        costs_(costs),
        set_(settings),
        shape_(shape),
        replicas_(static_cast<double>(replica_classes)) {}

  double at(std::int64_t layers) const {
    const double each = passes() * of_pass(layers) * replicas_;
    return (each + exchanges(layers)) * real(plan_.scenario.step.steps);
  }

 private:
  double passes() const { return real(shape_.stages) * real(shape_.microbatches) * real(shape_.chunks); }

  double groups(std::int64_t layers) const {
    return std::ceil(real(plan_.mapping.layers_per_stage) / real(shape_.chunks) / real(layers));
  }

  /// Of a group of layers, forward and backward.
  double of_group() const {
    const double split = schedule_kind(set_.schedule).rules.weights_apart ? 1 : 0;
    const double context = costs_.context_forward ? 4 : 0;
    const double gather = costs_.weight_gather ? 2 : 0;
    const double recompute = costs_.usual.recompute.si() > 0 ? 1 : 0;
    const double overlapped = set_.tensor_overlap > 0 ? 2 : 0;
    const double transfers = real(std::ssize(costs_.after_forward) + std::ssize(costs_.after_backward));
    return 2 + split + transfers + context + gather + recompute + overlapped;
  }

  double of_pass(std::int64_t layers) const {
    return groups(layers) * of_group() + 2 + (set_.offload || set_.offloaded > 0 ? 2 : 0);
  }

  double exchanges(std::int64_t layers) const {
    const bool often = set_.every == ExchangeEvery::microbatch;
    const double count = (often ? passes() : real(shape_.stages) * real(shape_.chunks)) * groups(layers);
    const bool whole = set_.overlap == GradientOverlap::beside_pass;
    const double pieces = whole ? 1 : std::max(1.0, pieces_of_layer(plan_, costs_) * real(layers));
    return count * pieces * real(std::ssize(costs_.exchange));
  }

  const Plan& plan_;
  const LayerPass& costs_;
  const Settings& set_;
  ScheduleShape shape_;
  double replicas_;
};

}  // namespace

double pieces_of_layer(const Plan& plan, const LayerPass& costs) {
  if (costs.exchange.empty()) return 0;
  return exchange_pieces(plan.scenario, plan.communication.gradient.stages);
}

std::int64_t layers_per_operation(const Plan& plan, const LayerPass& costs, const Settings& settings,
                                  const ScheduleShape& shape, std::size_t replica_classes) {
  const OperationCount count(plan, costs, settings, shape, replica_classes);
  const std::int64_t most = std::max<std::int64_t>(1, plan.mapping.layers_per_stage / shape.chunks);
  std::int64_t layers = 1;
  while (layers < most && count.at(layers) > kManyOperations) ++layers;
  const double expected = count.at(layers);
  if (expected > kMostOperations) {
    fail_input(whole(plan.scenario.source_name),
               fmt::format("a step of some {:.2g} operations is more than is simulated ({:.2g})", expected,
                           kMostOperations),
               "fewer microbatches, replicas or steps, or a larger step.gradient_bucket");
  }
  return layers;
}

}  // namespace trainyard::builder
