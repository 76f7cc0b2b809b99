// Who waits, by size: so that jobs which may not pass the first of the queue cost no time, however many wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "schedule/least_tree.h"
#include "schedule/queue.h"

namespace trainyard::schedule {

class Backlog {
 public:
  /// Nobody waits yet.
  Backlog(const std::vector<Job>& jobs, const Queue& queue);

  /// A job that would hold its devices for so long.
  void insert(std::size_t job, double hold_s) { hold_of(job).set(places_[job].second, hold_s); }
  void erase(std::size_t job);

  std::size_t sizes() const { return sizes_.size(); }
  std::int64_t devices(std::size_t size) const { return sizes_[size].devices; }
  /// The first of a size that waits behind `after` and would hold devices for so long at most.
  std::optional<Queue::Key> next(std::size_t size, const Queue::Key& after, double most_s) const;

 private:
  /// Jobs of as many devices, in the order of the queue.
  struct Size {
    std::int64_t devices = 0;
    std::vector<Queue::Key> keys;
    LeastTree hold_s;
  };

  LeastTree& hold_of(std::size_t job) { return sizes_[places_[job].first].hold_s; }

  std::vector<Size> sizes_;                                  // by devices
  std::vector<std::pair<std::size_t, std::size_t>> places_;  // of a job: its size, and where it stands there
};

/// One look through the queue, in its order, at those who may pass its first. What they may take becomes
/// less on the way, never more.
class BacklogLook {
 public:
  /// How long a job of so many devices may hold them, now.
  using MostHold = std::function<double(std::int64_t)>;

  BacklogLook(const Backlog& backlog, const Queue::Key& first, MostHold most);

  /// Who is to be tried next.
  std::optional<std::size_t> next();
  /// It started; those that were refused may stand elsewhere now.
  void started();
  /// It did not, as no other of its size would that holds devices for longer than this.
  void refused(double most_s);

 private:
  void ask(std::size_t size);

  using Candidate = std::pair<Queue::Key, std::size_t>;  // and its size
  const Backlog& backlog_;
  MostHold most_;
  Queue::Key at_;
  std::size_t size_ = 0;  // of who was named last
  bool named_ = false;
  std::vector<std::optional<Queue::Key>> asked_;  // of each size, who stands in `ahead_`
  std::vector<std::optional<double>> bounds_;     // of each size that was refused
  std::vector<std::size_t> refused_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> ahead_;
};

}  // namespace trainyard::schedule
