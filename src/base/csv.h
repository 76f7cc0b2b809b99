// Comma-separated values (RFC 4180): fields may be quoted, quotes inside are doubled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Records of a text, blank lines and a byte order mark left out; defects of quotes are not reported
/// (CsvReader does). `lines` receives the line on which each record begins, from 1.
std::vector<std::vector<std::string>> parse_csv(std::string_view text, std::vector<int>* lines = nullptr);

/// The text begins with the mark of UTF-16, which is not read.
bool is_utf16(std::string_view text);

/// A field as RFC 4180 writes it: in quotes where it holds a comma, a quote or a line end.
std::string csv_field(std::string_view field);

/// Reads a text record by record, for files that are too large to hold as fields. A byte order mark is passed
/// over. With a tab or a bar as separator, quotes are letters, as the U.S. Census and GeoNames write them.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text, char separator = ',');

  /// A record of more fields than `most` is a defect, at which reading stops.
  void limit_fields(std::size_t most) { most_fields_ = most; }

  /// The next record that is not blank, into `record`; false at the end.
  bool next(std::vector<std::string>& record);
  /// The line on which the last record began, from 1.
  int line() const { return line_; }
  /// What is wrong with the quotes or the number of fields of the last record, or "".
  std::string_view defect() const { return defect_; }

 private:
  void read_record(std::vector<std::string>& record);
  void read_field(std::string& field);
  void read_quoted(std::string& field);
  bool at_field_end() const;

  std::string_view text_;
  char separator_;
  std::size_t most_fields_ = static_cast<std::size_t>(-1);
  std::size_t at_ = 0;
  std::size_t counted_ = 0;  // line ends before here are in counted_line_
  int counted_line_ = 1;
  int line_ = 0;
  std::string_view defect_;
};

}  // namespace trainyard
