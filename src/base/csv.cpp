#include "base/csv.h"

#include <algorithm>
#include <cstddef>

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

std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

CsvReader::CsvReader(std::string_view text, char separator) : text_(text), separator_(separator) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

bool CsvReader::next(std::vector<std::string>& record) {
  while (at_ < text_.size()) {
    const std::size_t begin = at_;
    read_record(record);
    if (record.size() == 1 && record.front().empty()) continue;
    counted_line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    counted_ = begin;
    line_ = counted_line_;
    return true;
  }
  return false;
}

void CsvReader::read_record(std::vector<std::string>& record) {
  defect_ = {};
  std::size_t fields = 0;  // strings of the last record are filled again: no new memory for each
  for (bool more = true; more;) {
    if (fields == record.size()) record.emplace_back();
    read_field(record[fields++]);
    more = at_ < text_.size() && text_[at_] == separator_;
    if (more) ++at_;
  }
  record.resize(fields);
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (at_ < text_.size() && text_[at_] == '\n') ++at_;
}

bool CsvReader::at_field_end() const {
  return at_ == text_.size() || text_[at_] == separator_ || text_[at_] == '\n' || text_[at_] == '\r';
}

void CsvReader::read_field(std::string& field) {
  field.clear();
  if (separator_ == ',' && at_ < text_.size() && text_[at_] == '"') read_quoted(field);
  const std::size_t begin = at_;
  while (!at_field_end()) ++at_;
  field += text_.substr(begin, at_ - begin);
}

void CsvReader::read_quoted(std::string& field) {
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      ++at_;
      const bool doubled = at_ < text_.size() && text_[at_] == '"';
      if (!doubled) {
        if (!at_field_end()) defect_ = "text after a closing quote";
        return;
      }
    }
    field += text_[at_];
  }
  defect_ = "a quote that is never closed";
}

}  // namespace trainyard
