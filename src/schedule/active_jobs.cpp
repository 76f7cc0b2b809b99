#include "schedule/active_jobs.h"

#include <algorithm>

namespace trainyard::schedule {
namespace {

constexpr double kSlower = 1 - 1e-9;

}  // namespace

ActiveJobs::ActiveJobs(const Cluster& cluster, const ScheduleInput& settings, std::span<const Job> jobs,
                       std::span<const Traffic> traffic)
    : list_(jobs),
      traffic_(traffic),
      checkpoint_interval_s_(settings.checkpoint_interval.si()),
      suspend_s_(settings.suspend_time.si()),
      resume_s_(settings.resume_time.si()),
      contend_(settings.contention),
      on_domain_(static_cast<std::size_t>(cluster.facts.domains)),
      times_(jobs.size()),
      contention_(cluster, settings.overlap) {}

void ActiveJobs::stand(std::size_t job, const Placement& placement) {
  for (const Part& part : placement) on_domain_[static_cast<std::size_t>(part.domain)].push_back(job);
}

void ActiveJobs::leave(std::size_t job, const Placement& placement) {
  for (const Part& part : placement) std::erase(on_domain_[static_cast<std::size_t>(part.domain)], job);
}

void ActiveJobs::enter_contention(std::size_t job, Active& active) {
  const bool loaded = contention_.remove(job);
  const bool loads = contend_ && contention_.add(job, active.run.placement(), traffic_[job]);
  if (!loads) active.run.set_speed(1);
  changed_ = changed_ || loaded || loads;
}

void ActiveJobs::set_end(std::size_t job, Active& active) {
  ends_.erase({active.end_s, job});
  active.end_s = active.run.ends_s();
  ends_.emplace(active.end_s, job);
}

void ActiveJobs::start(std::size_t job, const Placement& placement, double now_s, double work_s,
                       std::span<const StartDelay> delays) {
  Active& active = jobs_.emplace(job, Active{Running(placement, now_s, work_s), 0, 0}).first->second;
  double delay_s = 0;
  for (const StartDelay& delay : delays) {
    active.run.wait_for(delay.seconds, delay.cause);
    delay_s += delay.seconds;
  }
  // An estimate is of the whole job; what it has done by now is known.
  const double estimate_left_s = std::max(0.0, list_[job].estimate_s - (list_[job].run_s - work_s));
  active.estimate_s = now_s + delay_s + estimate_left_s;
  estimates_.emplace(active.estimate_s, job);
  stand(job, placement);
  enter_contention(job, active);
  set_end(job, active);
}

double ActiveJobs::stop(std::size_t job, double now_s) {
  const auto found = jobs_.find(job);
  Active& active = found->second;
  active.run.advance(now_s, use_, times_[job]);
  const double left_s = active.run.left_s();
  ends_.erase({active.end_s, job});
  estimates_.erase({active.estimate_s, job});
  leave(job, active.run.placement());
  changed_ = contention_.remove(job) || changed_;
  jobs_.erase(found);
  return left_s;
}

double ActiveJobs::fail(std::size_t job, double now_s) {
  Running& run = jobs_.at(job).run;
  run.advance(now_s, use_, times_[job]);
  run.roll_back(checkpoint_interval_s_, use_);
  return stop(job, now_s);
}

void ActiveJobs::go_on(std::size_t job, double now_s, std::int32_t domain, std::int32_t by) {
  Active& active = jobs_.at(job);
  active.run.advance(now_s, use_, times_[job]);
  active.run.roll_back(checkpoint_interval_s_, use_);
  leave(job, active.run.placement());
  active.run.replace(domain, by);
  stand(job, active.run.placement());
  active.run.wait_for(resume_s_, Overhead::failure);
  enter_contention(job, active);
  set_end(job, active);
}

void ActiveJobs::move(std::size_t job, double now_s, const Placement& placement) {
  Active& active = jobs_.at(job);
  active.run.advance(now_s, use_, times_[job]);
  leave(job, active.run.placement());
  active.run.move_to(placement);
  stand(job, placement);
  active.run.wait_for(suspend_s_ + resume_s_, Overhead::suspending);
  enter_contention(job, active);
  set_end(job, active);
}

void ActiveJobs::lose(const Damage& damage, double sign, double now_s) {
  if (!contend_) return;
  contention_.lose(damage, sign);
  changed_ = true;
  std::set<std::size_t> hit;
  for (const auto& [domain, share] : damage.slower) hit.insert(on(domain).begin(), on(domain).end());
  for (const std::size_t job : hit) {
    Active& active = jobs_.at(job);
    active.run.advance(now_s, use_, times_[job]);
    enter_contention(job, active);
    set_end(job, active);
  }
}

void ActiveJobs::settle(double now_s) {
  if (!changed_) return;
  changed_ = false;
  contention_.solve();
  contended_devices_ = 0;
  for (const auto& [job, share] : contention_.shares()) {
    Active& active = jobs_.at(job);
    if (share.speed < kSlower) contended_devices_ += active.run.devices();
    if (share.speed == active.run.speed()) continue;
    active.run.advance(now_s, use_, times_[job]);
    active.run.set_speed(share.speed);
    set_end(job, active);
  }
}

}  // namespace trainyard::schedule
