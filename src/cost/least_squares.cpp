#include "cost/least_squares.h"

#include <Eigen/Dense>
#include <cmath>

namespace trainyard {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Residuals = std::function<void(const std::vector<double>&, std::vector<double>&)>;

double loss_of(const std::vector<double>& residuals) {
  double sum = 0;
  for (const double r : residuals) sum += 2 * (std::sqrt(1 + r * r) - 1);
  return sum;
}

/// J^T W J and J^T W r of the weighted problem at a point.
struct Normal {
  Matrix matrix;
  Vector gradient;
};

Normal normal_at(const Residuals& residuals, const std::vector<double>& at,
                 const std::vector<double>& there) {
  constexpr double kNudge = 1e-5;
  const auto count = static_cast<Eigen::Index>(there.size());
  const auto width = static_cast<Eigen::Index>(at.size());
  Matrix jacobian(count, width);
  std::vector<double> nudged = at, out(there.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    nudged[i] += kNudge;
    residuals(nudged, out);
    nudged[i] = at[i];
    for (std::size_t j = 0; j < out.size(); ++j)
      jacobian(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = (out[j] - there[j]) / kNudge;
  }
  const Eigen::Map<const Vector> r(there.data(), count);
  const Vector weights = (1 + r.array().square()).rsqrt();
  const Matrix weighted = weights.asDiagonal() * jacobian;
  return {jacobian.transpose() * weighted, weighted.transpose() * r};
}

std::vector<double> stepped(const Normal& normal, const std::vector<double>& at, double damping) {
  constexpr double kFloor = 1e-9;  // of a direction in which nothing changes
  Matrix matrix = normal.matrix;
  matrix.diagonal().array() += damping * matrix.diagonal().array() + kFloor;
  const Vector step = matrix.ldlt().solve(normal.gradient);
  std::vector<double> out = at;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= step[static_cast<Eigen::Index>(i)];
  return out;
}

}  // namespace

LeastSquaresResult least_squares(const Residuals& residuals, std::vector<double> start,
                                 const LeastSquaresLimits& limits) {
  constexpr double kMostDamping = 1e8;
  std::vector<double> here;
  residuals(start, here);
  LeastSquaresResult best{std::move(start), loss_of(here)};
  double damping = 1e-2;
  Normal normal = normal_at(residuals, best.parameters, here);
  std::vector<double> there(here.size());
  for (int step = 0; step < limits.most_steps && damping < kMostDamping;) {
    const std::vector<double> next = stepped(normal, best.parameters, damping);
    residuals(next, there);
    const double gain = best.loss - loss_of(there);
    if (!(gain > 0)) {
      damping *= 10;
      continue;
    }
    best = {next, best.loss - gain};
    here = there;
    damping /= 3;
    ++step;
    if (gain < limits.enough * best.loss) break;
    normal = normal_at(residuals, best.parameters, here);
  }
  return best;
}

}  // namespace trainyard
