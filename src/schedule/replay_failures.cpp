// What failures and repairs do to jobs and HB domains.
#include <algorithm>

#include "schedule/replay.h"

namespace trainyard::schedule {

void Replay::fail_domain() {
  const std::int32_t domain = breakdowns_.failing_domain();
  breakdowns_.draw_next();
  std::set<std::size_t> hit;
  take_down(domain, now_s_ + settings_.repair_time.si(), hit);
}

void Replay::take_down(std::int32_t domain, double until_s, std::set<std::size_t>& hit) {
  if (breakdowns_.lose_spare(domain)) {
    breakdowns_.repair_until(domain, until_s);
    return;
  }
  if (!machines_.in_service(domain)) return;  // it is down already
  lose_jobs(domain, hit);
  machines_.withdraw(domain);
  breakdowns_.repair_until(domain, until_s);
  dispatcher_.freed();
}

/// Spares first: none of those that go with the part stands in for another.
void Replay::fail_part() {
  const PartNumber part = outages_.failing();
  if (!outages_.begin(part, now_s_)) return;
  Damage damage = parts_.damage(part.first, part.second);
  const double until_s = now_s_ + parts_.kind(part.first).repair_s;
  std::set<std::size_t> hit;
  std::stable_partition(damage.gone.begin(), damage.gone.end(),
                        [&](std::int32_t domain) { return breakdowns_.spares().contains(domain); });
  for (const std::int32_t domain : damage.gone) take_down(domain, until_s, hit);
  active_.lose(damage, 1, now_s_);
  ScheduleOutages& counted = played_.outages[part.first];
  ++counted.failures;
  counted.jobs_stopped += static_cast<std::int64_t>(hit.size());
  counted.domains_gone += static_cast<std::int64_t>(damage.gone.size());
  counted.domains_slower += static_cast<std::int64_t>(damage.slower.size());
}

/// Domains come back with their own repairs.
void Replay::repair_parts() {
  while (outages_.next_repair_s() <= now_s_) {
    const PartNumber part = outages_.end();
    active_.lose(parts_.damage(part.first, part.second), -1, now_s_);
  }
}

/// They go on with a spare in its place, or wait again.
void Replay::lose_jobs(std::int32_t domain, std::set<std::size_t>& hit) {
  const std::vector<std::size_t> here = active_.on(domain);
  const std::optional<std::int32_t> spare = breakdowns_.take_spare();
  if (spare) machines_.restore(*spare);
  for (const std::size_t job : here) {
    if (hit.insert(job).second) ++dispatcher_.job(job).failures;
    machines_.give_back(active_.running(job).placement());
    if (spare) {
      active_.go_on(job, now_s_, domain, *spare);
      machines_.take(active_.running(job).placement());
    } else {
      dispatcher_.requeue(job, active_.fail(job, now_s_), Overhead::failure, now_s_);
    }
  }
}

}  // namespace trainyard::schedule
