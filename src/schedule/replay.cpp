#include "schedule/replay.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "schedule/make_room.h"
#include "trainyard/errors.h"

namespace trainyard::schedule {
namespace {

constexpr double kHour_s = 3600;
constexpr std::size_t kMostSnapshots = 2000;
constexpr double kMostEventsOfJob = 1000;
constexpr double kMostEvents = 1e8;
constexpr std::size_t kBackfillDepth = 1000;  // jobs of the queue that are tried, as schedulers do

}  // namespace

Replay::Replay(const Cluster& cluster, const ScheduleInput& settings, const SharedParts& parts,
               const std::vector<Job>& jobs, const std::vector<Traffic>& traffic)
    : cluster_(cluster),
      settings_(settings),
      jobs_(jobs),
      traffic_(traffic),
      machines_(cluster.facts.domains, cluster.facts.domain_devices),
      placer_(cluster, settings),
      queue_(jobs, settings.order),
      active_(cluster, settings, jobs, traffic),
      breakdowns_(cluster.facts.domains, settings),
      parts_(parts),
      outages_(parts, settings.seed),
      stories_(jobs.size()) {
  for (const std::int32_t spare : breakdowns_.spares()) machines_.withdraw(spare);
  played_.jobs.resize(jobs.size());
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
      throw Infeasible("every job ends",
                       fmt::format("after {:.0f} events {} of {} jobs have not", events - 1,
                                   jobs_.size() - finished_, jobs_.size()),
                       "fewer failures (schedule.failures_per_1000_days, schedule.part_failures), a shorter "
                       "schedule.checkpoint_interval or schedule.resume_time, schedule.spares");
    if (progress && ++since_progress == kEventsOfProgress) {
      progress(finished_, jobs_.size());
      since_progress = 0;
    }
    watch(next_s());
    happen();
    schedule();
    active_.settle(now_s_);
  }
  played_.use.useful = active_.use().useful;
  played_.use.contention = active_.use().contention;
  played_.use.suspending = active_.use().suspending;
  played_.use.failures = active_.use().failures;
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
  state.queued_jobs = static_cast<double>(queue_.waiting().size());
  state.queued_devices = queue_.devices();
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
    ScheduledJob& out = played_.jobs[job];
    out.end = Seconds(now_s_);
    out.finished = true;
    const JobTimes& times = active_.times(job);
    if (times.work_s > 0) out.slowdown = std::max(1.0, times.working_s / times.work_s);
    ++finished_;
    freed();
  }
}

void Replay::repair_domains() {
  while (breakdowns_.next_repair_s() <= now_s_) {
    const std::int32_t domain = breakdowns_.repaired();
    if (!breakdowns_.keep_as_spare(domain)) machines_.restore(domain);
    freed();
  }
}

void Replay::submit_jobs() {
  for (; next_job_ < jobs_.size() && jobs_[next_job_].submit_s <= now_s_; ++next_job_) {
    stories_[next_job_].left_s = jobs_[next_job_].run_s;
    stories_[next_job_].queued_at_s = jobs_[next_job_].submit_s;
    queue_.insert(next_job_);
    arrivals_.push_back(next_job_);
  }
}

void Replay::requeue(std::size_t job, double left_s, Overhead because) {
  Story& story = stories_[job];
  story.left_s = left_s;
  story.queued_at_s = now_s_;
  story.stopped_by = because;
  queue_.insert(job);
  freed();
}

void Replay::schedule() {
  // While nothing came free, the first of the queue waits for the same, and only who came may pass it.
  if (!reservation_ || queue_.empty() || queue_.first() != reserved_for_) {
    reservation_.reset();
    while (!queue_.empty() && start_first()) {
    }
    if (!queue_.empty()) backfill();
  } else {
    for (const std::size_t job : arrivals_) backfill_job(job);
  }
  arrivals_.clear();
}

bool Replay::start_first() {
  const std::size_t job = queue_.first();
  return try_start(job, 0) || (settings_.preempt && preempt_for(job)) ||
         (settings_.migrate && migrate_for(job));
}

bool Replay::try_start(std::size_t job, double wait_s) {
  const std::optional<Placement> placement = placer_.place(machines_, jobs_[job].devices);
  if (!placement) return false;
  start(job, *placement, wait_s);
  return true;
}

void Replay::start(std::size_t job, const Placement& placement, double wait_s) {
  Story& story = stories_[job];
  ScheduledJob& out = played_.jobs[job];
  queue_.erase(job);
  machines_.take(placement);
  const StartDelay delays[] = {
      {wait_s, Overhead::suspending},
      {story.started ? settings_.resume_time.si() : 0, story.stopped_by},
  };
  active_.start(job, placement, now_s_, story.left_s, delays);
  const Seconds queued(now_s_ - story.queued_at_s);
  if (story.started) {
    out.queued_again += queued;
  } else {
    out.start = Seconds(now_s_);
    out.wait = queued;
    story.started = true;
  }
  std::vector<std::int32_t> leaves;
  for (const Part& part : placement) leaves.push_back(cluster_.leaf_of(part.domain));
  std::sort(leaves.begin(), leaves.end());
  out.domains = static_cast<std::int64_t>(placement.size());
  out.leaves = std::unique(leaves.begin(), leaves.end()) - leaves.begin();
}

bool Replay::preempt_for(std::size_t job) {
  const std::vector<std::size_t> victims = victims_for(job, machines_, active_, jobs_);
  if (victims.empty()) return false;
  for (const std::size_t victim : victims) {
    ++played_.jobs[victim].preemptions;
    machines_.give_back(active_.running(victim).placement());
    requeue(victim, active_.stop(victim, now_s_), Overhead::suspending);
  }
  return try_start(job, settings_.suspend_time.si());
}

bool Replay::migrate_for(std::size_t job) {
  const std::vector<Move> moves = moves_for(jobs_[job].devices, machines_, active_);
  if (moves.empty()) return false;
  for (const Move& move : moves) {
    ++played_.jobs[move.job].migrations;
    active_.move(move.job, now_s_, move.to);
    machines_.give_back(move.from);
    machines_.take(move.to);
  }
  return try_start(job, settings_.suspend_time.si());
}

void Replay::backfill() {
  if (settings_.backfill == Backfill::none) {
    // Who comes later waits too, until something comes free.
    reserved_for_ = queue_.first();
    reservation_.emplace(machines_, jobs_[reserved_for_].devices, std::span<const Release>());
    return;
  }
  reserve();
  std::vector<std::size_t> others;
  for (auto it = std::next(queue_.waiting().begin());
       it != queue_.waiting().end() && others.size() < kBackfillDepth; ++it)
    others.push_back(std::get<2>(*it));
  for (const std::size_t job : others) backfill_job(job);
}

/// For the first of the queue, by what users estimated and when repairs end.
void Replay::reserve() {
  std::vector<Release> releases;
  releases.reserve(active_.estimated_ends().size() + breakdowns_.repairs().size());
  auto repair = breakdowns_.repairs().begin();
  const auto add_repairs = [&](double until_s) {
    for (; repair != breakdowns_.repairs().end() && repair->first <= until_s; ++repair)
      releases.push_back({repair->first, nullptr, repair->second});
  };
  for (const auto& [ends_s, job] : active_.estimated_ends()) {
    add_repairs(ends_s);
    // Who should have ended may end any moment.
    releases.push_back({std::max(ends_s, now_s_), &active_.running(job).placement()});
  }
  add_repairs(std::numeric_limits<double>::infinity());
  reserved_for_ = queue_.first();
  reservation_.emplace(machines_, jobs_[reserved_for_].devices, releases);
}

void Replay::backfill_job(std::size_t job) {
  if (settings_.backfill == Backfill::none || !machines_.fits(jobs_[job].devices)) return;
  const Story& story = stories_[job];
  const double resume_s = story.started ? settings_.resume_time.si() : 0;
  const double left_s = std::max(0.0, jobs_[job].estimate_s - (jobs_[job].run_s - story.left_s));
  const double ends_s = now_s_ + resume_s + left_s;
  if (!reservation_->may_admit(jobs_[job].devices, ends_s)) return;
  const std::optional<Placement> placement = placer_.place(machines_, jobs_[job].devices);
  if (!placement || !reservation_->admits(*placement, ends_s)) return;
  reservation_->start(*placement, ends_s);
  start(job, *placement, 0);
}

}  // namespace trainyard::schedule
