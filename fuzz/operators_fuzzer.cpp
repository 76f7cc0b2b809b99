// Tables of measured operators, plain, gzip or nccl-tests' text: refused with a reason, or judged and, where
// they are small, fitted and written as a catalog that can be read.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/operator_fit.h"
#include "trainyard/operator_table.h"
#include "trainyard/operator_validation.h"

namespace {

using namespace trainyard;

constexpr std::size_t kFewRows = 40;

std::size_t rows_of(const OperatorTable& table) {
  std::size_t rows = 0;
  for (const OperatorSeries& series : table.series) {
    if (series.rows.empty()) std::abort();
    for (const OperatorRow& row : series.rows) {
      if (!std::isfinite(row.time_us) || row.time_us <= 0) std::abort();
    }
    rows += series.rows.size();
  }
  return rows;
}

void judge(const OperatorTable& table) {
  for (const JudgedOperators& judged : validate_operators(table, *shipped_catalog()).series) {
    if (!std::isfinite(judged.all.median_pct) || !std::isfinite(judged.all.p90_pct)) std::abort();
  }
}

void fit(const OperatorTable& table) {
  const OperatorFits fits = fit_operators(table, *shipped_catalog());
  const auto written =
      std::make_shared<const SourceText>(SourceText{"fitted", operator_tables(fits, "fuzz")});
  Catalog catalog = *shipped_catalog();
  Findings findings;
  extend_catalog(catalog, parse_document(written), "", findings);
  if (!findings.empty()) std::abort();
}

template <class Ask>
void ask(const Ask& question) {
  try {
    question();
  } catch (const InputError& error) {
    if (error.findings().empty() || error.findings().front().message.empty()) std::abort();
    static_cast<void>(describe(error.findings()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ask([&] {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const OperatorTable table = read_operator_table(text, "fuzz.csv", *shipped_catalog());
    const std::size_t rows = rows_of(table);
    ask([&] { judge(with_median_versions(table)); });
    if (rows <= kFewRows) ask([&] { fit(table); });
  });
  return 0;
}
