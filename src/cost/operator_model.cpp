#include "cost/operator_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainyard {
namespace {

using Entry = std::pair<std::string_view, const OperatorModel& (*)()>;

/// Every operation that tables may hold. A new one is a line here and its model.
constexpr std::array kModels = {Entry{"gemm", gemm_model},
                                Entry{"attention", attention_model},
                                Entry{"mla", latent_attention_model},
                                Entry{"moe", expert_model},
                                Entry{"all_reduce", collective_model},
                                Entry{"all_gather", collective_model},
                                Entry{"reduce_scatter", collective_model},
                                Entry{"alltoall", collective_model},
                                Entry{"custom_all_reduce", collective_model}};

/// Values with a scale of 8 bits for 16 (nvfp4) or 32 (mxfp4) of 4 bits.
constexpr double kNvfp4Bytes = 0.5 + 1.0 / 16;
constexpr double kMxfp4Bytes = 0.5 + 1.0 / 32;

}  // namespace

const std::vector<OperandFormat>& operand_formats() {
  static const std::vector<OperandFormat> formats = {
      {"bf16", 2, 2, Precision::bf16},
      {"fp16", 2, 2, Precision::fp16},
      {"fp32", 4, 4, Precision::tf32},
      {"fp8", 1, 1, Precision::fp8},
      {"fp8_block", 1, 1, Precision::fp8},
      {"int8", 1, 1, Precision::int8},
      {"nvfp4", kNvfp4Bytes, kNvfp4Bytes, Precision::fp4},
      {"int8_sq", 1, 1, Precision::int8},
      {"int8_wo", 1, 2, Precision::bf16},
      {"int4_wo", 0.5, 2, Precision::bf16},
      {"w4a16_mxfp4", kMxfp4Bytes, 2, Precision::bf16},
      {"w4a8_mxfp4_mxfp8", kMxfp4Bytes, 1, Precision::fp8},
  };
  return formats;
}

const OperandFormat* find_operand_format(std::string_view name) {
  for (const OperandFormat& format : operand_formats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::size_t CorrectionTable::size() const {
  std::size_t out = 1;
  for (const CorrectionAxis& axis : axes) out *= axis.knots.size();
  return out;
}

double blended(double a, double b, double p) {
  const double larger = std::max(a, b);
  if (!(larger > 0)) return 0;
  return larger * std::pow(1 + std::pow(std::min(a, b) / larger, p), 1 / p);
}

const OperatorModel* find_operator_model(std::string_view operation) {
  for (const auto& [name, model] : kModels) {
    if (name == operation) return &model();
  }
  return nullptr;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& [name, model] : kModels) names.emplace_back(name);
  return names;
}

}  // namespace trainyard
