// The part of a plan that says what is sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/networks.h"
#include "trainyard/scenario/assumptions.h"
#include "trainyard/units.h"

namespace trainyard {

/// The stages of a gradient exchange; stage 0 is the rack's, and so on.
struct GradientStage {
  std::string name;
  NetworkLevel network = NetworkLevel::scale_up;
  std::int64_t peers = 1;
  Bytes bytes;  // buffer of one device
  Bytes sent;   // that a device puts on its network
  Seconds time;
  Seconds delay{0};  // the part of it that is delay, and takes no bandwidth
  AllReduce algorithm = AllReduce::bandwidth;
  int passes = 1;            // over all other peers: an all-reduce is two
  bool gathers = false;      // what others have summed; under ZeRO 1 and 2, updated weights
  Bytes sent_of_experts{0};  // of `sent`, where experts have copies on tensor ranks too
};

/// A layer's exchange. Where times are calibrated, its stages overlap from piece to piece, or take turns on
/// one network (ZeRO 3), and delays, in which a network carries other pieces, are waited for once a step.
struct ExchangePhases {
  Seconds sum;            // of gradients, on the busiest network
  Seconds sum_apart;      // of it, at most before, between or behind datacenters: delays pass beside the rest
  Seconds returned;       // of updated weights, the same
  Seconds chain;          // the sum's stages, one after the other
  double first = 1;       // of these, the first one's part
  Seconds delay;          // of a sum, beside its bytes
  Seconds returned_once;  // beside what returns: delays, and the first piece on other networks
  double pieces = 1;      // of a layer, each of which passes all stages on its own
  bool in_turns = false;  // stages follow each other
  bool by_layer = false;  // not calibrated: `sum` is all, with the delay of every layer
};

/// One way to sum gradients over the replicas, for one layer.
struct GradientPlan {
  GradientExchange kind = GradientExchange::flat;
  std::vector<GradientStage> stages;
  ExchangePhases phases;
  Seconds pipelined;  // stages overlapped as assumptions.stage_overlap says; delays count once a step
  Seconds exposed;    // beyond the backward pass of one layer
};

/// What is sent, and how long it takes, for one layer and microbatch (HotNets '24 section 4.1); exchanges of
/// gradients apart.
struct LayerTraffic {
  BitRate scale_up_rate;  // in force, one direction
  BitRate scale_out_rate;
  BitRate wide_area_rate;
  Bytes layer_input;                 // s b h r of one sequence of a microbatch
  Bytes tensor_volume;               // forward, whole group
  double tensor_exposed = 1;         // share of tensor-parallel time that compute does not hide
  double tensor_feed_forward = 0.5;  // share of it around the feed-forward part
  AllReduce tensor_algorithm = AllReduce::bandwidth;
  Seconds tensor_forward;  // per layer
  Seconds tensor_backward;
  Bytes router_gradient;      // the replicated router's extra exchange
  Bytes pipeline_volume;      // a device
  Seconds pipeline_transfer;  // one direction of the pass, between two stages
  bool pipeline_in_domain = false;
  Bytes weight_shard;             // ZeRO-3: weights of a layer that a device gathers
  Bytes weight_shard_of_experts;  // of these, those that only copies of the same experts share
  Seconds weight_gather;
  Bytes context_volume;
  Seconds context_forward;  // not hidden behind attention
  Seconds context_backward;
  double expert_exposed = 1;  // share of the all-to-alls' time that compute does not hide
  Bytes expert_volume;        // one all-to-all, a device
  AllToAll expert_algorithm = AllToAll::bandwidth;
  Bytes expert_inside;     // of it, that a device sends in its HB domain
  Bytes expert_outside;    // and between HB domains; hierarchical ones do both
  Seconds expert_forward;  // dispatch and combine
  Seconds expert_backward;
};

/// Everything that is sent, to how many peers.
struct CommunicationPlan : LayerTraffic {
  Bytes gradient_layer;                 // gradients of a layer, whole group
  Bytes gradient_chunk;                 // what leaves the HB domain
  GradientPlan gradient;                // the one in force
  std::vector<GradientPlan> gradients;  // all that were compared
};

}  // namespace trainyard
