// Figures of a list beside those that papers publish of its trace.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/csv.h"
#include "base/embedded.h"
#include "jobs/job_files.h"
#include "trainyard/jobs.h"

namespace trainyard {
namespace {

/// Columns of data/jobs.csv.
enum PublishedColumn : std::size_t {
  kTrace,
  kQuantity,
  kUnit,
  kPublished,
  kKnown,
  kSource,
  kNote,
  kPublishedColumns
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Reorders the values.
double median(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  if (values.size() % 2 == 1) return *half;
  return (*half + *std::max_element(values.begin(), half)) / 2;
}

template <class Value>
std::vector<double> values_of(const JobList& list, Value value) {
  std::vector<double> out;
  out.reserve(list.jobs.size());
  for (const Job& job : list.jobs) out.push_back(value(job));
  return out;
}

void add_waits(JobFigures& f, const JobList& list) {
  std::vector<double> waits;
  std::vector<double> completions;
  for (const Job& job : list.jobs) {
    if (!job.wait_recorded_s) continue;
    waits.push_back(*job.wait_recorded_s);
    completions.push_back(*job.wait_recorded_s + job.run_s);
  }
  if (waits.empty()) return;
  f.mean_wait_s = mean(waits);
  f.median_wait_s = median(waits);
  f.median_completion_s = median(completions);
}

std::optional<double> figure(const JobFigures& f, const std::string& quantity) {
  if (quantity == "jobs") return static_cast<double>(f.jobs);
  if (quantity == "mean devices") return f.mean_devices;
  if (quantity == "median devices") return f.median_devices;
  if (quantity == "mean run") return f.mean_run_s;
  if (quantity == "median run") return f.median_run_s;
  if (quantity == "mean wait") return f.mean_wait_s;
  if (quantity == "median wait") return f.median_wait_s;
  if (quantity == "median wait and run") return f.median_completion_s;
  throw std::logic_error("data/jobs.csv: no quantity " + quantity);
}

}  // namespace

JobFigures job_figures(const JobList& list) {
  JobFigures f;
  if (list.jobs.empty()) return f;
  f.jobs = static_cast<std::int64_t>(list.jobs.size());
  f.span_s = list.jobs.back().submit_s - list.jobs.front().submit_s;
  for (const Job& job : list.jobs) f.device_s += static_cast<double>(job.devices) * job.run_s;
  std::vector<double> devices =
      values_of(list, [](const Job& job) { return static_cast<double>(job.devices); });
  std::vector<double> runs = values_of(list, [](const Job& job) { return job.run_s; });
  f.mean_devices = mean(devices);
  f.largest_devices = *std::max_element(devices.begin(), devices.end());
  f.median_devices = median(devices);
  f.mean_run_s = mean(runs);
  f.median_run_s = median(runs);
  add_waits(f, list);
  return f;
}

std::vector<PublishedJobFigure> published_job_figures(const JobList& list) {
  std::vector<PublishedJobFigure> out;
  if (list.trace.empty()) return out;
  const JobFigures figures = job_figures(list);
  const auto records = parse_csv(job_files().front().text);
  for (std::size_t r = 1; r < records.size(); ++r) {
    const auto& record = records[r];
    if (record.size() != kPublishedColumns) throw std::logic_error("data/jobs.csv: a row of another length");
    if (record[kTrace] != list.trace) continue;
    out.push_back({record[kTrace], record[kQuantity], record[kUnit], std::stod(record[kPublished]),
                   record[kSource], record[kNote], record[kKnown] == "recalled",
                   figure(figures, record[kQuantity])});
  }
  return out;
}

}  // namespace trainyard
