#include "trainyard/operator_validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "cost/operators.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

/// Errors of one series, apart by size.
struct SeriesErrors {
  std::vector<double> large, small;

  void append(const SeriesErrors& other) {
    large.insert(large.end(), other.large.begin(), other.large.end());
    small.insert(small.end(), other.small.begin(), other.small.end());
  }
};

SeriesErrors errors_of(const OperatorSeries& series, const OperatorCost& cost) {
  SeriesErrors out;
  for (const OperatorRow& row : series.rows) {
    const Seconds predicted = series.sustained ? cost.sustained(row.shape) : cost.time(row.shape);
    const double error = std::abs(predicted.si() * 1e6 / row.time_us - 1) * 100;
    (cost.model().rows(row.shape) >= kLargeRows ? out.large : out.small).push_back(error);
  }
  return out;
}

JudgedOperators judged(const OperatorSeries& series, const SeriesErrors& errors) {
  JudgedOperators out{series.key,
                      series.backend,
                      series.version,
                      series.distribution,
                      series.sustained,
                      {},
                      operator_errors(errors.large),
                      operator_errors(errors.small)};
  std::vector<double> all = errors.large;
  all.insert(all.end(), errors.small.begin(), errors.small.end());
  out.all = operator_errors(std::move(all));
  return out;
}

bool balanced(const std::string& distribution) { return distribution.empty() || distribution == "balanced"; }

/// Whether a series is what the constants were fitted on.
bool is_main(const OperatorSeries& series, const OperatorConstants& entry) {
  return !series.sustained && balanced(series.distribution) &&
         (series.backend.empty() || series.backend == entry.backend);
}

struct Headline {
  bool main = false;
  OperatorSeries sum;  // without rows
  SeriesErrors errors;
};

void add_to_headline(std::map<std::tuple<std::string, std::string, std::string>, Headline>& headlines,
                     const OperatorSeries& series, bool main, const SeriesErrors& errors) {
  const OperatorKey& key = series.key;
  auto [at, added] = headlines.try_emplace({key.system, key.operation, key.dtype});
  Headline& headline = at->second;
  if (added || (main && !headline.main)) {
    headline = {main, {{key.system, key.operation, key.dtype}, series.backend, "", "", false, {}}, {}};
  }
  if (main == headline.main) headline.errors.append(errors);
}

}  // namespace

OperatorErrors operator_errors(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(errors.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, errors.size() - 1);
    return errors[below] + (place - std::floor(place)) * (errors[above] - errors[below]);
  };
  return {errors.size(), at(0.5), at(0.9)};
}

std::string how_to_fit(const OperatorKey& key, const Catalog& catalog) {
  std::vector<std::string> systems;
  for (const auto& [name, system] : catalog.operator_systems) systems.push_back(name);
  std::string fit =
      "fit its constants: trainyard validate --operators FILE --fit > own/operators.toml, then give "
      "--catalog own";
  if (catalog.operator_systems.contains(key.system) ||
      find_operator_model(key.operation) == &collective_model())
    return fit;
  return fmt::format(
      "{}; or write [operator_systems.{}] with accelerator (a key of the catalog), processors and source "
      "into "
      "own/systems.toml, give --catalog own and {}",
      suggestion(key.system, systems), key.system, fit);
}

OperatorValidation validate_operators(const OperatorTable& measured, const Catalog& catalog) {
  const OperatorTable table = with_median_versions(measured);
  OperatorValidation out;
  std::map<std::tuple<std::string, std::string, std::string>, Headline> headlines;
  for (const OperatorSeries& series : table.series) {
    const OperatorConstants* entry = find_operator(catalog, series.key);
    if (!entry) {
      out.unknown.push_back({series.key, series.rows.size()});
      continue;
    }
    const SeriesErrors errors = errors_of(series, operator_cost(catalog, *entry, series.key));
    out.series.push_back(judged(series, errors));
    OperatorKey usual = series.key;
    usual.kernel.clear();
    const OperatorConstants* main = find_operator(catalog, usual);
    add_to_headline(headlines, series, is_main(series, main ? *main : *entry), errors);
  }
  if (out.series.empty()) {
    const OperatorKey& key = table.series.front().key;
    const Location& where = table.series.front().where;
    fail_input(where.source ? where : whole("catalog: operators"),
               fmt::format("no constants of {} in {} on '{}'", key.operation, key.dtype, key.system),
               how_to_fit(key, catalog));
  }
  for (const auto& [key, headline] : headlines) out.headline.push_back(judged(headline.sum, headline.errors));
  return out;
}

}  // namespace trainyard
