#include <fmt/core.h>

#include "trainyard/operator_validation.h"
#include "trainyard/report/validation.h"

namespace trainyard {
namespace {

std::string errors_text(const OperatorErrors& errors) {
  if (errors.count == 0) return fmt::format("{:>8} {:>8} {:>8}", "-", "-", "-");
  return fmt::format("{:>8} {:>7.1f}% {:>7.1f}%", errors.count, errors.median_pct, errors.p90_pct);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!word.empty()) out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

std::string line_of(const std::string& name, const JudgedOperators& j) {
  return fmt::format("{:<20} {:<18} {:<17} {} {}  {}\n", j.key.system, j.key.operation, j.key.dtype,
                     errors_text(j.large), errors_text(j.small), name);
}

std::string heading(const std::string& title) {
  return fmt::format("{}\n{:<57} {:^26} {:^26}\n{:<20} {:<18} {:<17} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n",
                     title, "", "256 rows and more", "fewer rows", "system", "operation", "format", "count",
                     "median", "p90", "count", "median", "p90");
}

}  // namespace

std::string operators_text(const OperatorValidation& validation) {
  std::string out = heading("Errors of predicted over measured times");
  for (const JudgedOperators& j : validation.headline)
    out += line_of(joined({j.backend, j.sustained ? "sustained" : ""}), j);
  if (validation.series.size() <= validation.headline.size()) return out;
  out += "\n" + heading("The same by series");
  for (const JudgedOperators& j : validation.series) {
    out += line_of(
        joined({j.backend, j.version, j.key.kernel, j.key.kv_dtype.empty() ? "" : "cache " + j.key.kv_dtype,
                j.distribution, j.sustained ? "sustained" : ""}),
        j);
  }
  return out;
}

}  // namespace trainyard
