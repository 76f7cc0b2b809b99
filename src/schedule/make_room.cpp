#include "schedule/make_room.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "schedule/active_jobs.h"

namespace trainyard::schedule {
namespace {

/// Lower than `priority`, the lowest and latest first.
std::vector<std::size_t> lower_jobs(int priority, const ActiveJobs& active, std::span<const Job> jobs) {
  std::vector<std::size_t> out;
  for (const auto& [ends_s, job] : active.estimated_ends())
    if (jobs[job].priority < priority) out.push_back(job);
  const auto key = [&](std::size_t job) {
    return std::tuple{jobs[job].priority, -active.running(job).started_s(), job};
  };
  std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return out;
}

/// The domain in use that fills best, else -1.
std::int32_t new_home(std::int32_t devices, const Machines& machines,
                      const std::vector<std::uint8_t>& emptied) {
  std::int32_t best = -1;
  for (std::int32_t domain = 0; domain < machines.domains(); ++domain) {
    if (emptied[static_cast<std::size_t>(domain)] != 0) continue;
    if (!machines.partly_used(domain) || machines.free_of(domain) < devices) continue;
    if (best < 0 || machines.free_of(domain) < machines.free_of(best)) best = domain;
  }
  return best;
}

/// Moves all jobs off a domain, in `machines`; nothing where one has nowhere to go.
std::optional<std::vector<Move>> empty_domain(std::int32_t domain, Machines& machines,
                                              const ActiveJobs& active,
                                              const std::vector<std::uint8_t>& emptied) {
  Machines trial = machines;
  std::vector<Move> moves;
  for (const std::size_t job : active.on(domain)) {
    const Placement& from = active.running(job).placement();
    if (from.size() != 1) return std::nullopt;
    const std::int32_t home = new_home(from.front().devices, trial, emptied);
    if (home < 0) return std::nullopt;
    moves.push_back({job, from, {{home, from.front().devices}}});
    trial.give_back(moves.back().from);
    trial.take(moves.back().to);
  }
  machines = trial;
  return moves;
}

/// In use, those with the fewest devices in use first.
std::vector<std::int32_t> domains_to_empty(const Machines& machines) {
  std::vector<std::int32_t> out;
  for (std::int32_t domain = 0; domain < machines.domains(); ++domain)
    if (machines.partly_used(domain)) out.push_back(domain);
  std::stable_sort(out.begin(), out.end(),
                   [&](std::int32_t a, std::int32_t b) { return machines.free_of(a) > machines.free_of(b); });
  return out;
}

}  // namespace

std::vector<std::size_t> victims_for(std::size_t job, const Machines& machines, const ActiveJobs& active,
                                     std::span<const Job> jobs) {
  Machines trial = machines;
  const std::int64_t devices = jobs[job].devices;
  std::vector<std::size_t> victims;
  for (const std::size_t lower : lower_jobs(jobs[job].priority, active, jobs)) {
    if (trial.fits(devices)) break;
    trial.give_back(active.running(lower).placement());
    victims.push_back(lower);
  }
  if (!trial.fits(devices)) return {};
  for (std::size_t i = victims.size(); i-- > 0;) {
    const Placement& held = active.running(victims[i]).placement();
    trial.take(held);
    if (trial.fits(devices))
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(i));
    else
      trial.give_back(held);
  }
  return victims;
}

std::vector<Move> moves_for(std::int64_t devices, const Machines& machines, const ActiveJobs& active) {
  if (machines.free_devices() < devices) return {};
  Machines trial = machines;
  std::vector<std::uint8_t> emptied(static_cast<std::size_t>(machines.domains()), 0);
  std::vector<std::uint8_t> moved_to(emptied.size(), 0);
  std::vector<Move> moves;
  for (const std::int32_t domain : domains_to_empty(machines)) {
    // Who was moved there stays.
    if (moved_to[static_cast<std::size_t>(domain)] != 0) continue;
    emptied[static_cast<std::size_t>(domain)] = 1;
    const std::optional<std::vector<Move>> off = empty_domain(domain, trial, active, emptied);
    if (!off) {
      emptied[static_cast<std::size_t>(domain)] = 0;
      continue;
    }
    for (const Move& move : *off) moved_to[static_cast<std::size_t>(move.to.front().domain)] = 1;
    moves.insert(moves.end(), off->begin(), off->end());
    if (trial.fits(devices)) return moves;
  }
  return {};
}

}  // namespace trainyard::schedule
