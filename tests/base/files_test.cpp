#include "trainyard/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/csv.h"
#include "base/document.h"
#include "base/hash.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("trainyard-files-" + std::to_string(getpid()));
};

TEST_F(Files, AreReplacedWholeAndLeaveNothingBeside) {
  const std::string path = (folder_ / "x").string();
  write_file(path, "one");
  write_file(path, "two");
  EXPECT_EQ(read_text(path)->text, "two");
  const std::filesystem::directory_iterator entries(folder_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(Files, ThatCannotBeWrittenAreErrors) {
  EXPECT_THROW(write_file((folder_ / "no" / "x").string(), "one"), InputError);
  EXPECT_THROW(write_file(folder_.string(), "one"), InputError);
}

TEST_F(Files, ThatDoNotEndOrCannotBeReadAreErrors) {
  EXPECT_THROW(read_file("/dev/zero"), InputError);
  EXPECT_THROW(read_file("/proc/self/mem"), InputError);
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST_F(Files, AreReadWholeHoweverLong) {
  const std::string path = (folder_ / "x").string();
  std::string text(200'000, 'x');
  text.back() = 'y';
  write_file(path, text);
  EXPECT_EQ(read_file(path), text);
}

TEST_F(Files, AreKnownNotToBeWritableBefore) {
  EXPECT_THROW(check_writable((folder_ / "no" / "x").string()), InputError);
  EXPECT_THROW(check_writable(folder_.string()), InputError);
  check_writable((folder_ / "x").string());
  check_writable("x");
  check_writable("/dev/null");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
}

TEST_F(Files, AnOutputIsNeitherAnInputNorAnotherOutput) {
  const std::string in = (folder_ / "in.toml").string();
  const std::string out = (folder_ / "out").string();
  const std::string same = (folder_ / "." / "out").string();
  write_file(in, "x");
  const NamedFile input{"scenario", in, ""};
  EXPECT_NO_THROW(check_apart({input}, {{"--a", out, ""}, {"--b", out + "2", ""}}));
  EXPECT_THROW(check_apart({input}, {{"--a", in, ""}}), InputError);
  EXPECT_THROW(check_apart({{"--catalog", folder_.string(), ""}}, {{"--a", in, ""}}), InputError);
  EXPECT_THROW(check_apart({input}, {{"--a", out, ""}, {"--b", same, ""}}), InputError);
  EXPECT_NO_THROW(check_apart({{"--resume", in, "--checkpoint"}}, {{"--checkpoint", in, ""}}));
  EXPECT_THROW(check_apart({{"--resume", in, "--checkpoint"}}, {{"--report", in, ""}}), InputError);
  EXPECT_NO_THROW(check_apart({}, {{"--a", "/dev/null", ""}, {"--b", "/dev/null", ""}}));
}

TEST(Csv, ReadsQuotedFieldsAndBothLineEnds) {
  const auto records = parse_csv("a,\"b,\"\"c\"\"\"\r\n\r\n1,2\nlast,");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0][1], "b,\"c\"");
  EXPECT_EQ(records[2], (std::vector<std::string>{"last", ""}));
}

TEST(Hash, IsFnv1a) {
  // Test vectors of the FNV authors.
  EXPECT_EQ(text_hash(""), "cbf29ce484222325");
  EXPECT_EQ(text_hash("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(text_hash("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace trainyard
