#include "cost/host_times.h"

#include "trainyard/plan/model.h"

namespace trainyard {
namespace {

constexpr double kBackwardOverForward = 1.5;  // gradients of inputs and weights, issued without Python
constexpr double kSixteenBitExpert = 0.25;
constexpr double kEightBitProduct = 2;  // with the casts and scales of its operands

/// Low-rank adapters stay in 16 bits.
bool is_cast(const Operator& op, bool low_precision) {
  return low_precision && op.matmul && !op.attention_matrix && !op.adapter;
}

/// A fused kernel does scores, softmax and values.
bool issued(const Operator& op, bool fused_attention) {
  return !op.attention_matrix || !fused_attention || op.role == OperatorRole::attention_scores;
}

}  // namespace

HostTimes host_times(const std::vector<Operator>& operators, const Software& software,
                     const Calibration& calibration, const HostLoad& load) {
  double usual = calibration.host_collective * load.collectives + load.ring_steps;
  double experts = 0;
  for (const Operator& op : operators) {
    if (op.experts) {
      const double issued_products = software.groups_experts ? 1 : load.experts;
      experts += issued_products * (load.low_precision ? 1 : kSixteenBitExpert);
    } else if (issued(op, load.fused_attention)) {
      usual += is_cast(op, load.low_precision) ? kEightBitProduct : 1;
    }
  }
  HostTimes out;
  if (!software.graphs) out.forward += usual * calibration.host_operator;
  if (!software.graphs || !software.graphs_experts) out.forward += experts * calibration.host_expert;
  if (load.overlapped_experts) out.forward = out.forward * software.overlapped_launches;
  out.backward = out.forward * kBackwardOverForward;
  return out;
}

}  // namespace trainyard
