#include "step/measured_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/embedded.h"
#include "catalog/catalog.h"
#include "step/run_columns.h"
#include "step/run_defaults.h"
#include "step/run_files.h"
#include "step/run_software.h"

namespace trainyard {
namespace {

constexpr WholeRange kDevices{1, 100'000'000};
constexpr WholeRange kLayers{1, 100'000};
constexpr WholeRange kWidth{1, 100'000'000};  // of a matrix; of a vocabulary
constexpr WholeRange kExperts{0, 1'000'000};
constexpr WholeRange kSequence{1, 1'000'000'000};
constexpr WholeRange kBatch{1, 1'000'000'000};
constexpr WholeRange kZeroStages{0, 3};
constexpr RealRange kGigabits{1e-3, 1e6};
constexpr RealRange kValue{1e-9, 1e15};  // in any unit
constexpr std::int64_t kServerDevices = 8;
constexpr const char* kMeasured = "data/measured_runs.csv";
constexpr const char* kHeldOut = "data/held_out_runs.csv";
constexpr std::size_t kReportedRows = 25;  // rows with findings, after which reading stops

std::string_view embedded_text(std::string_view name) {
  for (const EmbeddedFile& file : run_files()) {
    if (file.name == name) return file.text;
  }
  broken_invariant("files of runs are compiled in", __FILE__, __LINE__, std::string(name));
}

/// Keys of the accelerators that the shipped runs, on which constants are fitted, were measured on.
const std::set<std::string>& measured_accelerators() {
  static const std::set<std::string> keys = [] {
    std::set<std::string> out;
    const RunTable table = read_run_table(embedded_text(kMeasured), kMeasured);
    const auto column = std::find(table.header.begin(), table.header.end(), "accelerator");
    const auto at = static_cast<std::size_t>(column - table.header.begin());
    for (const auto& cells : table.rows) out.insert(accelerator_key(cells[at], *shipped_catalog()));
    return out;
  }();
  return keys;
}

/// Turns the cells of one row into a run.
class RunReader {
 public:
  RunReader(RunRow& row, const Catalog& catalog) : row_(row), catalog_(catalog) {}

  MeasuredRun read() {
    run_.where = row_.where();
    run_.id = row_.text("id");
    run_.source = row_.text("source");
    run_.model = row_.text("model");
    run_.confidence = row_.text("confidence");
    run_.note = row_.text("note");
    run_.facts = parse_run_note(run_.note);
    read_kind();
    read_shape();
    read_hardware();
    read_groups();
    read_batch();
    read_measurement();
    return std::move(run_);
  }

 private:
  /// A cell, or what a blank stands for.
  std::int64_t whole_or(std::string_view column, WholeRange range, std::int64_t blank) {
    return row_.whole(column, range).value_or(blank);
  }

  void assume(std::string fact) { run_.assumed.push_back(std::move(fact)); }

  void read_kind() {
    const SourceKind kind = kind_of_source(run_.source);
    run_.framework = row_.choice<RunFramework>("framework", framework_names()).value_or(kind.framework);
    framework_stated_ = !kind.part_of_source.empty() || !row_.text("framework").empty();
    run_.attention = row_.choice<Attention>("attention", {{"flash", Attention::flash},
                                                          {"unfused", Attention::stored},
                                                          {"fused", Attention::flash},
                                                          {"flash-attention", Attention::flash},
                                                          {"flash-attention-2", Attention::flash},
                                                          {"flash-attention-3", Attention::flash},
                                                          {"sdpa", Attention::flash},
                                                          {"cudnn", Attention::flash},
                                                          {"standard", Attention::stored}})
                         .value_or(kind.attention);
    run_.recompute = row_.choice<Recompute>("recompute", {{"none", Recompute::none},
                                                          {"selective", Recompute::selective},
                                                          {"full", Recompute::full},
                                                          {"no", Recompute::none},
                                                          {"false", Recompute::none},
                                                          {"0", Recompute::none}})
                         .value_or(Recompute::none);
  }

  /// A blank stands for bf16, or for fp16 on devices that are older than it.
  void read_precision() {
    run_.precision = row_.choice<Precision>("precision", {{"bf16", Precision::bf16},
                                                          {"fp16", Precision::fp16},
                                                          {"fp8", Precision::fp8},
                                                          {"fp4", Precision::fp4},
                                                          {"tf32", Precision::tf32},
                                                          {"fp32", Precision::fp32},
                                                          {"bfloat16", Precision::bf16},
                                                          {"bf16-mixed", Precision::bf16},
                                                          {"float16", Precision::fp16},
                                                          {"float8", Precision::fp8},
                                                          {"mxfp8", Precision::fp8},
                                                          {"fp8-mx", Precision::fp8},
                                                          {"fp8-cs", Precision::fp8},
                                                          {"nvfp4", Precision::fp4},
                                                          {"float32", Precision::fp32}})
                         .value_or(usual_precision());
  }

  Precision usual_precision() const {
    const auto found = catalog_.accelerators.find(run_.accelerator_key);
    if (found == catalog_.accelerators.end()) return Precision::bf16;
    const auto& dense = found->second.dense;
    return !dense.at(Precision::bf16) && dense.at(Precision::fp16) ? Precision::fp16 : Precision::bf16;
  }

  void read_shape() {
    const ModelShape* known = known_model(run_.model, catalog_);
    ModelShape& shape = run_.shape;
    const bool gated = row_.flag("gated_ffn").value_or(known && known->gated_ffn);
    shape = known ? *known : usual_shape(gated);
    shape.gated_ffn = gated;
    const std::int64_t published_layers = shape.layers;
    shape.layers = whole_or("layers", kLayers, 1);
    shape.hidden = whole_or("hidden", kWidth, 1);
    shape.heads = whole_or("heads", kWidth, 1);
    shape.vocabulary = whole_or("vocab", kWidth, 1);
    shape.sequence = whole_or("sequence", kSequence, 1);
    if (shape.learned_positions > 0) shape.learned_positions = shape.sequence;
    if (const auto ffn = row_.whole("ffn", kWidth)) shape.ffn = ffn;
    if (const auto kv_heads = row_.whole("kv_heads", kWidth)) {
      shape.kv_heads = kv_heads;
      if (run_.facts.multi_query && *kv_heads != 1)
        assume(
            fmt::format("{} key and value heads, as the columns say; the note says multi-query", *kv_heads));
    } else if (run_.facts.multi_query) {
      shape.kv_heads = 1;
    }
    if (run_.facts.head_dimension) shape.head_size = run_.facts.head_dimension;
    if (run_.facts.parallel_block) {
      shape.parallel_block = true;
      shape.norms_per_layer = 1;
    }
    read_experts(known, published_layers);
    if (row_.good()) check_own_shape();
  }

  /// GPT-2's details for a plain feed-forward layer, Llama's for a gated one.
  static ModelShape usual_shape(bool gated) {
    ModelShape shape;
    if (gated) return shape;
    shape.learned_positions = 1;  // replaced by the sequence
    shape.tied_embeddings = true;
    shape.attention_bias = BiasTerms::all;
    shape.ffn_bias = true;
    shape.norm = NormKind::layer;
    shape.dropout = true;
    return shape;
  }

  void read_experts(const ModelShape* known, std::int64_t published_layers) {
    ModelShape& shape = run_.shape;
    if (const auto experts = row_.whole("experts", kExperts)) shape.experts = *experts;
    const auto copies = row_.whole("experts_per_token", kExperts);
    if (copies) shape.experts_per_token = *copies;
    if (shape.experts == 0) {
      if (copies.value_or(0) > 0)
        row_.complain(fmt::format("column 'experts_per_token': {} of no experts", *copies),
                      "fill in column 'experts', or leave both blank");
      shape.experts_per_token = shape.shared_experts = shape.dense_layers = 0;
      return;
    }
    if (!known || known->experts == 0) {
      assume("every layer has experts, each as wide as ffn, none shared: the catalog has no such model");
      return;
    }
    // Models cut to a few layers keep one dense layer: SimuMax release 1.2, notes and scripts.
    if (shape.layers < published_layers) shape.dense_layers = std::min<std::int64_t>(shape.dense_layers, 1);
  }

  void check_own_shape() {
    Findings findings;
    check_shape(run_.shape, row_.where(), "shape", findings);
    try {
      findings.throw_if_any();
    } catch (const InputError& error) {
      for (const Finding& finding : error.findings()) row_.complain(finding.message, finding.help);
    }
  }

  void read_hardware() {
    run_.accelerator = row_.text("accelerator");
    run_.accelerator_key = accelerator_key(run_.accelerator, catalog_);
    read_precision();
    if (run_.accelerator_key.empty()) {
      row_.complain("column 'accelerator': the catalog has no '" + run_.accelerator + "'",
                    suggestion(run_.accelerator, accelerator_names(catalog_)));
    } else if (!catalog_.accelerators.at(run_.accelerator_key).dense.at(run_.precision)) {
      row_.complain(fmt::format("'{}' has no dense peak at {}", run_.accelerator,
                                choice_name<Precision>(run_.precision)));
    }
    assume_calibration();
    run_.devices = whole_or("devices", kDevices, 1);
    const auto domain = row_.whole("devices_per_hb_domain", kDevices);
    run_.devices_per_hb_domain = domain.value_or(std::min(run_.devices, kServerDevices));
    if (!domain) assume(fmt::format("{} devices an HB domain", run_.devices_per_hb_domain));
    constexpr double kGiga = 1e9;
    if (const auto rate = row_.number("nic_gbps_per_device", kGigabits))
      run_.nic_rate = BitRate(*rate * kGiga);
  }

  void assume_calibration() {
    const auto found = catalog_.accelerators.find(run_.accelerator_key);
    if (found == catalog_.accelerators.end()) return;
    const std::string& key = found->second.calibration;
    const auto constants = catalog_.calibrations.find(key);
    if (constants == catalog_.calibrations.end()) {
      assume("general constants: the catalog has no calibration of the " + found->second.info.name);
    } else if (constants->second.info.source.starts_with("estimate")) {
      assume("constants that are estimates: no operator or run was measured for calibration '" + key + "'");
    } else if (!measured_accelerators().contains(found->first)) {
      assume_shared(key);
    }
  }

  /// A calibration of the user's own is taken as it is.
  void assume_shared(const std::string& calibration) {
    for (const std::string& owner : measured_accelerators()) {
      const Accelerator& measured = catalog_.accelerators.at(owner);
      if (measured.calibration != calibration) continue;
      assume("the constants of the " + measured.info.name + ": calibration '" + calibration +
             "' was fitted on runs of it");
      return;
    }
    if (catalog_.calibrations.contains(calibration + "-prior"))
      assume("constants of operators alone: no run was measured for calibration '" + calibration + "'");
  }

  void read_groups() {
    run_.tensor = whole_or("tp", kDevices, 1);
    run_.pipeline = whole_or("pp", kLayers, 1);
    run_.context = whole_or("cp", kDevices, 1);
    run_.expert = whole_or("ep", kDevices, 1);
    run_.zero_stage = whole_or("zero_stage", kZeroStages, 1);
    run_.sequence_parallel = row_.flag("sequence_parallel").value_or(false);
    if (!framework_stated_) assume_framework();
    const double model = static_cast<double>(run_.tensor) * static_cast<double>(run_.pipeline) *
                         static_cast<double>(run_.context);
    const double replicas = static_cast<double>(run_.devices) / model;
    run_.data = whole_or("dp", kDevices, std::max<std::int64_t>(1, static_cast<std::int64_t>(replicas)));
    if (!row_.good()) return;
    if (model * static_cast<double>(run_.data) != static_cast<double>(run_.devices)) {
      row_.complain(fmt::format("tp x pp x cp x dp = {} x {} x {} x {} is not devices = {}", run_.tensor,
                                run_.pipeline, run_.context, run_.data, run_.devices));
    }
    if (run_.pipeline > run_.shape.layers)
      row_.complain(fmt::format("pp = {} stages of {} layers", run_.pipeline, run_.shape.layers));
    if ((run_.data * run_.context) % run_.expert != 0) {
      row_.complain(
          fmt::format("ep = {} does not divide dp x cp = {}", run_.expert, run_.data * run_.context));
    }
    const bool spread = run_.shape.experts == 0 ? run_.expert == 1 : run_.shape.experts % run_.expert == 0;
    if (!spread)
      row_.complain(fmt::format("ep = {} does not divide experts = {}", run_.expert, run_.shape.experts));
    if (run_.devices > run_.devices_per_hb_domain && !run_.nic_rate)
      assume("a network between HB domains as fast as inside: nic_gbps_per_device is blank");
  }

  /// Programs that ran on such devices are younger than Megatron-LM's overlaps.
  bool is_of_hopper_or_later() const {
    constexpr std::int64_t kHopper = 2022;
    const auto found = catalog_.accelerators.find(run_.accelerator_key);
    return found != catalog_.accelerators.end() && found->second.year >= kHopper;
  }

  /// Sharded weights without tensor or pipeline parallelism are what FSDP does; TPUs run compiled programs.
  void assume_framework() {
    if (run_.accelerator_key.starts_with("tpu")) {
      run_.framework = RunFramework::palm;
    } else if (run_.zero_stage == 3 && run_.tensor == 1 && run_.pipeline == 1) {
      run_.framework = RunFramework::fsdp;
    } else if (is_of_hopper_or_later()) {
      run_.framework = RunFramework::megatron_core;
    }
    assume(fmt::format("framework '{}': nothing is known of the source", framework_name(run_.framework)));
  }

  void read_batch() {
    run_.global_batch = whole_or("global_batch", kBatch, 1);
    const auto microbatch = row_.whole("microbatch", kBatch);
    const auto virtual_stages = row_.whole("vpp", kLayers);
    const PublishedDefaults published = published_defaults(run_.source, run_.shape);
    run_.virtual_stages = virtual_stages ? *virtual_stages : blank_virtual_stages(published);
    run_.microbatch = microbatch ? *microbatch : blank_microbatch(published);
    read_schedule();
    if (!row_.good()) return;
    const std::int64_t sequences = run_.data * run_.microbatch;
    if (run_.global_batch % sequences != 0) {
      row_.complain(fmt::format("global_batch = {} is no multiple of dp x microbatch = {} x {}",
                                run_.global_batch, run_.data, run_.microbatch));
    }
    const auto noted = run_.facts.microbatches;
    if (noted && *noted != run_.microbatches()) {
      assume(
          fmt::format("{} microbatches, as the columns say; the note says {}", run_.microbatches(), *noted));
    }
  }

  std::int64_t blank_microbatch(const PublishedDefaults& published) {
    const std::int64_t sequences = std::max<std::int64_t>(1, run_.global_batch / run_.data);
    if (published.microbatch) return largest_divisor(sequences, *published.microbatch);
    if (published.microbatches_per_stage && run_.pipeline > 1) {
      const std::int64_t stages = run_.pipeline * run_.virtual_stages;
      return largest_divisor(sequences, sequences / (*published.microbatches_per_stage * stages));
    }
    if (run_.facts.microbatches) return std::max<std::int64_t>(1, sequences / *run_.facts.microbatches);
    assume("microbatch 1");
    return 1;
  }

  /// The largest number up to `most` that divides the sequences of a replica; 1 for microbatches that nobody
  /// runs.
  static std::int64_t largest_divisor(std::int64_t sequences, std::int64_t most) {
    constexpr std::int64_t kLargest = 65536;
    std::int64_t divisor = std::clamp<std::int64_t>(most, 1, std::min(sequences, kLargest));
    while (sequences % divisor != 0) --divisor;
    return divisor;
  }

  std::int64_t blank_virtual_stages(const PublishedDefaults& published) {
    if (run_.pipeline == 1) return 1;
    if (published.layers_per_virtual_stage) {
      const std::int64_t stage = (run_.shape.layers + run_.pipeline - 1) / run_.pipeline;
      return std::max<std::int64_t>(1, stage / *published.layers_per_virtual_stage);
    }
    if (run_.framework == RunFramework::torchtitan && run_.facts.interleaved) return 2;  // its default
    // A source that states its microbatches and no virtual stages has none.
    if (!published.microbatch && !published.microbatches_per_stage) assume("1 virtual stage");
    return 1;
  }

  void read_schedule() {
    const std::int64_t stage = (run_.shape.layers + run_.pipeline - 1) / run_.pipeline;
    if (run_.virtual_stages > 1 && run_.pipeline == 1) {
      row_.complain(fmt::format("vpp = {} virtual stages without pipeline stages", run_.virtual_stages));
    } else if (run_.virtual_stages > stage) {
      row_.complain(fmt::format("vpp = {} virtual stages of {} layers a device", run_.virtual_stages, stage));
    }
    auto usual = run_.virtual_stages > 1 ? RunSchedule::interleaved : RunSchedule::one_forward_one_backward;
    if (run_.facts.dualpipe && run_.virtual_stages == 1) usual = RunSchedule::dualpipe;
    run_.schedule = row_.choice<RunSchedule>("schedule", {{"1f1b", RunSchedule::one_forward_one_backward},
                                                          {"interleaved", RunSchedule::interleaved},
                                                          {"gpipe", RunSchedule::gpipe},
                                                          {"interleaved-1f1b", RunSchedule::interleaved},
                                                          {"1f1b-interleaved", RunSchedule::interleaved},
                                                          {"zb-h1", RunSchedule::zero_bubble},
                                                          {"zero-bubble", RunSchedule::zero_bubble},
                                                          {"dualpipe", RunSchedule::dualpipe}})
                        .value_or(usual);
    if (run_.facts.dualpipe && run_.schedule != RunSchedule::dualpipe) {
      const std::string stated = row_.text("schedule");
      assume("schedule '" + (stated.empty() ? "interleaved" : stated) +
             "', as the columns say; the note says DualPipe");
    }
    const bool interleaved = run_.schedule == RunSchedule::interleaved;
    if (interleaved != (run_.virtual_stages > 1) && run_.schedule != RunSchedule::zero_bubble)
      row_.complain(fmt::format("column 'schedule' and vpp = {} contradict each other", run_.virtual_stages),
                    "interleaved takes vpp above 1, the others 1");
  }

  void read_measurement() {
    std::vector<std::pair<std::string_view, RunMetric>> metrics;
    for (const RunMetric metric :
         {RunMetric::step_time, RunMetric::tokens_per_device, RunMetric::flops_per_device, RunMetric::mfu}) {
      metrics.emplace_back(metric_name(metric), metric);
    }
    metrics.insert(metrics.end(), {{"step_time_s", RunMetric::step_time},
                                   {"iteration_time", RunMetric::step_time},
                                   {"tokens_per_second_per_gpu", RunMetric::tokens_per_device},
                                   {"flops_per_gpu", RunMetric::flops_per_device},
                                   {"tflops_per_gpu", RunMetric::flops_per_device},
                                   {"tflops_per_device", RunMetric::flops_per_device}});
    const auto metric = row_.choice<RunMetric>("metric", metrics);
    const auto value = row_.number("value", kValue);
    if (!metric || !value) return;
    run_.metric = *metric;
    const auto factor = row_.choice<double>("unit", units(*metric));
    run_.value = *value * factor.value_or(1 / in_file_units(*metric, 1));
    if (*metric == RunMetric::mfu && run_.value > 1) row_.complain("column 'value': more than 100%");
  }

  /// Units of a metric and what they are in base units.
  static std::vector<std::pair<std::string_view, double>> units(RunMetric metric) {
    switch (metric) {
      case RunMetric::step_time:
        return {{"s", 1}, {"ms", 1e-3}, {"sec", 1}, {"seconds", 1}};
      case RunMetric::tokens_per_device:
        return {{"token/s", 1},      {"tokens/s", 1},       {"tok/s", 1},          {"tokens/sec", 1},
                {"tokens/s/GPU", 1}, {"tokens/sec/GPU", 1}, {"token/s/device", 1}, {"tokens/s/device", 1}};
      case RunMetric::flops_per_device:
        return {{"TFLOP/s", 1e12},    {"PFLOP/s", 1e15},        {"GFLOP/s", 1e9},
                {"FLOP/s", 1},        {"TFLOP/s/GPU", 1e12},    {"TFLOP/sec", 1e12},
                {"TFLOPS/GPU", 1e12}, {"TFLOP/s/device", 1e12}, {"TFLOP", 1e12}};
      case RunMetric::mfu:
        return {{"%", 0.01}, {"fraction", 1}, {"percent", 0.01}};
    }
    return {};
  }

  RunRow& row_;
  const Catalog& catalog_;
  MeasuredRun run_;
  bool framework_stated_ = false;
};

}  // namespace

std::vector<MeasuredRun> read_measured_runs(std::string_view text, const std::string& name,
                                            const Catalog& catalog) {
  RunTable table = read_run_table(text, name);
  Findings findings;
  std::vector<MeasuredRun> runs;
  std::set<std::string> ids;
  std::size_t bad = 0;
  for (std::size_t i = 0; i < table.rows.size() && bad < kReportedRows; ++i) {
    RunRow row(table.header, std::move(table.rows[i]), table.places[i], findings);
    MeasuredRun run = RunReader(row, catalog).read();
    if (!ids.insert(run.id).second) row.complain("another row has this id");
    if (!row.good()) ++bad;
    runs.push_back(std::move(run));
  }
  findings.throw_if_any();
  if (runs.empty())
    fail_input({std::make_shared<const SourceText>(SourceText{name, {}}), 0, 0}, "holds no runs");
  return runs;
}

std::vector<MeasuredRun> shipped_runs(const Catalog& catalog) {
  return read_measured_runs(embedded_text(kMeasured), kMeasured, catalog);
}

std::vector<MeasuredRun> held_out_runs(const Catalog& catalog) {
  return read_measured_runs(embedded_text(kHeldOut), kHeldOut, catalog);
}

}  // namespace trainyard
