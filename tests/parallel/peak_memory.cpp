#include "peak_memory.h"

#include "parallel/device_memory.h"
#include "parallel/layer_memory.h"

namespace trainyard {
namespace {

/// Habits of the entry megatron-core of catalog/software.toml.
Software measured_software() {
  Software software;
  software.context_exchange = ContextExchange::ring;
  software.weight_gradient_placeholders = true;
  software.vocabulary_multiple = 128;
  software.workspace = Bytes(64.0 * 1024 * 1024);
  return software;
}

const Software& program() {
  static const Software software = measured_software();
  return software;
}

MemoryCase memory_case(const ModelShape& shape, const MappingInput& cut, bool keep_all) {
  MemoryCase c(shape, program());
  c.tensor = cut.tensor.value_or(1);
  c.pipeline = cut.pipeline.value_or(1);
  c.data = cut.data.value_or(1);
  c.context = cut.context;
  c.expert = cut.expert;
  c.virtual_stages = cut.virtual_stages;
  c.microbatch = cut.microbatch;
  c.microbatches = cut.microbatches.value_or(1);
  c.zero_stage = cut.zero_stage;
  c.sequence_parallel = cut.sequence_parallel;
  c.recompute = cut.recompute;
  c.attention = cut.attention;
  c.keep_all = keep_all;
  return c;
}

PeakMemory peak_of(const DeviceMemory& memory, std::int64_t stage) {
  const DeviceTerms m = memory.of(stage);
  return {stage,         m.weights,      m.gradients,   m.master + m.optimizer,
          m.activations, m.placeholders, m.temporaries, m.workspace};
}

}  // namespace

PeakMemory stage_peak_memory(const ModelShape& shape, const MappingInput& cut, std::int64_t stage,
                             bool keep_all) {
  const MemoryCase c = memory_case(shape, cut, keep_all);
  const LayerMemories layers(c);
  return peak_of(DeviceMemory(c, layers), stage);
}

PeakMemory peak_memory(const ModelShape& shape, const MappingInput& cut, bool keep_all) {
  const MemoryCase c = memory_case(shape, cut, keep_all);
  const LayerMemories layers(c);
  const DeviceMemory memory(c, layers);
  PeakMemory most = peak_of(memory, 0);
  for (std::int64_t stage = 1; stage < cut.pipeline.value_or(1); ++stage) {
    const PeakMemory m = peak_of(memory, stage);
    if (m.total() > most.total()) most = m;
  }
  return most;
}

}  // namespace trainyard
