#include "schedule/contention.h"

#include <algorithm>

#include "trainyard/network_design.h"

namespace trainyard::schedule {
namespace {

constexpr double kRounding = 1e-9;
constexpr double kLeastOfLink = 0.01;  // of its capacity, whatever failed

/// Of a job whose share of waiting for the network grows as its rate falls.
double speed_at(double communication, double rate) { return 1 / (1 - communication + communication / rate); }

}  // namespace

Contention::Contention(const Cluster& cluster, JobOverlap overlap) : cluster_(cluster), overlap_(overlap) {
  for (const Level& level : cluster.levels) {
    first_link_.push_back(static_cast<std::uint32_t>(capacity_.size()));
    capacity_.insert(capacity_.end(), level.rate_up.begin(), level.rate_up.end());
  }
  lost_of_domain_.assign(static_cast<std::size_t>(cluster.facts.domains), 0);
  lost_of_link_.assign(capacity_.size(), 0);
}

void Contention::lose(const Damage& damage, double sign) {
  for (const auto& [domain, share] : damage.slower)
    lost_of_domain_[static_cast<std::size_t>(domain)] += sign * share;
  for (const auto& [link, share] : damage.links) lost_of_link_[link] += sign * share;
}

/// The worst hit domain paces a job. What is lost altogether still has a device's one link: jobs stand
/// almost still until a repair.
double Contention::kept_by(const Placement& placement) const {
  double lost = 0;
  for (const Part& part : placement)
    lost = std::max(lost, lost_of_domain_[static_cast<std::size_t>(part.domain)]);
  if (lost < kRounding) return 1;
  const double one_link = 1 / static_cast<double>(cluster_.design->domain * cluster_.design->planes);
  return std::max(one_link, 1 - lost);
}

/// A ring leaves a group once for each rank; of an all-to-all, what goes to other domains is for all alike.
void Contention::add_loads(const Placement& placement, JobTraffic pattern, std::size_t level,
                           const RankClass& ranks, std::map<std::uint32_t, double>& loads) const {
  const double domain = static_cast<double>(cluster_.design->domain);
  double devices = 0;
  std::map<std::int32_t, double> below;  // devices of these ranks by link
  for (const Part& part : placement) {
    const double here = part.devices * ranks.ranks / domain;
    below[ranks.link_of_domain[static_cast<std::size_t>(part.domain)]] += here;
    devices += here;
  }
  if (below.size() < 2) return;
  for (const auto& [link, inside] : below) {
    const double of_domain = std::min(inside, ranks.ranks);
    const double out = pattern == JobTraffic::ring
                           ? of_domain
                           : inside * std::min(1.0, (devices - inside) / (devices - of_domain));
    loads[first_link_[level] + static_cast<std::uint32_t>(link)] += out;
  }
}

std::vector<LinkLoad> Contention::loads(const Placement& placement, JobTraffic pattern) const {
  if (pattern == JobTraffic::none || placement.size() < 2) return {};
  std::map<std::uint32_t, double> loads;
  for (std::size_t level = 0; level < cluster_.levels.size(); ++level)
    for (const RankClass& ranks : cluster_.levels[level].classes)
      add_loads(placement, pattern, level, ranks, loads);
  std::vector<LinkLoad> out;
  for (const auto& [link, load] : loads) out.push_back({link, load});
  return out;
}

bool Contention::add(std::size_t job, const Placement& placement, const Traffic& traffic) {
  if (traffic.communication <= 0) return false;
  Route route{loads(placement, traffic.pattern), traffic.communication, 1, 1};
  if (traffic.pattern != JobTraffic::none && placement.size() > 1) route.kept = kept_by(placement);
  if (route.loads.empty() && route.kept == 1) return false;
  for (const LinkLoad& load : route.loads)
    route.alone = std::min(route.alone, capacity_[load.link] / load.load);
  routes_[job] = std::move(route);
  return true;
}

bool Contention::remove(std::size_t job) {
  shares_.erase(job);
  return routes_.erase(job) > 0;
}

/// A link of its own keeps a job from more than it can use. Where jobs communicate together, the level is a
/// job's rate; where they take turns, its speed, at which it loads links with their mean.
void Contention::add_to_problem(const Route& route) {
  const bool together = overlap_ == JobOverlap::together;
  entries_.clear();
  for (const LinkLoad& load : route.loads)
    entries_.push_back({load.link, together ? load.load : load.load * route.communication});
  entries_.push_back({static_cast<std::uint32_t>(problem_.capacity.size()), 1});
  const double most = std::min(route.alone, route.kept);
  problem_.capacity.push_back(together ? route.kept : speed_at(route.communication, most));
  problem_.add(entries_);
}

Contention::Share Contention::share_of(const Route& route, double level) const {
  const double used = std::min(level, 1.0);
  if (overlap_ == JobOverlap::together) return {used, speed_at(route.communication, used)};
  return {std::min(1.0, route.communication / (1 / used - 1 + route.communication)), used};
}

void Contention::solve() {
  problem_.clear();
  problem_.capacity = capacity_;
  for (std::size_t link = 0; link < capacity_.size(); ++link)
    problem_.capacity[link] *= std::clamp(1 - lost_of_link_[link], kLeastOfLink, 1.0);
  for (const auto& [job, route] : routes_) add_to_problem(route);
  solver_.solve(problem_, rates_);
  shares_.clear();
  std::size_t flow = 0;
  for (const auto& [job, route] : routes_)
    shares_.emplace_hint(shares_.end(), job, share_of(route, rates_.rate[flow++]));
}

}  // namespace trainyard::schedule
