#include "cli/progress.h"

#include <gmock/gmock.h>

namespace trainyard {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What a line that is shown three times leaves in a file.
std::string shown(bool terminal, Seconds every) {
  std::FILE* const file = std::tmpfile();
  {
    ProgressLine line(file, terminal, every);
    for (const char* text : {"one", "two", "three"}) line.show([&](Seconds) { return text; });
  }
  std::rewind(file);
  std::string out;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) out += static_cast<char>(c);
  std::fclose(file);
  return out;
}

TEST(ProgressLine, IsALineOfItsOwnInAFile) {
  EXPECT_EQ(shown(false, Seconds(0)), "progress: one\nprogress: two\nprogress: three\n");
}

TEST(ProgressLine, IsWrittenOverOnATerminal) {
  EXPECT_THAT(shown(true, Seconds(0)), HasSubstr("\rthree\x1b[K\n"));
  EXPECT_THAT(shown(true, Seconds(0)), Not(HasSubstr("progress:")));
}

TEST(ProgressLine, SaysNothingOfQuickWork) {
  EXPECT_EQ(shown(false, ProgressLine::kEveryElsewhere), "");
  EXPECT_EQ(shown(true, ProgressLine::kEveryOnTerminal), "");
}

TEST(ShareText, SaysWhatIsLeft) {
  EXPECT_EQ(share_text("rows", 0, 8, Seconds(3)), "rows: 0 of 8");
  EXPECT_EQ(share_text("rows", 2, 8, Seconds(10)), "rows: 2 of 8, 30.00 s left");
}

}  // namespace
}  // namespace trainyard
