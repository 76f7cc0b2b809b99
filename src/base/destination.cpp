#include "base/destination.h"

#include <fcntl.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "trainyard/errors.h"

namespace trainyard {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;

/// Of a name for something that is open already.
std::optional<int> descriptor_of(std::string_view path) {
  if (path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view number = path.substr(folder.size());
    int out = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out);
    if (error == std::errc{} && end == number.data() + number.size() && out >= 0) return out;
  }
  return std::nullopt;
}

void check_open_for_writing(const std::string& path, int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) fail_input(whole(path), std::string("cannot be written: ") + std::strerror(errno));
  if ((flags & O_ACCMODE) == O_RDONLY) fail_input(whole(path), "cannot be written: it is open for reading");
}

}  // namespace

Destination destination(const std::string& path) {
  if (path == "-")
    fail_input(whole(path), "is no file", "/dev/stdout is standard output; ./- is a file of this name");
  fs::path at = path;
  std::error_code code;
  for (int links = 0; links < kMostLinks; ++links) {
    if (const auto descriptor = descriptor_of(at.native())) {
      check_open_for_writing(path, *descriptor);
      return {Destination::Kind::descriptor, at.native(), *descriptor};
    }
    const fs::file_status status = fs::symlink_status(at, code);
    if (fs::is_directory(status)) fail_input(whole(path), "is a folder, not a file");
    if (!fs::is_symlink(status)) {
      const bool device = fs::exists(status) && !fs::is_regular_file(status);
      return {device ? Destination::Kind::device : Destination::Kind::file, at.native(), -1};
    }
    const fs::path next = fs::read_symlink(at, code);
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  fail_input(whole(path), "leads through more than 40 symbolic links");
}

}  // namespace trainyard
