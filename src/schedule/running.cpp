#include "schedule/running.h"

#include <algorithm>
#include <cmath>

namespace trainyard::schedule {

Running::Running(Placement placement, double now_s, double work_s)
    : placement_(std::move(placement)),
      started_s_(now_s),
      now_s_(now_s),
      left_s_(work_s),
      left_at_start_s_(work_s) {
  for (const Part& part : placement_) devices_ += part.devices;
}

void Running::advance(double now_s, ScheduleUse& use, JobTimes& times) {
  const double passed = now_s - now_s_;
  const double waited = std::min(passed, waiting_s_);
  waiting_s_ -= waited;
  (waiting_for_ == Overhead::failure ? use.failures : use.suspending) += devices_ * waited;
  const double working = passed - waited;
  const double work = std::min(left_s_, working * speed_);
  left_s_ -= work;
  use.useful += devices_ * work;
  use.contention += devices_ * (working - work);
  times.working_s += working;
  times.work_s += work;
  now_s_ = now_s;
}

void Running::wait_for(double seconds, Overhead cause) {
  waiting_s_ += seconds;
  waiting_for_ = cause;
}

void Running::roll_back(double checkpoint_interval_s, ScheduleUse& use) {
  const double done = left_at_start_s_ - left_s_;
  const double kept =
      checkpoint_interval_s > 0 ? std::floor(done / checkpoint_interval_s) * checkpoint_interval_s : done;
  const double lost = std::max(0.0, done - kept);
  left_s_ += lost;
  waiting_s_ = 0;  // a restart that fails begins anew
  left_at_start_s_ = left_s_;
  use.useful -= devices_ * lost;
  use.failures += devices_ * lost;
}

void Running::replace(std::int32_t domain, std::int32_t by) {
  for (Part& part : placement_)
    if (part.domain == domain) part.domain = by;
  std::sort(placement_.begin(), placement_.end(),
            [](const Part& a, const Part& b) { return a.domain < b.domain; });
}

}  // namespace trainyard::schedule
