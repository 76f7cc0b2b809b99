#include "trainyard/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/errors.h"

namespace trainyard {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16U;         // bytes read at once
constexpr std::size_t kMostOfDevice = std::size_t{1} << 26U;  // bytes

/// A device or pipe cannot be replaced by renaming a file over it.
bool replaceable(const std::string& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

bool write_all(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return !file.fail();
}

/// Whether two paths lead to one file, also one that is not there yet.
bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::equivalent(a, b, code)) return true;
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(a, code), code);
  const fs::path whole_b = fs::weakly_canonical(fs::absolute(b, code), code);
  return !whole_a.empty() && whole_a == whole_b;
}

/// Whether a run that reads `input`, a file or folder, reads this file.
bool reads(const std::string& input, const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (!fs::exists(input, code) || !fs::exists(file, code)) return false;
  if (!fs::is_directory(input, code)) return same_file(input, file);
  const std::string kind = fs::path(file).extension().string();
  const fs::path folder = fs::absolute(file, code).parent_path();
  return (kind == ".toml" || kind == ".csv") && fs::equivalent(input, folder, code);
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) fail_input(whole(path), "is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_input(whole(path), std::string("cannot be opened for reading: ") + std::strerror(errno));
  const bool device = std::filesystem::is_character_file(path, code);
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  std::string bytes;
  if (!code) bytes.reserve(static_cast<std::size_t>(size) + kPiece);
  while (file) {
    if (device && bytes.size() > kMostOfDevice) fail_input(whole(path), "is a device that does not end");
    const std::size_t begin = bytes.size();
    bytes.resize(begin + kPiece);
    file.read(bytes.data() + begin, kPiece);
    bytes.resize(begin + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) fail_input(whole(path), "cannot be read");
  return bytes;
}

void check_writable(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) fail_input(whole(path), "is a folder, not a file");
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const std::string& changed = replaceable(path) ? folder : path;
  if (access(changed.empty() ? "." : changed.c_str(), W_OK) != 0)
    fail_input(whole(path), std::string("cannot be written: ") + std::strerror(errno));
}

void check_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->path.empty() || !replaceable(output->path)) continue;
    for (const NamedFile& input : inputs) {
      if (input.rewritten_by != output->flag && reads(input.path, output->path))
        fail_input(whole(output->path), output->flag + " would replace what the run reads as " + input.flag,
                   "give it a file of its own");
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (!other->path.empty() && same_file(other->path, output->path))
        fail_input(whole(output->path), other->flag + " and " + output->flag + " would write the same file",
                   "give each a file of its own");
    }
  }
}

void write_file(const std::string& path, std::string_view text) {
  std::error_code code;
  check_writable(path);
  if (!replaceable(path)) {
    if (!write_all(path, text))
      fail_input(whole(path), std::string("cannot be written: ") + std::strerror(errno));
    return;
  }
  const std::string beside = path + ".part" + std::to_string(getpid());
  if (!write_all(beside, text)) {
    const int reason = errno;
    std::remove(beside.c_str());
    fail_input(whole(path), std::string("cannot be written: ") + std::strerror(reason));
  }
  std::filesystem::rename(beside, path, code);
  if (code) {
    std::remove(beside.c_str());
    fail_input(whole(path), "cannot be written: " + code.message());
  }
}

}  // namespace trainyard
