// What a document may be, and what of it is refused before and after the parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/document.h"
#include "trainyard/files.h"

namespace trainyard {
namespace {

Table parsed(const std::string& text) {
  return parse_document(std::make_shared<const SourceText>(SourceText{"test.toml", text}));
}

/// The one finding of a text that must be refused.
Finding refused_at(const std::string& text) {
  try {
    parsed(text);
  } catch (const InputError& error) {
    EXPECT_EQ(error.findings().size(), 1u);
    return error.findings().front();
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 100);
  return {};
}

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST(Limits, AFileOfFourMebibytesIsReadAndOneByteMoreIsNot) {
  const std::size_t most = 4u << 20;
  EXPECT_NO_THROW(parsed(std::string(most, '#')));
  EXPECT_NE(refused_at(std::string(most + 1, '#')).message.find("4 MiB"), std::string::npos);
}

TEST(Limits, ATooLargeFileIsRefusedByItsName) {
  const auto path = std::filesystem::temp_directory_path() / "trainyard-large.toml";
  std::ofstream(path) << std::string((4u << 20) + 1, '#');
  try {
    read_document(path.string());
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.findings().front().where.source->name, path.string());
  }
  std::filesystem::remove(path);
}

TEST(Limits, AListOfFlowsMayBeLonger) {
  const auto path = std::filesystem::temp_directory_path() / "trainyard-list.csv";
  std::ofstream(path) << std::string((4u << 20) + 1, '#');
  EXPECT_EQ(read_list(path.string())->text.size(), (4u << 20) + 1);
  std::filesystem::remove(path);
}

TEST(Limits, AnEndlessFileIsTooLarge) {
  EXPECT_THROW(read_document("/dev/zero"), InputError);
  EXPECT_THROW(read_list("/dev/zero"), InputError);
}

TEST(Limits, FortyLevelsOfNestingAreReadAndAHundredAreNot) {
  EXPECT_NO_THROW(parsed("x = " + repeated("[", 40) + repeated("]", 40)));
  EXPECT_NO_THROW(parsed(repeated("a.", 40) + "a = 1"));
  EXPECT_NO_THROW(parsed("x = " + repeated("{a=", 40) + "1" + repeated("}", 40)));
  refused_at("x = " + repeated("[", 100) + repeated("]", 100));
  refused_at(repeated("a.", 100) + "a = 1");
  refused_at("x = " + repeated("{a=", 100) + "1" + repeated("}", 100));
  refused_at("[" + repeated("a.", 100) + "a]");
}

// Section headers that go one level deeper each time.
TEST(Limits, NestingByHeadersCountsToo) {
  std::string text;
  std::string key = "a";
  for (int i = 0; i < 200; ++i) {
    text += "[" + key + "]\n";
    key += ".a";
  }
  refused_at(text);
}

TEST(Refusal, NamesLineAndColumn) {
  struct Case {
    std::string text;
    int line;
    int column;
  };
  for (const Case& c : {Case{"a = 1\na = 2\n", 2, 5}, Case{"ok = 1\n\n  f\xC4\x83 = 1\n", 3, 4},
                        Case{"a = [1,\n 2,\n \xC4\xAD]\n", 3, 2}, Case{std::string("a = 1\n\0", 7), 2, 1}}) {
    const Finding finding = refused_at(c.text);
    EXPECT_EQ(finding.where.line, c.line) << c.text;
    EXPECT_EQ(finding.where.column, c.column) << c.text;
  }
}

TEST(Refusal, OfDuplicatedKeysAndTables) {
  for (const char* text : {"a = 1\na = 2", "[t]\n[t]", "a.b = 1\na = 2", "a = 1\n[a]", "t = {a = 1, a = 2}"})
    refused_at(text);
}

TEST(Refusal, OfTextsThatEndTooEarly) {
  for (const char* text :
       {"a", "a =", "[a", "[[a]", "a = \"x", "a = '''x", "a = [1", "a = {b = 1", "a = \"\\"})
    refused_at(text);
}

// dependencies.md: found by libFuzzer in toml++ 3.3; the last is
// fuzz/corpus/catalog/letters_outside_a_string.
TEST(Refusal, OfInputsThatBreakTheParserIsAnErrorOfTheUser) {
  for (const std::string& text :
       {std::string("[!m["), std::string("[@x]"), std::string("[\0~", 3), std::string("[a.\xC4\xAD]"),
        std::string("a = \xC4\xAD"), std::string("x = [\"\"\"a\"\"\"\", \xC4\xAD]"),
        std::string("x = ['''a'''', \xC4\xAD]"), std::string("\xED\xA0\x80 = 1"),
        std::string("a = \"\\UFFFFFFFF\""), std::string("a = \"\xC0\x80\"")}) {
    EXPECT_FALSE(refused_at(text).message.empty()) << text;
  }
}

TEST(Document, ReadsEveryKindOfValue) {
  const Table t = parsed("b = true\ni = -7\nh = 0xff\nf = 6.25e2\ns = 'x\\n'\na = [1, 'x']\nt = {k = 1}\n");
  EXPECT_EQ(*t.find("b")->as<bool>(), true);
  EXPECT_EQ(*t.find("i")->as<std::int64_t>(), -7);
  EXPECT_EQ(*t.find("h")->as<std::int64_t>(), 255);
  EXPECT_EQ(*t.find("f")->as<double>(), 625.0);
  EXPECT_EQ(*t.find("s")->as<std::string>(), "x\\n");
  EXPECT_EQ(t.find("a")->as<Array>()->size(), 2u);
  EXPECT_EQ(*t.find("t")->as<Table>()->find("k")->as<std::int64_t>(), 1);
  EXPECT_EQ(t.find("x"), nullptr);
}

TEST(Document, StringsOfManyLinesDoNotShiftWhatFollows) {
  const Table t = parsed("a = \"\"\"\none # [\ntwo \\\"\"\"\"\nb = '''\n'x''''\nc = 1\n");
  EXPECT_EQ(*t.find("a")->as<std::string>(), "one # [\ntwo \"");
  EXPECT_EQ(*t.find("b")->as<std::string>(), "'x'");
  EXPECT_EQ(t.find("c")->where().line, 6);
}

TEST(Document, TakesDosLineEnds) {
  const Table t = parsed("a = 1\r\n[t]\r\nb = 2\r\n");
  EXPECT_EQ(t.find("t")->as<Table>()->find("b")->where().line, 3);
}

// Notepad and Excel write one; toml.io: "a UTF-8 byte order mark should be ignored".
TEST(Document, AByteOrderMarkIsIgnored) {
  Table table;
  EXPECT_NO_THROW(table = parsed("\xEF\xBB\xBF"
                                 "a = 1\n"));
  EXPECT_NE(table.find("a"), nullptr);
}

// Any bytes: a table or an InputError, nothing else.
RC_GTEST_PROP(Document, AnyTextIsReadOrRefused, (const std::string& text)) {
  try {
    parsed(text);
  } catch (const InputError& error) {
    RC_ASSERT(!error.findings().empty());
    RC_ASSERT(!error.findings().front().message.empty());
  }
}

RC_GTEST_PROP(Document, TextsOfTomlsOwnLettersAreReadOrRefused, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element(
      '[', ']', '{', '}', '=', '.', '"', '\'', '\\', '#', '\n', ',', 'a', '1', '-', '\0', '\x80'));
  try {
    parsed(text);
  } catch (const InputError& error) {
    RC_ASSERT(!error.findings().empty());
  }
}

TEST(Assignment, ReadsEveryKindOfTomlValue) {
  EXPECT_EQ(*parse_assignment("a=true", "--set").value.as<bool>(), true);
  EXPECT_EQ(*parse_assignment("a=1.5", "--set").value.as<double>(), 1.5);
  EXPECT_EQ(*parse_assignment("a=\"x y\"", "--set").value.as<std::string>(), "x y");
  EXPECT_EQ(parse_assignment("a=[1, 2]", "--set").value.as<Array>()->size(), 2u);
  EXPECT_NE(parse_assignment("a={b = 1}", "--set").value.as<Table>(), nullptr);
}

TEST(Assignment, WhatIsNoTomlIsABareString) {
  for (const char* text : {"fp8", "nvl72-gb200", "$100B", "60 ms", "1\nb=2", "a=b", "1979-05-27"})
    EXPECT_EQ(*parse_assignment(std::string("key=") + text, "--set").value.as<std::string>(), text);
}

TEST(Assignment, WhatIsMeantAsTomlIsNone) {
  for (const char* text : {"[", "\"", "{a = 1", "[{stage = 9223372036854775808}]"})
    EXPECT_THROW(parse_assignment(std::string("key=") + text, "--set"), InputError) << text;
}

TEST(Assignment, OfNothingIsAnEmptyString) {
  EXPECT_EQ(*parse_assignment("key=", "--set").value.as<std::string>(), "");
}

TEST(Assignment, ErrorsNameTheFlag) {
  try {
    parse_assignment("no-equals-sign", "--set");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--set no-equals-sign"), std::string::npos) << error.what();
  }
}

TEST(Assignment, OfADeepKeyIsRefused) {
  EXPECT_NO_THROW(parse_assignment(repeated("a.", 40) + "a=1", "--set"));
  EXPECT_THROW(parse_assignment(repeated("a.", 100000) + "a=1", "--set"), InputError);
}

}  // namespace
}  // namespace trainyard
