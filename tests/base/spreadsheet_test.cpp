#include "base/spreadsheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/errors.h"
#include "base/workbook.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using Row = std::pair<int, std::vector<std::string>>;

constexpr const char* kWorkbook =
    "<workbook xmlns:r=\"r\"><sheets><sheet name=\"Plant\" sheetId=\"1\" r:id=\"a\"/>"
    "<sheet name=\"Operable\" sheetId=\"2\" r:id=\"b\"/></sheets></workbook>";
constexpr const char* kRelations =
    "<Relationships><Relationship Id=\"a\" Target=\"worksheets/one.xml\"/>"
    "<Relationship Id=\"b\" Target=\"/xl/two.xml\"/></Relationships>";

class Spreadsheets : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// A workbook whose first sheet, Plant, has these rows.
  std::string workbook(const std::string& rows, const std::string& strings = {},
                       const std::string& second = {}) {
    std::vector<WorkbookPart> parts = {{"xl/workbook.xml", kWorkbook},
                                       {"xl/_rels/workbook.xml.rels", kRelations},
                                       {"xl/worksheets/one.xml", sheet(rows)},
                                       {"xl/two.xml", sheet(second)}};
    if (!strings.empty()) parts.emplace_back("xl/sharedStrings.xml", "<sst>" + strings + "</sst>");
    return written(parts);
  }
  std::string written(const std::vector<WorkbookPart>& parts) {
    const std::string path = (folder_ / "made.xlsx").string();
    std::filesystem::remove(path);
    write_parts(path, parts);
    return path;
  }
  std::string text(const std::string& content) {
    const std::string path = (folder_ / "made.csv").string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  static std::string sheet(const std::string& rows) {
    return "<worksheet><sheetData>" + rows + "</sheetData></worksheet>";
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("trainyard-sheets-" + std::to_string(getpid()));
};

std::vector<Row> rows_of(const std::string& path, const std::string& sheet = {}, std::size_t most = 100'000) {
  std::vector<Row> out;
  read_rows(path, sheet, [&](int row, const std::vector<std::string>& cells) {
    out.emplace_back(row, cells);
    return out.size() < most;
  });
  return out;
}

std::string error_of(const std::string& path, const std::string& sheet = {}) {
  try {
    rows_of(path, sheet);
  } catch (const InputError& error) {
    return describe(error.findings());
  }
  return "no error";
}

/// A row's cells, each of which has one value.
std::string row(int number, const std::vector<std::string>& values) {
  std::string out = "<row r=\"" + std::to_string(number) + "\">";
  for (const std::string& value : values) out += "<c><v>" + value + "</v></c>";
  return out + "</row>";
}

// A part is unpacked in pieces of 64 KiB; this one has some 40 of them.
TEST_F(Spreadsheets, LongSheetsAreReadWhole) {
  constexpr int kRows = 50'000;
  std::string rows;
  for (int i = 1; i <= kRows; ++i) rows += row(i, {std::to_string(i), std::to_string(2 * i)});
  const auto read = rows_of(workbook(rows));
  ASSERT_EQ(read.size(), std::size_t{kRows});
  for (int i = 1; i <= kRows; ++i)
    ASSERT_EQ(read[static_cast<std::size_t>(i - 1)], Row(i, {std::to_string(i), std::to_string(2 * i)}));
}

TEST_F(Spreadsheets, AReaderStopsWhereItHasEnough) {
  const std::string path = workbook(row(1, {"a"}) + row(2, {"b"}) + row(3, {"c"}));
  EXPECT_THAT(rows_of(path, "", 2), ElementsAre(Pair(1, ElementsAre("a")), Pair(2, ElementsAre("b"))));
  EXPECT_THAT(rows_of(text("a\nb\nc\n"), "", 2),
              ElementsAre(Pair(1, ElementsAre("a")), Pair(2, ElementsAre("b"))));
}

TEST_F(Spreadsheets, SheetsAreFoundByName) {
  const std::string path = workbook(row(1, {"first"}), "", row(1, {"second"}));
  EXPECT_THAT(rows_of(path), ElementsAre(Pair(1, ElementsAre("first"))));
  EXPECT_THAT(rows_of(path, "Plant"), ElementsAre(Pair(1, ElementsAre("first"))));
  EXPECT_THAT(rows_of(path, "Operable"), ElementsAre(Pair(1, ElementsAre("second"))));
  EXPECT_THAT(error_of(path, "Operabel"), HasSubstr("did you mean 'Operable'"));
}

TEST_F(Spreadsheets, CellsStandWhereTheirReferenceSays) {
  EXPECT_THAT(rows_of(workbook("<row r=\"7\"><c r=\"B7\"><v>b</v></c><c r=\"D7\"><v>d</v></c></row>")),
              ElementsAre(Pair(7, ElementsAre("", "b", "", "d"))));
  // Without references they stand side by side, and rows follow each other.
  EXPECT_THAT(rows_of(workbook("<row><c><v>a</v></c><c><v>b</v></c></row><row><c><v>c</v></c></row>")),
              ElementsAre(Pair(1, ElementsAre("a", "b")), Pair(2, ElementsAre("c"))));
  // Z is the 26th column, AA the 27th, XFD the last of 16384; what lies beyond is not read.
  for (const auto& [reference, columns] :
       {std::pair{"Z1", 26U}, {"AA1", 27U}, {"AZ1", 52U}, {"BA1", 53U}, {"XFD1", 16384U}}) {
    const auto read =
        rows_of(workbook("<row r=\"1\"><c r=\"" + std::string(reference) + "\"><v>x</v></c></row>"));
    ASSERT_EQ(read.size(), 1U) << reference;
    EXPECT_EQ(read[0].second.size(), columns) << reference;
    EXPECT_EQ(read[0].second.back(), "x");
  }
}

TEST_F(Spreadsheets, ARowWithANumberThatNoneHasFollowsTheOneBefore) {
  for (const char* number : {"0", "-3", "1048577", "2147483647", "99999999999", "x"})
    EXPECT_THAT(rows_of(workbook(row(4, {"a"}) + "<row r=\"" + number + "\"><c><v>b</v></c></row>")),
                ElementsAre(Pair(4, ElementsAre("a")), Pair(5, ElementsAre("b"))))
        << number;
  EXPECT_THAT(rows_of(workbook(row(1048576, {"a"}))), ElementsAre(Pair(1048576, ElementsAre("a"))));
}

TEST_F(Spreadsheets, RowsWithoutValuesAreLeftOut) {
  EXPECT_THAT(rows_of(workbook(row(1, {"", ""}) + row(2, {"", "b"}) + "<row r=\"3\"/>")),
              ElementsAre(Pair(2, ElementsAre("", "b"))));
}

// Texts are shared, and may stand in runs of letters of one kind with a reading aid beside them, or in the
// cell.
TEST_F(Spreadsheets, TextsAreSharedOrInTheCell) {
  const std::string strings =
      "<si><t>first</t></si><si><r><t>sec</t></r><r><t>ond</t></r><rPh sb=\"0\"><t>aid</t></rPh></si>";
  EXPECT_THAT(rows_of(workbook("<row r=\"1\"><c t=\"s\"><v>1</v></c><c t=\"s\"><v>0</v></c><c "
                               "t=\"inlineStr\"><is><t>own</t></is></c><c t=\"s\"><v>2</v></c></row>",
                               strings)),
              ElementsAre(Pair(1, ElementsAre("second", "first", "own", ""))));
}

TEST_F(Spreadsheets, FormulasCountByTheirLastValue) {
  EXPECT_THAT(rows_of(workbook("<row r=\"1\"><c><f>1+2</f><v>3</v></c></row>")),
              ElementsAre(Pair(1, ElementsAre("3"))));
}

// Excel's longest cell has 32767 characters; a line end begins a new piece of text, which is one too many.
TEST_F(Spreadsheets, CellsEndAtExcelsLimit) {
  const std::string longest(32767, 'a');
  const auto read = rows_of(workbook(row(1, {longest + "\nb", longest.substr(1) + "\nb", "c"})));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_THAT(read[0].second, ElementsAre(longest, longest.substr(1) + "\n", "c"));
  EXPECT_EQ(rows_of(text(longest + "\n"))[0].second[0], longest);
  EXPECT_THAT(error_of(text("x\n" + longest + "a\n")), HasSubstr("made.csv:2"));
}

TEST_F(Spreadsheets, DamagedWorkbooksSayWhichPart) {
  EXPECT_THAT(error_of(written({{"xl/workbook.xml", kWorkbook}})),
              HasSubstr("has no readable part xl/_rels/workbook.xml.rels"));
  EXPECT_THAT(
      error_of(written({{"xl/workbook.xml", "<workbook/>"}, {"xl/_rels/workbook.xml.rels", kRelations}})),
      HasSubstr("has no sheets"));
  EXPECT_THAT(error_of(workbook("</row>")), HasSubstr("xl/worksheets/one.xml that is not XML"));
  EXPECT_THAT(error_of(workbook("<row>")), HasSubstr("that is not XML"));
  EXPECT_THAT(error_of(text("PK\x03\x04 nothing")), HasSubstr("is not a whole .xlsx file"));
}

TEST_F(Spreadsheets, TextIsDividedByWhatItsFirstLineHasMostOf) {
  EXPECT_THAT(rows_of(text("a,b\tc\td\n1\t2,3\t4\n")),
              ElementsAre(Pair(1, ElementsAre("a,b", "c", "d")), Pair(2, ElementsAre("1", "2,3", "4"))));
  EXPECT_THAT(rows_of(text("a|b|c\n1,2|3|4\n")),
              ElementsAre(Pair(1, ElementsAre("a", "b", "c")), Pair(2, ElementsAre("1,2", "3", "4"))));
  EXPECT_THAT(rows_of(text("a,b|c\n")), ElementsAre(Pair(1, ElementsAre("a", "b|c"))));
}

}  // namespace
}  // namespace trainyard
