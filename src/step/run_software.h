// What a training program does in its own way: how it schedules, what it hides, which kernels it has.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "step/measured_runs.h"

namespace trainyard {

/// Habits of a program that change a step's time. Each is a fact about the software, not about a run.
struct SoftwareTraits {
  double interleaving = 1;         // share of what interleaved stages could save while filling and draining
  bool hidden_gradients = false;   // gradients are summed beside the last backward pass, weights gathered
                                   // beside the next forward one
  bool hidden_tensor = false;      // tensor-parallel transfers run in pieces beside the products
  bool hidden_context = false;     // keys and values pass around a ring beside the attention kernels
  bool graphs = false;             // kernels are launched as captured graphs: no gaps for the host
  double unfused = 0;              // part of the elementwise operators that nobody fused, unless compiled
  double attention_on_ampere = 1;  // share of the calibrated attention rate that its kernels reach, by
  double attention_on_newer =
      1;  // architecture: FlashAttention 2 is younger than one and older than the other
  bool repeated_gathers = false;  // ZeRO 3 gathers and scatters for every microbatch
  double gradient_bytes = 4;      // of a gradient as it is exchanged; fp16 runs always 2
};

const SoftwareTraits& software_traits(RunFramework framework);

std::string_view framework_name(RunFramework framework);

/// Names that the column `framework` takes.
const std::vector<std::pair<std::string_view, RunFramework>>& framework_names();

}  // namespace trainyard
