#include "trainyard/calibration_fit.h"

#include <fmt/core.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <type_traits>

#include "base/stopping.h"
#include "catalog/catalog.h"
#include "cost/calibrated_compute.h"
#include "cost/operator_series_fit.h"
#include "trainyard/errors.h"
#include "trainyard/measured_runs.h"
#include "trainyard/range.h"
#include "validation/run_prediction.h"

namespace trainyard {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kRunWidth = 0.03;
constexpr double kFittedFreedom = 0.7;  // of the widths, where runs were behind the prior

template <auto Member>
FittedConstant constant(const char* name, double width, const Range& range = at_least(0)) {
  return {name, width, range,
          [](const Calibration& c) {
            if constexpr (requires { (c.*Member).si(); }) {
              return (c.*Member).si();
            } else {
              return c.*Member;
            }
          },
          [](Calibration& c, double value) {
            using Value = std::remove_reference_t<decltype(c.*Member)>;
            c.*Member = Value(value);
          }};
}

/// One fit: runs, priors and widths as a vector of residuals of the constants' logarithmic moves.
class Problem {
 public:
  Problem(const Calibration& prior, double freedom, const std::vector<MeasuredRun>& runs,
          const Catalog& catalog)
      : prior_(prior), freedom_(freedom) {
    std::map<std::string, double> copies;
    for (const MeasuredRun& run : runs) ++copies[configuration_of(run)];
    for (const MeasuredRun& run : runs) {
      measured_.push_back(measured_step(run, catalog));
      cases_.emplace_back(run, catalog);
      weights_.push_back(1 / std::sqrt(copies.at(configuration_of(run))));
    }
  }

  Eigen::Index moves() const { return static_cast<Eigen::Index>(fitted_constants().size()); }

  Calibration at(const Vector& move) const {
    Calibration out = prior_;
    for (Eigen::Index i = 0; i < moves(); ++i) {
      const FittedConstant& c = fitted_constants()[static_cast<std::size_t>(i)];
      c.set(out, std::clamp(c.get(prior_) * std::exp(move[i]), c.range.low, c.range.high));
    }
    return out;
  }

  Vector residuals(const Vector& move) {
    pause_point();
    const auto count = static_cast<Eigen::Index>(cases_.size());
    Vector out(count + moves());
    const Calibration calibration = at(move);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto run = static_cast<std::size_t>(i);
      const Seconds predicted = cases_[run].step(calibration);
      out[i] = weights_[run] * std::log(predicted / measured_[run]) / kRunWidth;
    }
    for (Eigen::Index i = 0; i < moves(); ++i)
      out[count + i] = move[i] / (freedom_ * fitted_constants()[static_cast<std::size_t>(i)].width);
    return out;
  }

  Matrix jacobian(const Vector& move, const Vector& at_move) {
    constexpr double kNudge = 1e-4;
    Matrix out(at_move.size(), moves());
    for (Eigen::Index i = 0; i < moves(); ++i) {
      Vector nudged = move;
      nudged[i] += kNudge;
      out.col(i) = (residuals(nudged) - at_move) / kNudge;
    }
    return out;
  }

 private:
  const Calibration& prior_;
  double freedom_;
  std::vector<RunCase> cases_;
  std::vector<Seconds> measured_;
  std::vector<double> weights_;  // squared: the run's share of its configuration's vote
};

/// Sum of the soft-l1 loss, 2 (sqrt(1 + r^2) - 1).
double loss(const Vector& residuals) { return 2 * ((1 + residuals.array().square()).sqrt() - 1).sum(); }

/// Levenberg-Marquardt with the loss's weights; stops when a step gains nothing.
Vector minimise(Problem& problem) {
  constexpr int kMostSteps = 60;
  constexpr double kEnough = 1e-7;
  Vector move = Vector::Zero(problem.moves());
  Vector residuals = problem.residuals(move);
  double damping = 1e-2;
  for (int step = 0; step < kMostSteps && damping < 1e8; ++step) {
    const Matrix jacobian = problem.jacobian(move, residuals);
    const Vector weights = (1 + residuals.array().square()).rsqrt();
    Matrix normal = jacobian.transpose() * weights.asDiagonal() * jacobian;
    const Vector gradient = jacobian.transpose() * weights.asDiagonal() * residuals;
    normal.diagonal() *= 1 + damping;
    const Vector next = move - normal.ldlt().solve(gradient);
    const Vector there = problem.residuals(next);
    const double gain = loss(residuals) - loss(there);
    if (!(gain > 0)) {
      damping *= 10;
      continue;
    }
    move = next;
    residuals = there;
    damping /= 3;
    if (gain < kEnough * loss(residuals)) break;
  }
  return move;
}

/// To four digits, as the catalog holds constants.
double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

struct TableHead {
  std::string key;
  std::string prior;
  std::string fitted_on;
};

/// The fitted constants that differ from the prior's, as a table of a catalog file.
std::string table_of(const TableHead& head, const Calibration& calibration, const Calibration& prior) {
  std::string out =
      fmt::format("[calibrations.{}]\nbased_on = \"{}\"\nname = \"{}\"\nsource = \"{}, fitted on {}\"\n",
                  head.key, head.prior, calibration.info.name, head.prior, head.fitted_on);
  const std::vector<FittedConstant>& fitted = fitted_constants();
  for (const Field<Calibration>& field : calibration_fields()) {
    const auto own = std::find_if(fitted.begin(), fitted.end(),
                                  [&](const FittedConstant& c) { return c.name == field.info.name; });
    const bool moved = own != fitted.end() && own->get(calibration) != own->get(prior);
    const bool interval = field.info.name == "interval" && calibration.interval != prior.interval;
    const bool measured = field.info.name == "measured_on" && calibration.measured_on != prior.measured_on;
    if (moved || interval || measured) out += field.info.name + " = " + field.text(calibration) + "\n";
  }
  return out;
}

}  // namespace

const std::vector<FittedConstant>& fitted_constants() {
  using C = Calibration;
  static const std::vector<FittedConstant> constants = {
      constant<&C::product_time>("product_time", 0.05),
      constant<&C::product_time_fp8>("product_time_fp8", 0.06),
      constant<&C::product_time_fp4>("product_time_fp4", 0.1),
      constant<&C::attention_time>("attention_time", 0.04),
      constant<&C::attention_backward_time>("attention_backward_time", 0.06),
      constant<&C::matmul>("matmul", 0.05, share()),
      constant<&C::matmul_fp8>("matmul_fp8", 0.15, share()),
      {"matmul_fp4", 0.15, share(), [](const C& c) { return c.matmul_fp4.value_or(c.matmul_fp8); },
       [](C& c, double value) { c.matmul_fp4 = value; }},
      constant<&C::attention_forward>("attention_forward", 0.15, share()),
      constant<&C::attention_backward>("attention_backward", 0.15, share()),
      constant<&C::grouped_matmul>("grouped_matmul", 0.3),
      constant<&C::softmax_bytes>("softmax_bytes", 0.3),
      constant<&C::softmax_bytes_backward>("softmax_bytes_backward", 0.3),
      constant<&C::memory>("memory", 0.08),
      constant<&C::elementwise_backward>("elementwise_backward", 0.15),
      constant<&C::eager>("eager", 0.3, at_least(1)),
      constant<&C::cast>("cast", 0.5),
      constant<&C::routing_bytes>("routing_bytes", 1),
      constant<&C::permutation_time>("permutation_time", 0.4),
      constant<&C::loss_bytes>("loss_bytes", 0.3),
      constant<&C::optimizer_bytes>("optimizer_bytes", 0.4),
      constant<&C::scale_up>("scale_up", 0.08, share()),
      constant<&C::all_to_all>("all_to_all", 0.25, share()),
      constant<&C::collective_time>("collective_time", 0.1),
      constant<&C::all_to_all_time>("all_to_all_time", 0.15),
      constant<&C::context_exchange>("context_exchange", 0.4),
      constant<&C::exposed_async>("exposed_async", 0.4, between(0, 1)),
      constant<&C::exposed_pieces>("exposed_pieces", 0.6, between(0, 1)),
      constant<&C::scale_out>("scale_out", 0.1, share()),
      constant<&C::collective_latency>("collective_latency", 0.1),  // measured, with the collectives
      constant<&C::layer_overhead>("layer_overhead", 0.5),
      constant<&C::microbatch_overhead>("microbatch_overhead", 0.8),
      constant<&C::step_overhead>("step_overhead", 0.8),
  };
  return constants;
}

bool fits_on(const MeasuredRun& run) { return run.counts() && !run.from_memory; }

Calibration fit_calibration(const Calibration& prior, double freedom, const std::vector<MeasuredRun>& runs,
                            const Catalog& catalog) {
  Problem problem(prior, freedom, runs, catalog);
  Calibration out = problem.at(minimise(problem));
  for (const FittedConstant& c : fitted_constants()) c.set(out, rounded(c.get(out)));
  return out;
}

std::string calibration_tables(const Catalog& catalog, const std::string& fitted_on,
                               const std::string& prior_suffix) {
  std::string out;
  for (const auto& [key, calibration] : catalog.calibrations) {
    const Calibration* prior = catalog.calibrations.find(key + prior_suffix);
    if (!prior) continue;
    const std::string own = prior_suffix == kOperatorsSuffix ? key + kPriorSuffix : key;
    out += table_of({own, key + prior_suffix, fitted_on}, calibration, *prior) + "\n";
  }
  return out;
}

namespace {

std::string calibration_of(const Catalog& catalog, const MeasuredRun& run) {
  if (!run.scenario_text.empty()) return run.scenario_calibration;
  return calibration_key(catalog, run.accelerator_key);
}

/// The set that the runs of a calibration take part in the fit of.
std::string fit_of(const Catalog& catalog, const std::string& key) {
  const Calibration* found = catalog.calibrations.find(key);
  return found && !found->fitted_with.empty() ? found->fitted_with : key;
}

/// Sets that take their constants from a set that was fitted, but for those that they state themselves.
void pass_on(Catalog& fitted, const Catalog& shipped) {
  for (auto& [key, calibration] : fitted.calibrations) {
    const Calibration* other = fitted.calibrations.find(calibration.fitted_with);
    if (!other) continue;
    const Calibration own = calibration;
    const Calibration& base = shipped.calibrations.at(own.fitted_with);
    calibration = with_operators_of(*other, own);
    for (const FittedConstant& c : fitted_constants())
      if (c.get(own) != c.get(base)) c.set(calibration, c.get(own));
  }
}

}  // namespace

Catalog fitted_catalog(const Catalog& catalog, const std::vector<MeasuredRun>& runs,
                       const std::optional<std::string>& without_source, const std::string& prior_suffix) {
  Catalog out = catalog;
  for (auto& [key, calibration] : out.calibrations) {
    const Calibration* prior = catalog.calibrations.find(key + prior_suffix);
    if (!prior) continue;
    std::vector<MeasuredRun> own;
    bool touched = !without_source;
    for (const MeasuredRun& run : runs) {
      if (fit_of(catalog, calibration_of(catalog, run)) != key) continue;
      if (run.source == without_source) touched = true;
      if (fits_on(run) && run.source != without_source) own.push_back(run);
    }
    if (!touched) continue;
    const bool known = prior_suffix == kPriorSuffix && catalog.calibrations.contains(key + kOperatorsSuffix);
    const Calibration fitted =
        own.empty() ? *prior : fit_calibration(*prior, known ? kFittedFreedom : 1, own, catalog);
    calibration = with_operators_of(fitted, calibration);
  }
  pass_on(out, catalog);
  return out;
}

namespace {

/// With general constants, under their own keys, for the accelerators of runs that have none.
Catalog with_starts(const Catalog& catalog, const std::vector<MeasuredRun>& runs) {
  Catalog out = catalog;
  for (const MeasuredRun& run : runs) {
    if (!fits_on(run) || !calibration_of(catalog, run).empty()) continue;
    Calibration start = general_calibration();
    start.info.source = "general constants";
    start.info.name = run.accelerator;
    if (const Accelerator* found = catalog.accelerators.find(run.accelerator_key))
      start.info.name = found->info.name;
    out.calibrations.own().try_emplace(run.accelerator_key, start);
  }
  return out;
}

/// Whose runs speak for a set.
struct OwnRuns {
  std::vector<MeasuredRun> runs;
  std::set<std::string> accelerators;
};
/// By the set that they are predicted with or, `with_others`, whose fit they take part in.
std::map<std::string, OwnRuns> runs_by_set(const Catalog& catalog, const std::vector<MeasuredRun>& runs,
                                           bool with_others) {
  std::map<std::string, OwnRuns> out;
  for (const MeasuredRun& run : runs) {
    if (!fits_on(run)) continue;
    const std::string known = calibration_of(catalog, run);
    const std::string key = known.empty() ? run.accelerator_key : known;
    OwnRuns& own = out[with_others ? fit_of(catalog, key) : key];
    own.runs.push_back(run);
    own.accelerators.insert(run.accelerator_key);
  }
  return out;
}

/// A set that stands nowhere else, whole.
std::string whole_table(const std::string& key, const Calibration& set) {
  std::string out = fmt::format("[calibrations.{}]\nname = {}\nsource = {}\n", toml_key(key),
                                toml_text(set.info.name), toml_text(set.info.source));
  const Calibration plain;
  for (const Field<Calibration>& field : calibration_fields()) {
    const std::string& name = field.info.name;
    if (name == "name" || name == "source" || field.text(set) == field.text(plain)) continue;
    out += name + " = " + field.text(set) + "\n";
  }
  return out + "\n";
}

/// A set that the shipped catalog has no prior of, as a user's runs have it. What it was before stands beside
/// it, so that another fit starts from there again.
std::string own_tables(const Catalog& start, const std::string& key, const OwnRuns& own,
                       const std::string& fitted_on) {
  const std::string prior_key = key + kPriorSuffix;
  const Calibration* known = start.calibrations.find(prior_key);
  Calibration prior = known ? *known : start.calibrations.at(key);
  prior.fitted_with.clear();
  prior.estimated = false;
  Calibration fitted = with_operators_of(fit_calibration(prior, 1, own.runs, start), prior);
  fitted.info.name = start.calibrations.at(key).info.name;
  fitted.measured_on.assign(own.accelerators.begin(), own.accelerators.end());
  return whole_table(prior_key, prior) + table_of({key, prior_key, fitted_on}, fitted, prior) + "\n";
}

}  // namespace

std::string fitted_on_runs(const Catalog& catalog, const std::vector<MeasuredRun>& runs,
                           const std::string& fitted_on, const std::string& prior_suffix) {
  const bool priors = prior_suffix == kOperatorsSuffix;
  const Catalog start = with_starts(catalog, runs);
  std::string out;
  for (const auto& [key, own] : runs_by_set(start, runs, priors)) {
    const Calibration* prior = shipped_catalog()->calibrations.find(key + prior_suffix);
    if (!prior) {
      out += own_tables(start, key, own, fitted_on);
      continue;
    }
    const Catalog fitted = fitted_catalog(start, priors ? runs : own.runs, {}, prior_suffix);
    const std::string set = priors ? key + kPriorSuffix : key;
    out += table_of({set, key + prior_suffix, fitted_on}, fitted.calibrations.at(key),
                    start.calibrations.at(key + prior_suffix)) +
           "\n";
  }
  if (out.empty())
    fail_input(whole("--fit"), "no run has a measured step that counts",
               "rows with a value, not left out and not quoted from memory");
  return out;
}

}  // namespace trainyard
