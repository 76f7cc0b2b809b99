#include "schedule/placer.h"

#include <algorithm>
#include <tuple>

#include "base/mixing.h"
#include "schedule/nearness.h"

namespace trainyard::schedule {
namespace {

/// Groups of a level as one class of ranks sees them.
const std::vector<std::int32_t>& groups_of(const Level& level, std::size_t rank_class) {
  return level.classes[std::min(rank_class, level.classes.size() - 1)].link_of_domain;
}

/// Free whole domains of each of them.
std::vector<std::size_t> count_groups(const Level& level, std::size_t rank_class,
                                      const std::vector<std::int32_t>& free) {
  std::vector<std::size_t> count(level.rate_up.size(), 0);
  for (const std::int32_t domain : free)
    ++count[static_cast<std::size_t>(groups_of(level, rank_class)[static_cast<std::size_t>(domain)])];
  return count;
}

/// The group with the fewest free domains that suffice, else -1.
std::int32_t tightest(const std::vector<std::size_t>& count, std::size_t wanted) {
  std::int32_t best = -1;
  for (std::size_t group = 0; group < count.size(); ++group) {
    if (count[group] < wanted) continue;
    if (best < 0 || count[group] < count[static_cast<std::size_t>(best)])
      best = static_cast<std::int32_t>(group);
  }
  return best;
}

/// Of each domain, those that find no leaf of the job's.
std::vector<double> ranks_on_other_leaves(const Level& leaves, const Placement& taken) {
  std::vector<double> out(leaves.group_of_domain.size(), 0);
  if (taken.empty()) return out;
  for (const RankClass& ranks : leaves.classes) {
    std::vector<bool> of_job(leaves.rate_up.size(), false);
    for (const Part& part : taken)
      of_job[static_cast<std::size_t>(ranks.link_of_domain[static_cast<std::size_t>(part.domain)])] = true;
    for (std::size_t domain = 0; domain < out.size(); ++domain)
      if (!of_job[static_cast<std::size_t>(ranks.link_of_domain[domain])]) out[domain] += ranks.ranks;
  }
  return out;
}

bool holds(const Placement& placement, std::int32_t domain) {
  return std::any_of(placement.begin(), placement.end(),
                     [&](const Part& part) { return part.domain == domain; });
}

}  // namespace

Placer::Placer(const Cluster& cluster, const ScheduleInput& settings)
    : cluster_(cluster), rule_(settings.placement), seed_(static_cast<std::uint64_t>(settings.seed)) {}

std::vector<std::int32_t> Placer::whole_free(const Machines& machines) const {
  std::vector<std::int32_t> out;
  out.reserve(static_cast<std::size_t>(machines.whole_free()));
  for (std::int32_t domain = 0; domain < machines.domains(); ++domain)
    if (machines.free_of(domain) == machines.domain_devices()) out.push_back(domain);
  return out;
}

/// Those below the lowest switch that has enough, and there the least; where none has, whole leaves first.
void Placer::prefer_leaves(std::vector<std::int32_t>& free, std::size_t wanted,
                           std::size_t rank_class) const {
  std::vector<std::vector<std::size_t>> counts;
  for (const Level& level : cluster_.levels) {
    counts.push_back(count_groups(level, rank_class, free));
    const std::int32_t group = tightest(counts.back(), wanted);
    if (group < 0) continue;
    std::erase_if(free, [&](std::int32_t domain) {
      return groups_of(level, rank_class)[static_cast<std::size_t>(domain)] != group;
    });
    break;
  }
  const auto key = [&](std::int32_t domain, std::size_t level) {
    const std::int32_t group =
        groups_of(cluster_.levels[level], rank_class)[static_cast<std::size_t>(domain)];
    return std::pair{~counts[level][static_cast<std::size_t>(group)], group};
  };
  std::stable_sort(free.begin(), free.end(), [&](std::int32_t a, std::int32_t b) {
    for (std::size_t level = counts.size(); level-- > 0;)
      if (key(a, level) != key(b, level)) return key(a, level) < key(b, level);
    return false;
  });
}

/// Leaves that begin at other domains for each rank: what the leaves of one rank suggest, and runs of
/// domains, are held against the leaves of all.
void Placer::prefer_near(std::vector<std::int32_t>& free, std::size_t wanted) const {
  std::size_t classes = 1;
  for (const Level& level : cluster_.levels) classes = std::max(classes, level.classes.size());
  if (classes == 1) return prefer_leaves(free, wanted, 0);
  std::vector<std::vector<std::int32_t>> by_rank(classes, free);
  for (std::size_t rank_class = 0; rank_class < classes; ++rank_class) {
    prefer_leaves(by_rank[rank_class], wanted, rank_class);
    by_rank[rank_class].resize(wanted);
  }
  free = nearest_domains(cluster_, free, wanted, by_rank);
}

/// Fisher and Yates's, from the seed.
void Placer::shuffle(std::vector<std::int32_t>& free) {
  for (std::size_t left = free.size(); left > 1; --left)
    std::swap(free[left - 1], free[below(mixed(seed_, ++draws_), static_cast<std::uint32_t>(left))]);
}

void Placer::choose_whole(std::vector<std::int32_t>& free, std::size_t wanted) {
  if (rule_ == JobPlacement::leaf) prefer_near(free, wanted);
  if (rule_ == JobPlacement::anywhere) shuffle(free);
  free.resize(wanted);
  std::sort(free.begin(), free.end());
}

/// First: the first that has enough. Anywhere: any of those. Else the one that it fills best, on leaves of
/// the job's where there are any, for as many ranks as can be.
std::int32_t Placer::domain_for_part(const Machines& machines, std::int32_t devices, const Placement& taken) {
  std::vector<std::int32_t> fitting;
  for (std::int32_t domain = 0; domain < machines.domains(); ++domain) {
    if (machines.free_of(domain) < devices || holds(taken, domain)) continue;
    fitting.push_back(domain);
    if (rule_ == JobPlacement::first) return domain;
  }
  if (rule_ == JobPlacement::anywhere)
    return fitting[below(mixed(seed_, ++draws_), static_cast<std::uint32_t>(fitting.size()))];
  std::vector<double> far(static_cast<std::size_t>(machines.domains()), 0);
  if (rule_ == JobPlacement::leaf && !cluster_.levels.empty())
    far = ranks_on_other_leaves(cluster_.levels.front(), taken);
  return *std::min_element(fitting.begin(), fitting.end(), [&](std::int32_t a, std::int32_t b) {
    return std::tuple{far[static_cast<std::size_t>(a)], machines.free_of(a), a} <
           std::tuple{far[static_cast<std::size_t>(b)], machines.free_of(b), b};
  });
}

std::optional<Placement> Placer::place(const Machines& machines, std::int64_t devices) {
  if (!machines.fits(devices)) return std::nullopt;
  const std::int32_t whole_domain = machines.domain_devices();
  const auto whole = static_cast<std::size_t>(devices / whole_domain);
  const auto rest = static_cast<std::int32_t>(devices % whole_domain);
  Placement placement;
  if (whole > 0) {
    std::vector<std::int32_t> free = whole_free(machines);
    choose_whole(free, whole);
    for (const std::int32_t domain : free) placement.push_back({domain, whole_domain});
  }
  if (rest > 0) placement.push_back({domain_for_part(machines, rest, placement), rest});
  return placement;
}

}  // namespace trainyard::schedule
