#include "serve/worker.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "serve/questions.h"
#include "serve/teller.h"

namespace trainyard::serving {
namespace {

/// What the server's handlers and sockets are is none of the child's.
void shed_parent(int output) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE}) std::signal(number, SIG_DFL);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(output, STDERR_FILENO + 1);
  close_range(STDERR_FILENO + 2, ~0U, 0);
}

[[noreturn]] void answer_and_exit(const Question& question, const Confinement& limits, int output) {
  constexpr int kBroken = 1;
  try {
    shed_parent(output);
    confine(limits);
    Teller teller(STDERR_FILENO + 1, question.is_kept);
    answer_question(question, teller);
  } catch (const std::exception&) {
    _exit(kBroken);
  }
  _exit(0);
}

}  // namespace

void Killed::reap() {
  std::erase_if(processes_, [](pid_t process) { return waitpid(process, nullptr, WNOHANG) != 0; });
}

Worker::Worker(const Question& question, const Confinement& limits, Killed& killed) : killed_(&killed) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  process_ = fork();
  if (process_ == 0) answer_and_exit(question, limits, ends[1]);
  const int code = errno;
  close(ends[1]);
  output_ = ends[0];
  if (process_ > 0) return;
  close(output_);
  throw std::system_error(code, std::generic_category(), "fork");
}

Worker::~Worker() {
  kill();
  if (process_ > 0) killed_->add(process_);
  if (output_ >= 0) close(output_);
}

int Worker::take_output() { return std::exchange(output_, -1); }

void Worker::kill() const {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

std::string Worker::outcome() {
  int status = 0;
  pid_t got = -1;
  do {
    got = waitpid(process_, &status, 0);
  } while (got < 0 && errno == EINTR);
  process_ = -1;
  if (got < 0) return "its process is gone";
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "" : "its process could not begin";
  if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)
    return "it took longer, or more memory, than a question may";
  return "its process ended by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace trainyard::serving
