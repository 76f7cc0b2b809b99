#include "base/csv.h"

#include <algorithm>
#include <utility>

#include "trainyard/errors.h"

namespace trainyard {
std::vector<std::vector<std::string>> parse_csv(std::string_view text) {
  std::vector<std::vector<std::string>> records;
  CsvReader reader(text);
  std::vector<std::string> record;
  while (reader.next(record)) records.push_back(record);
  return records;
}

bool is_utf16(std::string_view text) { return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"); }

void refuse_utf16(std::string_view text, const std::string& path) {
  if (is_utf16(text)) fail_input(whole(path), "is UTF-16 text", "save it as UTF-8");
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

void refuse_defect(const CsvReader& reader, const std::shared_ptr<const SourceText>& source) {
  if (reader.defect().empty()) return;
  const CsvPlace place = reader.defect_place();
  fail_input({source, place.line, place.column}, std::string(reader.defect()), kCsvHelp);
}

std::vector<CsvRow> read_csv(const std::shared_ptr<const SourceText>& source) {
  std::vector<CsvRow> rows;
  constexpr std::size_t kMostColumns = 1000;  // places are found again from their line's beginning
  CsvReader reader(source->text);
  reader.limit_fields(kMostColumns);
  for (CsvRow row; reader.next(row.fields);) {
    refuse_defect(reader, source);
    row.places.clear();
    for (std::size_t f = 0; f < row.fields.size(); ++f) row.places.push_back(reader.place(f));
    rows.push_back(row);
  }
  return rows;
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

CsvPlace CsvReader::place(std::size_t field) const {
  return place_of(field < begins_.size() ? begins_[field] : counted_);
}

CsvPlace CsvReader::place_of(std::size_t at) const {
  const std::string_view before = text_.substr(0, at);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t line_begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  const auto lines = std::count(before.begin() + static_cast<std::ptrdiff_t>(counted_), before.end(), '\n');
  return {line_ + static_cast<int>(lines), static_cast<int>(at - line_begin) + 1};
}

void CsvReader::find(std::string_view defect, std::size_t at) {
  if (!defect_.empty()) return;  // the first of a record
  defect_ = defect;
  defect_at_ = at;
}

void CsvReader::read_record(std::vector<std::string>& record) {
  defect_ = {};
  begins_.clear();
  std::size_t fields = 0;  // strings of the last record are filled again: no new memory for each
  for (bool more = true; more;) {
    if (fields == most_fields_) {
      find("a line with too many fields", at_);
      at_ = text_.size();
      break;
    }
    if (fields == record.size()) record.emplace_back();
    begins_.push_back(at_);
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
  const std::size_t open = at_;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      ++at_;
      const bool doubled = at_ < text_.size() && text_[at_] == '"';
      if (!doubled) {
        if (!at_field_end()) find("text after a closing quote", at_);
        return;
      }
    }
    field += text_[at_];
  }
  find("a quote that is never closed", open);
}

}  // namespace trainyard
