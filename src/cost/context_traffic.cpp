#include <algorithm>

#include "collective/collective.h"
#include "collective/ranks.h"
#include "cost/compute_times.h"
#include "cost/cost.h"
#include "cost/measured_collectives.h"
#include "cost/traffic.h"
#include "model/model.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"

namespace trainyard {
namespace {

/// Of a token, as attention's kernels take and make them.
struct KernelWidths {
  double query, key, value, result;
};

KernelWidths kernel_widths(const ModelShape& s) {
  if (s.attention == AttentionKind::latent) {
    const double heads = real(s.heads);
    const double scores = heads * real(s.nope_head_size + s.rope_head_size);
    const double values = heads * real(s.value_head_size);
    return {scores, scores, values, values};
  }
  const AttentionWidths w = attention_widths(s);
  return {w.query, w.key, w.key, w.query};
}

/// Of attention, over the context group.
class ContextTraffic : Traffic {
 public:
  using Traffic::Traffic;

  /// Ring attention (Liu et al. 2023): keys and values of the other ranks pass by while their scores are
  /// computed.
  void add() {
    if (m_.context == 1) return;
    const ModelShape& s = model_.shape;
    const double sequence = real(m_.microbatch) * real(s.sequence);
    const double width = s.attention == AttentionKind::latent ? real(s.kv_lora_rank + s.rope_head_size)
                                                              : 2 * attention_widths(s).key / real(m_.tensor);
    const Bytes all(sequence * width * element_);
    if (measured_) return add_measured_context(sequence);
    out_.context_volume = all * ((real(m_.context) - 1) / real(m_.context));
    // A ring is as fast as its slowest link, which leaves the HB domain where the group does.
    const NetworkRate& slowest = m_.domains_per_group > 1 ? networks_.scale_out : networks_.scale_up;
    const Seconds time = ring_pass(m_.context).time(all, slowest);
    out_.context_forward = std::max(Seconds(0), time - layer_.attention_forward);
    out_.context_backward = std::max(Seconds(0), 2 * time - 2 * layer_.attention_forward);
  }

 private:
  /// Ranks exchange queries, keys, values and results; or gather keys and values; or pass them around a ring
  /// beside the attention kernels, backward with their gradients. Latent ones are of all heads by then.
  void add_measured_context(double sequence) {
    const MeasuredCollectives& c = *measured_;
    const KernelWidths widths = kernel_widths(model_.shape);
    const double tokens = sequence / real(m_.context);
    const Bytes all_keys(sequence * (widths.key + widths.value) / real(m_.tensor) * element_);
    const RankGroup group = c.context_group();
    out_.context_volume = all_keys * ((group.ranks - 1) / group.ranks);
    if (software_.context_exchange == ContextExchange::ring && software_.hides_context) {
      const bool inside = group.ranks <= group.ranks_per_domain;
      const Seconds ring = c.ring({group.ranks, inside ? group.ranks : 1, 1}, all_keys);
      out_.context_forward = beyond(ring, layer_.attention_forward) + c.latency();
      out_.context_backward = beyond(2 * ring, layer_.attention_backward) + c.latency();
      return;
    }
    if (software_.context_exchange == ContextExchange::all_gather) {
      out_.context_forward = out_.context_backward = c.ring(group, all_keys) + c.latency();
      return;
    }
    constexpr double kCalls = 4;  // queries, keys, values and the result
    const double elements =
        tokens * (widths.query + widths.key + widths.value + widths.result) / real(m_.tensor);
    const Bytes bytes(c.calibration().context_exchange * element_ * elements);
    out_.context_forward = out_.context_backward = c.all_to_all(group, bytes) + (kCalls - 1) * c.latency();
  }
};

}  // namespace

void add_context_traffic(const CommunicationCase& c, CommunicationPlan& out) { ContextTraffic(c, out).add(); }

}  // namespace trainyard
