#include "base/threads.h"

#include <fmt/core.h>

#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "base/stopping.h"

namespace trainyard {

void on_threads(unsigned threads, const std::function<void()>& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto keep_failure = [&] {
    const std::scoped_lock lock(mutex);
    if (!failure) failure = std::current_exception();
  };
  const auto* const check = stop_check;
  const auto guarded = [&] {
    stop_check = check;  // of the thread that asked
    try {
      work();
    } catch (...) {
      keep_failure();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      others.reserve(threads);
      for (unsigned t = 1; t < threads; ++t) others.emplace_back(guarded);
    } catch (const std::system_error& error) {
      const std::scoped_lock lock(mutex);
      if (!failure)
        failure = std::make_exception_ptr(std::runtime_error(
            fmt::format("thread {} of {} cannot be started ({}): fewer --threads, or more memory",
                        others.size() + 2, threads, error.what())));
    }
    guarded();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace trainyard
