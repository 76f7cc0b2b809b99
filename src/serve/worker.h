// A process of its own for a question: it can use no more than its limits, and is gone when nobody waits.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "serve/confinement.h"

namespace trainyard::serving {

struct Question;

/// Workers that were killed, until the system has taken them down: some time where they had much memory.
class Killed {
 public:
  void add(pid_t process) { processes_.push_back(process); }
  /// Those that are gone by now. Called whenever a child ends.
  void reap();

 private:
  std::vector<pid_t> processes_;
};

class Worker {
 public:
  /// Forks. The calling process has one thread; the child keeps nothing open but its end of the pipe. Throws
  /// std::system_error.
  Worker(const Question& question, const Confinement& limits, Killed& killed);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// Kills it where it still runs.
  ~Worker();

  /// The read end of its answer, for the caller to close.
  int take_output();
  void kill() const;
  /// Once its output has ended: why it ended without an answer, or "".
  std::string outcome();

 private:
  Killed* killed_;
  pid_t process_ = -1;
  int output_ = -1;
};

}  // namespace trainyard::serving
