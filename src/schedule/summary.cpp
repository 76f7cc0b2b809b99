#include "schedule/summary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "schedule/replay.h"

namespace trainyard::schedule {
namespace {

/// The smallest value that at least this share of the values does not pass; sorts them.
double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of the jobs for which the list says it.
std::optional<Seconds> mean_recorded(const JobList& list, const std::vector<std::size_t>& jobs) {
  std::vector<double> waits;
  for (const std::size_t job : jobs)
    if (list.jobs[job].wait_recorded_s) waits.push_back(*list.jobs[job].wait_recorded_s);
  if (waits.empty()) return std::nullopt;
  return Seconds(mean(waits));
}

struct Columns {
  std::vector<double> wait_s, run_s, completion_s, slowdown;
};

Columns columns_of(const JobList& list, const Played& played, const std::vector<std::size_t>& jobs) {
  Columns out;
  for (const std::size_t job : jobs) {
    const ScheduledJob& it = played.jobs[job];
    out.wait_s.push_back(it.wait.si());
    out.run_s.push_back(list.jobs[job].run_s);
    out.completion_s.push_back(it.end.si() - list.jobs[job].submit_s);
    out.slowdown.push_back(it.slowdown);
  }
  return out;
}

std::vector<std::size_t> all_of(const JobList& list) {
  std::vector<std::size_t> out(list.jobs.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

ScheduleClass class_of(int bits, const JobList& list, const Played& played,
                       const std::vector<std::size_t>& jobs) {
  Columns columns = columns_of(list, played, jobs);
  ScheduleClass out;
  out.least_devices = bits == 0 ? 1 : (std::int64_t{1} << (bits - 1)) + 1;
  out.most_devices = std::int64_t{1} << bits;
  out.jobs = static_cast<std::int64_t>(jobs.size());
  out.mean_wait = Seconds(mean(columns.wait_s));
  out.median_wait = Seconds(quantile(columns.wait_s, 0.5));
  out.p90_wait = Seconds(quantile(columns.wait_s, 0.9));
  out.mean_wait_recorded = mean_recorded(list, jobs);
  out.median_run = Seconds(quantile(columns.run_s, 0.5));
  out.mean_slowdown = mean(columns.slowdown);
  return out;
}

}  // namespace

ScheduleTotals totals_of(const Cluster& cluster, const JobList& list, const Played& played) {
  const std::vector<std::size_t> all = all_of(list);
  Columns columns = columns_of(list, played, all);
  ScheduleTotals out;
  out.jobs = static_cast<std::int64_t>(all.size());
  for (const ScheduledJob& job : played.jobs) {
    out.finished += job.finished ? 1 : 0;
    out.preemptions += job.preemptions;
    out.migrations += job.migrations;
    out.failures += job.failures;
  }
  out.span = Seconds(played.span_s);
  out.mean_wait = Seconds(mean(columns.wait_s));
  out.median_wait = Seconds(quantile(columns.wait_s, 0.5));
  out.p90_wait = Seconds(quantile(columns.wait_s, 0.9));
  out.p99_wait = Seconds(quantile(columns.wait_s, 0.99));
  out.mean_wait_recorded = mean_recorded(list, all);
  out.median_run = Seconds(quantile(columns.run_s, 0.5));
  out.mean_completion = Seconds(mean(columns.completion_s));
  const ScheduleUse& use = played.use;
  const double working = use.useful + use.contention;
  const double whole = static_cast<double>(cluster.facts.devices) * played.span_s;
  if (whole > 0) {
    out.used_share = std::min(1.0, (working + use.suspending + use.failures) / whole);
    out.useful_share = std::min(out.used_share, use.useful / whole);
  }
  if (use.useful > 0) out.mean_slowdown = working / use.useful;
  out.fragmented = played.fragmented;
  return out;
}

std::vector<ScheduleClass> classes_of(const JobList& list, const Played& played) {
  std::map<int, std::vector<std::size_t>> by_bits;
  for (std::size_t job = 0; job < list.jobs.size(); ++job) {
    const auto devices = static_cast<std::uint64_t>(list.jobs[job].devices);
    by_bits[static_cast<int>(std::bit_width(devices - 1))].push_back(job);
  }
  std::vector<ScheduleClass> out;
  for (const auto& [bits, jobs] : by_bits) out.push_back(class_of(bits, list, played, jobs));
  return out;
}

}  // namespace trainyard::schedule
