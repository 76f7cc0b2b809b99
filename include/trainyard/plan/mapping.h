// The part of a plan that says how the model is cut over the devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

enum class Placement;  // trainyard/scenario/mapping.h

/// Bytes by term.
struct MemoryTerms {
  Bytes weights;  // master and working copy
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;  // on the device
  Bytes buffers;      // of the training program: temporaries and workspaces
  Bytes model_states() const { return weights + gradients + optimizer; }
  Bytes total() const { return weights + gradients + optimizer + activations + buffers; }
  MemoryTerms& operator+=(const MemoryTerms& other) {
    weights += other.weights;
    gradients += other.gradients;
    optimizer += other.optimizer;
    activations += other.activations;
    buffers += other.buffers;
    return *this;
  }
};

/// How the model is cut over the devices, and the memory that this takes (HotNets '24 section 4).
struct MappingPlan {
  std::int64_t tensor = 1;
  std::int64_t context = 1;
  std::int64_t pipeline = 1;
  std::int64_t virtual_stages = 1;
  std::int64_t data = 1;
  std::int64_t expert = 1;
  std::int64_t expert_tensor = 1;   // tensor ranks over which an expert is cut
  bool experts_on_context = false;  // a set takes the context ranks of a replica before other replicas
  std::int64_t data_per_datacenter = 1;
  std::int64_t layers_per_stage = 1;   // of the fullest: see stage_layers
  std::int64_t last_stage_layers = 0;  // kept for the last stage; 0: dealt as the others
  std::int64_t groups_per_domain =
      1;  // tensor x context groups of one HB domain; 1 where a group spans several
  std::int64_t domains_per_group = 1;  // HB domains over which a context-parallel group is spread
  std::int64_t local_replicas = 1;     // replicas of one stage inside an HB domain
  std::int64_t held_in_domain = 1;     // devices of an HB domain that hold the same stage, by their ranks
  std::int64_t peer_domains = 1;       // HB domains of one datacenter that hold the same stage
  std::int64_t datacenters = 1;
  std::int64_t devices_used = 0;
  std::int64_t devices_idle = 0;
  std::int64_t microbatch = 1;
  std::int64_t microbatches = 1;
  double batch_sequences = 0;
  double batch_tokens = 0;
  Placement placement{};  // the first: same_layer

  MemoryTerms model_memory;      // of one copy of the model, all devices together, before ZeRO
  MemoryTerms device;            // of the fullest device
  Bytes activation_layer;        // kept by one device for one layer and microbatch
  Bytes dense_activation_layer;  // of one without experts, where others have some
  double in_flight = 1;          // microbatches whose activations wait on the first stage
  Bytes host_activations;        // offloaded, a device
  BytesPerSecond offload_rate;   // that offloading needs, one direction
  Bytes device_memory;           // what the accelerator has
  std::vector<std::string> warnings;

  /// That share one set of experts.
  std::int64_t expert_devices() const { return expert * expert_tensor; }
  /// Of the tensor ranks of one replica, sets of experts.
  std::int64_t expert_sets() const { return std::max<std::int64_t>(1, tensor / expert_devices()); }
  /// Whether experts have as many copies as the rest of a layer, in the same places.
  bool experts_as_the_rest() const { return expert_devices() == tensor; }
  /// Parts of a tensor group that hold experts of their own.
  std::int64_t expert_ranks() const { return tensor / expert_tensor; }
  /// Over which one set of experts is spread.
  std::int64_t expert_replicas() const { return std::max<std::int64_t>(1, expert_devices() / tensor); }
  /// Tensor groups of one HB domain that a set of experts takes before it leaves the domain.
  std::int64_t expert_places() const {
    return experts_on_context ? std::max<std::int64_t>(1, held_in_domain / tensor) : local_replicas;
  }
  /// Tensor groups of a stage that sets of experts can take.
  std::int64_t expert_room() const { return data * (experts_on_context ? context : 1); }
  /// HB domains over which one set of experts is spread.
  std::int64_t expert_domains() const {
    if (experts_on_context) return (expert_devices() + held_in_domain - 1) / held_in_domain;
    const std::int64_t spread = expert_replicas();
    return spread <= local_replicas ? 1 : spread / std::gcd(spread, local_replicas);
  }
  /// Replicas that share whole sets of experts.
  std::int64_t replicas_together() const {
    const std::int64_t spread = expert_replicas();
    return spread / std::gcd(spread, experts_on_context ? context : 1);
  }
  /// The same as expert_replicas, below 1 where a replica has several sets.
  double expert_spread() const { return static_cast<double>(expert_devices()) / static_cast<double>(tensor); }
};

}  // namespace trainyard
