#include "step/builder/weight_prefetch.h"

#include "step/builder/blueprint.h"
#include "step/builder/pass.h"
#include "step/builder/writer.h"

namespace trainyard::builder {

bool WeightPrefetch::gathers(const Pass& pass) const {
  if (!b_.costs.weight_gather || pass.what.work == ChunkWork::backward_weight) return false;
  return !b_.costs.gathers_once || b_.order.first_of_its_way(pass.what.microbatch);
}

bool WeightPrefetch::add(Pass& pass, double layers, bool begins) const {
  if (!gathers(pass)) return false;
  const bool forward = begins && pass.what.work == ChunkWork::forward;
  const bool embedding = forward && pass.what.depth == 0;
  gather(pass, layers + (embedding ? b_.costs.embedding_gathered : 0), forward && b_.set.gathers_anew);
  return true;
}

void WeightPrefetch::add_output(Pass& pass) const {
  const bool forward = pass.what.work == ChunkWork::forward;
  if (forward && b_.costs.output_gathered > 0 && gathers(pass)) gather(pass, b_.costs.output_gathered, false);
}

void WeightPrefetch::gather(Pass& pass, double layers, bool anew) const {
  Lane& lane = *pass.lane;
  Operations after;
  const Operations& ends = lane.layer_ends;
  const auto ahead = static_cast<std::size_t>(b_.set.prefetch) + 1;
  if (anew) {
    lane.gathers_anew = after = Writer::beginning(pass).after;
    lane.gathers_behind = b_.set.prefetch + 1;  // the output matrix among them
  } else if (ends.size() >= ahead) {
    after.push_back(ends[ends.size() - ahead]);
  }
  if (!anew && lane.gathers_behind > 0) {
    append(after, lane.gathers_anew);
    --lane.gathers_behind;
  }
  const Bytes bytes = b_.costs.weight_gather->bytes * layers;
  pass.ready.push_back(
      writer_.add(writer_.transfer(pass.what, lane.weights, b_.classes.weight_gather, bytes), after));
}

}  // namespace trainyard::builder
