// Gathers the jobs of a file, and counts what is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/importer.h"
#include "jobs/job_table.h"

namespace trainyard {

class JobCollector {
 public:
  /// `devices_column`: where the file says a job's devices, if that is one column.
  JobCollector(const JobFile& file, const char* format, const char* devices_column = "");

  /// With submit_s on the file's own clock.
  void add(Job job);
  void reserve(std::size_t jobs) { list_.jobs.reserve(jobs); }
  /// Counts one of these.
  void leave_out(const std::string& what, const std::string& noun = "job");
  void note(std::string text) { list_.notes.push_back(std::move(text)); }
  void set_trace(std::string name) { list_.trace = std::move(name); }

  /// Calls `read_row` for each row of a table; with skip_bad_rows, rows that it refuses are counted.
  template <class Row>
  void rows(JobTable& table, Row read_row) {
    while (table.next()) guarded(read_row);
  }
  template <class Row>
  void guarded(Row read_row) {
    if (!skip_) {
      read_row();
      return;
    }
    try {
      read_row();
    } catch (const InputError& error) {
      skip(error);
    }
  }

  /// In the order of submission, the first at 0. Throws InputError where no job is left.
  JobList finish() &&;

 private:
  void skip(const InputError& error);

  std::shared_ptr<const SourceText> source_;
  JobList list_;
  std::int64_t most_ = kMostJobs;
  bool skip_ = false;
  struct LeftOut {
    std::string noun;
    std::string what;
    std::int64_t count = 0;
  };
  std::vector<LeftOut> left_out_;
  std::int64_t skipped_ = 0;
  std::string first_skipped_;
};

/// A job that a public trace recorded.
Job recorded_job(std::string_view name, std::string_view user, const RecordedTimes& times,
                 std::int64_t devices, std::int64_t row);

/// "1 job", "12 jobs".
std::string grouped_count(std::int64_t count, std::string_view noun);

constexpr const char* kWithoutDevices = "without devices";
constexpr const char* kUnfinished = "that never began or had not ended";

}  // namespace trainyard
