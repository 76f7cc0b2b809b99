// Cells of a CSV file of measured runs: which columns there are, and one row's cells as numbers and choices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/nearest.h"

namespace trainyard {

/// A column of the file.
struct RunColumn {
  std::string_view name;
  bool required = false;  // the column must be there and none of its cells may be blank
};

const std::vector<RunColumn>& run_columns();

/// Small letters and digits only: "1F1B, interleaved" and "1f1b-interleaved" are the same, and "TFLOP/s" is
/// "tflops".
std::string plain_letters(std::string_view text);

/// The whole numbers that a column takes.
struct WholeRange {
  std::int64_t low = 1;
  std::int64_t high = 1;
};

/// The numbers that a column takes.
struct RealRange {
  double low = 0;
  double high = 0;
};

/// One row. A cell that cannot be read adds a finding that names row, column and what is allowed, and counts
/// as blank.
class RunRow {
 public:
  RunRow(const std::vector<std::string>& header, std::vector<std::string> cells, Location where,
         Findings& findings);

  const Location& where() const { return where_; }
  bool good() const { return good_; }
  /// Adds a finding about this row.
  void complain(const std::string& message, const std::string& help = {});

  /// Without blanks around it; "" where the column is missing, and where an optional one says that there is
  /// nothing ("NA", "nan", "-" and their like).
  std::string text(std::string_view column) const;
  std::optional<std::int64_t> whole(std::string_view column, WholeRange range);
  /// A number from `range.low` to `range.high`.
  std::optional<double> number(std::string_view column, RealRange range);
  std::optional<bool> flag(std::string_view column);

  /// One of several names.
  template <class T>
  std::optional<T> choice(std::string_view column,
                          const std::vector<std::pair<std::string_view, T>>& choices) {
    const std::string cell = text(column);
    if (cell.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) {
      if (plain_letters(name) == plain_letters(cell)) return value;
      names.emplace_back(name);
    }
    complain_cell(column, cell, "is not a value of it", suggestion(cell, names));
    return std::nullopt;
  }

 private:
  void complain_cell(std::string_view column, const std::string& cell, const std::string& message,
                     const std::string& help);

  const std::vector<std::string>& header_;
  std::vector<std::string> cells_;
  Location where_;
  Findings& findings_;
  bool good_ = true;
};

/// The rows of a file under its header. Throws InputError when the header has unknown, missing or repeated
/// columns, or when a row has another number of cells.
struct RunTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<Location> places;
};
RunTable read_run_table(std::string_view text, const std::string& name);

}  // namespace trainyard
