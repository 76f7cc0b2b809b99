#include "base/parts.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = ".part";

bool is_of_ended_process(std::string_view number) {
  pid_t id = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
  if (error != std::errc{} || end != number.data() + number.size() || id <= 0) return false;
  return id == getpid() || (kill(id, 0) != 0 && errno == ESRCH);
}

}  // namespace

std::string part_beside(const std::string& place) {
  return place + std::string(kPart) + std::to_string(getpid());
}

std::vector<fs::path> parts_left_of(const fs::path& place) {
  const std::string begin = place.filename().native() + std::string(kPart);
  const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
  std::vector<fs::path> out;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().native();
    if (name.starts_with(begin) && is_of_ended_process(std::string_view(name).substr(begin.size())))
      out.push_back(entry.path());
  }
  return out;
}

}  // namespace trainyard
