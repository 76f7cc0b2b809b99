// What the free text of a measured run says.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/letters.h"
#include "step/measured_runs.h"

namespace trainyard {
namespace {

// Numbers beyond these are of nothing that was measured.
constexpr double kLeastNumber = 1e-6;
constexpr double kMostNumber = 1e9;
constexpr double kMostMicrobatches = kMostNumber;
constexpr double kLargestHead = 1e6;

// Words that deny what follows them, as far as the next comma; what denies a phrase right behind it.
constexpr std::array<std::string_view, 12> kDenials = {
    "no", "not", "non", "un", "nor", "neither", "never", "without", "instead", "than", "unlike", "lacks"};
constexpr std::array<std::string_view, 5> kDenialsBehind = {"off", "disabled", "unused", "not used",
                                                            "not enabled"};

constexpr std::size_t kLongestClause = 200;  // characters; so that long notes are not slow

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// Whether a text ends in a clause with a word that denies what comes next: "not yet ".
bool ends_in_denial(std::string_view before) {
  std::string_view clause = before.substr(before.size() - std::min(before.size(), kLongestClause));
  clause.remove_prefix(clause.find_last_of(",;:()") + 1);
  clause.remove_prefix(clause.rfind(". ") == std::string_view::npos ? 0 : clause.rfind(". ") + 1);
  while (!clause.empty()) {
    const auto end = std::find_if_not(clause.begin(), clause.end(), is_letter);
    const std::string_view word(clause.begin(), end);
    if (std::find(kDenials.begin(), kDenials.end(), word) != kDenials.end()) return true;
    clause.remove_prefix(std::min(word.size() + 1, clause.size()));
  }
  return false;
}

/// Whether a text begins with what denies the phrase before it: " disabled".
bool begins_with_denial(std::string_view behind) {
  behind.remove_prefix(std::min(behind.find_first_not_of(" :="), behind.size()));
  return std::any_of(kDenialsBehind.begin(), kDenialsBehind.end(), [&](std::string_view denial) {
    return behind.starts_with(denial) &&
           (behind.size() == denial.size() || !is_letter(behind[denial.size()]));
  });
}

/// Where a note states a phrase, from `from` on: not inside a word ("uncompiled") nor denied ("no DualPipe").
std::size_t find_stated(std::string_view note, std::string_view phrase, std::size_t from = 0) {
  for (auto at = note.find(phrase, from); at != std::string_view::npos; at = note.find(phrase, at + 1)) {
    const bool inside_word = at > 0 && is_letter(note[at - 1]);
    if (!inside_word && !ends_in_denial(note.substr(0, at)) &&
        !begins_with_denial(note.substr(at + phrase.size())))
      return at;
  }
  return std::string_view::npos;
}

bool is_part_of_number(char c) { return (c >= '0' && c <= '9') || c == '.'; }

std::optional<double> positive_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end == text.data()) return std::nullopt;
  if (value < kLeastNumber || value > kMostNumber) return std::nullopt;
  return value;
}

/// The number behind a phrase: "head dimension 256".
std::optional<double> number_after(std::string_view note, std::string_view phrase) {
  const auto at = find_stated(note, phrase);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = note.substr(at + phrase.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return positive_number(rest);
}

/// The number before a phrase: "4 microbatches".
std::optional<double> number_before(std::string_view note, std::string_view phrase) {
  const auto at = find_stated(note, phrase);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view before = note.substr(0, at);
  while (!before.empty() && before.back() == ' ') before.remove_suffix(1);
  std::size_t digits = 0;
  while (digits < before.size() && is_part_of_number(before[before.size() - 1 - digits])) ++digits;
  return positive_number(before.substr(before.size() - digits));
}

/// A number and its unit behind a phrase.
std::optional<Bytes> bytes_after(std::string_view note, std::string_view phrase) {
  const auto number = number_after(note, phrase);
  if (!number) return std::nullopt;
  std::string_view rest = note.substr(find_stated(note, phrase) + phrase.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" .0123456789"), rest.size()));
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  constexpr double kMebibyte = 1024.0 * 1024;
  constexpr double kGigabyte = 1e9;
  if (rest.starts_with("gib")) return Bytes(*number * kGibibyte);
  if (rest.starts_with("mib")) return Bytes(*number * kMebibyte);
  if (rest.starts_with("gb")) return Bytes(*number * kGigabyte);
  return std::nullopt;
}

std::optional<std::int64_t> whole_number(std::optional<double> number, double most) {
  if (!number || *number < 1 || *number > most) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// "peak 275 TFLOP/s"; peaks of other things, such as memory, have no number or another unit.
std::optional<FlopRate> peak_rate_of(std::string_view note) {
  constexpr double kTera = 1e12;
  constexpr std::string_view kPeak = "peak ";
  for (auto at = find_stated(note, kPeak); at != std::string_view::npos;
       at = find_stated(note, kPeak, at + 1)) {
    std::string_view rest = note.substr(at + kPeak.size());
    const auto number = positive_number(rest);
    rest.remove_prefix(std::min(rest.find_first_not_of(" .0123456789"), rest.size()));
    if (number && rest.starts_with("tflop/s")) return FlopRate(*number * kTera);
  }
  return std::nullopt;
}

}  // namespace

RunNote parse_run_note(std::string_view text) {
  const std::string note = lower_case(text);
  const auto says = [&](std::string_view phrase) { return find_stated(note, phrase) != std::string::npos; };
  RunNote out;
  out.compiled = says("compiled");
  out.async_tensor = says("async tp");
  out.parallel_block = says("parallel transformer block") || says("parallel block");
  out.sliding_window = says("sliding-window attention") || says("sliding window attention");
  out.megascale_overlap = says("megascale") && says("overlap");
  out.dualpipe = says("dualpipe");
  out.interleaved = says("interleaved 1f1b");
  out.hardware_flop = says("hardware flop: 96");
  out.multi_query = says("multi-query");
  out.microbatches = whole_number(number_before(note, "microbatches"), kMostMicrobatches);
  out.head_dimension = whole_number(number_after(note, "head dimension"), kLargestHead);
  out.peak_memory = bytes_after(note, "peak allocated memory measured");
  out.peak_rate = peak_rate_of(note);
  return out;
}

}  // namespace trainyard
