// Memory of a device.
#pragma once

#include <cstdint>

#include "base/memo.h"
#include "parallel/layer_memory.h"
#include "parallel/stages.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/units.h"

namespace trainyard {

struct Interval;
struct ModelPlan;
struct Scenario;

/// Whether the fullest device holds its part.
inline bool fits(const MappingPlan& mapping, double margin = 1) {
  return margin * mapping.device.total() <= mapping.device_memory;
}

/// Chance that a device holds what is predicted of a mapping: errors are taken as lognormal, 80% of them
/// inside the interval.
double chance_of_room(const MappingPlan& mapping, const Interval& interval);

/// Whether a device may hold a mapping that somebody states: all but one chance in twenty has to be against
/// it.
bool may_fit(const MappingPlan& mapping, const Interval& interval);

/// Bytes that one device keeps of one layer for one microbatch between forward and backward pass.
///
/// Of the kind that most layers are. Korthikanti et al. 2023, section 4: with r bytes an activation and
/// dropout, a dense GeLU layer keeps sbh(16 r + 2)/t under sequence parallelism and selective recomputation:
/// 34 sbh/t at 2 bytes, 10 sbh/t at half a byte (HotNets '24 section 4). Counted here term by term, so that
/// it holds for other shapes too.
Bytes activation_bytes(const ModelShape& shape, const Scenario& scenario, std::int64_t tensor,
                       Recompute recompute);

/// Bytes of one layer and microbatch that are there again while the backward pass recomputes it; as above.
Bytes recomputed_bytes(const ModelShape& shape, const Scenario& scenario, std::int64_t tensor);

/// Share of the layers whose activations go to the host within each pass (mapping.offload_layers).
double offloaded_share(const MappingInput& mapping, const ModelShape& shape);

/// Share of the layers that recompute, where any do (mapping.recompute_layers).
double recomputed_share(const MappingInput& mapping, const ModelShape& shape);

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
///   with one (Narayanan et al. 2021, section 2.2), all of them under GPipe, p on every stage under ZB-H1 (Qi
///   et al. 2024), p + 1 of both stages of a device under DualPipe (DeepSeek-AI 2024, table 2), which holds
///   the states and buffers of both;
/// - buffers, as the scenario's software has them: Transformer Engine adds weight gradients to their 32-bit
///   sums inside the product and gives autograd an unused buffer in place of each, one for each shape (its
///   release 2.3 and later); logits, gradient of the output matrix and of its input on the last stage, or the
///   gradients between the two products of a feed-forward layer, with what is recomputed or gathered for that
///   layer, the larger; workspaces;
/// - with training.adapter_rank all weights are frozen: neither gradients nor optimizer states nor a master
///   copy, and no inputs of the feed-forward layer's products. The attention's matrices have adapters of that
///   rank with states of their own, so the outputs of its norm are kept.
void plan_memory(MappingPlan& mapping, const Scenario& scenario, const ModelPlan& model);

/// plan_memory() of many mappings of one scenario, which must outlive it and may change its [mapping]'s
/// counts, ZeRO stage and recomputation.
class MemoryTables {
 public:
  MemoryTables(const Scenario& scenario, const ModelPlan& model);

  void plan(MappingPlan& mapping, const StageRanges& stages);

 private:
  const LayerMemories& layers_of(const MemoryCase& c);

  const Scenario& scenario_;
  const ModelPlan& model_;
  Software software_;
  Bytes device_memory_;
  MemoryTerms model_memory_;
  Memo<6, LayerMemories> layers_;
};

/// Memory of the device at a stage, which under DualPipe holds another stage too; weights, gradients and
/// optimizer states are what it always holds.
MemoryTerms stage_memory(const MappingPlan& mapping, const Scenario& scenario, const ModelPlan& model,
                         std::int64_t stage);

/// Logits that the last stage holds besides while it works on the output matrix; none where they are among
/// the program's buffers.
Bytes logits_beside_buffers(const MappingPlan& mapping, const Scenario& scenario, const ModelPlan& model);

/// The 80% interval of a device's memory over the predicted value, and on what it rests.
Interval memory_interval(const Scenario& scenario);

}  // namespace trainyard
