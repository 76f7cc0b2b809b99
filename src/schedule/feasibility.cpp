#include "schedule/feasibility.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "schedule/breakdowns.h"
#include "trainyard/errors.h"
#include "trainyard/jobs.h"

namespace trainyard::schedule {
namespace {

constexpr std::size_t kMostFindings = 10;
constexpr double kHopeless = 1e-6;  // chance to keep any work
constexpr double kDeviations = 8;   // of the domains in service

bool good_time(double s) { return std::isfinite(s) && s >= 0; }

/// Where the list says how many devices the job has.
std::string devices_place(const JobList& list, const Job& job) {
  const std::string row = fmt::format("{}, row {}", list.source, job.row);
  return list.devices_column.empty() ? row : fmt::format("{}, column '{}'", row, list.devices_column);
}

/// What is wrong with a job by itself; empty: nothing.
std::string fault_of(const Job& job, double before_s) {
  if (job.devices < 1) return fmt::format("{} devices", job.devices);
  if (!good_time(job.submit_s)) return fmt::format("submitted at {} s", job.submit_s);
  if (job.submit_s < before_s) return "submitted before the job above it";
  if (!good_time(job.run_s)) return fmt::format("runs for {} s", job.run_s);
  if (!good_time(job.estimate_s)) return fmt::format("its estimate is {} s", job.estimate_s);
  return {};
}

void check_sizes(const Cluster& cluster, const JobList& list) {
  const std::int64_t most = (cluster.facts.domains - cluster.facts.spares) * cluster.facts.domain_devices;
  Findings findings;
  double before_s = 0;
  for (const Job& job : list.jobs) {
    std::string fault = fault_of(job, before_s);
    std::string help;
    const bool too_large = fault.empty() && job.devices > most;
    if (too_large) {
      fault = fmt::format("job '{}' wants {} devices; the cluster has {}", job.name, job.devices, most);
      help = cluster.facts.spares > 0
                 ? "more facility.devices, or fewer than " + counted(cluster.facts.spares, "spare")
                 : "more facility.devices, or leave the job out";
    }
    before_s = job.submit_s;
    if (fault.empty()) continue;
    findings.add(
        whole(too_large ? devices_place(list, job) : fmt::format("{}, row {}", list.source, job.row)), fault,
        help);
    if (findings.all().size() >= kMostFindings) break;
  }
  findings.throw_if_any();
}

double domains_of(const Job& job, const Cluster& cluster) {
  return std::ceil(static_cast<double>(job.devices) / static_cast<double>(cluster.facts.domain_devices));
}

/// Between two checkpoints, or to its end, a job needs its domains without a failure.
void check_progress(const Cluster& cluster, const ScheduleInput& settings, const JobList& list) {
  const double rate = settings.failures_per_1000_days / kSecondsOf1000Days;
  for (const Job& job : list.jobs) {
    const double domains = domains_of(job, cluster);
    const double interval_s = settings.checkpoint_interval.si();
    const double stretch_s =
        settings.resume_time.si() + (interval_s > 0 ? std::min(interval_s, job.run_s) : 0);
    if (std::exp(-rate * domains * stretch_s) >= kHopeless) continue;
    throw Infeasible(
        fmt::format("job '{}' of {}, ends", job.name, devices_place(list, job)),
        fmt::format("{} every {:.0f} s, and it keeps work only after {:.0f} s without",
                    domains > 1 ? fmt::format("its {:.0f} HB domains fail", domains) : "its HB domain fails",
                    1 / (rate * domains), stretch_s),
        "a shorter schedule.checkpoint_interval or schedule.resume_time, or fewer "
        "schedule.failures_per_1000_days");
  }
}

/// So many domains have to be in service at once.
void check_service(const Cluster& cluster, const ScheduleInput& settings, const JobList& list) {
  const double rate = settings.failures_per_1000_days / kSecondsOf1000Days;
  const double up = 1 / (1 + rate * settings.repair_time.si());
  const double domains = static_cast<double>(cluster.facts.domains);
  const double most = domains * up + kDeviations * std::sqrt(domains * up * (1 - up));
  const auto largest = std::max_element(list.jobs.begin(), list.jobs.end(),
                                        [](const Job& a, const Job& b) { return a.devices < b.devices; });
  if (domains_of(*largest, cluster) <= most) return;
  throw Infeasible(
      fmt::format("job '{}' of {}, starts", largest->name, devices_place(list, *largest)),
      fmt::format("it needs {}; of {:.0f}, {:.0f} on average are in service",
                  counted(fmt::format("{:.0f}", domains_of(*largest, cluster)), "HB domain"), domains,
                  domains * up),
      "a shorter schedule.repair_time, fewer schedule.failures_per_1000_days, or more facility.devices");
}

}  // namespace

void check_jobs(const Cluster& cluster, const ScheduleInput& settings, const JobList& list) {
  if (list.jobs.empty()) fail_input(whole(list.source), "no jobs", "at least one job that uses devices");
  check_sizes(cluster, list);
  if (settings.failures_per_1000_days <= 0) return;
  check_progress(cluster, settings, list);
  check_service(cluster, settings, list);
}

}  // namespace trainyard::schedule
