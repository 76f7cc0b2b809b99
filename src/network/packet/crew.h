// Threads that share out the nodes of a window.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace trainyard::packet {

/// Calls a function for 0, 1, ... count - 1 on several threads. Each begins with a share that is the same
/// every time, so that what belongs to an index stays in its processor's cache; whoever is free takes from
/// the others the last that they would come to: a thread that gets no processor time takes none, and holds up
/// nobody.
class Crew {
 public:
  /// `threads` with the caller's own; at least 1. Throws std::runtime_error when so many cannot be started.
  explicit Crew(unsigned threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

  /// `work(thread, index)`; returns when all is done. Throws the first of what it threw; the rest is left
  /// out then.
  template <class Work>
  void run(std::uint32_t count, const Work& work) {
    if (threads_.empty()) {
      for (std::uint32_t i = 0; i < count; ++i) work(0, i);
      return;
    }
    call_ = [](const void* w, unsigned thread, std::uint32_t index) {
      (*static_cast<const Work*>(w))(thread, index);
    };
    work_ = &work;
    begin(count);
    take_part(0);
    wait_for_all();
    if (failed_.exchange(false)) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  /// What is left of a thread's share in batches: the round in the upper half, since a late thread must not
  /// take from one that is over, then the first and the end.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> left{0};
  };
  enum class From { front, back };

  void start(unsigned threads);
  void end();
  void begin(std::uint32_t count);
  void take_part(unsigned thread);
  bool take(unsigned thread, Share& share, From from);
  void wait_for_all();
  void live(unsigned thread);
  void do_batch(unsigned thread, std::uint32_t first, std::uint32_t last) noexcept;

  std::vector<Share> shares_;  // of each thread
  std::atomic<std::uint32_t> done_{0};
  std::atomic<std::uint32_t> round_{0};
  std::atomic<bool> stop_{false};
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> batch_{1};
  const void* work_ = nullptr;
  std::atomic<bool> failed_{false};
  std::mutex failing_;
  std::exception_ptr failure_;  // the first
  void (*call_)(const void*, unsigned, std::uint32_t) = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace trainyard::packet
