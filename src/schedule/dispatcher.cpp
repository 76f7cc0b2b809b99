#include "schedule/dispatcher.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>

#include "schedule/make_room.h"

namespace trainyard::schedule {
Dispatcher::Dispatcher(const Cluster& cluster, const ScheduleInput& settings, const std::vector<Job>& jobs,
                       Floor floor)
    : cluster_(cluster),
      settings_(settings),
      jobs_(jobs),
      machines_(floor.machines),
      active_(floor.active),
      breakdowns_(floor.breakdowns),
      placer_(cluster, settings),
      queue_(jobs, settings.order),
      backlog_(jobs, queue_),
      stories_(jobs.size()),
      out_(jobs.size()) {}

void Dispatcher::submit(std::size_t job) {
  stories_[job].left_s = jobs_[job].run_s;
  stories_[job].queued_at_s = jobs_[job].submit_s;
  enqueue(job);
  arrivals_.push_back(job);
}

void Dispatcher::requeue(std::size_t job, double left_s, Overhead because, double now_s) {
  Story& story = stories_[job];
  story.left_s = left_s;
  story.queued_at_s = now_s;
  story.stopped_by = because;
  enqueue(job);
  freed();
}

void Dispatcher::enqueue(std::size_t job) {
  queue_.insert(job);
  backlog_.insert(job, hold_of(job).si());
}

/// As its user estimated.
Seconds Dispatcher::hold_of(std::size_t job) const {
  const Story& story = stories_[job];
  const double left_s = std::max(0.0, jobs_[job].estimate_s - (jobs_[job].run_s - story.left_s));
  return Seconds(left_s) + (story.started ? settings_.resume_time : Seconds(0));
}

void Dispatcher::dispatch(double now_s) {
  now_s_ = now_s;
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

bool Dispatcher::start_first() {
  const std::size_t job = queue_.first();
  return try_start(job, 0) || (settings_.preempt && preempt_for(job)) ||
         (settings_.migrate && migrate_for(job));
}

bool Dispatcher::try_start(std::size_t job, double wait_s) {
  const std::optional<Placement> placement = placer_.place(machines_, jobs_[job].devices);
  if (!placement) return false;
  start(job, *placement, wait_s);
  return true;
}

void Dispatcher::start(std::size_t job, const Placement& placement, double wait_s) {
  Story& story = stories_[job];
  ScheduledJob& out = out_[job];
  queue_.erase(job);
  backlog_.erase(job);
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

bool Dispatcher::preempt_for(std::size_t job) {
  const std::vector<std::size_t> victims = victims_for(job, machines_, active_, jobs_);
  if (victims.empty()) return false;
  for (const std::size_t victim : victims) {
    ++out_[victim].preemptions;
    machines_.give_back(active_.running(victim).placement());
    requeue(victim, active_.stop(victim, now_s_), Overhead::suspending, now_s_);
  }
  return try_start(job, settings_.suspend_time.si());
}

bool Dispatcher::migrate_for(std::size_t job) {
  const std::vector<Move> moves = moves_for(jobs_[job].devices, machines_, active_);
  if (moves.empty()) return false;
  for (const Move& move : moves) {
    ++out_[move.job].migrations;
    active_.move(move.job, now_s_, move.to);
    machines_.give_back(move.from);
    machines_.take(move.to);
  }
  return try_start(job, settings_.suspend_time.si());
}

void Dispatcher::backfill() {
  if (settings_.backfill == Backfill::none) {
    // Who comes later waits too, until something comes free.
    reserved_for_ = queue_.first();
    reservation_.emplace(machines_, jobs_[reserved_for_].devices, std::span<const Release>());
    return;
  }
  reserve();
  // Generous by a rounding: who is looked at is judged by the sum.
  constexpr double kRounding = 1e-12;
  const auto until_reserved = [&] {
    return reservation_->at_s() - now_s_ + kRounding * reservation_->at_s();
  };
  BacklogLook look(backlog_, queue_.key(reserved_for_), [&](std::int64_t devices) {
    constexpr double kForever = std::numeric_limits<double>::infinity();
    if (!machines_.fits(devices)) return -1.0;
    return reservation_->may_admit(devices, kForever) ? kForever : until_reserved();
  });
  while (const std::optional<std::size_t> job = look.next()) {
    if (backfill_job(*job))
      look.started();
    else if (settings_.placement != JobPlacement::anywhere)  // the next one may draw another place
      look.refused(until_reserved());
  }
}

/// For the first of the queue, by what users estimated and when repairs end.
void Dispatcher::reserve() {
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

bool Dispatcher::backfill_job(std::size_t job) {
  if (settings_.backfill == Backfill::none || !machines_.fits(jobs_[job].devices)) return false;
  const double ends_s = now_s_ + hold_of(job).si();
  if (!reservation_->may_admit(jobs_[job].devices, ends_s)) return false;
  const std::optional<Placement> placement = placer_.place(machines_, jobs_[job].devices);
  if (!placement || !reservation_->admits(*placement, ends_s)) return false;
  reservation_->start(*placement, ends_s);
  start(job, *placement, 0);
  return true;
}

}  // namespace trainyard::schedule
