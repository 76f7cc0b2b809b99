#include "schedule/observer.h"

#include <algorithm>

namespace trainyard::schedule {
namespace {

constexpr std::size_t kMostWindows = 2048;

}  // namespace

void Observer::Window::add(const State& state, double seconds) {
  used += state.used * seconds;
  down += state.down * seconds;
  queued_jobs += state.queued_jobs * seconds;
  queued_devices += state.queued_devices * seconds;
  free += state.free * seconds;
  fragmented += state.fragmented * seconds;
  contended += state.contended * seconds;
}

void Observer::Window::add(const Window& other) {
  used += other.used;
  down += other.down;
  queued_jobs += other.queued_jobs;
  queued_devices += other.queued_devices;
  free += other.free;
  fragmented += other.fragmented;
  contended += other.contended;
}

void Observer::halve() {
  for (std::size_t i = 0; i < windows_.size(); i += 2) {
    Window merged = windows_[i];
    if (i + 1 < windows_.size()) merged.add(windows_[i + 1]);
    windows_[i / 2] = merged;
  }
  windows_.resize((windows_.size() + 1) / 2);
  width_s_ *= 2;
}

void Observer::advance(double to_s, const State& state) {
  free_ += state.free * (to_s - now_s_);
  fragmented_ += state.fragmented * (to_s - now_s_);
  while (to_s > width_s_ * static_cast<double>(kMostWindows)) halve();
  while (now_s_ < to_s) {
    const auto window = std::min(static_cast<std::size_t>(now_s_ / width_s_), kMostWindows - 1);
    if (windows_.size() <= window) windows_.resize(window + 1);
    // Beside the last window's end, rounding could let time stand still.
    double until_s = std::min(to_s, static_cast<double>(window + 1) * width_s_);
    if (until_s <= now_s_) until_s = to_s;
    windows_[window].add(state, until_s - now_s_);
    now_s_ = until_s;
  }
}

ScheduleMoment Observer::moment(const Window& window, double begin_s, double seconds) const {
  return {.time = Seconds(begin_s + seconds),
          .used = window.used / seconds,
          .down = window.down / seconds,
          .queued_jobs = window.queued_jobs / seconds,
          .queued_devices = window.queued_devices / seconds,
          .fragmented = window.free > 0 ? window.fragmented / window.free : 0,
          .contended = window.used > 0 ? window.contended / window.used : 0};
}

std::vector<ScheduleMoment> Observer::moments() const {
  std::vector<ScheduleMoment> out;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const double begin_s = static_cast<double>(i) * width_s_;
    const double seconds = std::min(width_s_, now_s_ - begin_s);
    if (seconds > 0) out.push_back(moment(windows_[i], begin_s, seconds));
  }
  return out;
}

}  // namespace trainyard::schedule
