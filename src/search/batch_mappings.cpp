#include "search/batch_mappings.h"

#include <vector>

#include "base/divisors.h"
#include "parallel/memory.h"
#include "parallel/program_rules.h"
#include "search/mapping_evaluator.h"
#include "search/mapping_space.h"
#include "trainyard/plan/facility.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// All counts open, as mapping_space.h reads them.
Scenario opened(const Scenario& scenario) {
  Scenario out = scenario;
  MappingInput& m = out.mapping;
  m.tensor.reset();
  m.pipeline.reset();
  m.expert_tensor.reset();
  m.open = MappingOpen::all();
  return out;
}

/// Tries the mappings, group by group.
class BatchSearch {
 public:
  BatchSearch(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
              const HeldBatch& held)
      : held_(held),
        model_(model),
        opened_(opened(scenario)),
        space_(opened_, facility, model, SpaceWidth::sharded),
        recomputes_(held.recompute ? std::vector{scenario.mapping.recompute} : space_.recomputes()),
        trial_(scenario),
        evaluator_(trial_, facility, model) {
    trial_.mapping.open = {};
  }

  BatchMappings run() {
    for (const std::int64_t tensor : space_.tensors()) {
      for (const std::int64_t context : space_.contexts()) {
        for (const std::int64_t pipeline : space_.pipelines()) try_groups(tensor, context, pipeline);
      }
    }
    return out_;
  }

 private:
  MappingInput& mapping() { return trial_.mapping; }

  void try_groups(std::int64_t tensor, std::int64_t context, std::int64_t pipeline) {
    const std::int64_t replica = tensor * context * pipeline;
    if (held_.devices % replica != 0) return;
    const std::int64_t data = held_.devices / replica;
    if (held_.sequences % data != 0) return;
    mapping().tensor = tensor;
    mapping().context = context;
    mapping().pipeline = pipeline;
    mapping().data = data;
    const std::int64_t experts = model_.shape.experts;
    for (const std::int64_t expert : experts > 0 ? divisors(experts) : std::vector<std::int64_t>{1}) {
      for (const std::optional<std::int64_t> cut : space_.expert_tensors(tensor)) {
        if ((data * context * tensor) % (expert * cut.value_or(tensor)) != 0) continue;
        mapping().expert = expert;
        mapping().expert_tensor = cut;
        for (const std::int64_t microbatch : divisors(held_.sequences / data)) try_microbatch(microbatch);
      }
    }
  }

  void try_microbatch(std::int64_t microbatch) {
    const std::int64_t pipeline = *mapping().pipeline;
    mapping().microbatch = microbatch;
    mapping().microbatches = held_.sequences / *mapping().data / microbatch;
    for (const std::int64_t chunks : space_.virtual_stages(pipeline)) {
      mapping().virtual_stages = chunks;
      for (const std::int64_t zero : space_.zero_stages(pipeline)) {
        mapping().zero_stage = zero;
        for (const Recompute recompute : recomputes_) {
          mapping().recompute = recompute;
          try_one();
        }
      }
    }
  }

  void try_one() {
    ++out_.tried;
    if (evaluator_.cut({*mapping().tensor, *mapping().pipeline}, cut_) != CutRefusal::none ||
        !in_whole_rounds(cut_) || !fits(cut_))
      return;
    ++out_.fitting;
    if (out_.best && evaluator_.bounds() && !(evaluator_.times(cut_, StepEffort::bound).step < out_.step))
      return;
    const Seconds step = evaluator_.times(cut_).step;
    if (out_.best && !(step < out_.step)) return;
    out_.best = mapping();
    out_.step = step;
  }

  const HeldBatch& held_;
  const ModelPlan& model_;
  Scenario opened_;
  MappingSpace space_;
  std::vector<Recompute> recomputes_;
  Scenario trial_;
  MappingEvaluator evaluator_;
  MappingPlan cut_;
  BatchMappings out_;
};

}  // namespace

BatchMappings best_of_batch(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                            const HeldBatch& held) {
  return BatchSearch(scenario, facility, model, held).run();
}

}  // namespace trainyard
