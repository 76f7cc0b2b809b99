// The same work on several threads.
#pragma once

#include <functional>

namespace trainyard {

/// Calls `work` on so many threads at once, this one among them, and returns when all have ended. What one
/// throws first is thrown here; the others are expected to end by themselves. Throws std::runtime_error where
/// a thread cannot be started: those that could have then done the work, or ended early.
void on_threads(unsigned threads, const std::function<void()>& work);

}  // namespace trainyard
