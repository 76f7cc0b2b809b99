// Repairs that few crews work on, under way or waiting: how many there are at a time.
#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

/// What breaks for crews to repair: as Poisson processes, one after the other, after exponential times.
struct CrewWork {
  double rate_per_s = 0;
  double repair_s = 0;  // mean
  std::int64_t crews = 1;
  /// Repairs over what crews can do; from 1 on the queue grows for ever.
  double utilisation() const { return rate_per_s * repair_s / static_cast<double>(crews); }
};

/// Chance of 0, 1, ..., `most` repairs long after the beginning (a queue M/M/c, Erlang 1917), had nothing
/// failed within the last `quiet_s`: none where the queue grows for ever.
std::vector<double> settled_repairs(const CrewWork& work, std::int64_t most, double quiet_s = 0);

/// Of runs: each takes another time.
struct TimeOfWork {
  double mean_s = 0;
  double deviation_s = 0;  // standard, of a run
};

/// The same queue from an empty beginning: its Kolmogorov equations over time (TR-BDF2, Bank et al. 1985).
/// Exact states up to `most`; beyond, where states only say how long the way back is, a grid that grows
/// coarser and keeps drift and spread.
class CrewQueue {
 public:
  /// For times up to the period, of a rate that is never above `work`'s.
  CrewQueue(const CrewWork& work, std::int64_t most, double period_s);

  /// Goes on to a later time at this rate.
  void advance_to(double since_s, double rate_per_s);
  void advance_to(double since_s) { advance_to(since_s, work_.rate_per_s); }
  /// Repairs by state, and the chance of each now.
  const std::vector<double>& counts() const { return count_; }
  const std::vector<double>& chances() const { return chance_; }
  /// What chances of the states, each with a weight of any sign, are after a time.
  void carry_on(std::vector<std::vector<double>>& weights, double time_s) const;
  /// Chance of 0, 1, ..., `most` repairs now.
  std::vector<double> repairs() const { return up_to_most(chance_); }
  /// The same had nothing failed within the last `quiet_s`.
  std::vector<double> repairs_after_quiet(double quiet_s) const;
  /// Time from now until `work_s` of it was served, of which states with 0, 1, ..., `most` repairs serve
  /// these shares and others nothing: the chain by the clock of its work, where a state lasts as many times
  /// longer as it serves less. Infinite where the queue grows for ever.
  TimeOfWork time_to(const std::vector<double>& served, double work_s) const;

 private:
  std::vector<double> up_to_most(const std::vector<double>& chance) const;

  CrewWork work_;
  std::int64_t most_;
  std::vector<double> count_;   // of repairs, by state
  std::vector<double> chance_;  // of the states
  double now_s_ = 0;
};

}  // namespace trainyard
