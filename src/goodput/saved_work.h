// Work of a run and what of it is safe: checkpoints, their backups, and what a corruption spoils.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "goodput/case_times.h"

namespace trainyard {

/// A span of training, ns.
struct TrainedSpan {
  std::int64_t time = 0;    // stalls of checkpoints left out
  std::int64_t work = 0;    // at full speed
  std::int64_t shrunk = 0;  // lost to replicas that do not train
};

class SavedWork {
 public:
  SavedWork(const CaseTimes& times, bool outlives_all) : t_(times), outlives_all_(outlives_all) {}

  std::int64_t work() const { return work_; }
  /// Of the last checkpoint; where that is lost, of its last backup.
  std::int64_t saved() const { return saved_; }
  std::int64_t backup() const { return backup_; }

  /// `served`: share of the replicas that train.
  TrainedSpan train(std::int64_t span, double served, double slowdown) {
    phase_ += span;
    const std::int64_t cycles = phase_ / t_.cycle;
    const std::int64_t into = phase_ - cycles * t_.cycle;
    const std::int64_t before = trained_;
    trained_ = cycles * t_.interval + std::min(into, t_.interval);
    const double speed = served / (1 + slowdown);
    save(before, cycles + (into >= t_.interval ? 1 : 0), cycles - (into < t_.delay ? 1 : 0), speed);
    TrainedSpan out;
    out.time = trained_ - before;
    out.work = scaled(out.time, speed);
    out.shrunk = std::min(out.time - out.work, scaled(out.time, 1 - served));
    work_ += out.work;
    return out;
  }

  /// Goes back to that work; returns what is to be done again.
  std::int64_t restore(std::int64_t work) {
    const std::int64_t lost = work_ - work;
    work_ = saved_ = work;
    backup_ = std::min(backup_, work);
    if (corruption_ && work <= clean_) corruption_.reset();
    phase_ = trained_ = safe_count_ = taken_count_ = 0;
    return lost;
  }

  /// Until it is found, nothing shows. False: one is there, and this one is found with it.
  bool corrupt(std::uint64_t tag) {
    if (corruption_) return false;
    corruption_ = tag;
    clean_ = saved_;
    return true;
  }

  /// What would be left, were a corruption found now; nothing where there is none.
  std::optional<std::int64_t> clean_work() const {
    return corruption_ ? std::optional(std::min(saved_, clean_)) : std::nullopt;
  }

  /// The last work without the corruption, which ends; nothing where it has gone since.
  std::optional<std::int64_t> find_corruption(std::uint64_t tag) {
    if (corruption_ != tag) return std::nullopt;
    const auto clean = clean_work();
    corruption_.reset();
    return clean;
  }

 private:
  static std::int64_t scaled(std::int64_t time, double share) {
    if (share >= 1) return time;
    return std::min(time, static_cast<std::int64_t>(static_cast<double>(time) * share));
  }

  /// So many checkpoints are taken, and safe, since training began anew: of the work of their moment.
  void save(std::int64_t before, std::int64_t taken, std::int64_t safe, double speed) {
    const auto work_at = [&](std::int64_t count) {
      return work_ + scaled(count * t_.interval - before, speed);
    };
    if (safe > safe_count_) {
      // A checkpoint of an earlier span is the last that was taken there.
      secure(safe == taken_count_ ? taken_work_ : work_at(safe));
      safe_count_ = safe;
    }
    if (taken > taken_count_) {
      taken_work_ = work_at(taken);
      taken_count_ = taken;
    }
  }

  void secure(std::int64_t work) {
    saved_ = work;
    if (outlives_all_) {
      backup_ = saved_;
    } else if (saved_ - backup_ >= t_.backup) {
      backup_ += (saved_ - backup_) / t_.backup * t_.backup;
    }
  }

  const CaseTimes& t_;
  bool outlives_all_;
  std::int64_t phase_ = 0;        // time since training began anew, recovery and waiting left out
  std::int64_t trained_ = 0;      // of it, stalls left out
  std::int64_t taken_count_ = 0;  // checkpoints since then
  std::int64_t safe_count_ = 0;
  std::int64_t taken_work_ = 0;
  std::int64_t work_ = 0;                    // at full speed
  std::int64_t saved_ = 0;                   // of it
  std::int64_t backup_ = 0;                  // of it
  std::optional<std::uint64_t> corruption_;  // that nobody found yet
  std::int64_t clean_ = 0;                   // what was saved before it
};

}  // namespace trainyard
