#include "step/builder/lane.h"
#include "step/layer_pass.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard::builder {

const PassTransfer& pipeline_transfer(const MappingPlan& m, const LayerPass& costs, std::int32_t from,
                                      std::int32_t to) {
  const bool consecutive = m.placement == Placement::consecutive_layers;
  const bool wraps = from < 0 || to >= m.pipeline;
  const bool same = consecutive && (m.groups_per_domain >= m.pipeline ||
                                    (!wraps && from / m.groups_per_domain == to / m.groups_per_domain));
  return same ? costs.to_next_stage : costs.to_next_domain;
}

}  // namespace trainyard::builder
