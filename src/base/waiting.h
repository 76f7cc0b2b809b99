// Waiting for the other side of a pipe, with a word to the user and an end.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "trainyard/errors.h"

namespace trainyard {

class Waiting {
 public:
  Waiting(std::string path, std::string why, std::chrono::seconds patience)
      : path_(std::move(path)), why_(std::move(why)), patience_(patience) {}

  /// A moment, cut short by data in `descriptor`. Throws InputError when there were too many.
  void pause(int descriptor = -1) {
    constexpr int kMoment_ms = 20;
    pollfd data{descriptor, POLLIN, 0};
    poll(&data, 1, kMoment_ms);
    const Clock::duration waited = Clock::now() - begin_;
    if (waited > patience_)
      fail_input(whole(path_), why_, "waited for " + std::to_string(patience_.count()) + " seconds");
    if (said_ || waited < kSilence) return;
    said_ = true;
    std::fprintf(stderr, "%s: waiting: %s\n", path_.c_str(), why_.c_str());
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kSilence{1};

  std::string path_;
  std::string why_;
  std::chrono::seconds patience_;
  Clock::time_point begin_ = Clock::now();
  bool said_ = false;
};

}  // namespace trainyard
