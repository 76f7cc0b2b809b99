#include "base/csv.h"

namespace trainyard {
namespace {

/// Reads one field and stands behind it, on a comma, a line end or the end.
std::string read_field(std::string_view text, std::size_t& at) {
  std::string field;
  const bool quoted = at < text.size() && text[at] == '"';
  if (quoted) ++at;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"') {
      const bool doubled = at + 1 < text.size() && text[at + 1] == '"';
      if (!doubled) {
        ++at;
        break;
      }
      ++at;
    } else if (!quoted && (c == ',' || c == '\n' || c == '\r')) {
      break;
    }
    field += c;
  }
  return field;
}

}  // namespace

std::vector<std::vector<std::string>> parse_csv(std::string_view text, std::vector<int>* lines) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record;
  int line = 1;
  std::size_t counted = 0;  // line ends before here are in `line`
  const auto add_record = [&](std::size_t begin) {
    for (; counted < begin; ++counted) line += text[counted] == '\n' ? 1 : 0;
    records.push_back(std::move(record));
    if (lines) lines->push_back(line);
  };
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (record.empty()) begin = at;
    record.push_back(read_field(text, at));
    if (at < text.size() && text[at] == ',') {
      ++at;
      if (at == text.size()) record.emplace_back();
      continue;
    }
    while (at < text.size() && (text[at] == '\r' || text[at] == '\n')) ++at;
    if (record.size() > 1 || !record.front().empty()) add_record(begin);
    record.clear();
  }
  if (!record.empty()) add_record(begin);
  return records;
}

}  // namespace trainyard
