#include "siting/grid_table.h"

#include <charconv>
#include <cmath>

#include "base/csv.h"
#include "base/stopping.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostColumns = 1000;
constexpr std::size_t kLongestText = 1000;  // characters of a name or a source

/// Where a field of a line begins, from 1; 1 when the line has no such field.
int column_of(const SourceText& source, int line, std::size_t field) {
  std::string_view rest = source.text;
  for (int i = 1; i < line; ++i) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  bool quoted = false;
  for (std::size_t at = 0; at < rest.size() && rest[at] != '\n'; ++at) {
    if (field == 0) return static_cast<int>(at) + 1;
    if (rest[at] == '"') quoted = !quoted;
    if (rest[at] == ',' && !quoted) --field;
  }
  return 1;
}

/// Whether bytes are well-formed UTF-8: no stray, missing or needless bytes, no surrogates (RFC 3629).
bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    const std::size_t size = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
    if (size == 0 || at + size > text.size()) return false;
    for (std::size_t i = 1; i < size; ++i) {
      if ((byte(at + i) & 0xC0U) != 0x80U) return false;
    }
    const unsigned char second = size > 1 ? byte(at + 1) : 0;
    const bool needless = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    if (needless || beyond) return false;
    at += size;
  }
  return true;
}

/// The beginning of a value, for messages.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return text.size() > kMost ? std::string(text.substr(0, kMost)) + "..." : std::string(text);
}

}  // namespace

void GridFindings::add(Location where, std::string message, std::string help) {
  if (full()) return;
  ++count_;
  findings_.add(std::move(where), std::move(message), std::move(help));
}

void GridCell::complain(const std::string& message, const std::string& help) const {
  if (findings->full()) return;
  findings->add({source, line, column_of(*source, line, field)},
                fmt::format("column '{}': {}", column, message), help);
}

double GridCell::number(double low, double high, std::string_view what) const {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    complain(fmt::format("'{}' is not a number", shown(text)),
             fmt::format("{}, digits and a decimal point only", what));
    return 0;
  }
  if (value < low || value > high) {
    complain(fmt::format("{} is out of range", shown(text)), fmt::format("{}, {} to {}", what, low, high));
    return 0;
  }
  return value;
}

std::string GridCell::words() const {
  const auto control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  if (text.size() > kLongestText) {
    complain(fmt::format("has {} characters", text.size()), fmt::format("{} at most", kLongestText));
    return {};
  }
  if (!is_utf8(text)) {
    complain("is not UTF-8 text", "save the file as UTF-8");
    return {};
  }
  if (std::any_of(text.begin(), text.end(), control)) complain("has control characters or line ends in it");
  return std::string(text);
}

std::size_t GridCell::choice(const std::vector<std::string>& names) const {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  complain(fmt::format("'{}' is not a value of it", shown(text)), suggestion(shown(text), names));
  return 0;
}

std::vector<std::vector<std::string>> grid_records(const std::shared_ptr<const SourceText>& source,
                                                   std::vector<int>& lines, GridFindings& findings) {
  std::vector<std::vector<std::string>> records;
  const auto refuse = [&](int line, const std::string& message, const std::string& help) {
    findings.add({source, line, line > 0 ? 1 : 0}, message, help);
    records.clear();
    return records;
  };
  if (is_utf16(source->text)) return refuse(0, "is UTF-16 text", "save it as UTF-8");
  CsvReader reader(source->text);
  reader.limit_fields(kMostColumns);
  std::vector<std::string> record;
  while (reader.next(record)) {
    pause_point();
    if (!reader.defect().empty()) {
      const CsvPlace place = reader.defect_place();
      findings.add({source, place.line, place.column}, std::string(reader.defect()), kCsvHelp);
      return {};
    }
    if (records.size() > kMostGridRows)
      return refuse(0, fmt::format("has more than {} rows", kMostGridRows), "");
    records.push_back(record);
    lines.push_back(reader.line());
  }
  if (records.empty()) refuse(0, "is empty", "the first line names the columns");
  return records;
}

std::vector<std::size_t> place_columns(const std::shared_ptr<const SourceText>& source,
                                       const std::vector<std::string>& header,
                                       const std::vector<std::string>& names,
                                       const std::vector<bool>& required, GridFindings& findings) {
  const std::size_t absent = header.size();
  std::vector<std::size_t> places(names.size(), absent);
  bool usable = true;
  const auto complain = [&](std::size_t field, const std::string& message, const std::string& help) {
    findings.add({source, 1, column_of(*source, 1, field)}, message, help);
    usable = false;
  };
  for (std::size_t at = 0; at < header.size() && !findings.full(); ++at) {
    const auto name = std::find(names.begin(), names.end(), header[at]);
    if (name == names.end()) {
      complain(at, fmt::format("no column '{}' in this file", shown(header[at])),
               suggestion(shown(header[at]), names));
      continue;
    }
    std::size_t& place = places[static_cast<std::size_t>(name - names.begin())];
    if (place != absent) complain(at, fmt::format("column '{}' again", *name), "name it once");
    place = at;
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (required[c] && places[c] == absent)
      complain(0, fmt::format("column '{}' is missing", names[c]), "the first line names the columns");
  }
  return usable ? places : std::vector<std::size_t>{};
}

}  // namespace trainyard
