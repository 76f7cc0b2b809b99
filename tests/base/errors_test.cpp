#include "base/errors.h"

#include <gtest/gtest.h>

#include "trainyard/errors.h"
#include "trainyard/printable.h"

namespace trainyard {
namespace {

Location at(const std::string& text, int line, int column) {
  return {std::make_shared<const SourceText>(SourceText{"my.toml", text}), line, column};
}

TEST(Describe, PrintsFileLineColumnExcerptCaretAndHelp) {
  const Finding finding{at("a = 1\ntensr = 2\n", 2, 1), "unknown key 'tensr'", "did you mean 'tensor'?"};
  EXPECT_EQ(describe(finding),
            "my.toml:2:1: error: unknown key 'tensr'\n"
            "      2 | tensr = 2\n"
            "        | ^\n"
            "  help: did you mean 'tensor'?");
}

TEST(Describe, TheCaretStandsBelowItsColumn) {
  const std::string text = describe(Finding{at("key =  nan", 1, 8), "m", ""});
  const std::string below = text.substr(text.rfind('\n') + 1);
  EXPECT_EQ(below, "        |        ^");
}

TEST(Describe, ATextWithoutLinesIsOnlyNamed) {
  EXPECT_EQ(describe(Finding{whole("--set a=b"), "wrong", ""}), "--set a=b: error: wrong");
  EXPECT_EQ(describe(Finding{{}, "wrong", ""}), "error: wrong");
}

TEST(Describe, LongLinesAreShownAroundThePlace) {
  const auto source = std::make_shared<const SourceText>(
      SourceText{"jobs.json", std::string(500, 'a') + std::string(40, '=') + "here" + std::string(500, 'b')});
  EXPECT_EQ(describe({{source, 1, 541}, "wrong", ""}),
            "jobs.json:1:541: error: wrong\n      1 | ... " + std::string(40, '=') + "here" +
                std::string(116, 'b') + "\n        | " + std::string(44, ' ') + "^");
}

TEST(Describe, PlacesOutsideOfTheTextHaveNoExcerpt) {
  EXPECT_EQ(describe(Finding{at("a", 7, 1), "m", ""}), "my.toml:7:1: error: m");
  EXPECT_EQ(describe(Finding{at("a", 1, 50), "m", ""}), "my.toml:1:50: error: m");
}

TEST(Describe, LongLinesAreCut) {
  EXPECT_LT(describe(Finding{at(std::string(100000, 'a'), 1, 3), "m", ""}).size(), 500u);
}

// ESC ] 0 ; ... BEL sets a terminal's title; a file must not.
TEST(Describe, ControlCharactersDoNotReachTheTerminal) {
  Location where = at("\x1b]0;owned\x07 = 1", 1, 1);
  const std::string text = describe(Finding{where, "key '\x1b[2J'", "try '\x07'"});
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c != '\x7f')) << static_cast<int>(c);
}

TEST(Describe, TabsKeepTheCaretInPlace) {
  const std::string text = describe(Finding{at("\tkey = 1", 1, 2), "m", ""});
  EXPECT_NE(text.find("|  key = 1\n        |  ^"), std::string::npos) << text;
}

TEST(InputError, CarriesEveryFindingAndSpeaksOfTheFirst) {
  Findings findings;
  EXPECT_TRUE(findings.empty());
  EXPECT_NO_THROW(findings.throw_if_any());
  findings.add(whole("a"), "first");
  findings.add(whole("b"), "second");
  try {
    findings.throw_if_any();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.findings().size(), 2u);
    EXPECT_STREQ(error.what(), "a: error: first");
  }
}

TEST(SectionPlaces, AreTheSectionsWhereAKeyIsNotGiven) {
  const auto places =
      std::make_shared<const SectionPlaces>(SectionPlaces{at("", 3, 1), {{"from", at("", 5, 2)}}});
  EXPECT_EQ(place_of(places).line, 3);
  EXPECT_EQ(place_of(places, "from").line, 5);
  EXPECT_EQ(place_of(places, "until").line, 3);
  EXPECT_EQ(given_place(places, "from")->line, 5);
  EXPECT_EQ(given_place(places, "until"), nullptr);
}

TEST(SectionPlaces, AreNowhereForARecordThatNoTextSays) {
  EXPECT_EQ(place_of(nullptr).source, nullptr);
  EXPECT_EQ(place_of(nullptr, "from").source, nullptr);
  EXPECT_EQ(given_place(nullptr, "from"), nullptr);
}

TEST(SectionPlaces, TakeOneMoreWithoutAChangeOfTheOthers) {
  const auto first = with_place(nullptr, "key", at("", 1, 1));
  const auto both = with_place(first, "values", at("", 2, 1));
  EXPECT_EQ(first->keys.size(), 1u);
  EXPECT_EQ(both->keys.at("key").line, 1);
  EXPECT_EQ(both->keys.at("values").line, 2);
  EXPECT_EQ(with_place(both, "key", at("", 9, 1))->keys.at("key").line, 9);
}

TEST(Infeasible, SaysConstraintAndShortfall) {
  const Infeasible answer("device memory", "3 GB are missing", "");
  EXPECT_STREQ(answer.what(), "device memory: 3 GB are missing");
}

TEST(BrokenInvariantDeathTest, StopsTheProgramWithWhatItKnew) {
  EXPECT_DEATH(TY_ASSERT(1 + 1 == 3, "two"), "broken invariant: 1 \\+ 1 == 3 .*two");
}

TEST(Printable, BytesThatBeginNoCharacterAreReplaced) {
  EXPECT_EQ(printable("a\x7E\xC2\xB5"), "a~\xC2\xB5");
  EXPECT_EQ(printable("a\x80z"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(printable("a\xC1\xBFz"), "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  EXPECT_EQ(printable("a\xC2\x80"), "a\\u0080");
}

}  // namespace
}  // namespace trainyard
