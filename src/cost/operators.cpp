#include "cost/operators.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "catalog/choices.h"
#include "catalog/find_entry.h"
#include "cost/correction.h"
#include "trainyard/catalog.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

constexpr double kSecondsPerUs = 1e-6;
constexpr double kUngatedMatrices = 2;

Location entry_place(const OperatorConstants& entry) {
  return whole("catalog: operators of " + entry.system + ", " + entry.operation + ", " + entry.dtype);
}

std::vector<double> constants_of(const OperatorConstants& entry, const OperatorModel& model) {
  std::vector<double> out;
  std::vector<std::string> names;
  for (const ModelConstant& c : model.constants()) names.push_back(c.name);
  for (const auto& [name, value] : entry.constants) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail_input(entry_place(entry), "no constant '" + name + "'", suggestion(name, names));
  }
  for (const ModelConstant& c : model.constants()) {
    const auto found = entry.constants.find(c.name);
    const double value = found == entry.constants.end() ? c.prior : found->second;
    if (!std::isfinite(value) || value < 0 || (value == 0 && !c.is_switch))
      fail_input(entry_place(entry), "the constant '" + c.name + "' has to be above 0");
    out.push_back(value);
  }
  return out;
}

/// "4:4=-142 8:4=-120": placements and steps.
std::map<std::string, double> cells_of(const OperatorConstants& entry, const std::string& text) {
  std::map<std::string, double> out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t equals = word.find('=');
    int steps = 0;
    const char* last = word.data() + word.size();
    if (equals == std::string::npos || std::from_chars(word.data() + equals + 1, last, steps).ptr != last ||
        std::abs(steps) > 1000)
      fail_input(entry_place(entry), "'" + word + "' is no slow cell", "write tp:ep=steps, as 4:2=120");
    out[word.substr(0, equals)] = steps * kCorrectionStep;
    at = end + 1;
  }
  return out;
}

bool serves(const OperatorConstants& entry, const OperatorKey& key) {
  return entry.system == key.system && entry.operation == key.operation &&
         (entry.dtype.empty() || entry.dtype == key.dtype) &&
         (entry.kernel.empty() || entry.kernel == key.kernel) &&
         (entry.kv_dtype.empty() || entry.kv_dtype == (key.kv_dtype.empty() ? key.dtype : key.kv_dtype));
}

const FlopRate* rate_at(const PeakRates& rates, Precision precision) {
  const auto& rate = rates.at(precision);
  if (rate) return &*rate;
  // One engine multiplies both 16-bit formats, and one both 8-bit formats where a table names only one.
  const Precision twin = precision == Precision::bf16   ? Precision::fp16
                         : precision == Precision::fp16 ? Precision::bf16
                                                        : precision;
  return rates.at(twin) ? &*rates.at(twin) : nullptr;
}

}  // namespace

ShapeValues gemm_shape(double m, double n, double k) { return {m, n, k}; }
ShapeValues attention_shape(double batch, double sequence, double heads, double kv_heads,
                            double head_dimension, double window) {
  return {batch, sequence, heads, kv_heads, head_dimension, window};
}
ShapeValues latent_attention_shape(double batch, double sequence, double heads) {
  return {batch, sequence, heads};
}
ShapeValues expert_shape(const ExpertShape& s) {
  return {s.tokens, s.hidden, s.width, s.topk, s.experts, s.tensor, s.expert_parallel};
}
ShapeValues collective_shape(double devices, Bytes bytes) { return {devices, bytes.si()}; }

OperatorCost::OperatorCost(const OperatorModel& model, const OperatorContext& context,
                           std::vector<double> constants, std::vector<double> correction)
    : model_(&model),
      context_(context),
      constants_(std::move(constants)),
      correction_(std::move(correction)) {}

void OperatorCost::set_launch(Seconds launch) {
  const std::vector<ModelConstant>& names = model_->constants();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].name == "launch_us") constants_[i] = std::min(constants_[i], launch.si() / kSecondsPerUs);
}

double OperatorCost::burst_us(const ShapeValues& shape) const {
  double corrected = correction_at(model_->tables(), correction_, model_->coordinates(shape, constants_));
  if (!cells_.empty()) {
    const OperatorModel::Cell cell = model_->cell(shape);
    if (const auto c = cells_.find(cell.configuration); c != cells_.end()) {
      if (const auto p = c->second.find(cell.placement); p != c->second.end()) corrected += p->second;
    }
  }
  return std::max(model_->roof_us(shape, context_),
                  model_->base_us(constants_, shape, context_) * std::exp(corrected));
}

Seconds OperatorCost::time(const ShapeValues& shape) const {
  return Seconds(burst_us(shape) * kSecondsPerUs);
}

double OperatorCost::peak_share(const ShapeValues& shape, Seconds burst) const {
  if (!(context_.flop_per_us > 0)) return 0;
  return model_->flop(shape, context_) / context_.flop_per_us * kSecondsPerUs / burst.si();
}

Seconds OperatorCost::sustained(const ShapeValues& shape) const { return sustained(shape, time(shape)); }

Seconds OperatorCost::sustained(const ShapeValues& shape, Seconds burst) const {
  const double limited = (peak_share(shape, burst) - kUnlimitedShare) / (1 - kUnlimitedShare);
  return burst * (1 + slowdown_ * std::clamp(limited, 0.0, 1.0));
}

OperatorContext operator_context(const Catalog& catalog, const OperatorKey& key) {
  OperatorContext out;
  const OperatorModel* model = find_operator_model(key.operation);
  const OperandFormat* format = find_operand_format(key.dtype);
  if (format) out.operands = *format;
  if (const OperandFormat* cache = find_operand_format(key.kv_dtype.empty() ? key.dtype : key.kv_dtype))
    out.kv_bytes = cache->activation_bytes;
  if (key.kernel.find("nongated") != std::string::npos) out.expert_matrices = kUngatedMatrices;
  if (model == &collective_model()) return out;
  const auto& system = find_entry(catalog.operator_systems, key.system, "operator system");
  const Accelerator* device = catalog.accelerators.find(system.accelerator);
  // Scores of 16 bits over a cache of 8 were measured above the 16-bit peak: their products are of 8 bits.
  const bool low_cache = key.operation != "gemm" && key.operation != "moe" && out.kv_bytes < 2;
  const Precision precision = low_cache ? Precision::fp8 : out.operands.precision;
  const FlopRate* peak = rate_at(system.dense, precision);
  if (!peak && device) peak = rate_at(device->dense, precision);
  BytesPerSecond memory = system.memory_rate;
  if (!(memory.si() > 0) && device) memory = device->memory_rate;
  const Location where = whole("catalog: operator_systems." + key.system);
  if (!peak)
    fail_input(
        where, "no peak rate of " + std::string(choice_name(precision)),
        "give it under [operator_systems." + key.system + ".dense], or name an accelerator that has it");
  if (!(memory.si() > 0)) fail_input(where, "no memory rate", "give memory_rate, or name an accelerator");
  if (system.processors < 1) fail_input(where, "no processors", "give the number of its multiprocessors");
  out.flop_per_us = peak->si() * kSecondsPerUs;
  out.bytes_per_us = memory.si() * kSecondsPerUs;
  out.processors = static_cast<double>(system.processors);
  return out;
}

const OperatorConstants* find_operator(const Catalog& catalog, const OperatorKey& key) {
  const OperatorConstants* best = nullptr;
  for (const auto& [name, entry] : catalog.operators) {
    if (!serves(entry, key)) continue;
    const auto exactness = [](const OperatorConstants& e) {
      return 4 * !e.kernel.empty() + 2 * !e.kv_dtype.empty() + !e.dtype.empty();
    };
    if (!best || exactness(entry) > exactness(*best)) best = &entry;
  }
  return best;
}

OperatorCost operator_cost(const Catalog& catalog, const OperatorConstants& entry, const OperatorKey& key) {
  const OperatorModel* model = find_operator_model(entry.operation);
  if (!model) {
    fail_input(entry_place(entry), "no operation '" + entry.operation + "'",
               suggestion(entry.operation, operation_names()));
  }
  auto correction = parse_correction(entry.correction, knot_count(model->tables()));
  if (!correction) {
    fail_input(entry_place(entry),
               "'correction' is not " + std::to_string(knot_count(model->tables())) +
                   " letters, dots and numbers in parentheses",
               "print it anew with `trainyard validate --operators FILE --fit`");
  }
  OperatorCost out(*model, operator_context(catalog, key), constants_of(entry, *model),
                   std::move(*correction));
  std::map<std::string, std::map<std::string, double>> cells;
  for (const auto& [configuration, text] : entry.slow_cells) cells[configuration] = cells_of(entry, text);
  out.set_slow_cells(std::move(cells));
  if (const OperatorSystem* system = catalog.operator_systems.find(entry.system))
    out.set_slowdown(system->sustained_slowdown);
  return out;
}

OperatorCost operator_cost(const Catalog& catalog, const OperatorKey& key) {
  const OperatorConstants* entry = find_operator(catalog, key);
  if (!entry) {
    fail_input(whole("catalog: operators"),
               "no constants of " + key.operation + " in " + key.dtype + " on '" + key.system + "'",
               "fit them with `trainyard validate --operators FILE --fit` and give them with --catalog");
  }
  return operator_cost(catalog, *entry, key);
}

std::vector<std::string> operator_systems_of(const Catalog& catalog, const std::string& accelerator) {
  std::vector<std::string> out;
  for (const auto& [key, system] : catalog.operator_systems) {
    if (system.accelerator == accelerator) out.push_back(key);
  }
  return out;
}

}  // namespace trainyard
