// Counts and memory of the mappings of one scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/memo.h"
#include "parallel/memory.h"
#include "parallel/parallel.h"
#include "parallel/stages.h"
#include "trainyard/plan/mapping.h"

namespace trainyard {

/// Why the devices do not hold a cut.
enum class CutRefusal { none, tensor, stages, data, expert, expert_tensor, zero_group };

/// cut_model() of many mappings of one scenario. Everything must outlive it; between cuts the counts of the
/// scenario's [mapping], its ZeRO stage and recomputation may change.
class Cutter {
 public:
  Cutter(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model);

  /// Counts and memory, without warnings. Of a refused cut, the counts that are known.
  CutRefusal cut(Cut cut, Placement placement, MappingPlan& out);

  /// A refusal in words.
  std::string why(CutRefusal refusal, const MappingPlan& refused) const;

  /// Says what is uneven about a cut.
  void warn(MappingPlan& mapping) const;

  /// The ranges of stages of such a cut; valid until the next call.
  const StageRanges& stages(StageCut cut);
  /// Devices that work when as many replicas of such groups stand as there is room for.
  std::int64_t devices_that_fill(MappingPlan m) const;

 private:
  std::int64_t most_replicas(const MappingPlan& m) const;
  std::int64_t replicas(const MappingPlan& m, std::int64_t most);
  void set_replicas(MappingPlan& m) const;
  void set_batch(MappingPlan& m) const;
  std::optional<double> wanted_microbatches(const MappingPlan& m) const;

  const Scenario& scenario_;
  const FacilityPlan& facility_;
  const ModelPlan& model_;
  Software software_;
  bool measured_;
  MemoryTables memory_;
  Memo<2, StageRanges> stages_;
  Memo<3, std::int64_t> replicas_;  // by microbatch, room and replicas of an expert group
};

}  // namespace trainyard
