#include "cost/measured_operators.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/mixing.h"
#include "base/per_thread.h"
#include "trainyard/catalog.h"

namespace trainyard {
namespace {

/// The format of the tables that training at a precision multiplies in; empty: none was measured.
std::string table_format(Precision precision) {
  switch (precision) {
    case Precision::bf16:
    case Precision::fp16:
      return "bf16";
    case Precision::fp8:
      return "fp8";
    case Precision::fp4:
      return "nvfp4";
    default:
      return {};
  }
}

constexpr const char* kExchanged = "fp16";  // elements of the measured collectives

/// Of what training computes in 16 bits beside products of `precision`; none where those are wider.
std::string sixteen_bits(Precision precision) {
  return bytes_of(precision) <= bytes_of(Precision::bf16) ? "bf16" : "";
}

/// The constants are shares of rates: of the device's own, also where it is not the one that was measured.
void adopt_rates(OperatorContext& context, const OperatorDevice& device, FlopRate peak) {
  constexpr double kUs = 1e-6;
  context.flop_per_us = peak.si() * kUs;
  context.bytes_per_us = device.memory.si() * kUs;
}

std::optional<OperatorCost> cost_of(const Catalog& catalog, const OperatorDevice& device,
                                    const OperatorKey& key, FlopRate peak) {
  const OperatorConstants* entry = key.dtype.empty() ? nullptr : find_operator(catalog, key);
  if (!entry) return std::nullopt;
  OperatorCost own = operator_cost(catalog, *entry, key);
  OperatorContext context = own.context();
  adopt_rates(context, device, peak);
  own.set_context(context);
  return own;
}

/// Products of the layers.
std::optional<OperatorCost> low_products_of(const Catalog& catalog, const OperatorDevice& device) {
  const std::string format = table_format(device.precision);
  if (device.block_scaled && device.precision == Precision::fp8) {
    if (auto block = cost_of(catalog, device, {device.operators, "gemm", format + "_block"}, device.peak_low))
      return block;
  }
  return cost_of(catalog, device, {device.operators, "gemm", format}, device.peak_low);
}

/// Training writes no cache, and attention is one kernel of it: the tables' operator is three.
OperatorCost trained(OperatorCost cost, const OperatorDevice& device) {
  OperatorContext context = cost.context();
  context.kv_bytes = 0;
  cost.set_context(context);
  cost.set_launch(device.launch);
  return cost;
}

/// In 8 bits where products are as narrow, a program takes it and it was measured; else in 16 bits, by the
/// calibration's kernel.
std::optional<OperatorCost> attention_of(const Catalog& catalog, const OperatorDevice& device) {
  const bool narrow = bytes_of(device.precision) <= bytes_of(Precision::fp8);
  if (device.low_attention && narrow && device.peak_eight.si() > 0) {
    const OperatorKey key{device.operators, "attention", table_format(Precision::fp8)};
    if (auto low = cost_of(catalog, device, key, device.peak_eight)) return trained(*low, device);
  }
  const OperatorKey key{device.operators, "attention", sixteen_bits(device.precision), "",
                        device.attention_kernel};
  auto usual = cost_of(catalog, device, key, device.peak);
  if (usual) usual = trained(*usual, device);
  return usual;
}

/// Operators of a catalog that were made.
struct Made {
  std::string catalog;
  OperatorDevice device;
  std::shared_ptr<MeasuredOperators> operators;
};

}  // namespace

MeasuredOperators::MeasuredOperators(const Catalog& catalog, const OperatorDevice& device)
    : usual_(
          cost_of(catalog, device, {device.operators, "gemm", sixteen_bits(device.precision)}, device.peak)),
      low_(low_products_of(catalog, device)),
      attention_(attention_of(catalog, device)),
      gather_(cost_of(catalog, device, {device.operators, "all_gather", kExchanged}, device.peak)),
      scatter_(cost_of(catalog, device, {device.operators, "reduce_scatter", kExchanged}, device.peak)),
      all_to_all_(cost_of(catalog, device, {device.operators, "alltoall", kExchanged}, device.peak)) {
  const OperatorSystem& system = catalog.operator_systems.at(device.operators);
  const Accelerator* accelerator = catalog.accelerators.find(system.accelerator);
  if (system.scale_up_rate.si() > 0)
    measured_scale_up_ = byte_rate(system.scale_up_rate);
  else if (accelerator)
    measured_scale_up_ = byte_rate(accelerator->scale_up_rate);
  if (usual_ && device.sustained_slowdown) usual_->set_slowdown(*device.sustained_slowdown);
}

std::size_t MeasuredOperators::Hash::operator()(const Asked& asked) const {
  auto out = static_cast<std::uint64_t>(asked.first);
  for (const double value : asked.second) out = mixed(out ^ std::bit_cast<std::uint64_t>(value));
  return out;
}

Seconds MeasuredOperators::remembered(Which which, const OperatorCost& cost, const ShapeValues& shape) {
  constexpr std::size_t kMost = 1 << 16;
  if (known_.size() > kMost) known_.clear();
  const auto [found, added] = known_.try_emplace({which, shape}, Seconds(0));
  if (added) found->second = cost.time(shape);
  return found->second;
}

/// Tables of low precisions hold the casts of an inference library, which depend on m and k alone: the same
/// again for as many columns more is the product without them.
Seconds MeasuredOperators::low_product(const ShapeValues& shape) {
  const Seconds whole = remembered(low, *low_, shape);
  const Seconds more = (remembered(low, *low_, gemm_shape(shape[0], 3 * shape[1], shape[2])) - whole) / 2;
  const double at_least_us = low_->model().roof_us(shape, low_->context());
  return std::clamp(more, std::min(whole, Seconds(at_least_us * 1e-6)), whole);
}

Seconds MeasuredOperators::product(bool low_precision, double m, double n, double k, double stretch) {
  const ShapeValues shape = gemm_shape(m, n, k);
  const Seconds burst = low_precision ? low_product(shape) : remembered(usual, *usual_, shape);
  return (low_precision ? *low_ : *usual_).sustained(shape, burst * stretch);
}

Seconds MeasuredOperators::attention(double batch, double sequence, double heads, double kv_heads,
                                     double head_dimension, double window) {
  const ShapeValues shape = attention_shape(batch, sequence, heads, kv_heads, head_dimension, window);
  return attention_->sustained(shape, remembered(attend, *attention_, shape));
}

Bytes MeasuredOperators::there(Bytes bytes, BytesPerSecond scale_up) const {
  return measured_scale_up_.si() > 0 ? bytes * (measured_scale_up_ / scale_up) : bytes;
}

/// As many devices as were measured, and so many bytes that each moves as many.
ShapeValues MeasuredOperators::exchanged(double devices, Bytes bytes, BytesPerSecond scale_up) const {
  constexpr double kMeasured = 8;  // devices of a node
  const double n = std::min(devices, kMeasured);
  return collective_shape(n, there(bytes, scale_up) * ((devices - 1) / devices) / ((n - 1) / n));
}

Seconds MeasuredOperators::ring(double devices, Bytes bytes, BytesPerSecond scale_up) {
  const ShapeValues shape = exchanged(devices, bytes, scale_up);
  return (remembered(gather, *gather_, shape) + remembered(scatter, *scatter_, shape)) / 2;
}

Seconds MeasuredOperators::all_to_all(double devices, Bytes bytes, BytesPerSecond scale_up) {
  return remembered(exchange, *all_to_all_, exchanged(devices, bytes, scale_up));
}

std::shared_ptr<MeasuredOperators> measured_operators(const Catalog& catalog, const OperatorDevice& device) {
  if (device.operators.empty()) return nullptr;
  constexpr std::size_t kMost = 64;
  static PerThread<std::vector<Made>> of_threads;
  std::vector<Made>& made = of_threads.mine();
  const auto found = std::find_if(made.begin(), made.end(), [&](const Made& known) {
    return known.device == device && known.catalog == catalog.version();
  });
  if (found != made.end()) return found->operators;
  if (made.size() >= kMost) made.clear();
  made.push_back({catalog.version(), device, std::make_shared<MeasuredOperators>(catalog, device)});
  return made.back().operators;
}

}  // namespace trainyard
