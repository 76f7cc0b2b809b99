#include <algorithm>

#include "collective/collective.h"
#include "cost/compute_times.h"
#include "cost/cost.h"
#include "cost/gather_copies.h"
#include "cost/measured_collectives.h"
#include "cost/traffic.h"
#include "model/model.h"
#include "model/recompute_modules.h"
#include "scenario/in_force.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Between stages.
class PipelineTraffic : Traffic {
 public:
  using Traffic::Traffic;

  /// Each device sends its part of the layer's output to the device of the same rank in the next stage.
  void add() {
    if (m_.pipeline == 1) return;
    out_.pipeline_volume = out_.layer_input / real(m_.tensor);
    const bool consecutive = m_.placement == Placement::consecutive_layers;
    out_.pipeline_in_domain = consecutive && m_.groups_per_domain >= m_.pipeline;
    const Networks networks = shared(scenario_.network.pipeline_share);
    const NetworkRate& network = out_.pipeline_in_domain ? networks.scale_up : networks.scale_out;
    out_.pipeline_transfer = measured_
                                 ? measured_->point_to_point(out_.pipeline_volume, out_.pipeline_in_domain)
                                 : transfer_time(out_.pipeline_volume, network);
  }
};

/// Under recomputation.
class RepeatedTraffic : Traffic {
 public:
  using Traffic::Traffic;

  /// What recomputation sends again: everything of a forward pass, or the part that some programs repeat.
  void add() {
    const double layers = recomputing_share(scenario_, model_);
    out_.tensor_backward += layers * repeated_tensor_share(scenario_, model_, out_) * out_.tensor_forward;
    const bool partial =
        measured_ && scenario_.mapping.recompute == Recompute::selective && software_.partial_recompute;
    if (partial) return add_gathers(layers);
    if (!measured_) return;
    const bool full = scenario_.mapping.recompute == Recompute::full;
    if (full) out_.context_backward += layers * out_.context_forward;
    if (full || recomputes_module(scenario_.mapping, RecomputeModule::moe))
      out_.expert_backward += layers * out_.expert_forward;
  }

 private:
  /// A selection by operators keeps what scatters, attention and experts' exchanges brought, but neither what
  /// was gathered nor sums.
  void add_gathers(double layers) {
    const double width = gathered_input_width(scenario_, software_);
    const double gathers = scenario_.mapping.sequence_parallel ? width / (1 + width) : 1;
    out_.tensor_backward += layers * gathers * out_.tensor_forward;
  }
};

}  // namespace

/// Where the sequence is divided, inputs are gathered before the first product and outputs scattered behind
/// the last; else outputs are summed. A part whose output is unread needs the gather alone.
double repeated_tensor_share(const Scenario& scenario, const ModelPlan& model, const LayerTraffic& traffic) {
  const MappingInput& mapping = scenario.mapping;
  const ModelShape& shape = model.shape;
  const bool full = mapping.recompute == Recompute::full;
  const bool read = software_of(scenario).recomputes_unread || normalizes_outputs(shape);
  if (full && read) return 1;
  const auto repeats = [&](RecomputeModule module) {
    return full || recomputes_module(mapping, module) ? 1.0 : 0.0;
  };
  const bool experts = shape.experts > 0;  // whose outputs are read; shared ones go with them
  const double gathered = mapping.sequence_parallel ? 0.5 : 0;
  const double summed = 1 - gathered;
  const double output = repeats(RecomputeModule::attention_output);
  const double attention = gathered * repeats(RecomputeModule::attention_projections) +
                           (read || !shape.parallel_block ? summed * output : 0);
  const double whole = repeats(experts ? RecomputeModule::moe : RecomputeModule::mlp);
  const double first = experts ? 0 : repeats(RecomputeModule::mlp_up);
  const double feed_forward = gathered * std::max(whole, first) + (read || experts ? summed * whole : 0);
  return attention * (1 - traffic.tensor_feed_forward) + feed_forward * traffic.tensor_feed_forward;
}

void add_pipeline_traffic(const CommunicationCase& c, CommunicationPlan& out) {
  PipelineTraffic(c, out).add();
}

void add_repeated_traffic(const CommunicationCase& c, CommunicationPlan& out) {
  RepeatedTraffic(c, out).add();
}

LayerTraffic group_traffic(const CommunicationCase& c) {
  const CostCase& costs = c.costs;
  CommunicationPlan out;
  const double tokens =
      real(c.mapping.microbatch) * real(costs.model.shape.sequence) / real(c.mapping.context);
  out.layer_input = Bytes(tokens * real(costs.model.shape.hidden) * costs.element_bytes);
  out.scale_up_rate = bit_rate(costs.networks.scale_up.rate);
  out.scale_out_rate = bit_rate(costs.networks.scale_out.rate);
  out.wide_area_rate = bit_rate(costs.networks.wide_area.rate);
  add_tensor_traffic(c, out);
  add_context_traffic(c, out);
  return static_cast<const LayerTraffic&>(out);
}

void add_stage_traffic(const CommunicationCase& c, CommunicationPlan& out) {
  add_pipeline_traffic(c, out);
  add_expert_traffic(c, out);
  add_repeated_traffic(c, out);
  add_weight_traffic(c, out);
}

BitRate tensor_bus_rate(const MappingPlan& m, const CommunicationPlan& c) {
  if (m.tensor < 2 || c.tensor_forward.si() <= 0) return BitRate(0);
  const double n = real(m.tensor);
  return bit_rate(c.tensor_volume * (2 * (n - 1) / n) / c.tensor_forward);
}

}  // namespace trainyard
