#include "siting/grid_import/table.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

#include "base/hash.h"
#include "base/spreadsheet.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"

namespace trainyard::grid_import {
namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
constexpr int kHeaderWithin = 10;  // rows; EIA puts one to three lines of title above its tables

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const auto begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

/// A column's name without what differs from year to year: case, line breaks, doubled spaces.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : trimmed(name)) {
    const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '_';
    if (space && !out.empty() && out.back() == ' ') continue;
    out += space ? ' ' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return out;
}

bool names(const TableColumn& column, const std::string& folded_name) {
  if (folded(column.name) == folded_name) return true;
  return std::any_of(column.also.begin(), column.also.end(),
                     [&](const std::string& other) { return folded(other) == folded_name; });
}

std::string written_on(const std::string& path) {
  struct stat status {};
  std::tm when{};
  if (stat(path.c_str(), &status) != 0 || !gmtime_r(&status.st_mtime, &when)) return "unknown";
  return fmt::format("{:04}-{:02}-{:02}", when.tm_year + 1900, when.tm_mon + 1, when.tm_mday);
}

/// The file is read twice, for its hash and for its rows: a pipe is gone after the first time.
ReadFile facts_of(const std::string& path) {
  struct stat status {};
  const bool found = stat(path.c_str(), &status) == 0;
  if (found && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    fail_input(whole(path), "is a device or a pipe, not a file");
  const std::string bytes = read_file(path);
  ReadFile file;
  file.path = path;
  file.date = written_on(path);
  file.hash = text_hash(bytes);
  file.bytes = bytes.size();
  return file;
}

}  // namespace

std::optional<double> table_number(std::string_view text) {
  std::string digits;
  std::size_t since_comma = 0;
  bool commas = false;
  bool whole_part = true;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (c == ',') {
      constexpr std::size_t kGroup = 3;
      const bool allowed =
          whole_part && since_comma > 0 && (commas ? since_comma == kGroup : since_comma <= kGroup);
      if (!allowed) return std::nullopt;
      commas = true;
      since_comma = 0;
      continue;
    }
    if (!digit && c != '-' && c != '+') {
      if (commas && whole_part && since_comma != 3) return std::nullopt;
      whole_part = false;
    }
    since_comma += digit ? 1 : 0;
    digits += c;
  }
  if (commas && whole_part && since_comma != 3) return std::nullopt;
  if (digits.starts_with("+-")) return std::nullopt;
  if (digits.starts_with("+")) digits.erase(0, 1);  // from_chars takes none
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<int> year_in(std::string_view text) {
  constexpr std::size_t kDigits = 4;
  for (std::size_t i = 0; i + kDigits <= text.size(); ++i) {
    int year = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + kDigits, year);
    if (error == std::errc() && end == text.data() + i + kDigits && year >= 1990 && year < 2100) return year;
  }
  return std::nullopt;
}

std::string_view TableRow::text(std::size_t column) const {
  const std::size_t cell = cells_of_columns_[column];
  if (cell >= cells_->size()) return {};
  const std::string_view text = trimmed((*cells_)[cell]);
  return text == "." ? std::string_view{} : text;
}

std::string_view TableRow::required_text(std::size_t column) {
  const std::string_view value = text(column);
  if (value.empty()) complain(column, "is blank");
  return value;
}

std::optional<double> TableRow::number(std::size_t column, const Bounds& bounds) {
  const std::string_view value = text(column);
  if (value.empty()) return std::nullopt;
  const auto allowed = [&] {
    return fmt::format("allowed: {} to {} {}", bounds.low, bounds.high, bounds.what);
  };
  const auto number = table_number(value);
  if (!number) {
    constexpr std::size_t kShown = 40;
    complain(column, fmt::format("'{}' is not a number", value.substr(0, kShown)), allowed());
    return std::nullopt;
  }
  if (*number < bounds.low || *number > bounds.high) {
    complain(column, fmt::format("{} {} is out of range", value, bounds.what), allowed());
    return std::nullopt;
  }
  return number;
}

double TableRow::required_number(std::size_t column, const Bounds& bounds) {
  if (text(column).empty()) complain(column, "is blank");
  return number(column, bounds).value_or(0);
}

Place TableRow::place(std::size_t column) const {
  Place at = place_;
  if (cells_of_columns_[column] != kAbsent) at.column = static_cast<int>(cells_of_columns_[column]) + 1;
  return at;
}

void TableRow::complain(std::size_t column, const std::string& message, const std::string& help) {
  bad_ = true;
  journal_.bad_row(place(column), fmt::format("column '{}': {}", format_.columns[column].name, message),
                   help);
}

/// The state of one reading.
class TableReader {
 public:
  TableReader(const TableFormat& format, const std::string& path, Journal& journal,
              const std::function<void(TableRow&)>& each)
      : format_(format), path_(path), journal_(journal), each_(each), file_(facts_of(path)) {}

  std::string read() {
    cells_of_columns_.assign(format_.columns.size(), kAbsent);
    if (!format_.has_header) {
      for (std::size_t i = 0; i < cells_of_columns_.size(); ++i) cells_of_columns_[i] = i;
      found_ = true;
    }
    read_rows(path_, format_.sheet,
              [this](int row, const std::vector<std::string>& cells) { return take(row, cells); });
    if (!found_) no_header();
    if (file_.rows == 0) journal_.error({path_}, "has no rows of data", advice());
    std::string title = file_.title;
    journal_.add_file(std::move(file_));
    return title;
  }

 private:
  std::string advice() const { return format_.advice.empty() ? "expected: " + format_.what : format_.advice; }

  std::size_t matches(const std::vector<std::string>& cells) const {
    std::size_t count = 0;
    for (const TableColumn& column : format_.columns) {
      count += std::any_of(cells.begin(), cells.end(),
                           [&](const std::string& cell) { return names(column, folded(cell)); });
    }
    return count;
  }

  bool take(int row, const std::vector<std::string>& cells) {
    if (found_) return data(row, cells);
    // A title may hold a column's name by chance; a header has most of them.
    if (2 * matches(cells) >= format_.columns.size() || matches(cells) >= required()) {
      header(row, cells);
      return true;
    }
    if (matches(cells) > best_.matches) best_ = {matches(cells), row, cells};
    for (const std::string& cell : cells)
      if (file_.title.empty()) file_.title = trimmed(cell);
    return row < kHeaderWithin;
  }

  std::size_t required() const {
    return static_cast<std::size_t>(std::count_if(format_.columns.begin(), format_.columns.end(),
                                                  [](const TableColumn& c) { return c.required; }));
  }

  void header(int row, const std::vector<std::string>& cells) {
    found_ = true;
    bool broken = false;
    std::vector<std::string> shown;
    for (const std::string& cell : cells) shown.emplace_back(trimmed(cell));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto column = std::find_if(format_.columns.begin(), format_.columns.end(),
                                       [&](const TableColumn& c) { return names(c, folded(cells[i])); });
      if (column == format_.columns.end()) {
        if (!shown[i].empty()) file_.ignored.push_back(shown[i]);
        continue;
      }
      std::size_t& at = cells_of_columns_[static_cast<std::size_t>(column - format_.columns.begin())];
      if (at != kAbsent) {
        broken = true;
        journal_.error({path_, row, static_cast<int>(i) + 1}, "column '" + column->name + "' stands twice",
                       fmt::format("first in field {}", at + 1));
      }
      at = i;
    }
    for (std::size_t c = 0; c < format_.columns.size(); ++c) {
      if (!format_.columns[c].required || cells_of_columns_[c] != kAbsent) continue;
      broken = true;
      journal_.error({path_, row, 1}, fmt::format("no column '{}'", format_.columns[c].name),
                     suggestion(format_.columns[c].name, shown));
    }
    if (broken) journal_.throw_if_any();
  }

  bool data(int row, const std::vector<std::string>& cells) {
    ++file_.rows;
    TableRow one(format_, cells_of_columns_, journal_);
    one.cells_ = &cells;
    one.place_ = {path_, row, 1};
    each_(one);
    return true;
  }

  [[noreturn]] void no_header() {
    std::vector<std::string> wanted;
    for (const TableColumn& column : format_.columns)
      if (column.required) wanted.push_back(column.name);
    std::string message =
        fmt::format("is not {}: the first {} rows have no header with ", format_.what, kHeaderWithin);
    for (const std::string& name : wanted) message += (name == wanted.front() ? "'" : ", '") + name + "'";
    if (best_.matches > 0) header(best_.row, best_.cells);  // names what is missing
    fail_input(whole(path_), message, format_.advice);
  }

  struct Best {
    std::size_t matches = 0;
    int row = 0;
    std::vector<std::string> cells;
  };

  const TableFormat& format_;
  const std::string& path_;
  Journal& journal_;
  const std::function<void(TableRow&)>& each_;
  ReadFile file_;
  std::vector<std::size_t> cells_of_columns_;
  bool found_ = false;
  Best best_;
};

std::string read_table(const TableFormat& format, const std::string& path, Journal& journal,
                       const std::function<void(TableRow&)>& each) {
  return TableReader(format, path, journal, each).read();
}

}  // namespace trainyard::grid_import
