#include "siting/grid_table.h"

#include <charconv>
#include <cmath>

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
