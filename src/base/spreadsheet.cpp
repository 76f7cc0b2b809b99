#include "base/spreadsheet.h"

#include <expat.h>
#include <fmt/core.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "base/csv.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

constexpr std::uint64_t kLargestPart = std::uint64_t{1} << 30;  // bytes unpacked; EIA-860's largest has 0.1e9
constexpr std::size_t kMostColumns = 16384;                     // of a sheet (Excel)
constexpr int kMostRows = 1'048'576;                            // the same
constexpr std::size_t kLongestCell = 32767;                     // characters (Excel)
constexpr std::size_t kMostStrings = 5'000'000;                 // shared by cells; EIA-860 has 0.1 million

/// A part of the archive, unpacked piece by piece.
class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path), zip_(unzOpen64(path.c_str()), unzClose) {
    if (!zip_) fail("is not a whole .xlsx file");
  }

  bool has(const std::string& part) { return unzLocateFile(zip_.get(), part.c_str(), 2) == UNZ_OK; }

  /// Gives the bytes of a part to `take` until it returns false.
  void read(const std::string& part, const std::function<bool(const char*, int, bool last)>& take) {
    if (!has(part) || unzOpenCurrentFile(zip_.get()) != UNZ_OK) fail("has no readable part " + part);
    std::array<char, 1 << 16> bytes{};
    std::uint64_t total = 0;
    for (bool more = true; more;) {
      const int count = unzReadCurrentFile(zip_.get(), bytes.data(), bytes.size());
      if (count < 0) fail("is damaged in part " + part);
      total += static_cast<std::uint64_t>(count);
      if (total > kLargestPart) fail(fmt::format("has more than {} bytes in part {}", kLargestPart, part));
      more = take(bytes.data(), count, count == 0) && count > 0;
    }
    unzCloseCurrentFile(zip_.get());
  }

  [[noreturn]] void fail(const std::string& what) const {
    fail_input(whole(path_), what, "save the sheet as CSV if a spreadsheet program still opens it");
  }

 private:
  std::string path_;
  std::unique_ptr<void, int (*)(void*)> zip_;
};

/// The local name of an element: some writers put a prefix before it.
std::string_view local(const char* name) {
  const std::string_view text(name);
  const auto colon = text.rfind(':');
  return colon == std::string_view::npos ? text : text.substr(colon + 1);
}

using Attributes = std::map<std::string_view, std::string_view>;

/// What the parsers of the parts have in common. They stop by setting `stopped`.
class PartParser {
 public:
  virtual ~PartParser() = default;
  PartParser() = default;
  PartParser(const PartParser&) = delete;
  PartParser& operator=(const PartParser&) = delete;

  virtual void begin(std::string_view element, const Attributes& attributes) = 0;
  virtual void end(std::string_view /*element*/) {}
  virtual void text(std::string_view /*characters*/) {}

  void parse(Archive& archive, const std::string& part);

 protected:
  bool stopped_ = false;

 private:
  /// Keeps what a handler throws until the parser, which is C and would lose its memory, has returned.
  template <class Handler>
  void handle(const Handler& handler) {
    if (thrown_) return;
    try {
      handler(*this);
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  std::exception_ptr thrown_;
};

void PartParser::parse(Archive& archive, const std::string& part) {
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, void (*)(XML_Parser)> parser(
      XML_ParserCreate(nullptr), XML_ParserFree);
  if (!parser) throw std::bad_alloc();
  XML_SetUserData(parser.get(), this);
  XML_SetElementHandler(
      parser.get(),
      [](void* self, const char* name, const char** pairs) {
        Attributes attributes;
        for (; *pairs; pairs += 2) attributes[local(pairs[0])] = pairs[1];
        static_cast<PartParser*>(self)->handle([&](PartParser& p) { p.begin(local(name), attributes); });
      },
      [](void* self, const char* name) {
        static_cast<PartParser*>(self)->handle([&](PartParser& p) { p.end(local(name)); });
      });
  XML_SetCharacterDataHandler(parser.get(), [](void* self, const char* characters, int count) {
    static_cast<PartParser*>(self)->handle([&](PartParser& p) {
      p.text({characters, static_cast<std::size_t>(count)});
    });
  });
  archive.read(part, [&](const char* bytes, int count, bool last) {
    const XML_Status status = XML_Parse(parser.get(), bytes, count, last);
    if (thrown_) std::rethrow_exception(thrown_);
    if (status != XML_STATUS_OK)
      archive.fail(fmt::format("has a part {} that is not XML: {}, line {}", part,
                               XML_ErrorString(XML_GetErrorCode(parser.get())),
                               XML_GetCurrentLineNumber(parser.get())));
    return !stopped_;
  });
}

/// Sheets of the workbook, by name, with the id of their part.
class WorkbookParser : public PartParser {
 public:
  void begin(std::string_view element, const Attributes& attributes) override {
    if (element != "sheet" || !attributes.count("name") || !attributes.count("id")) return;
    names.emplace_back(attributes.at("name"));
    ids.emplace_back(attributes.at("id"));
  }
  std::vector<std::string> names;
  std::vector<std::string> ids;
};

class RelationsParser : public PartParser {
 public:
  void begin(std::string_view element, const Attributes& attributes) override {
    if (element == "Relationship" && attributes.count("Id") && attributes.count("Target"))
      targets[std::string(attributes.at("Id"))] = attributes.at("Target");
  }
  std::map<std::string, std::string> targets;
};

class SharedStringsParser : public PartParser {
 public:
  void begin(std::string_view element, const Attributes&) override {
    if (element == "si" && strings.size() < kMostStrings)
      strings.emplace_back();
    else if (element == "si")
      stopped_ = too_many = true;
    if (element == "rPh") phonetic_ = true;  // a reading aid, not the text
    in_text_ = element == "t" && !phonetic_;
  }
  void end(std::string_view element) override {
    in_text_ = false;
    if (element == "rPh") phonetic_ = false;
  }
  void text(std::string_view characters) override {
    if (in_text_ && !strings.empty()) strings.back() += characters;
  }
  std::vector<std::string> strings;
  bool too_many = false;

 private:
  bool in_text_ = false;
  bool phonetic_ = false;
};

/// Column number from 0 of a reference such as "AB12"; empty: no letters, or past the last column of Excel.
std::optional<std::size_t> column_of(std::string_view reference) {
  std::size_t column = 0;
  constexpr std::size_t kLetters = 26;
  for (const char c : reference) {
    if (c < 'A' || c > 'Z') break;
    column = column * kLetters + static_cast<std::size_t>(c - 'A' + 1);
    if (column > kMostColumns) return std::nullopt;
  }
  if (column == 0) return std::nullopt;
  return column - 1;
}

class SheetParser : public PartParser {
 public:
  SheetParser(const std::vector<std::string>& strings, const RowReader& read)
      : strings_(strings), read_(read) {}

  void begin(std::string_view element, const Attributes& attributes) override {
    if (element == "row") begin_row(attributes);
    if (element == "c") begin_cell(attributes);
    in_value_ = element == "v" || (element == "t" && type_ == "inlineStr");
  }

  void end(std::string_view element) override {
    in_value_ = false;
    if (element == "c") end_cell();
    if (element == "row" && !stopped_ && !blank()) stopped_ = !read_(row_, cells_);
  }

  void text(std::string_view characters) override {
    if (in_value_ && value_.size() < kLongestCell) value_ += characters;
  }

 private:
  void begin_row(const Attributes& attributes) {
    cells_.clear();
    int given = 0;
    const auto number = attributes.find("r");
    if (number != attributes.end())
      std::from_chars(number->second.data(), number->second.data() + number->second.size(), given);
    row_ = given >= 1 && given <= kMostRows ? given : row_ + 1;
  }

  void begin_cell(const Attributes& attributes) {
    const auto type = attributes.find("t");
    type_ = type == attributes.end() ? "n" : std::string(type->second);
    const auto reference = attributes.find("r");
    const auto column = reference == attributes.end() ? std::nullopt : column_of(reference->second);
    column_ = column.value_or(cells_.size());
    value_.clear();
  }

  void end_cell() {
    if (column_ >= kMostColumns) return;
    if (column_ >= cells_.size()) cells_.resize(column_ + 1);
    cells_[column_] = type_ == "s" ? shared() : value_;
  }

  std::string shared() const {
    std::size_t index = strings_.size();
    std::from_chars(value_.data(), value_.data() + value_.size(), index);
    return index < strings_.size() ? strings_[index] : std::string{};
  }

  bool blank() const {
    return std::all_of(cells_.begin(), cells_.end(), [](const std::string& cell) { return cell.empty(); });
  }

  const std::vector<std::string>& strings_;
  const RowReader& read_;
  std::vector<std::string> cells_;
  std::string type_;
  std::string value_;
  std::size_t column_ = 0;
  int row_ = 0;
  bool in_value_ = false;
};

/// The part in which a sheet of the workbook lies.
std::string sheet_part(Archive& archive, const std::string& path, const std::string& sheet) {
  WorkbookParser workbook;
  workbook.parse(archive, "xl/workbook.xml");
  RelationsParser relations;
  relations.parse(archive, "xl/_rels/workbook.xml.rels");
  if (workbook.names.empty()) archive.fail("has no sheets");
  const auto named =
      sheet.empty() ? workbook.names.begin() : std::find(workbook.names.begin(), workbook.names.end(), sheet);
  if (named == workbook.names.end())
    fail_input(whole(path), "has no sheet '" + sheet + "'", suggestion(sheet, workbook.names));
  const std::string& id = workbook.ids[static_cast<std::size_t>(named - workbook.names.begin())];
  const std::string target = relations.targets[id];
  return target.starts_with("/") ? target.substr(1) : "xl/" + target;
}

void read_workbook(const std::string& path, const std::string& sheet, const RowReader& read) {
  Archive archive(path);
  const std::string part = sheet_part(archive, path, sheet);
  SharedStringsParser strings;
  if (archive.has("xl/sharedStrings.xml")) strings.parse(archive, "xl/sharedStrings.xml");
  if (strings.too_many) archive.fail(fmt::format("has more than {} texts", kMostStrings));
  SheetParser(strings.strings, read).parse(archive, part);
}

char separator_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  const auto count = [&](char c) { return std::count(first.begin(), first.end(), c); };
  char most = ',';
  for (const char c : {'\t', '|'}) most = count(c) > count(most) ? c : most;
  return most;
}

}  // namespace

void read_rows(const std::string& path, const std::string& sheet, const RowReader& read) {
  const std::string text = read_file(path);
  if (text.starts_with("PK\x03\x04")) return read_workbook(path, sheet, read);
  refuse_utf16(text, path);
  CsvReader reader(text, separator_of(text));
  reader.limit_fields(kMostColumns);
  std::vector<std::string> cells;
  while (reader.next(cells)) {
    const auto refuse = [&](CsvPlace at, std::string_view defect) {
      fail_input(whole(fmt::format("{}:{}:{}", path, at.line, at.column)), std::string(defect));
    };
    if (!reader.defect().empty()) refuse(reader.defect_place(), reader.defect());
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (cells[c].size() > kLongestCell)
        refuse(reader.place(c), fmt::format("a field of more than {} characters", kLongestCell));
    if (!read(reader.line(), cells)) return;
  }
}

}  // namespace trainyard
