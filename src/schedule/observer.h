// The cluster over time: means of windows, and the moments that are checked by packets.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "schedule/machines.h"
#include "trainyard/schedule.h"

namespace trainyard::schedule {

/// What holds until something happens.
struct State {
  double used = 0;  // devices
  double down = 0;
  double queued_jobs = 0;
  double queued_devices = 0;
  double free = 0;
  double fragmented = 0;  // of `free`
  double contended = 0;   // of `used`
};

/// Means of windows, which are merged so that there are at most some thousand.
class Observer {
 public:
  /// `state` held since the last call.
  void advance(double to_s, const State& state);
  /// All windows, the last one shorter.
  std::vector<ScheduleMoment> moments() const;
  /// Over the whole time: free devices in domains that others use, over free devices.
  double fragmented() const { return free_ > 0 ? fragmented_ / free_ : 0; }

 private:
  struct Window {
    double used = 0, down = 0, queued_jobs = 0, queued_devices = 0, free = 0, fragmented = 0, contended = 0;
    void add(const State& state, double seconds);
    void add(const Window& other);
  };
  void halve();
  ScheduleMoment moment(const Window& window, double begin_s, double seconds) const;

  double width_s_ = 60;
  double now_s_ = 0;
  std::vector<Window> windows_;
  double free_ = 0;
  double fragmented_ = 0;
};

/// A job that loads links, as it was at a moment.
struct CrossingJob {
  Placement placement;
  JobTraffic pattern = JobTraffic::ring;
  double rate = 1;  // by flows
};

struct Snapshot {
  double at_s = 0;
  std::shared_ptr<const std::vector<CrossingJob>> jobs;
};

}  // namespace trainyard::schedule
