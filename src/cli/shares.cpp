#include "cli/shares.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/result_store.h"

namespace trainyard {
namespace {

constexpr std::string_view kBetween = "-of-";

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// "3/8" or, with another word between, "3-of-8"; nothing for what is no share.
std::optional<SearchShare> read_share(std::string_view text, std::string_view between) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = whole_number(text.substr(0, at));
  const auto of = whole_number(text.substr(at + between.size()));
  constexpr std::uint64_t kMost = 1'000'000;
  if (!number || !of || *number < 1 || *number > *of || *of > kMost) return std::nullopt;
  return SearchShare{*number, *of};
}

std::uint64_t slurm_number(const char* variable) {
  const char* text = std::getenv(variable);
  const auto number = whole_number(text ? text : "");
  if (!number)
    fail_input(whole(variable), "is no whole number, as Slurm sets it in a job array", "--share K/N");
  return *number;
}

SearchShare slurm_share() {
  const std::uint64_t count = slurm_number("SLURM_ARRAY_TASK_COUNT");
  const std::uint64_t first = slurm_number("SLURM_ARRAY_TASK_MIN");
  const std::uint64_t last = slurm_number("SLURM_ARRAY_TASK_MAX");
  const std::uint64_t here = slurm_number("SLURM_ARRAY_TASK_ID");
  const std::uint64_t step = count > 1 ? (last - first) / (count - 1) : 1;
  const bool even = count > 0 && first <= here && here <= last && first + step * (count - 1) == last &&
                    (here - first) % std::max<std::uint64_t>(1, step) == 0;
  if (!even)
    fail_input(whole("SLURM_ARRAY_TASK_ID"), "the numbers of the job array do not rise by one step",
               "--array=1-8, or --share K/N");
  return {(here - first) / std::max<std::uint64_t>(1, step) + 1, count};
}

}  // namespace

SearchShare share_of(const std::string& flag) {
  if (flag.empty()) return std::getenv("SLURM_ARRAY_TASK_ID") ? slurm_share() : SearchShare{};
  const auto share = read_share(flag, "/");
  if (!share) fail_input(whole("--share " + flag), "is no share", "K/N, such as 3/8");
  return *share;
}

std::string store_of(const std::string& store, const SearchShare& share) {
  return share.of == 1 ? store : fmt::format("{}.{}{}{}", store, share.number, kBetween, share.of);
}

bool is_share_of(const std::string& store, const std::string& path) {
  const std::filesystem::path place(store);
  const std::filesystem::path other(path);
  const std::string begin = place.filename().string() + ".";
  const std::string name = other.filename().string();
  if (!name.starts_with(begin) ||
      !same_file((place.parent_path() / ".").string(), (other.parent_path() / ".").string()))
    return false;
  std::string_view rest = std::string_view(name).substr(begin.size());
  for (const std::string_view end : kBesideStore) {
    if (rest.ends_with(end)) rest.remove_suffix(end.size());
  }
  return read_share(rest, kBetween).has_value();
}

std::vector<std::string> stores_beside(const std::string& store) {
  const std::filesystem::path place(store);
  const std::string begin = place.filename().string() + ".";
  std::vector<std::string> out;
  std::error_code code;
  const auto folder = place.has_parent_path() ? place.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin) && read_share(std::string_view(name).substr(begin.size()), kBetween))
      out.push_back((place.has_parent_path() ? entry.path() : entry.path().filename()).string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace trainyard
