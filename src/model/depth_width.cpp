// Depth and width from a parameter count.
//
// Levine et al. 2020, "The Depth-to-Width Interplay in Self-Attention", section 5.1 (equation 11 and figure
// 1): depth pays until ln(width) = a + b depth, a = 5.039 +- 0.030, b = 0.0555 +- 0.0013.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/model.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

constexpr double kIntercept = 5.039;
constexpr double kSlope = 0.0555;
constexpr double kParametersPerLayerAndSquaredWidth = 12;
constexpr double kUsualHeadSize = 128;

double width_at(double depth) { return std::exp(kIntercept + kSlope * depth); }

double parameters_at(double depth) {
  return kParametersPerLayerAndSquaredWidth * depth * width_at(depth) * width_at(depth);
}

/// The argument in [low, high] at which an increasing function reaches a value.
template <class F>
double bisect(double low, double high, double wanted, F function) {
  constexpr int kSteps = 200;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (low + high) / 2;
    (function(middle) < wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Heads of about 128; eights of them from eight on, so that tensor parallelism divides them; whole groups
/// where some share keys and values.
std::int64_t usual_heads(double width, std::int64_t groups) {
  constexpr double kGroup = 8;
  const double heads = width / kUsualHeadSize;
  const double whole = heads < kGroup ? std::round(heads) : kGroup * std::round(heads / kGroup);
  return groups * std::max<std::int64_t>(1, std::llround(whole / real(groups)));
}

/// The settings with a width of whole heads near `width`.
ModelShape with_width(ModelShape shape, double width) {
  if (shape.heads <= 0) {
    const std::int64_t shared = shape.kv_heads.value_or(1);
    shape.heads = usual_heads(width, std::lcm(shared, shape.global_kv_heads.value_or(shared)));
  }
  const double head_size = std::max(1.0, std::round(width / static_cast<double>(shape.heads)));
  shape.hidden = shape.heads * static_cast<std::int64_t>(head_size);
  return shape;
}

/// Parameters of a model of any depth.
struct LayerCounts {
  double without = 0;  // layers
  double dense = 0;    // one of the first layers, which have no experts
  double mean = 0;     // one behind them, in the mean over an interval of experts
};

double total_of(ModelShape shape, std::int64_t layers, std::int64_t dense) {
  shape.layers = layers;
  shape.dense_layers = dense;
  return count_parameters(shape).total;
}

LayerCounts counts_of(const ModelShape& shape) {
  const std::int64_t interval = shape.experts > 0 ? shape.expert_interval : 1;
  LayerCounts out;
  const double one = total_of(shape, interval, 0);
  out.mean = (total_of(shape, 2 * interval, 0) - one) / real(interval);
  out.without = one - out.mean * real(interval);
  out.dense = total_of(shape, 2, 2) - total_of(shape, 1, 1);
  return out;
}

double total_with_layers(const ModelShape& shape, double layers) {
  const LayerCounts counts = counts_of(shape);
  const double dense = std::min(layers, real(shape.dense_layers));
  return counts.without + dense * counts.dense + (layers - dense) * counts.mean;
}

/// Layers of a model of so many parameters.
double layers_with_total(const ModelShape& shape, double total) {
  const LayerCounts counts = counts_of(shape);
  const double first = real(shape.dense_layers);
  const double in_dense = (total - counts.without) / counts.dense;
  return in_dense < first ? in_dense : first + (total - counts.without - first * counts.dense) / counts.mean;
}

}  // namespace

DepthWidth depth_to_width(double parameters) {
  constexpr double kDeepest = 1000;
  DepthWidth law;
  law.depth = bisect(1e-6, kDeepest, parameters, parameters_at);
  law.width = width_at(law.depth);
  return law;
}

ModelShape shape_for_parameters(double parameters, const ModelShape& settings) {
  // With experts the law speaks of the model with one expert: find the one whose whole count is the wanted
  // one.
  const auto shape_of = [&](double dense) { return with_width(settings, depth_to_width(dense).width); };
  const auto whole_of = [&](double dense) {
    return total_with_layers(shape_of(dense), depth_to_width(dense).depth);
  };
  ModelShape shape =
      shape_of(settings.experts > 0 ? bisect(1, parameters, parameters, whole_of) : parameters);
  shape.layers = std::max<std::int64_t>(1, std::llround(layers_with_total(shape, parameters)));
  if (shape.info.name.empty()) shape.info.name = "model of the depth-to-width law";
  return shape;
}

ModelShape resolve_shape(const ModelInput& model) {
  const bool sized = model.shape.layers > 0;
  return model.parameters && !sized ? shape_for_parameters(*model.parameters, model.shape) : model.shape;
}

}  // namespace trainyard
