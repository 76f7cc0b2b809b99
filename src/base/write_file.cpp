// Files are written whole or not at all.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/descriptor.h"
#include "base/destination.h"
#include "base/parts.h"
#include "base/waiting.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"

namespace trainyard {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatienceForReader{20};
constexpr mode_t kPermissions = 0666;  // less the umask

/// Returns 0, or the error number.
int send(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = write(descriptor, text.data(), text.size());
    if (sent >= 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void write_descriptor(const std::string& path, const Destination& to, std::string_view text) {
  std::fflush(to.descriptor == STDOUT_FILENO ? stdout : stderr);
  if (const int reason = send(to.descriptor, text)) fail_writing(path, reason);
}

void write_device(const std::string& path, const Destination& to, std::string_view text) {
  Waiting waiting(path, "nobody reads this pipe", kPatienceForReader);
  Descriptor file;
  // Without O_NONBLOCK a pipe that nobody reads would hold the program for ever.
  while (!file.open(to.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (errno != ENXIO || !fs::is_fifo(fs::status(to.path))) fail_writing(path, errno);
    waiting.pause();
  }
  if (const int reason = send(file.number(), text)) fail_writing(path, reason);
}

/// Whether nobody writes it, also on another machine.
bool is_idle_file(const fs::path& part) {
  std::error_code code;
  Descriptor file;
  return fs::is_regular_file(fs::symlink_status(part, code)) &&
         file.open(part.native(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW) &&
         flock(file.number(), LOCK_EX | LOCK_NB) == 0;
}

/// A file beside another, that takes its place or vanishes.
class Part {
 public:
  /// Throws InputError naming `path`, by which the user knows the file.
  Part(const std::string& path, const std::string& file)
      : path_(path), file_(file), part_(part_beside(file)) {
    if (!out_.open(part_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kPermissions))
      fail_writing(path_, errno);
    flock(out_.number(), LOCK_EX | LOCK_NB);
    struct stat there {};
    // Who may read the file is for its owner to say.
    if (stat(file.c_str(), &there) == 0) permitted_ = fchmod(out_.number(), there.st_mode & 07777) == 0;
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() {
    if (!placed_) unlink(part_.c_str());
  }

  void fill(std::string_view text) {
    if (!permitted_) fail_writing(path_, EPERM);
    if (const int reason = send(out_.number(), text)) fail_writing(path_, reason);
    if (fsync(out_.number()) != 0 && errno != EINVAL) fail_writing(path_, errno);
  }
  void place() {
    if (std::rename(part_.c_str(), file_.c_str()) != 0) fail_writing(path_, errno);
    placed_ = true;
  }

 private:
  std::string path_;
  std::string file_;
  std::string part_;
  Descriptor out_;
  bool permitted_ = true;
  bool placed_ = false;
};

}  // namespace

void fail_writing(const std::string& path, int reason) {
  const std::string words = std::string("cannot be written: ") + std::strerror(reason);
  const bool of_machine =
      reason == ENOSPC || reason == EDQUOT || reason == EIO || reason == EFBIG || reason == ENOMEM;
  if (of_machine) throw WriteFailure(path + ": " + words);
  fail_input(whole(path), words);
}

void remove_written(const std::string& path) {
  const Destination to = destination(path);
  if (to.kind == Destination::Kind::file) unlink(to.path.c_str());
}

void check_writable(const std::string& path) {
  const Destination to = destination(path);
  if (to.kind == Destination::Kind::descriptor) return;
  const std::string folder = fs::path(to.path).parent_path().native();
  const bool there = access(to.path.c_str(), F_OK) == 0;
  if (there && access(to.path.c_str(), W_OK) != 0) fail_writing(path, errno);
  if (to.kind == Destination::Kind::file && access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
    fail_writing(path, errno);
}

void write_file(const std::string& path, std::string_view text) {
  check_writable(path);
  const Destination to = destination(path);
  switch (to.kind) {
    case Destination::Kind::descriptor:
      return write_descriptor(path, to, text);
    case Destination::Kind::device:
      return write_device(path, to, text);
    case Destination::Kind::file:
      break;
  }
  for (const fs::path& left : parts_left_of(to.path)) {
    if (is_idle_file(left)) unlink(left.c_str());
  }
  Part part(path, to.path);
  part.fill(text);
  part.place();
}

}  // namespace trainyard
