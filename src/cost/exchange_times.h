// What the replicas of a stage exchange once a step, by measured constants.
#pragma once

#include <cstdint>

#include "cost/compute_times.h"
#include "trainyard/catalog_records.h"
#include "trainyard/units.h"

namespace trainyard {

struct CostCase;
struct MappingPlan;
class MeasuredCollectives;
struct ModelPlan;
struct Scenario;

/// Parameters that a device holds and trains, experts apart.
struct HeldParameters {
  double common = 0;
  double experts = 0;
};

/// Parameters of the last stage's output matrix, before tensor parallelism: a tied one is the embedding, of
/// which another stage than the first has a copy.
double output_held(const ModelPlan& model, const MappingPlan& m);

/// Of the embedding and output matrix of a stage's device, which products do not take in fewer than 16 bits.
HeldParameters held_ends(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                         std::int64_t stage);

/// Of the device of a stage, which under DualPipe holds another stage too, embedding and output matrix
/// included; with low-rank adapters those alone.
HeldParameters held_parameters(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                               std::int64_t stage);
/// Of one layer, what adapters stand beside included.
HeldParameters weights_by_layer(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                                LayerKind kind);
/// Of one layer.
HeldParameters held_by_layer(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                             LayerKind kind);
using OfLayer = HeldParameters (*)(const Scenario&, const ModelPlan&, const MappingPlan&, LayerKind);

/// One ring over the replicas of so many bytes a parameter.
Seconds exchange_time(const MeasuredCollectives& collectives, const HeldParameters& held, double bytes,
                      double share);

/// An all-reduce of each shard over the groups that hold copies of each other (mapping.zero_group).
Seconds copies_time(const MeasuredCollectives& collectives, const HeldParameters& held, double bytes,
                    double share);

/// Whether replicas that share out the optimizer alone all-reduce gradients (Software::sums_whole_gradients).
bool sums_whole_gradients(const Scenario& scenario, const Software& software);

/// Replicas over which ZeRO divides a stage's states.
double sharing_replicas(const Scenario& scenario, const MappingPlan& m);

/// What each of those replicas has of what they divide; experts have fewer copies.
double owned_parameters(const HeldParameters& held, const Scenario& scenario, const MappingPlan& m);

/// Whether ZeRO 3 gathers weights, and scatters gradients, for every microbatch.
bool repeats_gathers(const Scenario& scenario, const Software& software, const MappingPlan& m);

/// Whether a flat exchange is the rings that libraries run over all replicas of one datacenter: where times
/// are calibrated and the scenario names no other algorithm.
bool library_rings(const CostCase& c, const MappingPlan& mapping);

/// Bytes of a layer's weight as it is gathered: the working copy's, or what products take of it where the
/// program gathers that.
double gathered_weight_bytes(const Scenario& scenario);

/// Number format in which gradients are exchanged: the scenario's; else that of the training program where
/// times are calibrated; else bf16.
Precision exchanged_gradients(const Scenario& scenario);

/// Layers of the fullest stage, in usual ones by what they exchange: those without experts have less.
double exchanged_layers(const CostCase& costs, const MappingPlan& mapping, OfLayer of_layer = held_by_layer);

/// Of a device of a stage, the same; embedding and output matrix included. By measured constants.
double summed_layers(const CostCase& costs, const MappingPlan& mapping, std::int64_t stage);
/// Of the device that sums most.
double most_summed_layers(const CostCase& costs, const MappingPlan& mapping);

/// Exchanges beside those of usual layers, in these.
struct ExchangedEnds {
  double embedding = 0;
  double output = 0;
};

/// Of gradients; frozen matrices have none. By measured constants.
ExchangedEnds summed_ends(const CostCase& costs, const MappingPlan& mapping);
/// Of weights under ZeRO 3, frozen ones too; in no fewer than 16 bits.
ExchangedEnds gathered_ends(const CostCase& costs, const MappingPlan& mapping);
/// The exchange of a layer without experts, in usual ones; 1 where all are alike.
double exchanged_dense(const CostCase& costs, const MappingPlan& mapping, OfLayer of_layer);
/// Rings over all layers of a stage at once, by as many over one each: fewer delays.
double rings_at_once(const CostCase& costs, const MappingPlan& mapping);

}  // namespace trainyard
