#include "base/foreign_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace trainyard {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostQuoted = 40;
/// Above this a double does not hold every whole number.
constexpr double kMostExact = 0x1p53;

template <class Number>
std::optional<Number> number_of(std::string_view piece) {
  Number number{};
  const char* end = piece.data() + piece.size();
  const auto [rest, code] = std::from_chars(piece.data(), end, number);
  if (code != std::errc{} || rest != end) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> whole_number_of(std::string_view piece) {
  if (const auto whole = number_of<std::uint64_t>(piece)) return whole;
  const auto number = number_of<double>(piece);
  if (!number || !(*number >= 0 && *number <= kMostExact) || *number != std::floor(*number))
    return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace

ForeignText::ForeignText(std::shared_ptr<const SourceText> text) : text_(std::move(text)) {
  if (std::string_view(text_->text).starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

std::optional<std::string_view> ForeignText::next_line() {
  const std::string_view all = text_->text;
  while (at_ < all.size()) {
    const std::size_t end = std::min(all.find('\n', at_), all.size());
    const std::string_view line = trimmed(all.substr(at_, end - at_));
    at_ = end + 1;
    if (!line.empty() && line.front() != '#') return line;
  }
  return std::nullopt;
}

std::vector<std::string_view> ForeignText::next_words() {
  const auto line = next_line();
  if (!line) return {};
  std::vector<std::string_view> words = words_of(*line, kBlanks);
  const auto comment =
      std::find_if(words.begin(), words.end(), [](std::string_view w) { return w[0] == '#'; });
  words.erase(comment, words.end());
  return words;
}

Location ForeignText::where(std::string_view piece) const {
  const auto at = static_cast<std::size_t>(piece.data() - text_->text.data());
  const std::string_view before = std::string_view(text_->text).substr(0, at);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = line_end == std::string_view::npos ? at : at - line_end - 1;
  return {text_, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(column) + 1};
}

void ForeignText::fail(std::string_view piece, std::string message, std::string help) const {
  fail_input(where(piece), std::move(message), std::move(help));
}

std::uint64_t ForeignText::whole(std::string_view piece, std::string_view what, std::uint64_t least,
                                 std::uint64_t most) const {
  const auto number = whole_number_of(piece);
  if (number && *number >= least && *number <= most) return *number;
  fail(piece, fmt::format("{} is no {}", quoted(piece), what),
       fmt::format("allowed: a whole number from {} to {}", least, most));
}

double ForeignText::decimal(std::string_view piece, std::string_view what, double least, double most) const {
  const auto number = number_of<double>(piece);
  if (number && *number >= least && *number <= most) return *number;
  fail(piece, fmt::format("{} is no {}", quoted(piece), what),
       fmt::format("allowed: a number from {} to {}", least, most));
}

std::string_view trimmed(std::string_view piece) {
  const std::size_t first = std::min(piece.find_first_not_of(kBlanks), piece.size());
  piece.remove_prefix(first);
  return piece.substr(0, piece.find_last_not_of(kBlanks) + 1);
}

std::vector<std::string_view> words_of(std::string_view piece, std::string_view separators) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = piece.find_first_not_of(separators, at)) != std::string_view::npos) {
    const std::size_t end = std::min(piece.find_first_of(separators, at), piece.size());
    words.push_back(piece.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string quoted(std::string_view piece) {
  const bool cut = piece.size() > kMostQuoted;
  return fmt::format("'{}{}'", piece.substr(0, kMostQuoted), cut ? "..." : "");
}

}  // namespace trainyard
