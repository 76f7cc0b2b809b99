// Where work looks whether it is to end (trainyard/stopping.h).
#pragma once

#include <functional>

namespace trainyard {

/// The check in force on this thread; nullptr: none.
inline constinit thread_local const std::function<void()>* stop_check = nullptr;

/// In every loop that may take a second.
inline void pause_point() {
  if (stop_check != nullptr) (*stop_check)();
}

}  // namespace trainyard
