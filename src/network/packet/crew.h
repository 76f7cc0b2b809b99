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

/// Calls a function for 0, 1, ... count - 1 on several threads. Whoever is free takes the next few: a thread
/// that gets no processor time takes none, and holds up nobody.
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
  void start(unsigned threads);
  void end();
  void begin(std::uint32_t count);
  void take_part(unsigned thread);
  void wait_for_all();
  void live(unsigned thread);
  void do_batch(unsigned thread, std::uint32_t first, std::uint32_t last) noexcept;

  // Round in the upper half, the next index in the lower: a late thread cannot take from a round that is
  // over.
  std::atomic<std::uint64_t> next_{0};
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
