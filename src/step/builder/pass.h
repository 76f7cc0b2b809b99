// A pass of a chunk through a stage while its operations are added.
#pragma once

#include <cstdint>

#include "parallel/schedules.h"
#include "step/builder/lane.h"
#include "step/graph.h"
#include "trainyard/step_timeline.h"

namespace trainyard::builder {

struct Pass {
  Lane* lane = nullptr;
  ChunkPass what;
  std::int64_t position = 0;  // in the stage's order
  std::int64_t layers = 0;
  std::int64_t dense = 0;  // of these, without experts where others have some
  std::int64_t done = 0;
  bool complete = false;
  bool exchanges = false;  // the chunk's gradients are complete with it
  Operations ready;        // what its next operation waits for
  Operations beside;       // what it waits for at its end
  OperationId last = kNoOperation;
  double gathered = 0;   // layers whose gradients wait for their bucket to fill
  bool sending = false;  // some of its gradients wait or went

  bool begins() const { return last == kNoOperation; }
};

inline StepWork work_of(ChunkWork work) {
  if (work == ChunkWork::forward) return StepWork::forward;
  return work == ChunkWork::backward_weight ? StepWork::backward_weight : StepWork::backward;
}

}  // namespace trainyard::builder
