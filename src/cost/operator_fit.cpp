#include "trainyard/operator_fit.h"

#include <fmt/core.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "cost/calibrated_compute.h"
#include "cost/correction.h"
#include "cost/least_squares.h"
#include "cost/operator_series_fit.h"
#include "cost/operators.h"
#include "trainyard/catalog.h"

namespace trainyard {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kRowWidth = 0.05;   // of ln(time), within which rows agree
constexpr double kPriorWidth = 1.5;  // of the logarithm of a constant
constexpr std::size_t kMostFormRows = 3000;
constexpr double kCorrectionWidth = 0.04;
constexpr double kSmoothness = 0.1;
constexpr double kRidge = 0.01;
constexpr double kSlowCell = 0.06;  // of ln(time), above which a cell lies aside
constexpr std::size_t kLeastCellRows = 3;
constexpr std::size_t kLeastRows = 12;

std::uint64_t hash_of(const ShapeValues& shape) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const double value : shape) {
    if (value < 0x1p64) hash ^= static_cast<std::uint64_t>(value);  // some products are larger
    hash *= 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

/// One operator's rows while it is fitted.
class Fit {
 public:
  Fit(const OperatorModel& model, const OperatorContext& context, std::vector<OperatorRow> rows)
      : model_(model), context_(context), rows_(std::move(rows)) {
    // An order of its own, so that the order of a file changes nothing and the first rows are a sample.
    std::sort(rows_.begin(), rows_.end(), [](const OperatorRow& a, const OperatorRow& b) {
      const std::uint64_t x = hash_of(a.shape), y = hash_of(b.shape);
      return x != y ? x < y : a.time_us < b.time_us;
    });
  }

  OperatorConstants run() {
    fit_form();
    fit_correction();
    fit_cells();
    OperatorConstants out;
    for (std::size_t i = 0; i < constants_.size(); ++i)
      out.constants[model_.constants()[i].name] = constants_[i];
    out.correction = correction_text(model_.tables(), correction_);
    out.slow_cells = cell_texts();
    return out;
  }

 private:
  std::size_t free_count() const {
    const auto& all = model_.constants();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const ModelConstant& c) { return !c.is_switch; }));
  }

  std::vector<double> constants_at(const std::vector<double>& moves, unsigned switches) const {
    constexpr double kMostMove = 20;
    std::vector<double> out;
    std::size_t next = 0;
    for (const ModelConstant& c : model_.constants()) {
      if (c.is_switch) {
        out.push_back(switches & 1U);
        switches >>= 1U;
      } else {
        out.push_back(c.prior * std::exp(std::clamp(moves[next++], -kMostMove, kMostMove)));
      }
    }
    return out;
  }

  /// The closed form, for every setting of its switches.
  void fit_form() {
    const std::size_t sample = std::min(rows_.size(), kMostFormRows);
    const auto switches = static_cast<unsigned>(model_.constants().size() - free_count());
    double best = 0;
    for (unsigned setting = 0; setting < 1U << switches; ++setting) {
      const auto residuals = [&](const std::vector<double>& moves, std::vector<double>& out) {
        const std::vector<double> constants = constants_at(moves, setting);
        out.clear();
        for (std::size_t i = 0; i < sample; ++i) {
          out.push_back(std::log(model_.base_us(constants, rows_[i].shape, context_) / rows_[i].time_us) /
                        kRowWidth);
        }
        for (const double move : moves) out.push_back(move / kPriorWidth);
      };
      const LeastSquaresResult found = least_squares(residuals, std::vector<double>(free_count(), 0));
      if (setting > 0 && !(found.loss < best)) continue;
      best = found.loss;
      constants_ = constants_at(found.parameters, setting);
    }
    for (double& c : constants_) c = std::stod(fmt::format("{:.4g}", c));
  }

  /// ln(measured / closed form), less what its cell takes.
  double residual(const OperatorRow& row) const {
    return std::log(row.time_us / model_.base_us(constants_, row.shape, context_)) - cell_of(row);
  }

  double cell_of(const OperatorRow& row) const {
    if (cells_.empty()) return 0;
    const OperatorModel::Cell cell = model_.cell(row.shape);
    const auto found = cells_.find({cell.configuration, cell.placement});
    return found == cells_.end() ? 0 : found->second;
  }

  void fit_correction() {
    const auto width = static_cast<Eigen::Index>(knot_count(model_.tables()));
    std::vector<KnotWeight> knots;
    std::vector<std::size_t> begins = {0};
    Vector values(static_cast<Eigen::Index>(rows_.size()));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      add_knot_weights(model_.tables(), model_.coordinates(rows_[i].shape, constants_), knots);
      begins.push_back(knots.size());
      values[static_cast<Eigen::Index>(i)] = residual(rows_[i]);
    }
    const Matrix penalty = smoothness();
    Vector solution = Vector::Zero(width);
    constexpr int kRounds = 6;
    for (int round = 0; round < kRounds; ++round) {
      Matrix normal = penalty;
      Vector right = Vector::Zero(width);
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        double left_over = values[static_cast<Eigen::Index>(i)];
        for (std::size_t a = begins[i]; a < begins[i + 1]; ++a)
          left_over -= knots[a].weight * solution[static_cast<Eigen::Index>(knots[a].knot)];
        const double scaled = round == 0 ? 0 : left_over / kCorrectionWidth;
        const double weight = 1 / std::sqrt(1 + scaled * scaled);
        for (std::size_t a = begins[i]; a < begins[i + 1]; ++a) {
          const auto row = static_cast<Eigen::Index>(knots[a].knot);
          right[row] += weight * knots[a].weight * values[static_cast<Eigen::Index>(i)];
          for (std::size_t b = begins[i]; b < begins[i + 1]; ++b)
            normal(row, static_cast<Eigen::Index>(knots[b].knot)) +=
                weight * knots[a].weight * knots[b].weight;
        }
      }
      solution = normal.ldlt().solve(right);
    }
    correction_.assign(solution.data(), solution.data() + solution.size());
    for (double& c : correction_) c = std::round(c / kCorrectionStep) * kCorrectionStep;
  }

  Matrix smoothness() const {
    const auto width = static_cast<Eigen::Index>(knot_count(model_.tables()));
    Matrix out = kRidge * Matrix::Identity(width, width);
    for (const std::vector<KnotWeight>& row : smoothness_rows(model_.tables())) {
      for (const KnotWeight& a : row) {
        for (const KnotWeight& b : row) {
          out(static_cast<Eigen::Index>(a.knot), static_cast<Eigen::Index>(b.knot)) +=
              kSmoothness * a.weight * b.weight;
        }
      }
    }
    return out;
  }

  /// Cells whose rows lie aside together; twice, since they pull the correction until they are known.
  void fit_cells() {
    if (rows_.empty() || model_.cell(rows_.front().shape).configuration.empty()) return;
    constexpr int kRounds = 2;
    for (int round = 0; round < kRounds; ++round) {
      std::map<std::pair<std::string, std::string>, std::vector<double>> gathered;
      cells_.clear();
      for (const OperatorRow& row : rows_) {
        const OperatorModel::Cell cell = model_.cell(row.shape);
        gathered[{cell.configuration, cell.placement}].push_back(
            residual(row) -
            correction_at(model_.tables(), correction_, model_.coordinates(row.shape, constants_)));
      }
      for (auto& [cell, values] : gathered) {
        if (values.size() < kLeastCellRows) continue;
        std::sort(values.begin(), values.end());
        const auto count = static_cast<double>(values.size());
        const double aside = values[values.size() / 2] * count / (count + 1);
        if (std::abs(aside) > kSlowCell) cells_[cell] = std::round(aside / kCorrectionStep) * kCorrectionStep;
      }
      if (round + 1 < kRounds) fit_correction();
    }
  }

  std::map<std::string, std::string> cell_texts() const {
    std::map<std::string, std::string> out;
    for (const auto& [cell, value] : cells_) {
      std::string& text = out[cell.first];
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", cell.second,
                          static_cast<int>(std::lround(value / kCorrectionStep)));
    }
    return out;
  }

  const OperatorModel& model_;
  const OperatorContext& context_;
  std::vector<OperatorRow> rows_;
  std::vector<double> constants_;
  std::vector<double> correction_;
  std::map<std::pair<std::string, std::string>, double> cells_;
};

bool balanced(const OperatorSeries& series) {
  return series.distribution.empty() || series.distribution == "balanced";
}

bool is_collective(const OperatorKey& key) {
  return find_operator_model(key.operation) == &collective_model();
}

/// Series that one entry is fitted on: the same operator of the same backend and version.
struct Group {
  OperatorKey key;
  std::string backend, version;
  std::string kernel;  // as the table names it
  std::vector<OperatorRow> rows;
};

/// Kernels of other backends that a table names, each by the version with most rows; those that are known
/// have no group.
void add_other_kernels(const std::map<std::string, Group>& kernels,
                       std::map<std::string, const Group*>& named) {
  constexpr std::size_t kLeastKernelRows = 500;
  for (const auto& [kernel, group] : kernels) {
    if (kernel.empty() || group.rows.size() < kLeastKernelRows) continue;
    const auto [known, added] = named.try_emplace(kernel, &group);
    if (!added && known->second && known->second->rows.size() < group.rows.size()) known->second = &group;
  }
}

/// Rows by operator, then by backend and version, then by kernel.
std::vector<Group> groups_of(const OperatorTable& table) {
  using Of = std::pair<std::string, std::string>;
  std::map<std::vector<std::string>, std::map<Of, std::map<std::string, Group>>> gathered;
  for (const OperatorSeries& s : table.series) {
    if (s.sustained || !balanced(s)) continue;
    OperatorKey key = s.key;
    if (is_collective(key)) key.dtype.clear();  // bytes decide
    Group& group =
        gathered[{key.system, key.operation, key.dtype, key.kv_dtype}][{s.backend, s.version}][key.kernel];
    group.key = key;
    group.backend = s.backend;
    group.version = s.version;
    group.kernel = s.key.kernel;
    group.rows.insert(group.rows.end(), s.rows.begin(), s.rows.end());
  }
  std::vector<Group> out;
  for (auto& [key, backends] : gathered) {
    const auto rows_of = [](const auto& kernels) {
      std::size_t sum = 0;
      for (const auto& [name, group] : kernels) sum += group.rows.size();
      return sum;
    };
    const auto most = std::max_element(backends.begin(), backends.end(), [&](const auto& a, const auto& b) {
      return rows_of(a.second) < rows_of(b.second);
    });
    const auto usual = std::max_element(
        most->second.begin(), most->second.end(),
        [](const auto& a, const auto& b) { return a.second.rows.size() < b.second.rows.size(); });
    std::map<std::string, const Group*> named;
    for (const auto& [kernel, group] : most->second) {
      out.push_back(group);
      out.back().key.kernel = kernel == usual->first ? "" : kernel;
      named[kernel] = nullptr;
    }
    for (const auto& [backend, kernels] : backends) add_other_kernels(kernels, named);
    for (const auto& [kernel, group] : named) {
      if (group) out.push_back(*group);
    }
  }
  return out;
}

struct SplitErrors {
  OperatorErrors large, small;
};

SplitErrors errors_on(const std::vector<OperatorRow>& rows, const OperatorCost& cost, bool held_out) {
  std::vector<double> large, small;
  for (const OperatorRow& row : rows) {
    if (is_held_out(row.shape) != held_out) continue;
    const double error = std::abs(cost.time(row.shape).si() * 1e6 / row.time_us - 1) * 100;
    (cost.model().rows(row.shape) >= kLargeRows ? large : small).push_back(error);
  }
  return {operator_errors(std::move(large)), operator_errors(std::move(small))};
}

std::string entry_key(const OperatorKey& key) {
  std::string out = key.system + "-" + key.operation;
  for (const std::string* part : {&key.dtype, &key.kv_dtype, &key.kernel}) {
    if (!part->empty()) out += "-" + *part;
  }
  return out;
}

OperatorFit fit_group(const Group& group, const Catalog& catalog) {
  OperatorKey measured = group.key;
  measured.kernel = group.kernel;
  const OperatorContext context = operator_context(catalog, measured);
  std::vector<OperatorRow> kept;
  for (const OperatorRow& row : group.rows) {
    if (!is_held_out(row.shape)) kept.push_back(row);
  }
  OperatorFit out;
  const OperatorCost trial = operator_cost(catalog, fit_operator(group.key, kept, context), measured);
  const SplitErrors fitted = errors_on(group.rows, trial, false);
  const SplitErrors held_out = errors_on(group.rows, trial, true);
  out.key = entry_key(group.key);
  out.entry = fit_operator(group.key, group.rows, context);
  out.entry.backend = group.backend;
  out.version = group.version;
  out.fitted_large = fitted.large;
  out.fitted_small = fitted.small;
  out.held_out_large = held_out.large;
  out.held_out_small = held_out.small;
  return out;
}

/// What sustained rows take over the burst that was fitted, at full use of the peak.
std::vector<SustainedFit> fit_sustained(const OperatorTable& table, const Catalog& catalog) {
  constexpr double kLeastShare = 0.55;  // well above the onset, so that the quotient is no noise
  std::map<std::string, std::vector<double>> slower;
  for (const OperatorSeries& s : table.series) {
    if (!s.sustained || s.key.operation != "gemm" || s.key.dtype != "bf16" || !find_operator(catalog, s.key))
      continue;
    const OperatorCost cost = operator_cost(catalog, s.key);
    for (const OperatorRow& row : s.rows) {
      const double share = cost.peak_share(row.shape);
      if (share < kLeastShare) continue;
      const double limited = (share - kUnlimitedShare) / (1 - kUnlimitedShare);
      slower[s.key.system].push_back((row.time_us / (cost.time(row.shape).si() * 1e6) - 1) / limited);
    }
  }
  std::vector<SustainedFit> out;
  for (auto& [system, values] : slower) {
    if (values.size() < kLeastRows) continue;
    std::sort(values.begin(), values.end());
    out.push_back({system, std::clamp(values[values.size() / 2], 0.0, 1.0), values.size()});
  }
  return out;
}

/// A string as TOML writes it.
std::string errors_text(const OperatorErrors& e) {
  return e.count == 0 ? "none" : fmt::format("{:.1f}% / {:.1f}% of {}", e.median_pct, e.p90_pct, e.count);
}

std::string table_of(const OperatorFit& fit, const std::string& source) {
  std::string out =
      fmt::format("# median / 90th percentile, fitted: {} large, {} small; left out: {} large, {} small\n",
                  errors_text(fit.fitted_large), errors_text(fit.fitted_small),
                  errors_text(fit.held_out_large), errors_text(fit.held_out_small));
  out += fmt::format("[operators.{}]\n", toml_key(fit.key));
  const OperatorConstants& e = fit.entry;
  const std::string backend = e.backend.empty() ? "own table" : e.backend;
  const std::pair<const char*, std::string> texts[] = {
      {"system", e.system},
      {"operation", e.operation},
      {"dtype", e.dtype},
      {"kv_dtype", e.kv_dtype},
      {"kernel", e.kernel},
      {"backend", e.backend},
      {"source", source + ", " + backend + (fit.version.empty() ? "" : " " + fit.version)}};
  for (const auto& [name, text] : texts) {
    if (!text.empty()) out += fmt::format("{} = {}\n", name, toml_text(text));
  }
  for (const Field<OperatorConstants>& f : operator_fields()) {
    const bool numbers =
        f.info.name == "constants" || f.info.name == "correction" || f.info.name == "slow_cells";
    const std::string text = numbers ? f.text(e) : "";
    if (!text.empty() && text != "\"\"") out += f.info.name + " = " + text + "\n";
  }
  return out + "\n";
}

}  // namespace

std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string toml_key(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  });
  return bare ? key : toml_text(key);
}

bool is_held_out(const ShapeValues& shape) { return (hash_of(shape) >> 7U) % 5 == 0; }

OperatorConstants fit_operator(const OperatorKey& key, const std::vector<OperatorRow>& rows,
                               const OperatorContext& context) {
  const OperatorModel* model = find_operator_model(key.operation);
  TY_ASSERT(model, key.operation);
  OperatorConstants out = Fit(*model, context, rows).run();
  out.system = key.system;
  out.operation = key.operation;
  out.dtype = key.dtype;
  out.kv_dtype = key.kv_dtype;
  out.kernel = key.kernel;
  return out;
}

OperatorFits fit_operators(const OperatorTable& measured, const Catalog& catalog) {
  const OperatorTable table = with_median_versions(measured);
  OperatorFits out;
  Catalog fitted = catalog;
  for (const Group& group : groups_of(table)) {
    if (group.rows.size() < kLeastRows) {
      out.too_few.push_back({group.key, group.rows.size(), kLeastRows});
      continue;
    }
    fitted.operator_systems.own().try_emplace(group.key.system);
    out.operators.push_back(fit_group(group, catalog));
    fitted.operators[out.operators.back().key] = out.operators.back().entry;
  }
  if (out.operators.empty()) {
    fail_input(whole("--operators"),
               fmt::format("no operator has {} bursts with experts balanced", kLeastRows),
               "a fit needs rows without power_w, of one backend");
  }
  out.sustained = fit_sustained(table, fitted);
  return out;
}

std::string operator_tables(const OperatorFits& fits, const std::string& source) {
  std::string out;
  for (const SustainedFit& s : fits.sustained) {
    out +=
        fmt::format("[operator_systems.{}]\nsustained_slowdown = {:.3g}\nsource = {}\n\n", toml_key(s.system),
                    s.slowdown, toml_text(fmt::format("{}, {} sustained bf16 products", source, s.rows)));
  }
  for (const OperatorFit& fit : fits.operators) out += table_of(fit, source);
  return out;
}

std::string own_calibrations(const OperatorFits& fits, const Catalog& catalog, const std::string& source) {
  std::string out;
  std::set<std::string> written;
  for (const OperatorFit& fit : fits.operators) {
    const OperatorSystem* system = catalog.operator_systems.find(fit.entry.system);
    if (!system || system->accelerator.empty()) continue;
    const std::string& key = system->accelerator;
    if (!calibration_key(catalog, key).empty() || !written.insert(key).second) continue;
    out += fmt::format("[calibrations.{}]\nname = {}\noperators = {}\nprocessors = {}\nsource = {}\n\n",
                       toml_key(key), toml_text(system->info.name), toml_text(fit.entry.system),
                       system->processors > 0 ? system->processors : general_calibration().processors,
                       toml_text("operators " + source + "; the rest: general constants"));
  }
  return out;
}

}  // namespace trainyard
