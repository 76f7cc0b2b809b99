#include "scenario/mapping_faults.h"

#include "scenario/in_force.h"
#include "scenario/stage_deal.h"
#include "trainyard/catalog.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

bool leaves_domain(const Scenario& s) {
  // Measured collectives know what it costs to leave a domain; idealised ones do not.
  if (!s.mapping.tensor || s.assumptions.compute_model == ComputeModel::calibrated) return false;
  const HbDomain* domain = s.catalog->hb_domains.find(s.facility.hb_domain);
  return domain && *s.mapping.tensor > domain->devices;
}

}  // namespace

MappingFaults mapping_faults(const Scenario& s) {
  const MappingInput& m = s.mapping;
  const ModelShape& shape = s.model.shape;
  MappingFaults out;
  if (m.pipeline && shape.layers > 0) {
    out.empty_stages = *m.pipeline > shape.blocks();
    out.long_last_stage = !out.empty_stages && *m.pipeline > 1 &&
                          m.last_stage_layers.value_or(0) > most_of_last(shape, *m.pipeline);
    out.uneven_chunks =
        !out.empty_stages &&
        layers_of_stage(shape, {*m.pipeline, m.last_stage_layers.value_or(0)}) % m.virtual_stages != 0;
  }
  if (!m.pipeline && shape.layers > 0)
    out.long_last_stage = m.last_stage_layers.value_or(0) > std::max<std::int64_t>(1, most_of_last(shape, 2));
  out.last_without_stages = m.pipeline.value_or(2) == 1 && m.last_stage_layers;
  out.chunks_without_stages = m.pipeline.value_or(2) == 1 && m.virtual_stages > 1;
  out.uneven_experts = m.expert > 1 && (shape.experts == 0 || shape.experts % m.expert != 0);
  out.cut_experts =
      m.expert_tensor && (shape.experts == 0 || (m.tensor && *m.tensor % *m.expert_tensor != 0));
  out.long_context = shape.sequence > 0 && m.context > shape.sequence;
  out.wide_tensor = leaves_domain(s);
  return out;
}

}  // namespace trainyard
