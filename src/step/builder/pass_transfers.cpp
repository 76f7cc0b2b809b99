#include "step/builder/pass_transfers.h"

#include "step/builder/lane.h"
#include "step/builder/writer.h"

namespace trainyard::builder {

Operations PassTransfers::start_beside(const Pass& pass, const Beginning& from, double layers,
                                       std::int64_t first) const {
  Operations out;
  const double share = b_.set.tensor_overlap;
  if (share <= 0 || pass.what.work == ChunkWork::backward_weight) return out;
  for (std::size_t i = 0; i < costs(pass).size(); ++i) {
    const PassTransfer& t = costs(pass)[i];
    if (t.work != StepWork::tensor) continue;
    const StepOperation op = writer_.transfer(pass.what, pass.lane->tensor, classes(pass).beside[i],
                                              t.bytes * (layers * share), first);
    out.push_back(writer_.add_beside(pass, op, from));
  }
  return out;
}

Operations PassTransfers::start_context(const Pass& pass, const Beginning& from, double layers,
                                        std::int64_t first) const {
  const auto& context = forward(pass) ? b_.costs.context_forward : b_.costs.context_backward;
  if (!context || pass.what.work == ChunkWork::backward_weight) return {};
  const StepOperation op =
      writer_.transfer(pass.what, pass.lane->context, classes(pass).context, context->bytes * layers, first);
  return {writer_.add_beside(pass, op, from)};
}

void PassTransfers::add(Pass& pass, double layers, double dense) const {
  if (pass.what.work == ChunkWork::backward_weight) return;
  for (std::size_t i = 0; i < costs(pass).size(); ++i) {
    const PassTransfer& t = costs(pass)[i];
    const bool tensor = t.work == StepWork::tensor;
    const double share = tensor ? 1 - b_.set.tensor_overlap : 1;
    if (share <= 0) continue;
    const bool expert = t.work == StepWork::expert;
    const double count = expert ? layers - dense : layers;
    if (count <= 0) continue;
    const std::uint32_t stream = tensor ? pass.lane->tensor : expert ? pass.lane->expert : pass.lane->context;
    const StepOperation op =
        writer_.transfer(pass.what, stream, classes(pass).after[i], t.bytes * (count * share));
    pass.ready = {writer_.add(op, pass.ready)};
  }
}

}  // namespace trainyard::builder
