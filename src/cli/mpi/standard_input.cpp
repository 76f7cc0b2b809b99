#include "cli/mpi/standard_input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/ranks.h"

namespace trainyard {
namespace {

constexpr const char* kInput = "/dev/stdin";

bool names_input(const std::string& word) {
  constexpr std::array<std::string_view, 3> kNames = {kInput, "/dev/fd/0", "/proc/self/fd/0"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return word.ends_with(name); });
}

/// From now on standard input begins with this text, each time that it is opened.
void become_input(const std::string& text) {
  const int file = memfd_create("standard input", MFD_CLOEXEC);
  bool done = file >= 0;
  for (std::size_t at = 0; done && at < text.size();) {
    const ssize_t written = write(file, text.data() + at, text.size() - at);
    done = written > 0;
    if (done) at += static_cast<std::size_t>(written);
  }
  done = done && lseek(file, 0, SEEK_SET) == 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO;
  if (file >= 0) close(file);
  if (!done) throw std::runtime_error("standard input cannot be shared among the ranks");
}

}  // namespace

void share_standard_input(Ranks& ranks, std::span<const std::string> words) {
  if (std::none_of(words.begin(), words.end(), names_input)) return;
  become_input(ranks.tell_all(ranks.leads() ? read_text(kInput)->text : std::string()));
}

}  // namespace trainyard
