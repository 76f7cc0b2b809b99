// ZeRO 1 and 2: in step after step, the weights that the last optimizer updated arrive beside the first
// forward passes, layer by layer.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "step/builder/lane.h"

namespace trainyard::builder {

struct Blueprint;
struct Pass;
class Writer;

class WeightsAhead {
 public:
  WeightsAhead(const Blueprint& blueprint, Writer& writer) : b_(blueprint), writer_(writer) {}

  /// Gathers what the last step left of a stage, once for all its replicas.
  void gather(std::int32_t stage);

  /// Lets a first forward pass through these layers wait for their weights.
  void await(Pass& pass, std::int64_t first) const;

 private:
  void gather_chunk(std::int32_t stage, std::int32_t depth);
  void gather_layers(std::int32_t stage, std::int32_t depth, double layers);

  const Blueprint& b_;
  Writer& writer_;
  std::map<std::pair<std::int32_t, std::int32_t>, Operations> gathers_;  // by stage and depth
};

}  // namespace trainyard::builder
