#include <optional>
#include <string>
#include <utility>

#include "cost/end_sums.h"
#include "step/layer_pass/parts.h"
#include "trainyard/plan.h"

namespace trainyard::layer_costs {

void add_end_sums(LayerPass& out, const PassCase& c) {
  const auto transfer = [](const std::optional<EndSum>& sum, std::string name) {
    if (!sum) return std::optional<PassTransfer>();
    return std::optional<PassTransfer>({StepWork::gradient, std::move(name), resource_of(sum->network),
                                        sum->ranks, sum->sent, 1, sum->rounds});
  };
  out.embedding = transfer(embedding_sum(c.costs, c.mapping, c.communication), "embedding gradients");
  out.gradient_norm = transfer(gradient_norm(c.costs, c.mapping, c.communication), "gradient norm");
}

}  // namespace trainyard::layer_costs
