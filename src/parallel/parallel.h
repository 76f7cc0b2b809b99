// A model and a cluster into a mapping: groups, replicas, placement, memory of a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/catalog.h"
#include "trainyard/plan.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {

struct Scenario;

/// The two counts that the program may choose.
struct Cut {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
};

/// Cuts the model over the devices. Returns nothing when the devices do not hold one replica, with the reason
/// in `why`. The mapping may need more memory than a device has: see fits().
std::optional<MappingPlan> cut_model(const Scenario& scenario, const FacilityPlan& facility,
                                     const ModelPlan& model, Cut cut, Placement placement,
                                     std::string* why = nullptr);

/// Layers of a pipeline stage by kind; those without experts come first.
struct StageLayers {
  std::int64_t dense = 0;
  std::int64_t sparse = 0;  // with routed experts
  std::int64_t total() const { return dense + sparse; }
};

/// Layers are dealt evenly over the stages; where they do not divide, the first stages take one more.
constexpr std::int64_t stage_layers(std::int64_t layers, std::int64_t pipeline, std::int64_t stage) {
  return layers / pipeline + (stage < layers % pipeline ? 1 : 0);
}
StageLayers stage_layers(const ModelShape& shape, std::int64_t pipeline, std::int64_t stage);

/// Neighbouring stages that hold the same layers; the first and the last stand alone.
struct StageRange {
  std::int64_t first = 0;
  std::int64_t count = 1;
  StageLayers layers;
};

/// All stages, in a handful of ranges however many there are.
std::vector<StageRange> stage_ranges(const ModelShape& shape, std::int64_t pipeline);

/// Whether the fullest device holds its part.
inline bool fits(const MappingPlan& mapping) { return mapping.device.total() <= mapping.device_memory; }

/// The copies of one stage over which gradients are summed.
struct ReplicaGroups {
  std::int64_t local = 1;  // inside an HB domain
  std::int64_t peers = 1;  // HB domains of one datacenter
  std::int64_t datacenters = 1;

  std::int64_t total() const { return local * peers * datacenters; }
};

/// The copies of one stage, and so of its gradients.
ReplicaGroups replica_groups(const MappingPlan& mapping);

/// Bytes that one device keeps of one layer for one microbatch between forward and backward pass.
///
/// Of the kind that most layers are. Korthikanti et al. 2023, section 4: with r bytes an activation and
/// dropout, a dense GeLU layer keeps sbh(16 r + 2)/t under sequence parallelism and selective recomputation:
/// 34 sbh/t at 2 bytes, 10 sbh/t at half a byte (HotNets '24 section 4). Counted here term by term, so that
/// it holds for other shapes too.
Bytes activation_bytes(const ModelShape& shape, const Scenario& scenario, std::int64_t tensor,
                       Recompute recompute);

/// Memory of the fullest device under a mapping, term by term; also fills the mapping's activation fields.
///
/// Terms, with h the hidden size, T the tensor-parallel group and b s / C tokens of a microbatch:
/// - states: bytes of [precision] a parameter, divided by ZeRO (Rajbhandari et al. 2020); routed experts over
///   their own copies, everything else over all replicas;
/// - activations: inputs of the norms, their outputs, query, key, value and attention output, the first
///   product of the feed-forward layer and the input of the second (Korthikanti et al. 2023, section 4);
///   routed experts keep their input and their inner products for each of k copies of a token; with a ring of
///   context ranks the attention output once more, before its exchange;
/// - microbatches in flight: (2 (p - i - 1) + (v - 1) p + 1) / v on stage i with v > 1 virtual stages, p - i
///   with one (Narayanan et al. 2021, section 2.2), all of them under GPipe;
/// - buffers, as the scenario's software has them: Transformer Engine adds weight gradients to their 32-bit
///   sums inside the product and gives autograd an unused buffer in place of each, one for each shape (its
///   release 2.3 and later); logits, gradient of the output matrix and of its input on the last stage, or the
///   gradients between the two products of a feed-forward layer, with what is recomputed or gathered for that
///   layer, the larger; workspaces;
/// - with training.adapter_rank all weights are frozen: neither gradients nor optimizer states nor a master
///   copy, and no inputs of the feed-forward layer's products. The attention's matrices have adapters of that
///   rank with states of their own, so the outputs of its norm are kept.
void plan_memory(MappingPlan& mapping, const Scenario& scenario, const ModelPlan& model);

/// Memory of a device of a stage; weights, gradients and optimizer states are what it always holds.
MemoryTerms stage_memory(const MappingPlan& mapping, const Scenario& scenario, const ModelPlan& model,
                         std::int64_t stage);

/// The 80% interval of a device's memory over the predicted value, and on what it rests.
Interval memory_interval(const Scenario& scenario);

/// The copies of one set of experts: expert parallelism spreads a set over replicas, first inside an HB
/// domain.
ReplicaGroups expert_groups(const MappingPlan& mapping);

/// Parameters of a layer that one device holds.
struct DeviceParameters {
  double common = 0;   // everything but experts, divided by the tensor-parallel group
  double experts = 0;  // divided by expert parallelism too
};
DeviceParameters layer_parameters(const ModelPlan& model, const MappingPlan& mapping);

}  // namespace trainyard
