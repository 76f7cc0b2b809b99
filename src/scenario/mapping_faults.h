// What counts of a mapping contradict each other or the model.
#pragma once

namespace trainyard {

struct Scenario;

struct MappingFaults {
  bool empty_stages = false;           // more stages than layers
  bool uneven_chunks = false;          // virtual stages that do not divide the layers of a stage
  bool long_last_stage = false;        // more layers for the last stage than for the others
  bool last_without_stages = false;    // layers of the last of one stage
  bool chunks_without_stages = false;  // virtual stages of a single stage
  bool uneven_experts = false;
  bool cut_experts = false;   // over ranks that do not divide the tensor group, or of a model without experts
  bool long_context = false;  // more context ranks than tokens
  bool wide_tensor = false;   // a group beyond the HB domain, whose price an idealisation does not know

  bool any() const {
    return empty_stages || uneven_chunks || long_last_stage || last_without_stages || chunks_without_stages ||
           uneven_experts || cut_experts || long_context || wide_tensor;
  }
};

MappingFaults mapping_faults(const Scenario& scenario);

}  // namespace trainyard
