#include "jobs/job_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/counted.h"
#include "base/foreign_text.h"
#include "jobs/importer.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
constexpr std::size_t kMostColumns = 256;

std::vector<std::string> column_names(const std::vector<JobColumn>& columns) {
  std::vector<std::string> names;
  for (const JobColumn& column : columns) names.emplace_back(column.name);
  return names;
}

std::string range_text(double least, double most) {
  return fmt::format("allowed: {:g} to {:g}", least, most);
}

}  // namespace

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 11> kWords = {"",   "None", "Unknown", "nan",  "NaN", "NaT",
                                                       "NA", "<NA>", "null",    "NULL", "\\N"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

JobTable::JobTable(const JobFile& file, std::vector<JobColumn> columns, Others others)
    : source_(file.text), reader_(file.text->text), columns_(std::move(columns)) {
  reader_.limit_fields(kMostColumns);
  if (!reader_.next(fields_)) fail_input({source_, 0, 0}, "no header line");
  refuse_defect(reader_, source_);
  width_ = fields_.size();
  match(others);
}

JobTable::JobTable(const JobFile& file, std::vector<JobColumn> columns)
    : source_(file.text), reader_(file.text->text), columns_(std::move(columns)), width_(columns_.size()) {
  reader_.limit_fields(kMostColumns);
  for (std::size_t c = 0; c < columns_.size(); ++c) place_.push_back(c);
}

void JobTable::match(Others others) {
  place_.assign(columns_.size(), kAbsent);
  for (std::size_t field = 0; field < fields_.size(); ++field) match_one(field, others);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (place_[c] == kAbsent && columns_[c].required)
      fail_input({source_, reader_.line(), 1}, fmt::format("column '{}' is missing", columns_[c].name),
                 suggestion("", column_names(columns_)));
  }
}

void JobTable::match_one(std::size_t field, Others others) {
  const std::string_view name = trimmed(fields_[field]);
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const JobColumn& column) { return name == column.name; });
  const CsvPlace place = reader_.place(field);
  if (found == columns_.end()) {
    if (others == Others::refused)
      fail_input({source_, place.line, place.column}, fmt::format("no column {}", quoted(name)),
                 suggestion(name, column_names(columns_)));
    return;
  }
  std::size_t& at = place_[static_cast<std::size_t>(found - columns_.begin())];
  if (at != kAbsent)
    fail_input({source_, place.line, place.column}, fmt::format("column '{}' again", name), "name it once");
  at = field;
}

bool JobTable::next() {
  if (!reader_.next(fields_)) return false;
  refuse_defect(reader_, source_);
  if (fields_.size() != width_) {
    fail_input({source_, reader_.line(), 1},
               fmt::format("{} under {}", counted(fields_.size(), "field"), counted(width_, "column")),
               "a field for each column, empty where there is nothing to say");
  }
  return true;
}

std::string_view JobTable::word(std::size_t column) const {
  return place_[column] == kAbsent ? std::string_view{} : trimmed(fields_[place_[column]]);
}

std::string_view JobTable::text(std::size_t column) const {
  const std::string_view field = word(column);
  return is_missing(field) ? std::string_view{} : field;
}

std::optional<double> JobTable::number(std::size_t column, double least, double most) const {
  const std::string_view field = text(column);
  if (field.empty()) return std::nullopt;
  const auto value = plain_number(field);
  if (!value || *value < least || *value > most) {
    const std::string what = value && *value < least && least == 0 ? "is negative" : "is not allowed";
    fail(column,
         fmt::format("{}: {} {}", columns_[column].name, quoted(field), value ? what : "is no number"),
         range_text(least, most));
  }
  return value;
}

std::optional<std::int64_t> JobTable::whole(std::size_t column, double least, double most) const {
  const auto value = number(column, least, most);
  if (!value) return std::nullopt;
  if (*value != std::floor(*value)) {
    fail(column, fmt::format("{}: {} is no whole number", columns_[column].name, quoted(text(column))),
         range_text(least, most));
  }
  return static_cast<std::int64_t>(*value);
}

std::optional<double> JobTable::time(std::size_t column, Clock clock) const {
  if (clock == Clock::seconds) return number(column, 0);
  const std::string_view field = text(column);
  if (field.empty()) return std::nullopt;
  const auto value = calendar_seconds(field);
  if (!value) {
    fail(column, fmt::format("{}: {} is no time", columns_[column].name, quoted(field)),
         "like 2020-06-09 18:41:01, from 1970 to 2999");
  }
  return value;
}

double JobTable::needed(std::size_t column, double least, double most) const {
  const auto value = number(column, least, most);
  if (!value) fail(column, lacking(column, "number"), range_text(least, most));
  return *value;
}

std::optional<RecordedTimes> JobTable::recorded(std::size_t submit, std::size_t start, std::size_t end,
                                                Clock clock) const {
  const auto began = time(start, clock);
  const auto ended = time(end, clock);
  if (!began || !ended) return std::nullopt;
  const auto asked = time(submit, clock);
  if (!asked) fail(submit, lacking(submit, "time"), kSkipHelp);
  if (*began < *asked) {
    fail(start,
         fmt::format("{}: the job begins {} s before it is submitted", columns_[start].name, *asked - *began),
         kSkipHelp);
  }
  if (*ended < *began) {
    fail(end, fmt::format("{}: the job ends {} s before it begins", columns_[end].name, *began - *ended),
         kSkipHelp);
  }
  return RecordedTimes{*asked, *began, *ended};
}

std::string JobTable::lacking(std::size_t column, const char* wanted) const {
  const std::string_view field = word(column);
  if (field.empty()) return fmt::format("{} is empty", columns_[column].name);
  return fmt::format("{}: {} is no {}", columns_[column].name, quoted(field), wanted);
}

Location JobTable::where(std::size_t column) const {
  const CsvPlace place = reader_.place(place_[column]);
  return {source_, place.line, place.column};
}

void JobTable::fail(std::size_t column, const std::string& message, const std::string& help) const {
  fail_input(where(column), message, help);
}

}  // namespace trainyard
