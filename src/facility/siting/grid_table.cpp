#include "facility/siting/grid_table.h"

#include <charconv>
#include <cmath>

namespace trainyard {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

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
    complain(fmt::format("'{}' is not a number", text),
             fmt::format("{}, digits and a decimal point only", what));
    return 0;
  }
  if (value < low || value > high) {
    complain(fmt::format("{} is out of range", text), fmt::format("{}, {} to {}", what, low, high));
    return 0;
  }
  return value;
}

std::string GridCell::words() const {
  const auto control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  if (std::any_of(text.begin(), text.end(), control)) complain("has control characters or line ends in it");
  return std::string(text);
}

std::size_t GridCell::choice(const std::vector<std::string>& names) const {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  complain(fmt::format("'{}' is not a value of it", text), suggestion(std::string(text), names));
  return 0;
}

std::vector<std::vector<std::string>> grid_records(const SourceText& source, std::vector<int>& lines) {
  std::string_view text = source.text;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return parse_csv(text, &lines);
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
  for (std::size_t at = 0; at < header.size(); ++at) {
    const auto name = std::find(names.begin(), names.end(), header[at]);
    if (name == names.end()) {
      complain(at, fmt::format("no column '{}' in this file", header[at]), suggestion(header[at], names));
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
