#include <string>
#include <vector>

#include "base/errors.h"
#include "trainyard/errors.h"
#include "trainyard/library_collectives.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

/// The one of `all` that has this name; nothing for "".
template <class T>
std::optional<T> named(const std::string& name, const std::string& argument, const std::vector<T>& all) {
  if (name.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const T value : all) {
    names.push_back(to_string(value));
    if (names.back() == name) return value;
  }
  fail_input(whole(argument + " " + name), "no such name", suggestion(name, names));
}

}  // namespace

LibraryWish library_wish(const std::string& algorithm, const std::string& protocol, std::int64_t channels,
                         const std::string& dashes) {
  constexpr std::int64_t kMostChannels = 64;  // of NCCL
  LibraryWish wish;
  wish.algorithm = named<LibraryAlgorithm>(
      algorithm, dashes + "algorithm",
      {LibraryAlgorithm::ring, LibraryAlgorithm::in_switch, LibraryAlgorithm::pairwise});
  wish.protocol = named<LibraryProtocol>(
      protocol, dashes + "protocol", {LibraryProtocol::ll, LibraryProtocol::ll128, LibraryProtocol::simple});
  if (channels < 0 || channels > kMostChannels)
    fail_input(whole(dashes + "channels"), "out of range", "1 to 64");
  if (channels > 0) wish.channels = channels;
  return wish;
}

}  // namespace trainyard
