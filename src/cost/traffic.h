// The parts of a CommunicationPlan, one kind of traffic each.
#pragma once

#include "cost/cost_case.h"
#include "model/model.h"
#include "trainyard/catalog_records.h"
#include "trainyard/networks.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {

class MeasuredCollectives;
struct LayerTimes;

/// What all kinds of traffic go by.
struct CommunicationCase {
  const CostCase& costs;
  const MappingPlan& mapping;
  const LayerTimes& layer;
  const MeasuredCollectives* measured;  // nullptr: times are not calibrated
};

/// One kind of traffic under way into the plan.
class Traffic {
 public:
  Traffic(const CommunicationCase& c, CommunicationPlan& out)
      : scenario_(c.costs.scenario),
        model_(c.costs.model),
        m_(c.mapping),
        layer_(c.layer),
        software_(c.costs.software),
        networks_(c.costs.networks),
        measured_(c.measured),
        element_(c.costs.element_bytes),
        gradient_bytes_(c.costs.gradient_bytes),
        schedule_(c.costs.schedule),
        out_(out) {}

 protected:
  /// The networks with the share of the scale-out rate that the topology leaves to one kind of traffic.
  Networks shared(double scale_out_share) const {
    Networks out = networks_;
    out.scale_out.rate = out.scale_out.rate * scale_out_share;
    return out;
  }
  /// Tokens of the fullest device over the mean of those that share one set of experts.
  double fullest() const {
    return fullest_device(model_.shape, real(m_.expert), scenario_.training.expert_imbalance);
  }

  const Scenario& scenario_;
  const ModelPlan& model_;
  const MappingPlan& m_;
  const LayerTimes& layer_;
  const Software& software_;
  const Networks& networks_;
  const MeasuredCollectives* measured_;
  double element_;
  double gradient_bytes_;
  const ScheduleRules& schedule_;
  CommunicationPlan& out_;
};

/// What is sent inside the tensor and context groups, whatever the stages and the replicas.
LayerTraffic group_traffic(const CommunicationCase& c);
/// Beside it, what is sent between stages, to experts, and of divided weights.
void add_stage_traffic(const CommunicationCase& c, CommunicationPlan& out);

/// Sums over the tensor group.
void add_tensor_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Transfers from stage to stage.
void add_pipeline_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Keys and values over the context group.
void add_context_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Tokens to their experts and back.
void add_expert_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Share of a layer's forward transfers in the tensor group that recomputation repeats.
double repeated_tensor_share(const Scenario& scenario, const ModelPlan& model, const LayerTraffic& traffic);
/// What recomputation sends again; after the four above.
void add_repeated_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Gradients over the replicas.
void add_gradient_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Whether these are the rings of libraries, whose times a step takes from the calibration and not from here.
bool libraries_exchange(const CostCase& c, const MappingPlan& mapping);
/// Gathers of divided weights.
void add_weight_traffic(const CommunicationCase& c, CommunicationPlan& out);

}  // namespace trainyard
