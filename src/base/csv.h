// Comma-separated values (RFC 4180): fields may be quoted, quotes inside are doubled.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct SourceText;

/// Records of a text of our own, blank lines and a byte order mark left out; defects of quotes are not
/// reported (read_csv does).
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

/// The text begins with the mark of UTF-16, which is not read.
bool is_utf16(std::string_view text);
/// Throws InputError about a file whose text is.
void refuse_utf16(std::string_view text, const std::string& path);

/// A field as RFC 4180 writes it: in quotes where it holds a comma, a quote or a line end.
std::string csv_field(std::string_view field);

/// A place in a text; line and column from 1.
struct CsvPlace {
  int line = 1;
  int column = 1;
};

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
  /// Where a field of the last record begins, with its quote; of one that it lacks, the record.
  CsvPlace place(std::size_t field) const;
  /// Where the defect is: the text behind a quote, the quote that is never closed, the field too many.
  CsvPlace defect_place() const { return place_of(defect_at_); }

 private:
  void read_record(std::vector<std::string>& record);
  void read_field(std::string& field);
  void read_quoted(std::string& field);
  bool at_field_end() const;
  void find(std::string_view defect, std::size_t at);
  CsvPlace place_of(std::size_t at) const;

  std::string_view text_;
  char separator_;
  std::size_t most_fields_ = static_cast<std::size_t>(-1);
  std::size_t at_ = 0;
  std::size_t counted_ = 0;  // line ends before here are in counted_line_
  int counted_line_ = 1;
  int line_ = 0;
  std::vector<std::size_t> begins_;  // of the last record's fields
  std::string_view defect_;
  std::size_t defect_at_ = 0;
};

/// A record of a user's table.
struct CsvRow {
  std::vector<std::string> fields;
  std::vector<CsvPlace> places;  // of each field
};

/// All records of a text that a user wrote, of a thousand fields at most. Throws InputError at the first
/// defect, with what is allowed.
std::vector<CsvRow> read_csv(const std::shared_ptr<const SourceText>& source);

/// Throws InputError at the defect of the reader's last record, if it has one.
void refuse_defect(const CsvReader& reader, const std::shared_ptr<const SourceText>& source);

/// What a defect of a record is answered with.
constexpr const char* kCsvHelp =
    "a field with a comma or a quote in it stands in quotes, and quotes in it are doubled";

}  // namespace trainyard
