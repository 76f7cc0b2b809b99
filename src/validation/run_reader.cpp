#include "validation/run_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "catalog/catalog.h"
#include "validation/run_names.h"
#include "validation/run_words.h"

namespace trainyard {
namespace {

constexpr WholeRange kDevices{1, 100'000'000};
constexpr WholeRange kLayers{1, 100'000};
constexpr WholeRange kWidth{1, 100'000'000};  // of a matrix; of a vocabulary
constexpr WholeRange kHead{1, 1'000'000};
constexpr WholeRange kExperts{0, 1'000'000};
constexpr WholeRange kSequence{1, 1'000'000'000};
constexpr WholeRange kBatch{1, 1'000'000'000};
constexpr WholeRange kZeroStages{0, 3};
constexpr WholeRange kRanks{1, 100'000};  // of adapters
constexpr RealRange kGigabits{1e-3, 1e6};
constexpr RealRange kValue{1e-9, 1e15};  // in any unit
constexpr RealRange kPeakTera{1e-3, 1e9};
constexpr RealRange kMemory{1, 1e18};
constexpr std::int64_t kServerDevices = 8;
constexpr const char* kUsualSoftware = "megatron-core";  // where an accelerator names none

template <class T>
std::vector<std::string> keys_of(const std::map<std::string, T>& entries) {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries) keys.push_back(key);
  return keys;
}

/// GPT-2's details for a plain feed-forward layer, Llama's for a gated one.
ModelShape usual_shape(bool gated) {
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

/// Turns the cells of one row into a run.
class RowReader {
 public:
  RowReader(RunReader& reader, RunRow& row) : reader_(reader), row_(row), catalog_(reader.catalog()) {}

  MeasuredRun read() {
    run_.where = row_.where();
    run_.id = row_.text("id");
    run_.source = row_.text("source");
    run_.model = row_.text("model");
    run_.from_memory = row_.flag("from_memory").value_or(false);
    run_.confidence = row_.text("confidence");
    run_.left_out = row_.text("left_out");
    run_.note = row_.text("note");
    read_shape();
    read_hardware();
    read_groups();
    read_batch();
    read_kernels();
    read_software();
    read_adapter();
    read_measurement();
    return std::move(run_);
  }

 private:
  /// A cell, or what a blank stands for.
  std::int64_t whole_or(std::string_view column, WholeRange range, std::int64_t blank) {
    return row_.whole(column, range).value_or(blank);
  }

  void assume(std::string fact) { run_.assumed.push_back(std::move(fact)); }

  const ModelShape* base_model() {
    const std::string key = row_.text("base_model");
    if (key.empty()) return reader_.model(run_.model);
    const auto found = catalog_.models.find(key);
    if (found != catalog_.models.end()) return &found->second;
    row_.complain_unknown("base_model", key, keys_of(catalog_.models));
    return nullptr;
  }

  void read_shape() {
    const ModelShape* known = base_model();
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
    if (const auto kv_heads = row_.whole("kv_heads", kWidth)) shape.kv_heads = kv_heads;
    if (const auto head = row_.whole("head_dim", kHead)) shape.head_size = head;
    if (const auto parallel = row_.flag("parallel_block")) {
      shape.parallel_block = *parallel;
      shape.norms_per_layer = *parallel ? 1 : std::max<std::int64_t>(2, shape.norms_per_layer);
    }
    if (const auto window = row_.whole("window", kSequence)) shape.attention_window = *window;
    read_experts(known, published_layers);
    if (row_.good()) check_own_shape();
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
    run_.accelerator_key = reader_.accelerator(run_.accelerator);
    read_precision();
    if (run_.accelerator_key.empty()) {
      row_.complain_unknown("accelerator", run_.accelerator, accelerator_names(catalog_));
    } else if (!catalog_.accelerators.at(run_.accelerator_key).dense.at(run_.precision)) {
      row_.complain(fmt::format("'{}' has no dense peak at {}", run_.accelerator_key,
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

  /// A blank stands for bf16, or for fp16 on devices that are older than it.
  void read_precision() {
    run_.precision = row_.choice<Precision>("precision", precision_words()).value_or(usual_precision());
  }

  Precision usual_precision() const {
    const auto found = catalog_.accelerators.find(run_.accelerator_key);
    if (found == catalog_.accelerators.end()) return Precision::bf16;
    const auto& dense = found->second.dense;
    return !dense.at(Precision::bf16) && dense.at(Precision::fp16) ? Precision::fp16 : Precision::bf16;
  }

  void assume_calibration() {
    const auto found = catalog_.accelerators.find(run_.accelerator_key);
    if (found == catalog_.accelerators.end()) return;
    const std::string& key = found->second.calibration;
    const auto constants = catalog_.calibrations.find(key);
    if (constants == catalog_.calibrations.end()) {
      assume("general constants: the catalog has no calibration of the " + found->second.info.name);
    } else if (constants->second.estimated) {
      assume("constants that are estimates: no operator or run was measured for calibration '" + key + "'");
    } else if (!reader_.measured().contains(found->first)) {
      assume_shared(key);
    }
  }

  /// A calibration of the user's own is taken as it is.
  void assume_shared(const std::string& calibration) {
    for (const std::string& owner : reader_.measured()) {
      const Accelerator& measured = catalog_.accelerators.at(owner);
      if (measured.calibration != calibration) continue;
      assume("the constants of the " + measured.info.name + ": calibration '" + calibration +
             "' was fitted on runs of it");
      return;
    }
    const std::string& other = catalog_.calibrations.at(calibration).fitted_with;
    if (!other.empty())
      assume("constants beside its own operators: calibration '" + calibration + "' takes those of '" +
             other + "'");
    else if (catalog_.calibrations.contains(calibration + "-prior"))
      assume("constants of operators and of MLPerf's runs: no run was measured for calibration '" +
             calibration + "'");
  }

  void read_groups() {
    run_.tensor = whole_or("tp", kDevices, 1);
    run_.pipeline = whole_or("pp", kLayers, 1);
    run_.context = whole_or("cp", kDevices, 1);
    run_.expert = whole_or("ep", kDevices, 1);
    run_.zero_stage = whole_or("zero_stage", kZeroStages, 1);
    run_.sequence_parallel = row_.flag("sequence_parallel").value_or(false);
    const double model = static_cast<double>(run_.tensor) * static_cast<double>(run_.pipeline) *
                         static_cast<double>(run_.context);
    const double replicas = static_cast<double>(run_.devices) / model;
    run_.data = whole_or("dp", kDevices, std::max<std::int64_t>(1, static_cast<std::int64_t>(replicas)));
    if (row_.good()) check_groups(model);
  }

  void check_groups(double model) {
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

  void read_batch() {
    run_.global_batch = whole_or("global_batch", kBatch, 1);
    const auto microbatches = row_.whole("microbatches", kBatch);
    read_schedule();
    run_.microbatch = row_.whole("microbatch", kBatch).value_or(blank_microbatch(microbatches));
    if (!row_.good()) return;
    const std::int64_t sequences = run_.data * run_.microbatch;
    if (run_.global_batch % sequences != 0) {
      row_.complain(fmt::format("global_batch = {} is no multiple of dp x microbatch = {} x {}",
                                run_.global_batch, run_.data, run_.microbatch));
    } else if (microbatches.value_or(run_.microbatches()) != run_.microbatches()) {
      row_.complain(fmt::format("microbatches = {} is not global_batch / (dp x microbatch) = {} / ({} x {})",
                                *microbatches, run_.global_batch, run_.data, run_.microbatch));
    }
  }

  std::int64_t blank_microbatch(std::optional<std::int64_t> microbatches) {
    if (microbatches) return std::max<std::int64_t>(1, run_.global_batch / run_.data / *microbatches);
    if (row_.text("microbatch").empty()) assume("microbatch 1");
    return 1;
  }

  void read_schedule() {
    const auto stated = row_.choice<RunSchedule>("schedule", schedule_words());
    const std::int64_t stage = (run_.shape.layers + run_.pipeline - 1) / run_.pipeline;
    const auto virtual_stages = row_.whole("vpp", kLayers);
    run_.virtual_stages = virtual_stages.value_or(blank_virtual_stages(stated, stage));
    if (run_.virtual_stages > 1 && run_.pipeline == 1) {
      row_.complain(fmt::format("vpp = {} virtual stages without pipeline stages", run_.virtual_stages));
    } else if (run_.virtual_stages > stage) {
      row_.complain(fmt::format("vpp = {} virtual stages of {} layers a device", run_.virtual_stages, stage));
    }
    run_.schedule = stated.value_or(run_.virtual_stages > 1 ? RunSchedule::interleaved
                                                            : RunSchedule::one_forward_one_backward);
    const bool interleaved = run_.schedule == RunSchedule::interleaved;
    if (interleaved != (run_.virtual_stages > 1) && run_.schedule != RunSchedule::zero_bubble)
      row_.complain(fmt::format("column 'schedule' and vpp = {} contradict each other", run_.virtual_stages),
                    "interleaved takes vpp above 1, the others 1");
  }

  std::int64_t blank_virtual_stages(std::optional<RunSchedule> schedule, std::int64_t stage) {
    if (run_.pipeline == 1 || !row_.text("vpp").empty()) return 1;
    const std::int64_t stages = schedule == RunSchedule::interleaved && stage > 1 ? 2 : 1;
    if (!schedule || stages > 1) assume(fmt::format("{} virtual stage{}", stages, stages > 1 ? "s" : ""));
    return stages;
  }

  void read_kernels() {
    run_.attention = row_.choice<Attention>("attention", attention_words()).value_or(Attention::flash);
    run_.recompute = row_.choice<Recompute>("recompute", recompute_words()).value_or(Recompute::none);
    run_.recompute_layers = row_.whole("recompute_layers", kLayers);
    if (run_.recompute_layers && *run_.recompute_layers > run_.shape.layers) {
      row_.complain(
          fmt::format("recompute_layers = {} of {} layers", *run_.recompute_layers, run_.shape.layers));
    }
    run_.compiled = row_.flag("compiled").value_or(false);
    run_.graphs = row_.flag("graphs");
    run_.activation_input = row_.choice<Precision>("activation_input", precision_words());
    run_.hides = hidden_of("hides");
    run_.exposes = hidden_of("exposes");
    for (const Hidden what : run_.exposes) {
      if (std::find(run_.hides.begin(), run_.hides.end(), what) != run_.hides.end())
        row_.complain("columns 'hides' and 'exposes' contradict each other");
    }
  }

  std::vector<Hidden> hidden_of(std::string_view column) {
    std::vector<Hidden> out;
    for (const std::string& word : row_.words(column)) {
      if (column == "hides" && plain_letters(word) == "wholly") {
        run_.hides_wholly = true;
      } else if (const auto what = row_.choice_of<Hidden>(column, word, hidden_words())) {
        if (std::find(out.begin(), out.end(), *what) == out.end()) out.push_back(*what);
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  void read_software() {
    const std::string key = row_.text("software");
    const std::string framework = row_.text("framework");
    run_.software = key.empty() ? software_of_framework(framework) : known_software(key);
    if (!key.empty() && run_.software.empty()) {
      row_.complain_unknown("software", key, keys_of(catalog_.software));
    } else if (key.empty() && !framework.empty() && run_.software.empty()) {
      row_.complain_cell("framework", framework, "names no training program that is known",
                         suggestion(framework, keys_of(catalog_.software)));
    }
    if (!run_.software.empty()) return;
    const auto found = catalog_.accelerators.find(run_.accelerator_key);
    if (found != catalog_.accelerators.end()) run_.software = found->second.software;
    if (run_.software.empty()) run_.software = kUsualSoftware;
    assume("software '" + run_.software + "', usual on this accelerator");
  }

  /// The catalog's key, capitals and marks aside; "" where it has none.
  std::string known_software(const std::string& cell) const {
    for (const auto& [key, software] : catalog_.software) {
      if (plain_letters(key) == plain_letters(cell)) return key;
    }
    return {};
  }

  /// "lora:16", "LoRA 16", "lora16".
  void read_adapter() {
    const std::string cell = row_.text("adapter");
    const std::string plain = plain_letters(cell);
    if (plain.empty() || plain == "none" || plain == "no") return;
    constexpr std::string_view kLora = "lora";
    std::int64_t rank = 0;
    const std::size_t digits = plain.starts_with(kLora) ? kLora.size() : plain.size();
    const char* end = plain.data() + plain.size();
    const auto [stop, code] = std::from_chars(plain.data() + digits, end, rank);
    if (code == std::errc{} && stop == end && rank >= kRanks.low && rank <= kRanks.high) {
      run_.adapter_rank = rank;
    } else {
      row_.complain_cell(
          "adapter", cell, "is no adapter",
          fmt::format("allowed: none, or lora:RANK with a rank of {} to {}", kRanks.low, kRanks.high));
    }
  }

  void read_measurement() {
    const auto metric = row_.choice<RunMetric>("metric", metric_words());
    const auto value = row_.number("value", kValue);
    run_.metric = metric.value_or(RunMetric::step_time);
    const auto factor = row_.choice<double>("unit", unit_words(run_.metric));
    if (value) run_.value = *value * factor.value_or(1 / in_file_units(run_.metric, 1));
    if (value && row_.text("metric").empty())
      row_.complain("column 'metric' is blank", "say of what 'value' is a measurement");
    if (run_.metric == RunMetric::mfu && run_.value.value_or(0) > 1)
      row_.complain("column 'value': more than 100%");
    const auto usual = run_.metric == RunMetric::mfu ? FlopConvention::mfu : FlopConvention::model;
    run_.flop_convention = row_.choice<FlopConvention>("flop_convention", flop_words()).value_or(usual);
    constexpr double kTera = 1e12;
    if (const auto peak = row_.number("peak_tflops", kPeakTera)) run_.peak = FlopRate(*peak * kTera);
    if (const auto bytes = row_.number("measured_memory_bytes", kMemory))
      run_.measured_memory = Bytes(*bytes);
  }

  RunReader& reader_;
  RunRow& row_;
  const Catalog& catalog_;
  MeasuredRun run_;
};

}  // namespace

const std::string& RunReader::accelerator(const std::string& name) {
  const auto known = accelerators_.find(name);
  if (known != accelerators_.end()) return known->second;
  return accelerators_[name] = accelerator_key(name, catalog_);
}

const ModelShape* RunReader::model(const std::string& name) {
  const auto known = models_.find(name);
  if (known != models_.end()) return known->second;
  return models_[name] = known_model(name, catalog_);
}

MeasuredRun RunReader::read(RunRow& row) { return RowReader(*this, row).read(); }

}  // namespace trainyard
