#include <algorithm>

#include "collective/all_reduces.h"
#include "collective/collective.h"
#include "cost/exchange_times.h"
#include "cost/measured_collectives.h"
#include "cost/traffic.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Of a layer, over the tensor group.
class TensorTraffic : Traffic {
 public:
  using Traffic::Traffic;

  /// Two all-gathers and two reduce-scatters a pass, counted as two ring all-reduces of the layer's input
  /// (Narayanan et al. 2021, section 3.2; HotNets '24 section 4.1); a parallel block needs one. Full
  /// recomputation repeats the forward pass's.
  void add() {
    if (m_.tensor == 1) return;
    const double all_reduces = model_.shape.parallel_block ? 1 : 2;
    out_.tensor_volume = out_.layer_input * all_reduces;
    out_.tensor_algorithm =
        algorithm_for(scenario_.assumptions.all_reduce, m_.tensor, out_.layer_input, networks_.scale_up);
    out_.tensor_forward = all_reduces * one_all_reduce();
    out_.tensor_backward = out_.tensor_forward;
    if (measured_) out_.tensor_exposed = exposed_tensor(measured_->calibration());
    add_router_gradient();
  }

 private:
  /// Where a scenario states what its program does unasked, somebody tuned the pieces.
  double exposed_tensor(const Calibration& calibration) const {
    if (!software_.hides_tensor) return 1;
    if (hides_wholly(scenario_, Hidden::tensor)) return 0;
    const bool unasked = scenario_.catalog->software.at(software_key(scenario_)).hides_tensor;
    return unasked && hides(scenario_, Hidden::tensor) ? calibration.exposed_pieces
                                                       : calibration.exposed_async;
  }

  /// A gather and a scatter under sequence parallelism.
  Seconds one_all_reduce() const {
    if (!measured_)
      return all_reduce_time(m_.tensor, out_.layer_input, networks_.scale_up, out_.tensor_algorithm);
    const double calls = scenario_.mapping.sequence_parallel ? 2 : 1;
    const Seconds starts = calls * measured_->latency();
    // Measured collectives are rings of libraries, delays of their steps included.
    const AllReduce algorithm = out_.tensor_algorithm;
    const bool known = measured_->knows(measured_->tensor_group());
    if (measured_rings_stand_for(algorithm, known))
      return 2 * measured_->ring(measured_->tensor_group(), out_.layer_input) + starts;
    NetworkRate reached = networks_.scale_up;
    reached.rate = reached.rate * measured_->calibration().scale_up;
    return all_reduce_time(m_.tensor, out_.layer_input, reached, algorithm) + starts;
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
