#include "network/packet/crew.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

namespace trainyard::packet {
namespace {

constexpr std::uint32_t kBatches = 48;  // for each thread
constexpr int kSpins = 2000;
constexpr unsigned kRoundShift = 32;
constexpr unsigned kFirstShift = 16;
constexpr std::uint32_t kMostBatches = 0xFFFF;

}  // namespace

Crew::Crew(unsigned threads) : shares_(threads) {
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
  const std::uint64_t round = std::uint64_t{round_.load(std::memory_order_relaxed) + 1} << kRoundShift;
  for (Share& share : shares_)
    share.left.store(round, std::memory_order_release);  // empty while the rest changes
  const std::uint32_t batch =
      std::max({1U, count / (kBatches * size()), count / kMostBatches + (count >= kMostBatches ? 1U : 0U)});
  const std::uint32_t batches = count / batch + (count % batch == 0 ? 0 : 1);
  count_.store(count, std::memory_order_relaxed);
  batch_.store(batch, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  for (unsigned t = 0; t < size(); ++t) {
    const std::uint64_t first = std::uint64_t{batches} * t / size();
    const std::uint64_t last = std::uint64_t{batches} * (t + 1) / size();
    shares_[t].left.store(round | first << kFirstShift | last, std::memory_order_release);
  }
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void Crew::take_part(unsigned thread) {
  while (take(thread, shares_[thread], From::front)) {
  }
  for (unsigned other = 1; other < size(); ++other) {
    while (take(thread, shares_[(thread + other) % size()], From::back)) {
    }
  }
}

/// Does a batch of a share; whether there was one.
bool Crew::take(unsigned thread, Share& share, From from) {
  std::uint64_t left = share.left.load(std::memory_order_acquire);
  while (true) {
    const std::uint64_t first = left >> kFirstShift & kMostBatches;
    const std::uint64_t last = left & kMostBatches;
    if (first >= last) return false;
    const std::uint64_t batch = from == From::front ? first : last - 1;
    const std::uint64_t rest = from == From::front ? left + (std::uint64_t{1} << kFirstShift) : left - 1;
    if (!share.left.compare_exchange_weak(left, rest, std::memory_order_acq_rel)) continue;
    const std::uint32_t size = batch_.load(std::memory_order_relaxed);
    const std::uint32_t begin = static_cast<std::uint32_t>(batch) * size;
    const std::uint32_t end = std::min(count_.load(std::memory_order_relaxed), begin + size);
    do_batch(thread, begin, end);
    done_.fetch_add(end - begin, std::memory_order_release);
    return true;
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
