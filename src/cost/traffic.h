// The parts of a CommunicationPlan, one kind of traffic each.
#pragma once

#include <optional>

#include "cost/measured_collectives.h"
#include "trainyard/catalog.h"
#include "trainyard/networks.h"
#include "trainyard/plan/communication.h"

namespace trainyard {

struct LayerTimes;
struct MappingPlan;
struct ModelPlan;
struct Scenario;

/// What all kinds of traffic go by.
struct CommunicationCase {
  CommunicationCase(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                    const LayerTimes& layer);

  const Scenario& scenario;
  const ModelPlan& model;
  const MappingPlan& mapping;
  const LayerTimes& layer;
  Software software;
  Networks networks;
  std::optional<MeasuredCollectives> measured;  // where times are calibrated
  double element_bytes = 0;                     // of an activation on the network
};

/// One kind of traffic under way into the plan.
class Traffic {
 public:
  Traffic(const CommunicationCase& c, CommunicationPlan& out)
      : scenario_(c.scenario),
        model_(c.model),
        m_(c.mapping),
        layer_(c.layer),
        software_(c.software),
        networks_(c.networks),
        measured_(c.measured),
        element_(c.element_bytes),
        out_(out) {}

 protected:
  /// The networks with the share of the scale-out rate that the topology leaves to one kind of traffic.
  Networks shared(double scale_out_share) const {
    Networks out = networks_;
    out.scale_out.rate = out.scale_out.rate * scale_out_share;
    return out;
  }

  const Scenario& scenario_;
  const ModelPlan& model_;
  const MappingPlan& m_;
  const LayerTimes& layer_;
  const Software& software_;
  const Networks& networks_;
  const std::optional<MeasuredCollectives>& measured_;
  double element_;
  CommunicationPlan& out_;
};

/// Sums over the tensor group.
void add_tensor_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Transfers from stage to stage.
void add_pipeline_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Keys and values over the context group.
void add_context_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Tokens to their experts and back.
void add_expert_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// What recomputation sends again; after the four above.
void add_repeated_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Gradients over the replicas.
void add_gradient_traffic(const CommunicationCase& c, CommunicationPlan& out);
/// Gathers of divided weights.
void add_weight_traffic(const CommunicationCase& c, CommunicationPlan& out);

}  // namespace trainyard
