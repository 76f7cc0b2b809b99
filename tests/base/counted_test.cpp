#include "base/counted.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(1, "plane"), "1 plane");
  EXPECT_EQ(counted(0, "plane"), "0 planes");
  EXPECT_EQ(counted("12,288", "device"), "12,288 devices");
  EXPECT_EQ(counted("1.5", "replica"), "1.5 replicas");
}

TEST(Counted, VerbsAgree) {
  EXPECT_EQ(agreeing(1, "holds", "hold"), "holds");
  EXPECT_EQ(agreeing(0, "holds", "hold"), "hold");
  EXPECT_EQ(agreeing(2, "holds", "hold"), "hold");
}

TEST(Counted, PluralsOfEnglish) {
  EXPECT_EQ(counted(2, "switch"), "2 switches");
  EXPECT_EQ(counted(2, "class"), "2 classes");
  EXPECT_EQ(counted(2, "copy"), "2 copies");
  EXPECT_EQ(counted(2, "way"), "2 ways");
  EXPECT_EQ(plural_of("oy"), "oys");
}

}  // namespace
}  // namespace trainyard
