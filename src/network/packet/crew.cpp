#include "network/packet/crew.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

namespace trainyard::packet {
namespace {

constexpr std::uint32_t kBatches = 16;  // for each thread
constexpr int kSpins = 2000;
constexpr std::uint64_t kRound = std::uint64_t{1} << 32U;
constexpr std::uint64_t kIndex = kRound - 1;

}  // namespace

Crew::Crew(unsigned threads) {
  try {
    start(threads);
  } catch (const std::system_error& error) {
    end();
    throw std::runtime_error(
        fmt::format("thread {} of {} cannot be started ({}): fewer --threads, or more memory", size() + 1,
                    threads, error.what()));
  } catch (...) {
    end();
    throw;
  }
}

Crew::~Crew() { end(); }

void Crew::start(unsigned threads) {
  threads_.reserve(threads);
  for (unsigned t = 1; t < threads; ++t) threads_.emplace_back([this, t] { live(t); });
}

void Crew::end() {
  stop_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::begin(std::uint32_t count) {
  const std::uint64_t round = (next_.load(std::memory_order_relaxed) & ~kIndex) + kRound;
  next_.store(round | kIndex, std::memory_order_release);  // nobody takes while the rest changes
  count_.store(count, std::memory_order_relaxed);
  batch_ = std::max<std::uint32_t>(1, count / (kBatches * size()));
  done_.store(0, std::memory_order_relaxed);
  next_.store(round, std::memory_order_release);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void Crew::take_part(unsigned thread) {
  while (true) {
    std::uint64_t at = next_.load(std::memory_order_acquire);
    const auto first = static_cast<std::uint32_t>(at & kIndex);
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    if (first >= count) return;
    const std::uint32_t last = std::min(count, first + batch_.load(std::memory_order_relaxed));
    if (!next_.compare_exchange_weak(at, (at & ~kIndex) | last, std::memory_order_acq_rel)) continue;
    do_batch(thread, first, last);
    done_.fetch_add(last - first, std::memory_order_release);
  }
}

/// What is thrown ends no thread: all batches are counted, and the caller throws it.
void Crew::do_batch(unsigned thread, std::uint32_t first, std::uint32_t last) noexcept {
  if (failed_.load(std::memory_order_relaxed)) return;
  try {
    for (std::uint32_t i = first; i < last; ++i) call_(work_, thread, i);
  } catch (...) {
    const std::lock_guard lock(failing_);
    if (!failed_) failure_ = std::current_exception();
    failed_ = true;
  }
}

void Crew::wait_for_all() {
  for (int spins = 0; done_.load(std::memory_order_acquire) < count_.load(std::memory_order_relaxed);
       ++spins) {
    if (spins > kSpins) std::this_thread::yield();
  }
}

void Crew::live(unsigned thread) {
  std::uint32_t seen = 0;
  while (true) {
    for (int spins = 0; round_.load(std::memory_order_acquire) == seen && spins < kSpins; ++spins) {
    }
    round_.wait(seen, std::memory_order_acquire);
    seen = round_.load(std::memory_order_acquire);
    if (stop_) return;
    take_part(thread);
  }
}

}  // namespace trainyard::packet
