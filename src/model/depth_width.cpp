// Depth and width from a parameter count.
//
// Levine et al. 2020, "The Depth-to-Width Interplay in Self-Attention", section 5.1 (equation 11 and figure
// 1): depth pays until ln(width) = a + b depth, a = 5.039 +- 0.030, b = 0.0555 +- 0.0013.
#include <algorithm>
#include <cmath>

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

/// Heads of about 128; eights of them from eight on, so that tensor parallelism divides them.
std::int64_t usual_heads(double width) {
  constexpr double kGroup = 8;
  const double heads = width / kUsualHeadSize;
  const double whole = heads < kGroup ? std::round(heads) : kGroup * std::round(heads / kGroup);
  return std::max<std::int64_t>(1, std::llround(whole));
}

/// The settings with a width of whole heads near `width`.
ModelShape with_width(ModelShape shape, double width) {
  if (shape.heads <= 0) shape.heads = usual_heads(width);
  const double head_size = std::max(1.0, std::round(width / static_cast<double>(shape.heads)));
  shape.hidden = shape.heads * static_cast<std::int64_t>(head_size);
  return shape;
}

/// Parameters of a model of any depth: those of a layer in the mean over an interval of experts.
struct LayerMean {
  double without = 0;  // layers
  double layer = 0;
};

LayerMean mean_of_layers(ModelShape shape) {
  if (shape.experts == 0 || shape.expert_interval == 1) {
    shape.layers = 1;
    const ParameterCount one = count_parameters(shape);
    return {one.total - one.layer, one.layer};
  }
  shape.layers = shape.expert_interval;
  shape.dense_layers = 0;
  const double interval = static_cast<double>(shape.layers);
  const double one = count_parameters(shape).total;
  shape.layers *= 2;
  const double layer = (count_parameters(shape).total - one) / interval;
  return {one - layer * interval, layer};
}

double total_with_layers(const ModelShape& shape, double layers) {
  const LayerMean mean = mean_of_layers(shape);
  return mean.without + layers * mean.layer;
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
  const auto total_of = [&](double dense) {
    return total_with_layers(shape_of(dense), depth_to_width(dense).depth);
  };
  ModelShape shape =
      shape_of(settings.experts > 0 ? bisect(1, parameters, parameters, total_of) : parameters);
  const LayerMean mean = mean_of_layers(shape);
  shape.layers = std::max<std::int64_t>(1, std::llround((parameters - mean.without) / mean.layer));
  if (shape.info.name.empty()) shape.info.name = "model of the depth-to-width law";
  return shape;
}

ModelShape resolve_shape(const ModelInput& model) {
  return model.parameters ? shape_for_parameters(*model.parameters, model.shape) : model.shape;
}

}  // namespace trainyard
