// The mappings that a scenario leaves open: the values that each count may take.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/scenario/mapping.h"

namespace trainyard {

struct FacilityPlan;
struct ModelPlan;
struct Scenario;

/// Usual cuts are those that training programs make where they can. Sharded ones divide weights (ZeRO 3) too;
/// both take nothing that the training program does not offer (catalog/software.toml).
/// Wide ones fit into no domain or stage evenly, and take anything. Each width includes those before.
enum class SpaceWidth { usual, sharded, wide };

/// What each count of a mapping may be. A count that the scenario gives has that value alone.
///
/// Usual: tensor divides the HB domain, heads and feed-forward layer, and key-value heads as far as they go;
/// pipeline deals the layers evenly, counting embedding and output as layers or not; context is a power of
/// two that divides the sequence into pieces of at least 1,024 tokens; expert divides the experts, which are
/// cut over all tensor ranks or, where times are calibrated, over none; microbatches are powers of two.
/// Sharded: ZeRO 3. Wide: tensor need not divide the HB domain, and any pipeline that leaves no stage empty.
/// assumptions.uneven_shards = "ideal": tensor divides the HB domain and nothing else, pipelines are wide.
class MappingSpace {
 public:
  MappingSpace(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
               SpaceWidth width);

  const std::vector<std::int64_t>& tensors() const { return tensors_; }
  const std::vector<std::int64_t>& pipelines() const { return pipelines_; }
  const std::vector<std::int64_t>& contexts() const { return contexts_; }
  const std::vector<std::int64_t>& experts() const { return experts_; }
  /// Empty: as tensor.
  std::vector<std::optional<std::int64_t>> expert_tensors(std::int64_t tensor) const;
  const std::vector<std::int64_t>& microbatches() const { return microbatches_; }
  std::vector<std::int64_t> virtual_stages(std::int64_t pipeline) const;
  /// From the one that costs least. Stage 3 gathers weights for every pass: only without a pipeline, as FSDP.
  std::vector<std::int64_t> zero_stages(std::int64_t pipeline) const;
  /// From the one that costs least.
  const std::vector<Recompute>& recomputes() const { return recomputes_; }
  /// Whether some layers may recompute all that they make, and the others nothing.
  bool recomputes_by_layer() const { return by_layer_; }

 private:
  MappingSpace(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
               SpaceWidth width, const Software& offered);

  const MappingInput& input_;
  SpaceWidth width_;
  const ModelShape& shape_;
  bool calibrated_;
  std::int64_t most_zero_stage_;
  std::vector<std::int64_t> tensors_;
  std::vector<std::int64_t> pipelines_;
  std::vector<std::int64_t> contexts_;
  std::vector<std::int64_t> experts_;
  std::vector<std::int64_t> microbatches_;
  std::vector<Recompute> recomputes_;
  bool by_layer_;
};

}  // namespace trainyard
