// How a verb ends that has more to say than an answer or an error.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "trainyard/errors.h"

namespace trainyard {

/// An answer that says what cannot be, with all that was found: printed, with the exit status of Infeasible.
class UnmetAnswer : public Infeasible {
 public:
  UnmetAnswer(Infeasible answer, std::string text) : Infeasible(std::move(answer)), output(std::move(text)) {}

  std::string output;
};

/// An answer that is printed, but shows that a check failed; exit status 1.
struct FailedCheck : std::runtime_error {
  FailedCheck(std::string answer, const char* what) : std::runtime_error(what), text(std::move(answer)) {}
  std::string text;
};

/// A run that a signal ended early and in order. Exit status 128 + signal, as a shell reports it.
class Interrupted : public std::runtime_error {
 public:
  Interrupted(int signal, const std::string& message) : std::runtime_error(message), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

}  // namespace trainyard
