// The transfers of a pass through layers: beside their compute, and between it and that of the next layers.
#pragma once

#include <cstdint>

#include "parallel/schedules.h"
#include "step/builder/blueprint.h"
#include "step/builder/lane.h"
#include "step/builder/pass.h"
#include "step/layer_pass.h"

namespace trainyard::builder {

struct Beginning;
class Writer;

class PassTransfers {
 public:
  PassTransfers(const Blueprint& blueprint, Writer& writer) : b_(blueprint), writer_(writer) {}

  /// The overlapped share of tensor-parallel transfers. What was started.
  Operations start_beside(const Pass& pass, const Beginning& from, double layers, std::int64_t first) const;

  /// Context-parallel transfers beside the attention, where there are any. What was started.
  Operations start_context(const Pass& pass, const Beginning& from, double layers, std::int64_t first) const;

  /// Transfers that the next layer waits for, one after another; `dense` of the layers have no experts.
  void add(Pass& pass, double layers, double dense) const;

 private:
  const std::vector<PassTransfer>& costs(const Pass& pass) const {
    return forward(pass) ? b_.costs.after_forward : b_.costs.after_backward;
  }
  const PassClasses& classes(const Pass& pass) const {
    return forward(pass) ? b_.classes.forward : b_.classes.backward;
  }
  static bool forward(const Pass& pass) { return pass.what.work == ChunkWork::forward; }

  const Blueprint& b_;
  Writer& writer_;
};

}  // namespace trainyard::builder
