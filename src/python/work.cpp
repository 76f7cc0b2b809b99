#include "python/work.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "trainyard/stopping.h"

namespace trainyard::python {

namespace py = pybind11;

namespace {

struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("the work was stopped") {}
};

/// A thread at its work.
class Worker {
 public:
  Worker(Work& work, const std::function<void(Work&)>& body)
      : thread_([this, &work, &body] {
          try {
            const Stopping stopping([&work] { work.look(); });
            body(work);
          } catch (...) {
            failure_ = std::current_exception();
          }
          const std::scoped_lock lock(mutex_);
          ended_ = true;
          changed_.notify_one();
        }) {}

  /// Whether it has ended, at the latest after a moment.
  bool wait() {
    constexpr std::chrono::milliseconds kMoment{50};
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kMoment, [this] { return ended_; });
  }

  /// Once it has ended.
  std::exception_ptr failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::jthread thread_;  // the last member: it uses the others
};

/// Throws what Python has to say: an interrupt, or an error of `progress`.
void ask_python(const py::object& progress, const Work& work) {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!progress.is_none() && work.all() > 0) progress(work.done(), work.all());
}

}  // namespace

void Work::look() const {
  if (stopped_) throw Stopped();
}

void Work::tell(double done, double all) {
  done_ = done;
  all_ = all;
  look();
}

void run_unlocked(const py::object& progress, const std::function<void(Work&)>& body) {
  Work work;
  std::exception_ptr said;
  std::exception_ptr failure;
  {
    const py::gil_scoped_release unlocked;
    Worker worker(work, body);
    while (!worker.wait()) {
      if (said) continue;
      const py::gil_scoped_acquire locked;
      try {
        ask_python(progress, work);
      } catch (...) {
        said = std::current_exception();
        work.stop();
      }
    }
    failure = worker.failure();
  }
  if (said) std::rethrow_exception(said);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace trainyard::python
