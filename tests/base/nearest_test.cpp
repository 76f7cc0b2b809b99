#include "trainyard/nearest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace trainyard {
namespace {

const std::vector<std::string> kKeys = {"tensor", "pipeline", "data", "context", "expert"};

TEST(Nearest, UndoesOneInsertionDeletionReplacementOrSwap) {
  for (const char* typo : {"tennsor", "tenor", "tencor", "tesnor"}) EXPECT_EQ(nearest(typo, kKeys), "tensor");
}

TEST(Nearest, IsSilentAboutNamesThatAreFar) {
  for (const char* other : {"", "x", "topology", "tpu-v4", "sequence"}) EXPECT_EQ(nearest(other, kKeys), "");
  EXPECT_EQ(nearest("tensor", {}), "");
}

TEST(Nearest, TakesTheClosestOfSeveral) {
  EXPECT_EQ(nearest("llama3-80b", {"llama2-70b", "llama3-8b", "llama3-405b"}), "llama3-8b");
  EXPECT_EQ(nearest("dgx-h10", {"dgx-a100", "dgx-h100", "dgx-v100"}), "dgx-h100");
}

TEST(Nearest, LettersOfTheOtherCaseAreNearerThanOtherLetters) {
  EXPECT_EQ(nearest("gbps", {"bps", "kbps", "Gbps"}), "Gbps");
  EXPECT_EQ(nearest("MW", {"mW", "MWh"}), "mW");
}

TEST(Nearest, DoesNotSearchForVeryLongNames) { EXPECT_EQ(nearest(std::string(100000, 't'), kKeys), ""); }

TEST(Suggestion, ListsWhatIsAllowedWhenNothingIsNear) {
  EXPECT_EQ(suggestion("zzzzzz", {"red", "green"}), "allowed: red, green");
}

TEST(Suggestion, NamesAllThatHoldAWord) {
  const std::vector<std::string> hardware = {"dgx-a100", "dgx-h100", "h100-sxm", "h200", "ah100"};
  EXPECT_EQ(suggestion("h100", hardware), "did you mean 'dgx-h100' or 'h100-sxm'?");  // not the nearest, h200
  EXPECT_EQ(suggestion("dgx-h10", hardware), "did you mean 'dgx-h100'?");
  EXPECT_EQ(suggestion("dgx", hardware), "did you mean 'dgx-a100' or 'dgx-h100'?");
  EXPECT_EQ(suggestion("100", hardware),
            "allowed: dgx-a100, dgx-h100, h100-sxm, h200, ah100");  // no word begins so
}

TEST(Suggestion, KnowsWordsInAnotherOrderAndWithOtherMarks) {
  const std::vector<std::string> keys = {"nvl72-gb200", "dgx-b200", "gpt3-175b", "gpt-oss-20b"};
  EXPECT_EQ(suggestion("gb200-nvl72", keys), "did you mean 'nvl72-gb200'?");
  EXPECT_EQ(suggestion("GB200 NVL72", keys), "did you mean 'nvl72-gb200'?");
  EXPECT_EQ(suggestion("gpt-3", keys), "did you mean 'gpt3-175b'?");
}

TEST(Suggestion, CutsLongLists) {
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back("name" + std::to_string(i));
  const std::string text = suggestion("?", many);
  EXPECT_NE(text.find("(100 in all)"), std::string::npos);
  EXPECT_LT(text.size(), 300u);
}

RC_GTEST_PROP(Nearest, FindsEveryNameThatIsGivenExactly, ()) {
  const std::string name = *rc::gen::element<std::string>("tensor", "pipeline", "data", "context", "expert");
  RC_ASSERT(nearest(name, kKeys) == name);
}

// One replaced letter in a name of four letters or more is within a third of its length.
RC_GTEST_PROP(Nearest, FindsNamesWithOneWrongLetter, ()) {
  std::string name = *rc::gen::element<std::string>("tensor", "pipeline", "data", "context", "expert");
  const std::string right = name;
  name[*rc::gen::inRange<std::size_t>(0, name.size())] = 'q';
  RC_ASSERT(nearest(name, kKeys) == right);
}

}  // namespace
}  // namespace trainyard
