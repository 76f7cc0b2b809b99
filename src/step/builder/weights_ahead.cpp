#include "step/builder/weights_ahead.h"

#include <algorithm>
#include <vector>

#include "step/builder/blueprint.h"
#include "step/builder/lane.h"
#include "step/builder/pass.h"
#include "step/builder/writer.h"

namespace trainyard::builder {

void WeightsAhead::gather(std::int32_t stage) {
  std::vector<std::int32_t> depths;
  for (std::int32_t c = 0; c < b_.shape.chunks; ++c) depths.push_back(c * b_.shape.stages + stage);
  if (b_.both_ways()) depths.push_back(b_.shape.stages - 1 - stage);
  std::sort(depths.begin(), depths.end());
  for (const std::int32_t depth : depths) gather_chunk(stage, depth);
}

void WeightsAhead::gather_chunk(std::int32_t stage, std::int32_t depth) {
  const std::int64_t held = b_.chunks.layers(depth);
  for (std::int64_t first = 0; first < held; first += b_.set.layers_per_operation) {
    const std::int64_t layers = std::min(b_.set.layers_per_operation, held - first);
    const bool ends = b_.chunks.is_last(depth) && first + layers == held;
    const double extra =
        b_.costs.ends_gathered * ((depth == 0 && first == 0 ? b_.costs.first_stage_extra : 0) +
                                  (ends ? b_.costs.last_stage_extra : 0));
    const double dense = real(b_.chunks.dense_layers(depth, first, layers));
    gather_layers(stage, depth, real(layers) + dense * (b_.costs.dense_exchange - 1) + extra);
  }
}

void WeightsAhead::gather_layers(std::int32_t stage, std::int32_t depth, double layers) {
  const ChunkPass what{ChunkWork::forward, -1, depth};
  Operations before;
  for (std::size_t i = 0; i < b_.costs.exchange.size(); ++i) {
    if (!b_.costs.exchange[i].gathers) continue;
    StepOperation op = writer_.transfer(what, b_.exchange_stream(stage, i), b_.classes.exchange[i],
                                        b_.costs.exchange[i].bytes * layers);
    op.work = StepWork::weights;
    before = {writer_.add(op, before)};
  }
  if (!before.empty()) gathers_[{stage, depth}].push_back(before.back());
}

void WeightsAhead::await(Pass& pass, std::int64_t first) const {
  const auto found = gathers_.find({pass.lane->stage, pass.what.depth});
  if (found == gathers_.end() || !b_.order.first_of_its_way(pass.what.microbatch)) return;
  const auto at = static_cast<std::size_t>(first / b_.set.layers_per_operation);
  if (at < found->second.size()) pass.ready.push_back(found->second[at]);
}

}  // namespace trainyard::builder
