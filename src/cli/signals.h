// SIGINT, SIGTERM and SIGHUP as a wish to stop in order.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace trainyard {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is only noted; one that comes a second later or more
/// ends the program at once. Those before are the first again: `timeout`, a closing terminal and service
/// managers signal a program and then its group. A signal that the program was started to ignore stays
/// ignored.
class StopSignals {
 public:
  StopSignals() {
    caught_ = 0;
    caught_at_ns_ = 0;
    for (Entry& entry : entries_) replace(entry);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() {
    for (const Entry& entry : entries_) sigaction(entry.signal, &entry.before, nullptr);
  }

  /// The signal that came, or 0.
  static int caught() { return caught_; }

 private:
  struct Entry {
    int signal;
    struct sigaction before;
  };

  /// Calls only what POSIX allows in a handler.
  static void note(int signal) {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t now_ns = now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
    std::int64_t first_ns = 0;
    if (caught_at_ns_.compare_exchange_strong(first_ns, now_ns)) {
      caught_ = signal;
    } else if (now_ns - first_ns >= 1'000'000'000) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);  // comes when this handler returns
    }
  }
  static void replace(Entry& entry) {
    sigaction(entry.signal, nullptr, &entry.before);
    if (entry.before.sa_handler == SIG_IGN) return;
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(entry.signal, &action, nullptr);
  }

  static inline volatile std::sig_atomic_t caught_ = 0;
  static inline std::atomic<std::int64_t> caught_at_ns_ = 0;
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);
  Entry entries_[3] = {{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}};
};

}  // namespace trainyard
