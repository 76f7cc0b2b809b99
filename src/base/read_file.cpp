// Files are read whole, up to a limit, and nothing is waited for without end.
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>

#include "base/descriptor.h"
#include "base/waiting.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"

namespace trainyard {
namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr std::chrono::minutes kPatienceWithWriter{10};
constexpr std::uint64_t kMostOfDevice_bytes = std::uint64_t{4} << 20U;  // what is typed; /dev/zero has no end
constexpr std::size_t kPiece = std::size_t{1} << 16U;                   // bytes read at once
constexpr std::size_t kSpare = std::size_t{1} << 12U;                   // more than a file says that it has

/// Bytes of a file, piece by piece.
class Reader {
 public:
  Reader(const std::string& path, std::uint64_t most_bytes) : path_(path), most_bytes_(most_bytes) {
    struct stat there {};
    if (stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode))
      fail_input(whole(path), "is a folder, not a file");
    // Opening a pipe that nobody writes to would wait for ever.
    const int waiting = S_ISFIFO(there.st_mode) ? O_NONBLOCK : 0;
    if (!in_.open(path, O_RDONLY | O_CLOEXEC | waiting))
      fail_input(whole(path), std::string("cannot be opened for reading: ") + std::strerror(errno));
    fstat(in_.number(), &there);
    pipe_ = S_ISFIFO(there.st_mode);
    if (S_ISCHR(there.st_mode)) most_bytes_ = std::min(most_bytes_, kMostOfDevice_bytes);
    if (!S_ISREG(there.st_mode)) return;
    size_ = static_cast<std::uint64_t>(there.st_size);
    if (size_ > most_bytes_) refuse_size();
  }

  std::string all() {
    std::string bytes;
    const bool known = size_ > 0;
    bytes.reserve(size_ + (known ? kSpare : kPiece));
    while (true) {
      const std::size_t begin = bytes.size();
      const std::size_t left = size_ - std::min<std::size_t>(size_, begin);
      const std::size_t room = known ? std::min(kPiece, left + kSpare) : kPiece;
      bytes.resize(begin + room);
      const std::size_t got = piece(bytes.data() + begin, room);
      bytes.resize(begin + got);
      if (got == 0) return bytes;
      if (bytes.size() > most_bytes_) refuse_size();
    }
  }

 private:
  [[noreturn]] void refuse_size() const {
    constexpr double kMega = 1 << 20;
    const std::string limit = fmt::format("{:.4g} MiB", static_cast<double>(most_bytes_) / kMega);
    fail_input(
        whole(path_), "is larger than " + limit,
        size_ == 0 ? std::string() : fmt::format("it has {:.4g} MiB", static_cast<double>(size_) / kMega));
  }

  /// Bytes read; 0 at the end.
  std::size_t piece(char* to, std::size_t room) {
    Waiting for_writer(path_, "nobody writes into this pipe", kPatience);
    Waiting for_data(path_, "what writes into this pipe sends nothing", kPatienceWithWriter);
    while (true) {
      const ssize_t got = read(in_.number(), to, room);
      const bool end = got == 0 && (!pipe_ || begun_ || hung_up());
      if (got > 0 || end) {
        begun_ = true;
        return static_cast<std::size_t>(got);
      }
      if (got == 0) {
        for_writer.pause();
      } else if (errno == EAGAIN) {
        for_data.pause(in_.number());
      } else if (errno != EINTR) {
        fail_input(whole(path_), std::string("cannot be read: ") + std::strerror(errno));
      }
    }
  }

  /// Whether a writer came and went.
  bool hung_up() const {
    pollfd state{in_.number(), POLLIN, 0};
    return poll(&state, 1, 0) > 0 && (state.revents & POLLHUP) != 0;
  }

  std::string path_;
  std::uint64_t most_bytes_;
  std::uint64_t size_ = 0;  // of a regular file
  Descriptor in_;
  bool pipe_ = false;
  bool begun_ = false;
};

}  // namespace

std::string read_file(const std::string& path, std::uint64_t most_bytes) {
  try {
    return Reader(path, most_bytes).all();
  } catch (const std::bad_alloc&) {
    fail_input(whole(path), "is larger than the memory that is left");
  }
}

}  // namespace trainyard
