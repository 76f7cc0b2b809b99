#include "trainyard/nearest.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

constexpr std::size_t kListed = 16;
constexpr std::size_t kLongestCompared = 64;
constexpr std::size_t kLeastHeld = 3;  // letters that tell names apart

/// Optimal string alignment distance of two short names.
std::size_t edits(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, kLongestCompared + 1>, kLongestCompared + 1> cost;
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string in_small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

/// How far names are from each other: a letter that is small in place of large is nearer than another one.
struct Distance {
  std::size_t edits;
  std::size_t with_letter_case;

  auto operator<=>(const Distance&) const = default;
};

Distance distance(std::string_view a, std::string_view b) {
  return {edits(in_small_letters(a), in_small_letters(b)), edits(a, b)};
}

constexpr std::string_view kMarks = "-_. ";

/// What stands between the marks, in small letters and in the order of the alphabet.
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> out(1);
  for (const char c : in_small_letters(name)) {
    if (kMarks.find(c) == std::string_view::npos)
      out.back() += c;
    else
      out.emplace_back();
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string without_marks(std::string_view name) {
  std::string out = in_small_letters(name);
  std::erase_if(out, [](char c) { return kMarks.find(c) != std::string_view::npos; });
  return out;
}

/// It begins a word of the candidate, as "h100" does in "dgx-h100", or all of it but for marks, as "gpt-3"
/// does.
bool begins_within(std::string_view name, std::string_view candidate) {
  const std::size_t at = candidate.find(name);
  if (at == 0 || (at != std::string_view::npos && kMarks.find(candidate[at - 1]) != std::string_view::npos))
    return true;
  const std::string letters = without_marks(name);
  return letters.size() >= kLeastHeld && without_marks(candidate).starts_with(letters);
}

std::vector<std::string> holding(std::string_view name, const std::vector<std::string>& candidates) {
  std::vector<std::string> out;
  if (name.size() < kLeastHeld) return out;
  for (const std::string& candidate : candidates)
    if (begins_within(name, candidate)) out.push_back(candidate);
  return out;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  return out;
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kLongestCompared) return {};
  const std::vector<std::string> words = words_in(name);
  const auto turned = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& candidate) {
    return words.size() > 1 && words_in(candidate) == words;
  });
  if (turned != candidates.end()) return *turned;  // "gb200-nvl72" for "nvl72-gb200"
  std::string best;
  const std::size_t too_many = std::max<std::size_t>(1, (name.size() + 2) / 3) + 1;
  Distance least{too_many, 0};
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(candidate.size(), name.size());
    const std::size_t shorter = std::min(candidate.size(), name.size());
    if (longer > kLongestCompared || longer - shorter >= too_many) continue;
    const Distance found = distance(name, candidate);
    if (found < least) {
      best = candidate;
      least = found;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string close = nearest(name, candidates);
  if (close.find(name) == std::string::npos || close.empty()) {
    const std::vector<std::string> longer = holding(name, candidates);
    if (!longer.empty() && longer.size() <= kListed)
      return fmt::format("did you mean {}?", joined_names(longer));
  }
  if (!close.empty()) return fmt::format("did you mean '{}'?", close);
  std::string list;
  for (std::size_t i = 0; i < candidates.size() && i < kListed; ++i) {
    list += (i ? ", " : "") + candidates[i];
  }
  if (candidates.size() > kListed) list += fmt::format(", ... ({} in all)", candidates.size());
  return "allowed: " + list;
}

}  // namespace trainyard
