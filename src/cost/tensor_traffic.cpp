#include <algorithm>

#include "collective/all_reduces.h"
#include "collective/collective.h"
#include "cost/exchange_times.h"
#include "cost/gather_copies.h"
#include "cost/measured_collectives.h"
#include "cost/traffic.h"
#include "model/model.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Of a layer, over the tensor group.
class TensorTraffic : Traffic {
 public:
  using Traffic::Traffic;

  /// Two all-gathers and two reduce-scatters a pass, counted as two ring all-reduces of the layer's input
  /// (Narayanan et al. 2021, section 3.2; HotNets '24 section 4.1); a parallel block needs one. Layers with
  /// experts need one for attention and one for shared experts; tokens go to whole experts from the rank that
  /// has them, and copies of tokens are gathered by the ranks over which an expert is cut (Megatron Core's
  /// token dispatcher `alltoall`). Full recomputation repeats the forward pass's.
  void add() {
    if (m_.tensor == 1) return;
    const double copies = gathered_copies();
    out_.tensor_volume = out_.layer_input * (all_reduces() * sent_width() + copies * as_rings_of_the_group());
    out_.tensor_algorithm =
        algorithm_for(scenario_.assumptions.all_reduce, m_.tensor, out_.layer_input, networks_.scale_up);
    const Seconds one = all_reduce_of_group();
    const Seconds sums = all_reduces() * one;
    const Seconds gathers = copies > 0 ? gather_of_copies(copies * fullest()) : Seconds(0);
    out_.tensor_forward = sums + gathers;
    out_.tensor_backward = out_.tensor_forward;
    if (measured_) out_.tensor_exposed = exposed_tensor(measured_->calibration());
    if (!model_.shape.parallel_block && out_.tensor_forward.si() > 0)
      out_.tensor_feed_forward = ((all_reduces() - 1) * one + gathers) / out_.tensor_forward;
    if (copies > 0) out_.tensor_exposed = (out_.tensor_exposed * sums + gathers) / out_.tensor_forward;
    add_router_gradient();
  }

 private:
  double routed_layers() const {
    const ModelShape& s = model_.shape;
    return s.experts == 0 ? 0 : 1 - real(s.dense_before(s.blocks())) / real(s.blocks());
  }

  /// In a pass of a layer, the mean over all.
  double all_reduces() const {
    if (model_.shape.parallel_block) return 1;
    const bool divided = scenario_.mapping.sequence_parallel;
    const bool own_tokens = divided && (measured_ || m_.expert_tensor == 1);
    return 2 - (own_tokens && model_.shape.shared_experts == 0 ? routed_layers() : 0);
  }

  /// Copies of tokens that ranks of an expert gather, over the group's tokens; the mean over all layers.
  double gathered_copies() const {
    if (!measured_ || m_.expert_tensor == 1) return 0;
    return routed_layers() * real(model_.shape.experts_per_token * m_.expert_tensor) / real(m_.tensor);
  }

  /// Bytes that a ring over the ranks of an expert sends, over those of one over the tensor group.
  double as_rings_of_the_group() const {
    const double ranks = real(m_.expert_tensor);
    const double group = real(m_.tensor);
    return (ranks - 1) / ranks * (group / (group - 1));
  }

  Seconds gather_of_copies(double copies) const {
    const Seconds starts = 2 * routed_layers() * measured_->latency();
    return 2 * measured_->ring(measured_->ranks_of_expert(), out_.layer_input * copies) + starts;
  }

  /// Where a scenario states what its program does unasked, somebody tuned the pieces.
  double exposed_tensor(const Calibration& calibration) const {
    if (!software_.hides_tensor) return 1;
    if (hides_wholly(scenario_, Hidden::tensor)) return 0;
    const bool unasked = scenario_.catalog->software.at(software_key(scenario_)).hides_tensor;
    return unasked && hides(scenario_, Hidden::tensor) ? calibration.exposed_pieces
                                                       : calibration.exposed_async;
  }

  /// Of what is gathered and scattered in the mean, over 16 bits.
  double sent_width() const {
    const bool gathers = measured_ && scenario_.mapping.sequence_parallel;
    return gathers ? (1 + gathered_input_width(scenario_, software_)) / 2 : 1;
  }

  /// A gather and a scatter under sequence parallelism.
  Seconds all_reduce_of_group() const {
    if (!measured_)
      return all_reduce_time(m_.tensor, out_.layer_input, networks_.scale_up, out_.tensor_algorithm);
    const double calls = scenario_.mapping.sequence_parallel ? 2 : 1;
    const Seconds starts = calls * measured_->latency();
    // Measured collectives are rings of libraries, delays of their steps included.
    const AllReduce algorithm = out_.tensor_algorithm;
    const bool known = measured_->knows(measured_->tensor_group());
    if (measured_rings_stand_for(algorithm, known))
      return 2 * measured_->ring(measured_->tensor_group(), out_.layer_input * sent_width()) + starts;
    NetworkRate reached = networks_.scale_up;
    reached.rate = reached.rate * measured_->calibration().scale_up;
    return all_reduce_time(m_.tensor, out_.layer_input * sent_width(), reached, algorithm) + starts;
  }

  /// The router is replicated on every device of the group (HotNets '24 section 5): its gradient is summed
  /// there.
  void add_router_gradient() {
    if (model_.parameters.router <= 0 || measured_) return;
    out_.router_gradient = Bytes(model_.parameters.router * gradient_bytes_);
    out_.tensor_backward += all_reduce_time(m_.tensor, out_.router_gradient, networks_.scale_up,
                                            scenario_.assumptions.all_reduce);
  }
};

}  // namespace

void add_tensor_traffic(const CommunicationCase& c, CommunicationPlan& out) { TensorTraffic(c, out).add(); }

}  // namespace trainyard
