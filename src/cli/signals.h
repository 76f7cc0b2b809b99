// SIGINT, SIGTERM and SIGHUP as a wish to stop in order.
#pragma once

#include <csignal>

namespace trainyard {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is only noted; a second one ends the program at once.
/// A signal that the program was started to ignore stays ignored.
class StopSignals {
 public:
  StopSignals() {
    caught_ = 0;
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

  static void note(int signal) { caught_ = signal; }
  static void replace(Entry& entry) {
    sigaction(entry.signal, nullptr, &entry.before);
    if (entry.before.sa_handler == SIG_IGN) return;
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(entry.signal, &action, nullptr);
  }

  static inline volatile std::sig_atomic_t caught_ = 0;
  Entry entries_[3] = {{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}};
};

}  // namespace trainyard
