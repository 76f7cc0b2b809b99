// Cells of a CSV file of measured runs: which columns there are, and one row's cells as numbers and choices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard {

/// A column of the file.
struct RunColumn {
  std::string_view name;
  std::string_view meaning;
  std::string_view blank;  // what a blank cell stands for; "": the column must be there and filled
  bool required() const { return blank.empty(); }
};

const std::vector<RunColumn>& run_columns();

/// The columns as a table in Markdown, as docs/validation.md holds it.
std::string run_columns_markdown();

/// Small letters, digits and signs before these, and what is not ASCII: "1F1B, interleaved" and
/// "1f1b-interleaved" are the same, and "TFLOP/s" is "tflops".
std::string plain_letters(std::string_view text);

/// Without blanks around it.
std::string trimmed(const std::string& cell);
/// The same; "" where it says that there is nothing ("NA", "nan", "-" and their like).
std::string told(const std::string& cell);

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
  /// `places`: of the cells, where the file has them (line 0: it has not); `names`: of the columns in a file
  /// that names some otherwise, as messages say them ("": alike).
  RunRow(const std::vector<std::string>& header, std::vector<std::string> cells, Location where,
         Findings& findings, std::vector<Location> places = {}, std::vector<std::string> names = {});

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

  /// The words of a cell, which blanks, commas, semicolons, bars and plus signs separate; "none" is no word.
  std::vector<std::string> words(std::string_view column) const;

  /// One of several names.
  template <class T>
  std::optional<T> choice(std::string_view column,
                          const std::vector<std::pair<std::string_view, T>>& choices) {
    const std::string cell = text(column);
    return cell.empty() ? std::nullopt : choice_of(column, cell, choices);
  }
  template <class T>
  std::optional<T> choice_of(std::string_view column, const std::string& cell,
                             const std::vector<std::pair<std::string_view, T>>& choices) {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) {
      if (plain_letters(name) == plain_letters(cell)) return value;
      names.emplace_back(name);
    }
    complain_unknown(column, cell, names);
    return std::nullopt;
  }

  /// "column 'tp': 'x' is not a whole number"; what is not among `names`, with the nearest of them.
  void complain_cell(std::string_view column, const std::string& cell, const std::string& message,
                     const std::string& help);
  void complain_unknown(std::string_view column, const std::string& cell,
                        const std::vector<std::string>& names);
  /// "column 'tp': ..." at the cell.
  void complain_column(std::string_view column, const std::string& message, const std::string& help = {});

 private:
  const std::vector<std::string>& header_;
  std::size_t index(std::string_view column) const;
  /// What the file calls a column.
  std::string_view name(std::string_view column) const;
  /// Where the cell of a column begins; else the row.
  Location where(std::string_view column) const;
  void complain_at(Location where, const std::string& message, const std::string& help);

  std::vector<std::string> cells_;
  std::vector<Location> places_;    // of the cells
  std::vector<std::string> names_;  // of the columns in the file
  Location where_;
  Findings& findings_;
  bool good_ = true;
};

/// The rows of a file under its header. Throws InputError when a column stands twice, a row has another
/// number of cells, or quotes are wrong.
struct RunTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<Location> places;
  std::vector<std::vector<Location>> cell_places;  // of each row
  Location header_place;
  std::vector<Location> column_places;
};
RunTable read_run_table(std::string_view text, const std::string& name);

/// Throws InputError when the header has columns that are unknown, or lacks one that must be there.
void check_run_header(const RunTable& table);

}  // namespace trainyard
