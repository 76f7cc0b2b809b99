// Measured training runs: rows of a CSV file (data/measured_runs.csv, or a user's), each a run with its
// shape, its parallelism and what was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/units.h"

namespace trainyard {

/// What a run reports.
enum class RunMetric {
  step_time,          // seconds of a step
  tokens_per_device,  // tokens a second and device
  flops_per_device,   // FLOP a second and device, counted as counted_flop says
  mfu,                // model FLOP a second over the dense peak of the row's precision
};

/// The program that ran: it decides defaults of the schedule, of recomputation and of what overlaps.
enum class RunFramework { megatron, megatron_2021, megatron_core, nemo, torchtitan, fsdp, llama3, palm };

/// How microbatches pass the pipeline.
enum class RunSchedule { gpipe, one_forward_one_backward, interleaved, zero_bubble, dualpipe };

/// What the free text of a row says that the model understands. Everything else in a note is ignored, and so
/// is a phrase that the note denies ("not compiled", "uncompiled", "no DualPipe", "DualPipe disabled").
struct RunNote {
  bool compiled = false;           // "compiled": elementwise operators are fused by a compiler
  bool async_tensor = false;       // "async TP": tensor-parallel transfers overlap with matrix products
  bool parallel_block = false;     // "parallel transformer block", "parallel block"
  bool sliding_window = false;     // "sliding-window attention"
  bool megascale_overlap = false;  // "MegaScale" and "overlap": tensor and data transfers behind compute
  bool interleaved = false;        // "interleaved 1F1B"
  bool dualpipe = false;           // "DualPipe"
  bool hardware_flop = false;      // "hardware FLOP: 96"
  bool multi_query = false;        // "multi-query": one key and value head
  std::optional<std::int64_t> microbatches;    // "N microbatches"
  std::optional<std::int64_t> head_dimension;  // "head dimension N"
  std::optional<Bytes> peak_memory;            // "peak allocated memory measured X GiB"
  std::optional<FlopRate> peak_rate;           // "peak X TFLOP/s"
};

/// Reads what RunNote holds from free text; capitals do not matter.
RunNote parse_run_note(std::string_view note);

/// One run. Blank columns are filled in as docs/validation.md says; what was assumed stands in `assumed`.
struct MeasuredRun {
  std::string id;
  std::string source;           // of the measurement
  std::string model;            // as the row names it
  ModelShape shape;             // by the columns; details of experts and latent attention by the catalog
  std::string accelerator;      // as the row names it
  std::string accelerator_key;  // of the catalog
  std::int64_t devices = 1;
  std::int64_t devices_per_hb_domain = 1;
  std::optional<BitRate> nic_rate;  // of a device, one direction; blank: not stated, or one HB domain
  std::int64_t global_batch = 1;    // sequences
  std::int64_t microbatch = 1;      // sequences
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t virtual_stages = 1;  // of a device
  std::int64_t data = 1;
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::int64_t zero_stage = 0;
  bool sequence_parallel = false;
  Recompute recompute = Recompute::none;
  Precision precision = Precision::bf16;
  Attention attention = Attention::flash;
  RunFramework framework = RunFramework::megatron;
  RunSchedule schedule = RunSchedule::one_forward_one_backward;
  RunMetric metric = RunMetric::step_time;
  double value = 0;  // in base units: s, token/s, FLOP/s, fraction
  std::string unit;  // as the file writes it
  std::string confidence;
  std::string note;
  RunNote facts;
  Location where;                    // its line in the file
  std::vector<std::string> assumed;  // facts that neither the row nor the authors' scripts state

  /// Microbatches of a step on each replica; a whole number, which the reader checks.
  std::int64_t microbatches() const { return global_batch / (data * microbatch); }
  double tokens_per_step() const {
    return static_cast<double>(global_batch) * static_cast<double>(shape.sequence);
  }
};

/// Reads a file of runs; `name` stands in messages. Throws InputError with every finding: columns that are
/// missing or unknown, ids that stand twice, numbers outside their ranges, groups that do not multiply to the
/// devices, batches that do not divide, accelerators and models that the catalog does not know.
std::vector<MeasuredRun> read_measured_runs(std::string_view text, const std::string& name,
                                            const Catalog& catalog);

/// The runs that the program ships with.
std::vector<MeasuredRun> shipped_runs(const Catalog& catalog);

/// Published runs that no fit has seen (data/held_out_runs.csv).
std::vector<MeasuredRun> held_out_runs(const Catalog& catalog);

/// FLOP of a step, by the convention of the row's metric.
///
/// Hardware FLOP: 96 B s l h^2 (1 + s/6h + V/16lh), Narayanan et al. 2021, equation 3. MFU: 6 N + 12 l a q s
/// a token, N all parameters that a token passes, the attention matrix whole (Chowdhery et al. 2022, appendix
/// B: gives PaLM's 46.2% for 238.3K tokens/s). Model FLOP: 6 a matrix weight and token, and half of the
/// attention matrix, which is what a causal kernel computes.
Flop counted_flop(const MeasuredRun& run);

/// The time of a step by what was measured. `peak` is the dense rate of the row's accelerator and precision.
Seconds measured_step(const MeasuredRun& run, const Catalog& catalog);

/// What a step of this length is in the row's metric, in base units: the inverse of measured_step.
double metric_of_step(const MeasuredRun& run, Seconds step, const Catalog& catalog);

/// The number of a metric in the unit that files and reports use (TFLOP/s, %, s, token/s).
double in_file_units(RunMetric metric, double si);
std::string_view file_unit(RunMetric metric);

/// The metric as files name it: "step_time".
std::string_view metric_name(RunMetric metric);

/// Dense peak of a run's accelerator at its precision; what the note states goes before the catalog.
FlopRate run_peak(const MeasuredRun& run, const Catalog& catalog);

}  // namespace trainyard
