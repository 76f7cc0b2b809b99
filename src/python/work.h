// Work without Python's global lock, on a thread of its own, while the calling thread looks for Ctrl-C and
// tells how far the work is.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <functional>

namespace trainyard::python {

/// How far work is, and whether it is to end before its time.
class Work {
 public:
  /// Called by the work, often, on any thread. Throws where it is to end.
  void tell(double done, double all);

  /// Throws where it is to end, as tell() does. The library looks for itself (trainyard/stopping.h).
  void look() const;

  /// For work that ends in an order of its own.
  bool is_stopped() const { return stopped_; }

  void stop() { stopped_ = true; }
  double done() const { return done_; }
  double all() const { return all_; }

 private:
  std::atomic<bool> stopped_ = false;
  std::atomic<double> done_ = 0;
  std::atomic<double> all_ = 0;
};

/// Returns when the work has ended, and throws what it threw. `progress` is None, or called with what is done
/// and all there is, some ten times a second. An interrupt, or what `progress` raises, stops the work at its
/// next tell(), and is then thrown. Called with the global lock.
void run_unlocked(const pybind11::object& progress, const std::function<void(Work&)>& body);

}  // namespace trainyard::python
