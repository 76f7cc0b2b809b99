// What happened when, for charts: windows merged until there are few enough.
#pragma once

#include <algorithm>
#include <vector>

#include "base/bounds.h"
#include "network/packet/run_outcome.h"

namespace trainyard::packet {

class Moments {
 public:
  void add(const WindowSummary& window) {
    if (merged_ == 0) {
      moments_.push_back(window);
    } else {
      WindowSummary& last = moments_.back();
      last.longest_queue = std::max(last.longest_queue, window.longest_queue);
      last.delivered_bytes = window.delivered_bytes;
      last.finished = window.finished;
    }
    if (++merged_ < each_) return;
    merged_ = 0;
    if (moments_.size() == kMost) halve();
  }

  const std::vector<WindowSummary>& all() const { return moments_; }
  template <class Archive>
  void serialize(Archive& a) {
    a(moments_, each_, merged_);
    keep_bounds(merged_ < each_ && each_ < kFarthest && moments_.size() <= kMost);
    keep_bounds(merged_ == 0 ? moments_.size() < kMost : !moments_.empty());
  }

 private:
  static constexpr std::size_t kMost = 2048;

  void halve() {
    for (std::size_t i = 0; i < kMost / 2; ++i) {
      WindowSummary pair = moments_[2 * i + 1];
      pair.begin = moments_[2 * i].begin;
      pair.longest_queue = std::max(pair.longest_queue, moments_[2 * i].longest_queue);
      moments_[i] = pair;
    }
    moments_.resize(kMost / 2);
    each_ *= 2;
  }

  std::vector<WindowSummary> moments_;
  std::size_t each_ = 1;    // windows of a moment
  std::size_t merged_ = 0;  // of the last one
};

}  // namespace trainyard::packet
