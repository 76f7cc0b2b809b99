#include "jobs/collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/counted.h"

namespace trainyard {

std::string grouped_count(std::int64_t count, std::string_view noun) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return counted(digits, noun);
}

namespace {

/// Jobs with the name of one above them.
std::int64_t repeated_names(const std::vector<Job>& jobs) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(jobs.size());
  std::int64_t out = 0;
  for (const Job& job : jobs)
    if (!job.name.empty() && !seen.insert(job.name).second) ++out;
  return out;
}

}  // namespace

JobCollector::JobCollector(const JobFile& file, const char* format, const char* devices_column)
    : source_(file.text), most_(file.reading.most_jobs), skip_(file.reading.skip_bad_rows) {
  list_.source = file.text->name;
  list_.format = format;
  list_.devices_column = devices_column;
}

void JobCollector::add(Job job) {
  if (static_cast<std::int64_t>(list_.jobs.size()) == most_) {
    fail_input({source_, static_cast<int>(job.row), 1}, fmt::format("more than {} jobs", most_),
               "split the file");
  }
  list_.jobs.push_back(std::move(job));
}

void JobCollector::leave_out(const std::string& what, const std::string& noun) {
  const auto found = std::find_if(left_out_.begin(), left_out_.end(),
                                  [&](const LeftOut& row) { return row.what == what && row.noun == noun; });
  if (found != left_out_.end()) {
    ++found->count;
  } else {
    left_out_.push_back({noun, what, 1});
  }
}

void JobCollector::skip(const InputError& error) {
  if (skipped_++ > 0) return;
  const Finding& finding = error.findings().front();
  first_skipped_ = fmt::format("line {}: {}", finding.where.line, finding.message);
}

JobList JobCollector::finish() && {
  std::string all;
  for (const LeftOut& row : left_out_) {
    const std::string words = grouped_count(row.count, row.noun) + " " + row.what;
    list_.notes.push_back(words + (row.count == 1 ? " is left out" : " are left out"));
    all += (all.empty() ? "" : ", ") + words;
  }
  if (skipped_ > 0) {
    const std::string words = grouped_count(skipped_, "bad row");
    list_.notes.push_back(
        fmt::format("{} {} left out, the first: {}", words, skipped_ == 1 ? "is" : "are", first_skipped_));
    all += (all.empty() ? "" : ", ") + words;
  }
  if (list_.jobs.empty())
    fail_input(
        {source_, 0, 0}, "no jobs",
        all.empty() ? "a row for each job below the header, or an object in the array" : "it has " + all);
  if (const std::int64_t again = repeated_names(list_.jobs); again > 0)
    list_.notes.push_back(grouped_count(again, "job") +
                          (again == 1 ? " has the name of one above it: it counts, too"
                                      : " have the name of one above them: they count, too"));
  const auto before = [](const Job& a, const Job& b) { return a.submit_s < b.submit_s; };
  if (!std::is_sorted(list_.jobs.begin(), list_.jobs.end(), before))
    std::stable_sort(list_.jobs.begin(), list_.jobs.end(), before);
  const double first = list_.jobs.front().submit_s;
  for (Job& job : list_.jobs) job.submit_s -= first;
  return std::move(list_);
}

Job recorded_job(std::string_view name, std::string_view user, const RecordedTimes& times,
                 std::int64_t devices, std::int64_t row) {
  Job job;
  job.name = name;
  job.user = user;
  job.submit_s = times.submit;
  job.devices = devices;
  job.run_s = times.end - times.start;
  job.estimate_s = job.run_s;
  job.wait_recorded_s = times.start - times.submit;
  job.row = row;
  return job;
}

}  // namespace trainyard
