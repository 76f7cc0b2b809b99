#include "report/data/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/errors.h"
#include "base/finite.h"

namespace trainyard {

std::string number_text(double value) {
  // What may be without bound leaves its cell empty.
  return std::isinf(value) ? "" : fmt::format("{}", finite(value, "a cell"));
}

CsvTable::CsvTable(std::string_view columns)
    : text_(std::string(columns) + "\n"),
      columns_(1 + static_cast<std::size_t>(std::count(columns.begin(), columns.end(), ','))) {}

CsvTable& CsvTable::add(std::string_view text) {
  if (filled_++ > 0) text_ += ',';
  text_ += csv_field(text);
  return *this;
}

CsvTable& CsvTable::add(double number) { return add(std::string_view(number_text(number))); }

CsvTable& CsvTable::add_empty(std::size_t fields) {
  for (std::size_t i = 0; i < fields; ++i) add(std::nullopt);
  return *this;
}

void CsvTable::end_row() {
  TY_ASSERT(filled_ == columns_, "a CSV row has a field for each column");
  filled_ = 0;
  text_ += '\n';
}

}  // namespace trainyard
