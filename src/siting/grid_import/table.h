// An original as a table: the header found by its column names, cells checked as they are read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "siting/grid_import/journal.h"

namespace trainyard::grid_import {

/// A column that an importer reads. Case and runs of spaces in names do not count; units in them do.
struct TableColumn {
  std::string name;
  bool required = true;
  std::vector<std::string> also = {};  // its names in other years
};

/// What a table must have.
struct TableFormat {
  std::string what;  // "EIA-860 schedule 2 (Plant)"
  std::vector<TableColumn> columns = {};
  std::string sheet = {};   // of a workbook; empty: the first
  bool has_header = true;   // else columns stand in the order of `columns`
  std::string advice = {};  // help for a file that is something else
};

/// Bounds of a number, both allowed.
struct Bounds {
  double low;
  double high;
  std::string what;  // "MW", "degrees"
};

/// A row of data. Columns are indices into TableFormat::columns.
class TableRow {
 public:
  TableRow(const TableFormat& format, const std::vector<std::size_t>& cells_of_columns, Journal& journal)
      : format_(format), cells_of_columns_(cells_of_columns), journal_(journal) {}

  /// Without spaces at the ends; "" where blank, "." or absent.
  std::string_view text(std::size_t column) const;
  /// The same, but it must not be blank.
  std::string_view required_text(std::size_t column);
  /// Empty where blank. Thousands may be separated by commas.
  std::optional<double> number(std::size_t column, const Bounds& bounds);
  /// 0 where it is wrong or blank, which is complained of.
  double required_number(std::size_t column, const Bounds& bounds);

  /// Reports the row's column; the row is then bad.
  void complain(std::size_t column, const std::string& message, const std::string& help = {});
  /// Something was wrong with a value: the row must not be used.
  bool bad() const { return bad_; }
  const Place& place() const { return place_; }
  /// The same with the column.
  Place place(std::size_t column) const;

 private:
  friend class TableReader;
  const TableFormat& format_;
  const std::vector<std::size_t>& cells_of_columns_;
  Journal& journal_;
  const std::vector<std::string>* cells_ = nullptr;
  Place place_;
  bool bad_ = false;
};

/// Reads a .csv or .xlsx file and gives each row of data to `each`. The header is sought in the first ten
/// rows. Returns what stands above it. Missing and repeated columns and broken cells go to the journal as
/// errors.
std::string read_table(const TableFormat& format, const std::string& path, Journal& journal,
                       const std::function<void(TableRow&)>& each);

/// A number of a table: decimal point, optional sign and exponent, thousands separated by commas or not at
/// all.
std::optional<double> table_number(std::string_view text);

/// The first year from 1990 to 2099 that stands in a text; empty: none.
std::optional<int> year_in(std::string_view text);

}  // namespace trainyard::grid_import
