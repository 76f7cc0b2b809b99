#include "schedule/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/counted.h"
#include "trainyard/errors.h"

namespace trainyard::schedule {
namespace {

constexpr double kHour_s = 3600;
constexpr std::size_t kMostSnapshots = 2000;
constexpr double kMostEventsOfJob = 1000;
constexpr double kMostEvents = 1e8;

}  // namespace

Replay::Replay(const Cluster& cluster, const ScheduleInput& settings, const SharedParts& parts,
               const std::vector<Job>& jobs, const std::vector<Traffic>& traffic)
    : cluster_(cluster),
      settings_(settings),
      jobs_(jobs),
      traffic_(traffic),
      machines_(cluster.facts.domains, cluster.facts.domain_devices),
      active_(cluster, settings, jobs, traffic),
      breakdowns_(cluster.facts.domains, settings),
      parts_(parts),
      outages_(parts, settings.seed),
      dispatcher_(cluster, settings, jobs, {machines_, active_, breakdowns_}) {
  for (const std::int32_t spare : breakdowns_.spares()) machines_.withdraw(spare);
  for (std::size_t kind = 0; kind < parts.size(); ++kind)
    played_.outages.push_back({parts.kind(kind).name, parts.kind(kind).parts});
}

Played Replay::run(const ReplayProgress& progress) {
  constexpr std::size_t kEventsOfProgress = 1024;
  std::size_t since_progress = 0;
  const double most_events =
      std::min(kMostEvents, kMostEventsOfJob * (1000 + static_cast<double>(jobs_.size())));
  double events = 0;
  while (finished_ < jobs_.size()) {
    if (++events > most_events)
      throw Infeasible(
          "every job ends",
          fmt::format("after {:.0f} events {} of {} {} not", events - 1, jobs_.size() - finished_,
                      counted(jobs_.size(), "job"), agreeing(jobs_.size() - finished_, "has", "have")),
          "fewer failures (schedule.failures_per_1000_days, schedule.part_failures), a shorter "
          "schedule.checkpoint_interval or schedule.resume_time, schedule.spares");
    if (progress && ++since_progress == kEventsOfProgress) {
      progress(finished_, jobs_.size());
      since_progress = 0;
    }
    watch(next_s());
    happen();
    dispatcher_.dispatch(now_s_);
    active_.settle(now_s_);
  }
  played_.use.useful = active_.use().useful;
  played_.use.contention = active_.use().contention;
  played_.use.suspending = active_.use().suspending;
  played_.use.failures = active_.use().failures;
  played_.jobs = dispatcher_.take_jobs();
  played_.moments = observer_.moments();
  played_.fragmented = observer_.fragmented();
  played_.span_s = now_s_;
  return std::move(played_);
}

double Replay::next_s() const {
  double next = std::min({breakdowns_.next_failure_s(), breakdowns_.next_repair_s(),
                          outages_.next_failure_s(), outages_.next_repair_s()});
  if (!active_.empty()) next = std::min(next, active_.first_end().first);
  if (next_job_ < jobs_.size()) next = std::min(next, jobs_[next_job_].submit_s);
  return std::max(next, now_s_);
}

void Replay::watch(double to_s) {
  const double devices = static_cast<double>(machines_.domain_devices());
  State state;
  state.down = static_cast<double>(breakdowns_.repairs().size()) * devices;
  const double spare = static_cast<double>(breakdowns_.spares().size()) * devices;
  state.free = static_cast<double>(machines_.free_devices());
  state.used = static_cast<double>(cluster_.facts.devices) - state.down - spare - state.free;
  state.queued_jobs = static_cast<double>(dispatcher_.queue().waiting().size());
  state.queued_devices = dispatcher_.queue().devices();
  state.fragmented = static_cast<double>(machines_.fragmented_devices());
  state.contended = active_.contended_devices();
  observer_.advance(to_s, state);
  played_.use.down += state.down * (to_s - now_s_);
  played_.use.spare += spare * (to_s - now_s_);
  played_.use.idle += state.free * (to_s - now_s_);
  // Packets know of no failed part.
  if (settings_.checked > 0 && !active_.contention().empty() && !outages_.any()) take_snapshots(now_s_, to_s);
  now_s_ = to_s;
}

/// At the asked share of the full hours in (from, to]: nothing changes between them.
void Replay::take_snapshots(double from_s, double to_s) {
  const auto checks_until = [&](double s) { return std::floor(std::floor(s / kHour_s) * settings_.checked); };
  std::shared_ptr<std::vector<CrossingJob>> state;
  for (double check = checks_until(from_s) + 1; check <= checks_until(to_s); ++check) {
    if (played_.snapshots.size() >= kMostSnapshots) {
      played_.all_snapshots = false;
      return;
    }
    if (!state) {
      state = std::make_shared<std::vector<CrossingJob>>();
      for (const auto& [job, share] : active_.contention().shares())
        state->push_back({active_.running(job).placement(), traffic_[job].pattern, share.rate});
    }
    played_.snapshots.push_back({std::ceil(check / settings_.checked) * kHour_s, state});
  }
}

void Replay::happen() {
  end_jobs();
  repair_domains();
  repair_parts();
  submit_jobs();
  if (breakdowns_.next_failure_s() <= now_s_) fail_domain();
  if (outages_.next_failure_s() <= now_s_) fail_part();
}

void Replay::end_jobs() {
  while (!active_.empty() && active_.first_end().first <= now_s_) {
    const std::size_t job = active_.first_end().second;
    machines_.give_back(active_.running(job).placement());
    active_.stop(job, now_s_);
    ScheduledJob& out = dispatcher_.job(job);
    out.end = Seconds(now_s_);
    out.finished = true;
    const JobTimes& times = active_.times(job);
    if (times.work_s > 0) out.slowdown = std::max(1.0, times.working_s / times.work_s);
    ++finished_;
    dispatcher_.freed();
  }
}

void Replay::repair_domains() {
  while (breakdowns_.next_repair_s() <= now_s_) {
    const std::int32_t domain = breakdowns_.repaired();
    if (!breakdowns_.keep_as_spare(domain)) machines_.restore(domain);
    dispatcher_.freed();
  }
}

void Replay::submit_jobs() {
  for (; next_job_ < jobs_.size() && jobs_[next_job_].submit_s <= now_s_; ++next_job_)
    dispatcher_.submit(next_job_);
}

}  // namespace trainyard::schedule
