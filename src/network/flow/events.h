// What comes when, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

namespace trainyard::flow {

/// Numbers of what happens, by its time; the same moment in order of the numbers.
class Events {
 public:
  void add(double time, std::uint64_t what) { events_.push({time, what}); }
  /// Infinite without an event.
  double next() const {
    return events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().time;
  }
  /// The next one that is not later.
  std::optional<std::uint64_t> take(double until) {
    if (events_.empty() || events_.top().time > until) return {};
    const std::uint64_t what = events_.top().what;
    events_.pop();
    return what;
  }

 private:
  struct Event {
    double time;
    std::uint64_t what;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : what > other.what;
    }
  };

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace trainyard::flow
