// What a device copies around its gathers and scatters.
#pragma once

#include "cost/compute_times.h"
#include "cost/exchange_times.h"
#include "trainyard/units.h"

namespace trainyard {

struct MappingPlan;
struct ModelShape;
class OperatorClock;
struct Scenario;
struct Software;

/// Weights that a device holds.
struct CopiedWeights {
  HeldParameters gathered;
  HeldParameters trained;
  double bytes = 0;  // of each, as it is gathered
};

/// Of a microbatch, between its kernels.
struct GatherCopies {
  Seconds forward;
  Seconds backward;
};

/// Of a layer's weights under ZeRO 3: out of the buffer that was gathered, before each pass
/// (`gather_copy_bytes` of the program), into the buffer of the scatter (`scatter_copy_bytes`); where the
/// program keeps no working copy, of what is trained of its own shard also the cast before each gather, and
/// the sum of microbatches' gradients. Nothing below ZeRO 3.
GatherCopies gather_copies(const Scenario& scenario, const MappingPlan& m, const CopiedWeights& weights,
                           const OperatorClock& clock);

/// Of a layer around the gathers and scatters of tensor ranks that divide the sequence (`copies_sequence` of
/// the program): those of a pass, and what recomputation gathers again.
struct SequenceCopies {
  Seconds pass;
  Seconds again;
};

SequenceCopies sequence_copies(const Scenario& scenario, const ModelShape& shape, const MappingPlan& m,
                               LayerKind kind, const OperatorClock& clock);

/// Of 16-bit inputs, by what tensor ranks gather.
double gathered_input_width(const Scenario& scenario, const Software& software);

}  // namespace trainyard
