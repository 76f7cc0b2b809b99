// The end of a step: optimizers, and what all of them wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "step/builder/blueprint.h"
#include "step/builder/lane.h"
#include "step/graph.h"

namespace trainyard::builder {

struct Exchange;
class Writer;

class StepEnd {
 public:
  StepEnd(const Blueprint& blueprint, Writer& writer) : b_(blueprint), writer_(writer) {}

  void begin_step() { updates_.clear(); }

  /// A lane's optimizer, after its passes and the exchanges of its stage.
  void add_optimizer(Lane& lane, const std::vector<Exchange>& exchanges);

  /// The sums over stages that optimizers wait for: of an embedding of which two stages hold a copy, and of
  /// the squares of all gradients.
  void add_sums();

 private:
  /// An optimizer, and what its device's gradients are ready after.
  struct Update {
    OperationId optimizer = kNoOperation;
    std::int32_t stage = 0;
    Operations gradients;
  };

  bool holds_embedding(const Update& update) const {
    return update.stage == 0 || update.stage == b_.shape.stages - 1;
  }
  Operations add_embedding_exchange();
  void add_gradient_norm(const Operations& sums);

  const Blueprint& b_;
  Writer& writer_;
  std::vector<Update> updates_;
};

}  // namespace trainyard::builder
