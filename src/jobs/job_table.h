// A CSV of jobs, row by row; whatever is wrong is named with its line and column.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "trainyard/errors.h"

namespace trainyard {

struct JobFile;

/// No time, size or count of a list is larger.
constexpr double kMostOfJobs = 1e12;
constexpr double kMostDevicesOfJob = 1e9;

/// A column by its name.
struct JobColumn {
  const char* name;
  bool required = true;
};

/// When a job was submitted, began and ended, in seconds since some moment.
struct RecordedTimes {
  double submit = 0;
  double start = 0;
  double end = 0;
};

class JobTable {
 public:
  enum class Others { ignored, refused };
  enum class Clock { seconds, calendar };

  /// With a header line. Columns are known by their positions in `columns` from here on.
  JobTable(const JobFile& file, std::vector<JobColumn> columns, Others others);
  /// Without: the fields stand in the order of `columns`.
  JobTable(const JobFile& file, std::vector<JobColumn> columns);

  /// The next row; false at the end.
  bool next();
  /// The line on which it stands.
  std::int64_t row() const { return reader_.line(); }

  /// A field without blanks at its ends, as it stands.
  std::string_view word(std::size_t column) const;
  /// The same; "" where there is no such column or the writer said that it is
  /// missing.
  std::string_view text(std::size_t column) const;
  /// A finite number from `least` to `most`, nothing where it is missing.
  std::optional<double> number(std::size_t column, double least, double most = kMostOfJobs) const;
  std::optional<std::int64_t> whole(std::size_t column, double least, double most = kMostOfJobs) const;
  /// Nothing where it is missing.
  std::optional<double> time(std::size_t column, Clock clock) const;
  /// Of a column that has to be filled.
  double needed(std::size_t column, double least, double most = kMostOfJobs) const;

  /// Nothing where the job never began or has not ended. Throws InputError for an end before the start and a
  /// start before the submission.
  std::optional<RecordedTimes> recorded(std::size_t submit, std::size_t start, std::size_t end,
                                        Clock clock) const;

  [[noreturn]] void fail(std::size_t column, const std::string& message, const std::string& help = {}) const;

 private:
  void match(Others others);
  void match_one(std::size_t field, Others others);
  /// What is wrong with a field that has to have a value and has none, or a word that stands for none.
  std::string lacking(std::size_t column, const char* wanted) const;
  Location where(std::size_t column) const;

  std::shared_ptr<const SourceText> source_;
  CsvReader reader_;
  std::vector<JobColumn> columns_;
  std::vector<std::size_t> place_;  // of a column's field, or kAbsent
  std::vector<std::string> fields_;
  std::size_t width_ = 0;
};

/// Seconds since 1970 of "2020-06-09 18:41:01", also with 'T', fractions and a zone ("Z", "+08:00"; none:
/// UTC).
std::optional<double> calendar_seconds(std::string_view text);

/// What writers put where nothing is known: "", "None", "nan", ...
bool is_missing(std::string_view text);

/// A decimal number and nothing else.
std::optional<double> plain_number(std::string_view text);

/// What is said of a row that could be left out.
constexpr const char* kSkipHelp = "--skip-bad-rows leaves such rows out and counts them";

}  // namespace trainyard
