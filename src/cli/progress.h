// How far long work is, on standard error.
#pragma once

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "trainyard/quantity_text.h"
#include "trainyard/units.h"

namespace trainyard {

/// Time on the wall since it was made.
class Stopwatch {
 public:
  Seconds passed() const {
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count());
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// On a terminal one line that is written over; elsewhere, as in a file, a line now and then, so that quick
/// work shows nothing there.
class ProgressLine {
 public:
  static constexpr Seconds kEveryOnTerminal{0.2};
  static constexpr Seconds kEveryElsewhere{10};

  ProgressLine() : ProgressLine(stderr, isatty(STDERR_FILENO) != 0) {}
  ProgressLine(std::FILE* to, bool terminal)
      : ProgressLine(to, terminal, terminal ? kEveryOnTerminal : kEveryElsewhere) {}
  ProgressLine(std::FILE* to, bool terminal, Seconds every) : to_(to), terminal_(terminal), every_(every) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (terminal_ && shown_at_.si() > 0) std::fputs("\n", to_);
  }

  /// Where a line is due, the text that `text` makes of the time so far.
  template <class Text>
  void show(const Text& text) {
    const Seconds wall = watch_.passed();
    if (wall - shown_at_ < every_) return;
    shown_at_ = wall;
    const std::string line = text(wall);
    std::fprintf(to_, terminal_ ? "\r%s\x1b[K" : "progress: %s\n", line.c_str());
    std::fflush(to_);
  }

 private:
  std::FILE* to_;
  bool terminal_;
  Seconds every_;
  Stopwatch watch_;
  Seconds shown_at_{0};
};

/// "rates: 12 of 40, 5.000 s left"
inline std::string share_text(const std::string& what, std::size_t done, std::size_t total, Seconds wall) {
  std::string out = fmt::format("{}: {} of {}", what, done, total);
  if (done == 0 || done > total) return out;
  const double left = static_cast<double>(total - done) / static_cast<double>(done);
  return out + ", " + format_quantity((wall * left).si(), Unit::seconds) + " left";
}

/// Shows how many are done, of how many.
inline std::function<void(std::size_t, std::size_t)> progress_of(const std::string& what) {
  return [what, line = std::make_shared<ProgressLine>()](std::size_t done, std::size_t total) {
    line->show([&](Seconds wall) { return share_text(what, done, total, wall); });
  };
}

}  // namespace trainyard
