#include "base/document.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

std::shared_ptr<const SourceText> text(const std::string& content) {
  return std::make_shared<const SourceText>(SourceText{"test.toml", content});
}

Finding refused(const std::string& content) {
  try {
    parse_document(text(content));
  } catch (const InputError& error) {
    return error.findings().front();
  }
  ADD_FAILURE() << "accepted: " << content;
  return {};
}

TEST(Document, KeysAndValuesKnowTheirPlace) {
  const Table table = parse_document(text("a = 1\n[section]\n  key = \"x\"\n"));
  const Table* section = table.find("section")->as<Table>();
  ASSERT_NE(section, nullptr);
  EXPECT_EQ(section->members.front().where.line, 3);
  EXPECT_EQ(section->members.front().where.column, 3);
  EXPECT_EQ(section->find("key")->where().column, 9);
}

TEST(Document, MembersKeepTheOrderOfTheText) {
  const Table table = parse_document(text("zebra = 1\nant = 2\n"));
  EXPECT_EQ(table.members.front().key, "zebra");
}

TEST(Document, SyntaxErrorsHaveAPlace) {
  const Finding finding = refused("a = 1\nb = = 2\n");
  EXPECT_EQ(finding.where.line, 2);
}

TEST(Document, KeysThatStandTwiceAreNamed) {
  for (const auto& [content, said] :
       std::vector<std::pair<std::string, std::string>>{{"a = 1\na = 2\n", "'a' stands twice"},
                                                        {"[s]\nb = 1\n[s]\nc = 1\n", "'s' stands twice"},
                                                        {"[s]\nb = 1\n[s.b]\nc = 1\n", "'s.b' stands twice"},
                                                        {"l = []\n[[l]]\na = 1\n", "'l' stands twice"},
                                                        {"t = { a = 1, a = 2 }\n", "'a' stands twice"},
                                                        {"t = { a = 1, a.b = 2 }\n", "a key stands twice"},
                                                        {"\"a\" = 1\n\"a\" = 2\n", "a key stands twice"}}) {
    const Finding finding = refused(content);
    EXPECT_EQ(finding.message, said) << content;
    EXPECT_EQ(finding.help, "once each") << content;
  }
}

// Each of these made toml++ 3.3 abort or run into undefined behaviour.
TEST(Document, RefusesWhatBreaksItsParser) {
  for (const std::string& content :
       {std::string("[!m["), std::string("[@x]"), std::string("[\0~", 3), std::string("\xC4\xAD"),
        std::string("'\xFF\xFF'"), std::string("\"\\uD800\"=1")}) {
    refused(content);
  }
}

TEST(Document, RefusesDeepNestingWithoutRecursionToTheEnd) {
  std::string dotted = "a";
  for (int i = 0; i < 100000; ++i) dotted += ".a";
  refused(dotted + " = 1");
  std::string brackets(100000, '[');
  brackets.insert(0, "x = ");
  refused(brackets);
  refused("[" + dotted + "]");
}

TEST(Document, RefusesTextsThatAreTooLarge) { refused(std::string((4u << 20) + 1, '#')); }

TEST(Document, RefusesDates) {
  EXPECT_NE(refused("a = 2024-01-01").message.find("dates"), std::string::npos);
}

TEST(Document, LettersOutsideAsciiAreFineInStringsAndComments) {
  const Table table =
      parse_document(text("# B\xC4\x83"
                          "doiu\nname = \"B\xC4\x83"
                          "doiu\"\n"));
  EXPECT_EQ(*table.find("name")->as<std::string>(),
            "B\xC4\x83"
            "doiu");
}

TEST(Document, AnUnreadableFileIsNamed) {
  EXPECT_THROW(read_document("/no/such/file.toml"), InputError);
  EXPECT_THROW(read_document(std::filesystem::temp_directory_path().string()), InputError);
}

TEST(Assignment, TakesTomlOrABareString) {
  const Member number = parse_assignment("a.b=5", "--set");
  EXPECT_EQ(number.key, "a");
  EXPECT_EQ(*number.value.as<Table>()->find("b")->as<std::int64_t>(), 5);
  const Member bare = parse_assignment("rate=800 Gbps", "--set");
  EXPECT_EQ(*bare.value.as<std::string>(), "800 Gbps");
}

// As a line of a scenario has it.
TEST(Assignment, BlanksAroundTheEqualsSignAreNobodys) {
  for (const char* text : {"a.b=5", "a.b =5", "a.b= 5", "a.b = 5", " a.b\t=\t5 "}) {
    const Member number = parse_assignment(text, "--set");
    EXPECT_EQ(number.key, "a") << text;
    EXPECT_EQ(*number.value.as<Table>()->find("b")->as<std::int64_t>(), 5) << text;
  }
  EXPECT_EQ(*parse_assignment("a = 800 Gbps ", "--set").value.as<std::string>(), "800 Gbps");
  EXPECT_EQ(*parse_assignment("a = ", "--set").value.as<std::string>(), "");
  EXPECT_EQ(*parse_assignment("a = ' b '", "--set").value.as<std::string>(), " b ");  // quoted ones are meant
  EXPECT_EQ(*parse_assignment("a = b = c", "--set").value.as<std::string>(), "b = c");
}

TEST(Assignment, ColumnsAreThoseOfWhatWasTyped) {
  const auto column = [](const std::string& text) {
    return parse_assignment(text, "--set").value.as<Table>()->find("c")->where().column;
  };
  EXPECT_EQ(column("a={b=1, c=2}"), 11);
  EXPECT_EQ(column("a = {b=1, c=2}"), 13);
  EXPECT_EQ(column("a   =   {b=1, c=2}"), 17);
}

TEST(Assignment, WordsThatBeginAsValuesAreTheirsOrBare) {
  const auto value = [](const char* text) {
    return parse_assignment(std::string("a=") + text, "--set").value;
  };
  EXPECT_TRUE(std::isinf(*value("inf").as<double>()));
  EXPECT_TRUE(std::isnan(*value("nan # none").as<double>()));
  EXPECT_TRUE(*value("true").as<bool>());
  for (const char* bare : {"infinity", "nano", "truely", "falsehood", "false x", "ndp", "Z80", "a b = c",
                           "800 Gbps", "50 us", "1.5 GB", "/data/a.csv", "./b", "007", "5 6", "1979-05-27 x"})
    EXPECT_EQ(*value(bare).as<std::string>(), bare);
  EXPECT_EQ(*value("5 # five").as<std::int64_t>(), 5);
  EXPECT_EQ(*value("0").as<std::int64_t>(), 0);
  EXPECT_EQ(*value("999999999999999999").as<std::int64_t>(), 999'999'999'999'999'999);
  EXPECT_EQ(*value("9223372036854775807").as<std::int64_t>(), 9'223'372'036'854'775'807);
  EXPECT_EQ(*value("9223372036854775808").as<std::string>(), "9223372036854775808");
}

TEST(Assignment, SaysThatListsAreSetWhole) {
  for (const char* key : {"site.radii[1]", "tier[0].queue", "design[].planes"}) {
    try {
      parse_assignment(std::string(key) + "=3", "--set");
      ADD_FAILURE() << key << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(error.findings().front().message.find("lists are set whole"), std::string::npos) << key;
    }
  }
}

TEST(Assignment, HelpsWithWhatIsWrong) {
  const auto help = [](const std::string& assignment) -> std::string {
    try {
      parse_assignment(assignment, "--set");
    } catch (const InputError& error) {
      return error.findings().front().help;
    }
    ADD_FAILURE() << "accepted: " << assignment;
    return {};
  };
  EXPECT_EQ(help("a=[{ b = 1, b = 2 }]"), "once each");
  EXPECT_EQ(help("a={ b = 1, b = 2 }"), "once each");
  EXPECT_NE(help("a=[{ b = leaf 0 }]").find("{ name = 'text' }"), std::string::npos);
  EXPECT_NE(help("a=[{ b = 1 ]").find("[1, 2]"), std::string::npos);
  EXPECT_NE(help("a=\"b").find("ends with the same"), std::string::npos);
}

TEST(Assignment, RefusesKeysWithoutParts) {
  for (const char* bad : {"", "=", "a", "=5", ".a=1", "a.=1", "a..b=1", " ", " = ", " =5"})
    EXPECT_THROW(parse_assignment(bad, "--set"), InputError) << bad;
}

}  // namespace
}  // namespace trainyard
