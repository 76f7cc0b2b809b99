// Ranks that are threads of one process.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "trainyard/ranks.h"

namespace trainyard {

/// What passes between them.
struct ThreadPost {
  explicit ThreadPost(int ranks) : answers(static_cast<std::size_t>(ranks)) {}

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<RankLink::Asked> asked;
  std::vector<std::optional<std::string>> answers;
};

class ThreadLink : public RankLink {
 public:
  ThreadLink(ThreadPost& post, int rank) : post_(post), rank_(rank) {}

  int rank() const override { return rank_; }
  int count() const override { return static_cast<int>(post_.answers.size()); }
  std::string name() const override { return "thread " + std::to_string(rank_); }

  std::optional<Asked> asked() override {
    std::unique_lock lock(post_.mutex);
    post_.changed.wait_for(lock, std::chrono::milliseconds(1), [&] { return !post_.asked.empty(); });
    if (post_.asked.empty()) return std::nullopt;
    Asked out = std::move(post_.asked.front());
    post_.asked.pop_front();
    return out;
  }

  void answer(int rank, const std::string& message) override {
    const std::scoped_lock lock(post_.mutex);
    post_.answers.at(static_cast<std::size_t>(rank)) = message;
    post_.changed.notify_all();
  }

  std::string ask(const std::string& message) override {
    std::unique_lock lock(post_.mutex);
    post_.asked.push_back({rank_, message});
    post_.changed.notify_all();
    std::optional<std::string>& answer = post_.answers.at(static_cast<std::size_t>(rank_));
    post_.changed.wait(lock, [&] { return answer.has_value(); });
    std::string out = std::move(*answer);
    answer.reset();
    return out;
  }

 private:
  ThreadPost& post_;
  int rank_;
};

/// Runs the same on so many ranks. What rank 0 throws is thrown; what another one throws is told to rank 0.
inline void on_ranks(int count, const std::function<void(Ranks&)>& run) {
  ThreadPost post(count);
  std::exception_ptr failure;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadLink link(post, rank);
      Ranks ranks(link);
      std::string wrong;
      try {
        run(ranks);
      } catch (const RunEnded&) {
      } catch (const std::exception& error) {
        wrong = error.what();
        if (rank == 0) failure = std::current_exception();
      }
      ranks.end(wrong);
    });
  }
  threads.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace trainyard
