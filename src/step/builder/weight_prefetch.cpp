#include "step/builder/weight_prefetch.h"

#include "step/builder/blueprint.h"
#include "step/builder/pass.h"
#include "step/builder/writer.h"

namespace trainyard::builder {

bool WeightPrefetch::add(Pass& pass, double layers) const {
  if (!b_.costs.weight_gather || pass.what.work == ChunkWork::backward_weight) return false;
  if (b_.costs.gathers_once && pass.what.microbatch > 0) return false;
  Operations after;
  const Operations& ends = pass.lane->layer_ends;
  const auto ahead = static_cast<std::size_t>(b_.set.prefetch) + 1;
  if (ends.size() >= ahead) after.push_back(ends[ends.size() - ahead]);
  const Bytes bytes = b_.costs.weight_gather->bytes * layers;
  pass.ready.push_back(
      writer_.add(writer_.transfer(pass.what, pass.lane->weights, b_.classes.weight_gather, bytes), after));
  return true;
}

}  // namespace trainyard::builder
