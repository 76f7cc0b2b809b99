// Measured training runs: rows of a CSV file (data/measured_runs.csv, or a user's), each a run with its
// shape, its parallelism and what was measured; or, for a run that nobody has measured, to be predicted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/errors.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/units.h"

namespace trainyard {

enum class Hidden;
struct Catalog;

/// What a run reports.
enum class RunMetric {
  step_time,          // seconds of a step
  tokens_per_device,  // tokens a second and device
  flops_per_device,   // FLOP a second and device, counted as counted_flop says
  mfu,                // model FLOP a second over the dense peak of the row's precision
};

/// What a reported FLOP rate or utilization counts.
enum class FlopConvention {
  model,        // 6 a matrix weight and token, and the causal half of attention
  hardware_96,  // Narayanan et al. 2021, equation 3: the recomputed forward pass too
  mfu,          // Chowdhery et al. 2022, appendix B: 6 a parameter, the whole attention matrix
};

/// How microbatches pass the pipeline.
enum class RunSchedule { gpipe, one_forward_one_backward, interleaved, zero_bubble, dualpipe };

/// One run: what the columns of its row state (docs/validation.md lists them) or a blank one stands for; what
/// was assumed stands in `assumed`. A prediction reads neither id, source, model, confidence nor note.
struct MeasuredRun {
  std::string id;
  std::string source;           // of the measurement
  std::string model;            // as the row names it
  ModelShape shape;             // by the columns; what no column has by the catalog's `base_model`
  std::string accelerator;      // as the row names it
  std::string accelerator_key;  // of the catalog
  std::int64_t devices = 1;
  std::int64_t devices_per_hb_domain = 1;
  std::optional<BitRate> nic_rate;  // of a device, one direction; blank: not stated, or one HB domain
  std::int64_t global_batch = 1;    // sequences
  std::int64_t microbatch = 1;      // sequences
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t virtual_stages = 1;                // of a device
  std::optional<std::int64_t> last_stage_layers;  // empty: as the others, or as the program deals
  std::int64_t data = 1;
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::optional<std::int64_t> expert_tensor;  // empty: as tensor
  std::int64_t zero_stage = 0;
  std::optional<std::int64_t> zero_group;  // replicas over which ZeRO divides; blank: all
  bool sequence_parallel = false;
  Recompute recompute = Recompute::none;
  std::optional<std::int64_t> recompute_layers;  // of the model's layers, so many recompute; blank: all
  std::vector<RecomputeModule> recompute_modules;
  std::optional<std::int64_t> offload_layers;  // of the model's layers, whose activations go to the host
  Precision precision = Precision::bf16;
  Fp8Scaling scaling = Fp8Scaling::tensor;
  std::optional<Precision> states;  // weights, gradients and moments, without a master copy; blank: mixed
  std::optional<Precision> activation_input;  // kept inputs of activation functions; blank: as they come
  Attention attention = Attention::flash;
  RunSchedule schedule = RunSchedule::one_forward_one_backward;
  std::string software = "megatron-core";           // key of catalog.software
  bool compiled = false;                            // a compiler fuses the elementwise operators
  std::vector<Hidden> hides;                        // beyond the software's habits
  bool hides_wholly = false;                        // nothing of what `hides` names is left exposed
  std::vector<Hidden> exposes;                      // although the software hides it
  std::optional<bool> graphs;                       // captured graphs; blank: as the software does
  std::optional<ContextExchange> context_exchange;  // blank: as the software does
  std::optional<bool> low_attention;                // attention in `precision`; blank: as the software does
  std::optional<bool> low_output;                   // the output matrix too
  std::optional<std::int64_t> adapter_rank;         // low-rank adapters beside frozen weights
  bool blocking_launches = false;
  double expert_imbalance = 1;  // tokens of the fullest device that holds experts, over their mean
  RunMetric metric = RunMetric::step_time;
  std::optional<double> value;  // in base units: s, token/s, FLOP/s, fraction; blank: predicted only
  FlopConvention flop_convention = FlopConvention::model;
  std::optional<FlopRate> peak;          // that the reported utilization divides by; blank: the catalog's
  std::optional<Bytes> measured_memory;  // peak of a device
  std::string left_out;                  // why errors and fits leave the run out; "" when they do not
  bool from_memory = false;              // quoted so: no part in fits
  std::string confidence;
  std::string note;
  bool published = false;                     // of others' table, which states habits that a cut may not have
  Location where;                             // its line in the file
  std::string scenario_text;                  // of a run that is given as a scenario; "": by columns
  std::string scenario_settings;              // of such a run, resolved: what can change its prediction
  std::string scenario_calibration;           // of its accelerator, which its own catalog may hold
  std::vector<std::string> scenario_changes;  // settings put in place of the text's: key=value
  std::vector<std::string> assumed;           // facts that the row does not state

  /// Microbatches of a step on each replica; a whole number, which the reader checks.
  std::int64_t microbatches() const { return global_batch / (data * microbatch); }
  double tokens_per_step() const {
    return static_cast<double>(global_batch) * static_cast<double>(shape.sequence);
  }
  /// Takes part in errors.
  bool counts() const { return value.has_value() && left_out.empty(); }
};

/// Everything about a run that can change its prediction, as text: runs with equal ones are near copies and
/// share one vote in a mean.
std::string configuration_of(const MeasuredRun& run);

/// Runs of a file, and the rows of a published table that could not be read as runs, each with its reason.
struct RunFile {
  std::vector<MeasuredRun> runs;
  std::vector<Finding> skipped;
};

/// Reads a file of runs; `name` stands in messages. Throws InputError with the findings of the first rows
/// that have any: columns that are missing or unknown, ids that stand twice, numbers outside their ranges,
/// groups that do not multiply to the devices, batches that do not divide, names that the catalog does not
/// know. A table of MLPerf results is recognised by its header (validation/mlperf_runs.h); of it, rows that
/// cannot be read are skipped, unless none can.
RunFile read_run_file(std::string_view text, const std::string& name, const Catalog& catalog);

/// The runs of read_run_file.
std::vector<MeasuredRun> read_measured_runs(std::string_view text, const std::string& name,
                                            const Catalog& catalog);

/// The runs that the program ships with.
std::vector<MeasuredRun> shipped_runs(const Catalog& catalog);

/// Published runs that no fit has seen (data/held_out_runs.csv).
std::vector<MeasuredRun> held_out_runs(const Catalog& catalog);

/// The runs of several files, one after another; of none, the shipped ones. Throws InputError as
/// read_run_file does, and where two runs have one id.
RunFile read_runs(const std::vector<std::string>& paths, const Catalog& catalog);

/// The run of an id. Throws InputError with the nearest one; `asked_by` names what asks.
const MeasuredRun& run_of_id(const std::vector<MeasuredRun>& runs, const std::string& id,
                             const std::string& asked_by);

/// The run as a scenario file with its [measurement], every setting that its row states written out.
std::string scenario_text_of(const MeasuredRun& run, const Catalog& catalog);

/// FLOP of a step, by the run's convention.
///
/// Hardware FLOP: 96 B s l h^2 (1 + s/6h + V/16lh), Narayanan et al. 2021, equation 3. MFU: 6 N + 12 l a q s
/// a token, N all parameters that a token passes, the attention matrix whole (Chowdhery et al. 2022, appendix
/// B: gives PaLM's 46.2% for 238.3K tokens/s). Model FLOP: 6 a matrix weight and token, and half of the
/// attention matrix, which is what a causal kernel computes.
Flop counted_flop(const MeasuredRun& run);

/// Why no run can have reached what this row measured: more FLOP a second than the peak of its accelerator.
/// "" where it can have. FLOP are the reported ones, else those of the model, of frozen weights two thirds.
std::string beyond_peak(const MeasuredRun& run, const Catalog& catalog);

/// The time of a step by what was measured; only of runs that measured something.
Seconds measured_step(const MeasuredRun& run, const Catalog& catalog);

/// What a step of this length is in the row's metric, in base units: the inverse of measured_step.
double metric_of_step(const MeasuredRun& run, Seconds step, const Catalog& catalog);

/// The number of a metric in the unit that files and reports use (TFLOP/s, %, s, token/s).
double in_file_units(RunMetric metric, double si);
std::string_view file_unit(RunMetric metric);

/// The metric as files name it: "step_time".
std::string_view metric_name(RunMetric metric);

/// Dense peak of a run's accelerator at its precision; what the row states goes before the catalog.
FlopRate run_peak(const MeasuredRun& run, const Catalog& catalog);

}  // namespace trainyard
