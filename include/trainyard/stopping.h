// Work that may be ended before its time.
//
//   const Stopping stopping([&] { if (wanted) throw Ended(); });
//   simulate_step(plan);  // throws Ended soon after `wanted`
//
// Not an argument of every entry point: dozens of loops would hand it on, and no answer depends on it.
#pragma once

#include <functional>

namespace trainyard {

/// While it lives, whatever this thread asks of the library calls `check` often, also from the threads that
/// it starts, several at a time. What `check` throws leaves the entry point; nothing is half-done then but
/// the work itself.
class Stopping {
 public:
  explicit Stopping(std::function<void()> check);
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;
  ~Stopping();

 private:
  std::function<void()> check_;
  const std::function<void()>* before_;
};

}  // namespace trainyard
