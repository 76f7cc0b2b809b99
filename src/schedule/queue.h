// Who waits, in the order in which they may start.
#pragma once

#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

#include "trainyard/jobs.h"
#include "trainyard/scenario/schedule.h"

namespace trainyard::schedule {

class Queue {
 public:
  /// Smaller goes first; the last is the job's number.
  using Key = std::tuple<double, double, std::size_t>;

  Queue(const std::vector<Job>& jobs, QueueOrder order) : jobs_(jobs), order_(order) {}

  Key key(std::size_t job) const;
  void insert(std::size_t job);
  void erase(std::size_t job);
  bool empty() const { return waiting_.empty(); }
  std::size_t first() const { return std::get<2>(*waiting_.begin()); }
  const std::set<Key>& waiting() const { return waiting_; }
  double devices() const { return devices_; }

 private:
  const std::vector<Job>& jobs_;
  QueueOrder order_;
  std::set<Key> waiting_;
  double devices_ = 0;
};

}  // namespace trainyard::schedule
