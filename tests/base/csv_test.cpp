#include "base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "trainyard/errors.h"

namespace trainyard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Record = std::vector<std::string>;

TEST(Csv, OfNothingHasNoRecords) {
  EXPECT_THAT(parse_csv(""), IsEmpty());
  EXPECT_THAT(parse_csv("\n\r\n\n"), IsEmpty());
}

TEST(Csv, KeepsEmptyFieldsAtBothEnds) {
  EXPECT_THAT(parse_csv(",a,\n,"), ElementsAre(Record{"", "a", ""}, Record{"", ""}));
}

// RFC 4180 section 2, rules 5 to 7.
TEST(Csv, QuotedFieldsHoldCommasLineEndsAndDoubledQuotes) {
  EXPECT_THAT(parse_csv("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx"),
              ElementsAre(Record{"aaa", "b\r\nbb", "ccc"}, Record{"zzz", "yyy", "xxx"}));
  EXPECT_THAT(parse_csv("\"aaa\",\"b\"\"bb\",\"ccc\""), ElementsAre(Record{"aaa", "b\"bb", "ccc"}));
}

TEST(Csv, AQuoteInsideABareFieldIsALetter) {
  EXPECT_THAT(parse_csv("5\" disk,x"), ElementsAre(Record{"5\" disk", "x"}));
}

TEST(Csv, SpacesBelongToTheField) { EXPECT_THAT(parse_csv(" a , b "), ElementsAre(Record{" a ", " b "})); }

TEST(Csv, KeepsLettersOfEveryLanguageAndZeroBytes) {
  const std::string text(
      "B\xC4\x83"
      "doiu,\0x",
      10);
  EXPECT_THAT(parse_csv(text), ElementsAre(Record{text.substr(0, 7), text.substr(8)}));
}

// A writer by RFC 4180, written here: quote every field, double the quotes.
std::string written(const std::vector<Record>& records, const std::string& line_end) {
  std::string text;
  for (const Record& record : records) {
    for (std::size_t i = 0; i < record.size(); ++i) {
      text += i ? ",\"" : "\"";
      for (const char c : record[i]) text += c == '"' ? "\"\"" : std::string(1, c);
      text += '"';
    }
    text += line_end;
  }
  return text;
}

RC_GTEST_PROP(Csv, ReadsBackWhatRfc4180Writes, (bool dos)) {
  const auto letters = rc::gen::element('a', ',', '"', '\n', '\r', ' ', '\0', '\xff');
  const auto fields = rc::gen::container<std::string>(letters);
  auto records = *rc::gen::container<std::vector<Record>>(rc::gen::container<Record>(fields));
  for (Record& record : records) record.resize(record.size() + 2);  // one empty field is a blank line
  RC_ASSERT(parse_csv(written(records, dos ? "\r\n" : "\n")) == records);
}

TEST(Csv, AByteOrderMarkIsNotOfTheFirstField) {
  EXPECT_THAT(parse_csv("\xEF\xBB\xBF"
                        "a,b"),
              ElementsAre(Record{"a", "b"}));
  EXPECT_TRUE(is_utf16("\xFF\xFE"));
  EXPECT_FALSE(is_utf16("a,b"));
}

TEST(CsvReader, StopsAtALineWithTooManyFields) {
  CsvReader reader("a,b\n1,2,3\n4,5\n");
  reader.limit_fields(2);
  Record record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(reader.defect(), "");
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(reader.defect(), "a line with too many fields");
  EXPECT_EQ(reader.line(), 2);
  EXPECT_FALSE(reader.next(record));
}

std::vector<Record> read_one_by_one(std::string_view text, char separator = ',') {
  CsvReader reader(text, separator);
  std::vector<Record> records;
  for (Record record; reader.next(record);) records.push_back(record);
  return records;
}

RC_GTEST_PROP(CsvReader, ReadsBackWhatCsvFieldWrites, (const std::string& a, const std::string& b)) {
  RC_ASSERT(read_one_by_one("x," + csv_field(a) + "," + csv_field(b)) == (std::vector<Record>{{"x", a, b}}));
}

TEST(CsvReader, PassesOverAByteOrderMarkAndCountsLines) {
  CsvReader reader("\xEF\xBB\xBFname,mw\n\n\"two\nlines\",1\nlast,2,");
  Record record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_THAT(record, ElementsAre("name", "mw"));
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(reader.line(), 3);
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(reader.line(), 5);
  EXPECT_THAT(record, ElementsAre("last", "2", ""));
  EXPECT_FALSE(reader.next(record));
}

TEST(CsvReader, BetweenTabsAQuoteIsALetter) {
  EXPECT_THAT(read_one_by_one("\"a,b\tc\n", '\t'), ElementsAre(Record{"\"a,b", "c"}));
}

TEST(CsvReader, SaysWhatIsWrongWithQuotes) {
  Record record;
  CsvReader open("a,\"b\nc");
  ASSERT_TRUE(open.next(record));
  EXPECT_EQ(open.defect(), "a quote that is never closed");
  CsvReader after("\"a\"b,c\nd,e");
  ASSERT_TRUE(after.next(record));
  EXPECT_EQ(after.defect(), "text after a closing quote");
  ASSERT_TRUE(after.next(record));
  EXPECT_EQ(after.defect(), "");
}

std::string place(CsvPlace at) { return std::to_string(at.line) + ":" + std::to_string(at.column); }

TEST(CsvReader, KnowsWhereFieldsAndDefectsStand) {
  Record record;
  CsvReader reader("\xEF\xBB\xBFname,mw\n\n\"two\nlines\",\"a\"\"b\",7\n1,\"0\"1,\"x\n");
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(place(reader.place(1)), "1:6");
  EXPECT_EQ(place(reader.place(9)), "1:1");  // of one that the record lacks
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(place(reader.place(0)), "3:1");
  EXPECT_EQ(place(reader.place(1)), "4:8");
  EXPECT_EQ(place(reader.place(2)), "4:15");
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(reader.defect(), "text after a closing quote");  // the first of the record
  EXPECT_EQ(place(reader.defect_place()), "5:6");
  CsvReader open("a,b\n1, \n2,\"x\n");
  while (open.next(record) && open.defect().empty()) {
  }
  EXPECT_EQ(place(open.defect_place()), "3:3");
  CsvReader wide("a\n1,2,3\n");
  wide.limit_fields(2);
  while (wide.next(record) && wide.defect().empty()) {
  }
  EXPECT_EQ(place(wide.defect_place()), "2:5");
}

TEST(Csv, AUsersTableIsRefusedAtItsFirstDefect) {
  const auto source = std::make_shared<const SourceText>(SourceText{"my.csv", "a,b\n1,\"2\"3\n"});
  try {
    read_csv(source);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(describe(error.findings()[0]),
              "my.csv:2:6: error: text after a closing quote\n      2 | 1,\"2\"3\n        |      ^\n  help: "
              "a field with a comma or a quote in it stands in quotes, and quotes in it are doubled");
  }
}

}  // namespace
}  // namespace trainyard
