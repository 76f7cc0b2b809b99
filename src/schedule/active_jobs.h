// The jobs that hold devices: their speeds, their ends, and who stands on which HB domain.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "schedule/contention.h"
#include "schedule/machines.h"
#include "schedule/running.h"
#include "trainyard/jobs.h"

namespace trainyard::schedule {

/// What a start waits for before it works.
struct StartDelay {
  double seconds = 0;
  Overhead cause = Overhead::suspending;
};

class ActiveJobs {
 public:
  /// `jobs` and `traffic` by number; both outlive this.
  ActiveJobs(const Cluster& cluster, const ScheduleInput& settings, std::span<const Job> jobs,
             std::span<const Traffic> traffic);

  void start(std::size_t job, const Placement& placement, double now_s, double work_s,
             std::span<const StartDelay> delays);
  /// Takes it off its devices; what is left of its work, in seconds.
  double stop(std::size_t job, double now_s);
  /// Stops a job at once: work since the last checkpoint is lost.
  double fail(std::size_t job, double now_s);
  /// The same, but it goes on when another domain stands in.
  void go_on(std::size_t job, double now_s, std::int32_t domain, std::int32_t by);
  void move(std::size_t job, double now_s, const Placement& placement);
  /// A failed part takes rates from domains and links (sign 1), or gives them back (-1).
  void lose(const Damage& damage, double sign, double now_s);
  /// Speeds anew, where jobs came or went that load links.
  void settle(double now_s);

  bool empty() const { return jobs_.empty(); }
  /// Time and number of the job that ends first.
  std::pair<double, std::size_t> first_end() const { return *ends_.begin(); }
  /// By the time at which its user's estimate ends.
  const std::set<std::pair<double, std::size_t>>& estimated_ends() const { return estimates_; }
  const std::vector<std::size_t>& on(std::int32_t domain) const {
    return on_domain_[static_cast<std::size_t>(domain)];
  }
  const Running& running(std::size_t job) const { return jobs_.at(job).run; }
  const Contention& contention() const { return contention_; }
  const ScheduleUse& use() const { return use_; }
  const JobTimes& times(std::size_t job) const { return times_[job]; }
  double contended_devices() const { return contended_devices_; }

 private:
  struct Active {
    Running run;
    double end_s = 0;
    double estimate_s = 0;
  };
  void stand(std::size_t job, const Placement& placement);
  void leave(std::size_t job, const Placement& placement);
  void enter_contention(std::size_t job, Active& active);
  void set_end(std::size_t job, Active& active);

  std::span<const Job> list_;
  std::span<const Traffic> traffic_;
  double checkpoint_interval_s_;
  double suspend_s_;
  double resume_s_;
  bool contend_;
  std::map<std::size_t, Active> jobs_;
  std::set<std::pair<double, std::size_t>> ends_;
  std::set<std::pair<double, std::size_t>> estimates_;
  std::vector<std::vector<std::size_t>> on_domain_;
  std::vector<JobTimes> times_;
  Contention contention_;
  bool changed_ = false;
  double contended_devices_ = 0;
  ScheduleUse use_;
};

}  // namespace trainyard::schedule
