// How fast jobs are whose traffic shares links.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "network/flow/max_min.h"
#include "network/flow/network.h"
#include "schedule/cluster.h"
#include "schedule/machines.h"
#include "schedule/shared_parts.h"

namespace trainyard::schedule {

/// What a job sends, and how much of its time.
struct Traffic {
  JobTraffic pattern = JobTraffic::ring;
  double communication = 0;  // share of its time on an idle network
};

/// A job's load on a link of the cluster, at the full rate of its devices, in rates of a device.
struct LinkLoad {
  std::uint32_t link = 0;
  double load = 0;
};

/// A link stands for the links up of switches, and for those down: loads are the same both ways.
class Contention {
 public:
  Contention(const Cluster& cluster, JobOverlap overlap);

  /// Adds a job; whether it loads a link. One that loads none has speed 1.
  bool add(std::size_t job, const Placement& placement, const Traffic& traffic);
  /// Whether it was there.
  bool remove(std::size_t job);
  /// A failed part takes shares of rates (sign 1), or gives them back (-1). Jobs on HB domains that lose rate
  /// have to be added anew.
  void lose(const Damage& damage, double sign);
  /// Speeds anew: no job can have more without taking from one that has no more than it.
  void solve();

  struct Share {
    double rate = 1;   // of what its devices could send
    double speed = 1;  // of the job
  };
  /// Of the jobs that load links, by number.
  const std::map<std::size_t, Share>& shares() const { return shares_; }
  bool empty() const { return routes_.empty(); }

  std::vector<LinkLoad> loads(const Placement& placement, JobTraffic pattern) const;

 private:
  struct Route {
    std::vector<LinkLoad> loads;
    double communication = 0;
    double alone = 1;  // rate on an idle cluster
    double kept = 1;   // share of its devices' rate that failed parts leave
  };
  void add_loads(const Placement& placement, JobTraffic pattern, std::size_t level, const RankClass& ranks,
                 std::map<std::uint32_t, double>& loads) const;
  void add_to_problem(const Route& route);
  Share share_of(const Route& route, double level) const;

  double kept_by(const Placement& placement) const;

  const Cluster& cluster_;
  JobOverlap overlap_;
  std::vector<double> capacity_;
  std::vector<std::uint32_t> first_link_;  // of each level
  std::vector<double> lost_of_domain_;     // shares, by failed parts
  std::vector<double> lost_of_link_;
  std::map<std::size_t, Route> routes_;
  std::map<std::size_t, Share> shares_;
  flow::MaxMinProblem problem_;
  flow::MaxMinRates rates_;
  flow::MaxMinSolver solver_;
  flow::Route entries_;
};

}  // namespace trainyard::schedule
