// What a training program does in its own way: how it schedules, what it hides, which kernels it has.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "step/measured_runs.h"

namespace trainyard {

/// Habits of a program that change a step's time. Each is a fact about the software, not about a run.
struct SoftwareTraits {
  /// Share of what interleaved stages could save while filling and draining.
  double interleaving = 1;
  /// Gradients are summed beside the last backward pass, weights gathered beside the next forward one.
  bool hidden_gradients = false;
  /// Tensor-parallel transfers run in pieces beside the products.
  bool hidden_tensor = false;
  /// Keys and values pass around a ring beside the attention kernels.
  bool hidden_context = false;
  /// Kernels are launched as captured graphs: no gaps for the host.
  bool graphs = false;
  /// Part of the elementwise operators that nobody fused, unless compiled.
  double unfused = 0;
  /// Share of the calibrated attention rate that its kernels reach: FlashAttention 2 is younger than Ampere
  /// and older than what followed.
  double attention_on_ampere = 1;
  double attention_on_newer = 1;
  /// ZeRO 3 gathers through every network interface of a server, not tensor by tensor through one.
  bool wide_gathers = true;
  /// ZeRO 3 gathers and scatters for every microbatch.
  bool repeated_gathers = false;
  /// Bytes of a gradient as it is exchanged; fp16 runs always 2.
  double gradient_bytes = 4;
};

const SoftwareTraits& software_traits(RunFramework framework);

std::string_view framework_name(RunFramework framework);

/// Names that the column `framework` takes.
const std::vector<std::pair<std::string_view, RunFramework>>& framework_names();

}  // namespace trainyard
