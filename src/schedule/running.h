// A job on its devices, from one start to the next stop.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/machines.h"
#include "trainyard/schedule.h"

namespace trainyard::schedule {

/// What devices wait for before work goes on.
enum class Overhead : std::uint8_t { suspending, failure };

/// Device-seconds of a job, and its own seconds.
struct JobTimes {
  double working_s = 0;  // on devices, contention included
  double work_s = 0;     // of that, as on an idle network; done twice counts twice
};

/// Work in seconds on an idle network. Between two changes of its speed all goes in closed form.
class Running {
 public:
  Running(Placement placement, double now_s, double work_s);

  /// Lets time pass, and puts it down where it belongs.
  void advance(double now_s, ScheduleUse& use, JobTimes& times);
  /// After advance(): devices wait for so long before work goes on.
  void wait_for(double seconds, Overhead cause);
  /// After advance(): the same work at another speed.
  void set_speed(double speed) { speed_ = speed; }
  /// After advance(): work since the last checkpoint is lost.
  void roll_back(double checkpoint_interval_s, ScheduleUse& use);
  void replace(std::int32_t domain, std::int32_t by);
  void move_to(Placement placement) { placement_ = std::move(placement); }

  /// When its work is done, if nothing changes.
  double ends_s() const { return now_s_ + waiting_s_ + left_s_ / speed_; }
  double left_s() const { return left_s_; }
  double started_s() const { return started_s_; }
  double speed() const { return speed_; }
  double devices() const { return devices_; }
  const Placement& placement() const { return placement_; }

 private:
  Placement placement_;
  double devices_ = 0;
  double started_s_;
  double now_s_;
  double left_s_;
  double left_at_start_s_;  // checkpoints count from there
  double waiting_s_ = 0;
  Overhead waiting_for_ = Overhead::suspending;
  double speed_ = 1;
};

}  // namespace trainyard::schedule
