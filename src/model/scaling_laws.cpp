// Loss-optimal model sizes.
//
// Kaplan et al. 2020, "Scaling Laws for Neural Language Models", section 6.1 and table 6: with C in PF-days,
//   N = 1.3e9 C^0.73, L = (3.1e8 / C)^0.050; tokens from C = 6 N D.
// Hoffmann et al. 2022, "Training Compute-Optimal Large Language Models": N = k C^a with a = 0.50 (approach
// 1) and
//   a = 0.49 (approach 2), table 2; k is the geometric mean over the rows of table 3 (approach 1) and table
//   A3 (approach 2), since the paper prints no prefactor. Approach 3, equation 10 and section D.3: L(N, D)
//   = 1.69 + 406.4 N^-0.34 + 410.7 D^-0.28, minimised at C = 6 N D (equation 4).
#include "model/scaling_laws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "model/model.h"
#include "trainyard/plan/facility.h"
#include "trainyard/plan/scaling.h"

namespace trainyard {
namespace {

constexpr double kFlopPerParameterAndToken = 6;
constexpr double kSecondsPerDay = 86400;
constexpr double kPfDay = 1e15 * kSecondsPerDay;

constexpr double kKaplanScale = 1.3e9;
constexpr double kKaplanExponent = 0.73;
constexpr double kKaplanLossScale = 3.1e8;
constexpr double kKaplanLossExponent = 0.050;

struct OptimalSize {
  double parameters;
  double flop;
};

constexpr std::array<OptimalSize, 9> kApproach1 = {{{400e6, 1.92e19},
                                                    {1e9, 1.21e20},
                                                    {10e9, 1.23e22},
                                                    {67e9, 5.76e23},
                                                    {175e9, 3.85e24},
                                                    {280e9, 9.90e24},
                                                    {520e9, 3.43e25},
                                                    {1e12, 1.27e26},
                                                    {10e12, 1.30e28}}};
constexpr std::array<OptimalSize, 9> kApproach2 = {{{400e6, 1.84e19},
                                                    {1e9, 1.20e20},
                                                    {10e9, 1.32e22},
                                                    {67e9, 6.88e23},
                                                    {175e9, 4.54e24},
                                                    {280e9, 1.18e25},
                                                    {520e9, 4.19e25},
                                                    {1e12, 1.59e26},
                                                    {10e12, 1.75e28}}};
constexpr double kExponent1 = 0.50;
constexpr double kExponent2 = 0.49;

struct ParametricLoss {
  double irreducible = 1.69;
  double a = 406.4;
  double b = 410.7;
  double alpha = 0.34;
  double beta = 0.28;

  double at(double parameters, double tokens) const {
    return irreducible + a * std::pow(parameters, -alpha) + b * std::pow(tokens, -beta);
  }
};
constexpr ParametricLoss kLoss;

/// N = scale C^exponent, with C in FLOP.
struct PowerLaw {
  double scale;
  double exponent;
};

double prefactor(std::span<const OptimalSize> rows, double exponent) {
  double sum = 0;
  for (const OptimalSize& row : rows) sum += std::log(row.parameters) - exponent * std::log(row.flop);
  return std::exp(sum / static_cast<double>(rows.size()));
}

PowerLaw parametric_optimum() {
  const double sum = kLoss.alpha + kLoss.beta;
  const double exponent = kLoss.beta / sum;
  const double g = std::pow(kLoss.alpha * kLoss.a / (kLoss.beta * kLoss.b), 1 / sum);
  return {g * std::pow(kFlopPerParameterAndToken, -exponent), exponent};
}

PowerLaw power_law(ScalingLaw law) {
  static const PowerLaw first = {prefactor(kApproach1, kExponent1), kExponent1};
  static const PowerLaw second = {prefactor(kApproach2, kExponent2), kExponent2};
  static const PowerLaw third = parametric_optimum();
  switch (law) {
    case ScalingLaw::kaplan:
      return {kKaplanScale * std::pow(kPfDay, -kKaplanExponent), kKaplanExponent};
    case ScalingLaw::hoffmann1:
      return first;
    case ScalingLaw::hoffmann2:
      return second;
    case ScalingLaw::hoffmann3:
      return third;
  }
  return second;
}

}  // namespace

LawPoint loss_optimal(ScalingLaw law, Flop compute) {
  const PowerLaw power = power_law(law);
  LawPoint point;
  point.law = law;
  point.parameters = power.scale * std::pow(compute.si(), power.exponent);
  point.tokens = compute.si() / (kFlopPerParameterAndToken * point.parameters);
  if (law == ScalingLaw::hoffmann3) point.loss = kLoss.at(point.parameters, point.tokens);
  if (law == ScalingLaw::kaplan) {
    point.loss = std::pow(kKaplanLossScale / (compute.si() / kPfDay), kKaplanLossExponent);
  }
  return point;
}

Flop compute_for_parameters(ScalingLaw law, double parameters) {
  const PowerLaw power = power_law(law);
  return Flop(std::pow(parameters / power.scale, 1 / power.exponent));
}

double optimal_tokens(ScalingLaw law, double parameters) {
  return compute_for_parameters(law, parameters).si() / (kFlopPerParameterAndToken * parameters);
}

double run_tokens(const TrainingInput& training, const ModelShape& shape) {
  if (training.tokens) return *training.tokens;
  if (shape.training_tokens) return *shape.training_tokens;
  return optimal_tokens(ScalingLaw::hoffmann2, count_parameters(shape).active);
}

ScalingPlan plan_scaling(const TrainingInput& training, Precision compute, const FacilityPlan& facility,
                         const ModelPlan& model) {
  ScalingPlan plan;
  plan.duration = training.duration;
  const auto& peak = facility.dense.at(compute);
  plan.rate = (peak ? *peak : *facility.sparse.at(compute)) * training.law_utilization;
  if (training.compute_budget) plan.compute = *training.compute_budget;
  if (training.duration) plan.compute = Flop((plan.rate * *training.duration).si());
  plan.model_tokens_optimal = optimal_tokens(ScalingLaw::hoffmann2, model.parameters.active);
  const double sequences = run_tokens(training, model.shape) / static_cast<double>(model.shape.sequence);
  plan.model_duration = model.sequence_training * sequences / plan.rate;
  if (plan.compute.si() <= 0) return plan;
  for (const ScalingLaw law :
       {ScalingLaw::kaplan, ScalingLaw::hoffmann1, ScalingLaw::hoffmann2, ScalingLaw::hoffmann3}) {
    plan.laws.push_back(loss_optimal(law, plan.compute));
    if (law == training.law) plan.chosen = plan.laws.back();
  }
  return plan;
}

}  // namespace trainyard
