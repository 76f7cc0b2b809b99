// Nonlinear least squares with the soft-l1 loss, so that no single measurement decides.
#pragma once

#include <functional>
#include <vector>

namespace trainyard {

struct LeastSquaresLimits {
  int most_steps = 40;
  double enough = 1e-5;  // gain of a step over the loss, below which it is the last
};

struct LeastSquaresResult {
  std::vector<double> parameters;
  double loss = 0;  // sum of 2 (sqrt(1 + r^2) - 1)
};

/// Levenberg-Marquardt with weights of the loss and forward differences (Marquardt 1963; Huber's weights as
/// in Triggs et al. 1999). `residuals` fills its second argument, as many numbers at every call.
LeastSquaresResult least_squares(
    const std::function<void(const std::vector<double>& parameters, std::vector<double>& out)>& residuals,
    std::vector<double> start, const LeastSquaresLimits& limits = {});

}  // namespace trainyard
