#include "trainyard/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <thread>

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
  for (const std::size_t bytes : {1, 4'095, 4'096, 4'097, 65'535, 65'536, 65'537, 69'632, 200'000}) {
    std::string text(bytes, 'x');
    text.back() = 'y';
    write_file(path, text);
    EXPECT_EQ(read_file(path), text) << bytes;
  }
  EXPECT_NE(read_file("/proc/self/status").find("Name:"), std::string::npos);  // which says that it has none
}

TEST_F(Files, AreNotReadBeyondTheirLimit) {
  const std::string path = (folder_ / "x").string();
  write_file(path, "12345");
  EXPECT_EQ(read_file(path, 5), "12345");
  EXPECT_THROW(read_file(path, 4), InputError);
  EXPECT_THROW(read_file("/dev/zero", 1 << 20), InputError);
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40U);  // holes
  EXPECT_THROW(read_text(path), InputError);
  EXPECT_THROW(read_file(path), InputError);
}

TEST_F(Files, BehindLinksAreWrittenAndTheLinksStay) {
  namespace fs = std::filesystem;
  write_file((folder_ / "target").string(), "old");
  fs::create_symlink("target", folder_ / "link");
  fs::create_symlink("link", folder_ / "link_to_link");
  fs::create_symlink("none yet", folder_ / "dangling");
  fs::create_symlink("round", folder_ / "round");
  write_file((folder_ / "link_to_link").string(), "new");
  write_file((folder_ / "dangling").string(), "made");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link_to_link"));
  EXPECT_EQ(read_file((folder_ / "target").string()), "new");
  EXPECT_EQ(read_file((folder_ / "none yet").string()), "made");
  EXPECT_THROW(write_file((folder_ / "round").string(), "x"), InputError);
  remove_written((folder_ / "link").string());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_FALSE(fs::exists(folder_ / "target"));
}

TEST_F(Files, KeepTheirPermissions) {
  namespace fs = std::filesystem;
  const fs::path path = folder_ / "x";
  write_file(path.string(), "one");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_file(path.string(), "two");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, OfKilledRunsAreClearedAwayAndNoOthers) {
  namespace fs = std::filesystem;
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  ASSERT_EQ(waitpid(ended, nullptr, 0), ended);
  const auto leave = [&](const std::string& name) { std::ofstream(folder_ / name) << "half"; };
  leave("x.part" + std::to_string(ended));
  leave("x.part1");  // of a process that runs
  leave("x.partial");
  leave("y.part" + std::to_string(ended));
  write_file((folder_ / "x").string(), "whole");
  EXPECT_FALSE(fs::exists(folder_ / ("x.part" + std::to_string(ended))));
  EXPECT_TRUE(fs::exists(folder_ / "x.part1"));
  EXPECT_TRUE(fs::exists(folder_ / "x.partial"));
  EXPECT_TRUE(fs::exists(folder_ / ("y.part" + std::to_string(ended))));
}

TEST_F(Files, ThatAreOpenAlreadyAreWrittenWhereTheyAre) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  write_file("/dev/fd/" + std::to_string(ends[1]), "through");
  EXPECT_THROW(write_file("/dev/fd/" + std::to_string(ends[0]), "back"), InputError);
  close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "through");
  close(ends[0]);
  EXPECT_THROW(write_file("/dev/fd/999", "nowhere"), InputError);
}

TEST_F(Files, ThatArePipesWaitForTheOtherSide) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { write_file(path, "late"); });
  EXPECT_EQ(read_file(path), "late");
  writer.join();
  std::thread empty([&] { close(open(path.c_str(), O_WRONLY)); });
  EXPECT_EQ(read_file(path), "");
  empty.join();
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
  TextHash parts;
  for (const char* part : {"foo", "", "bar"}) parts.add(part);
  EXPECT_EQ(parts.digits(), text_hash("foobar"));
}

}  // namespace
}  // namespace trainyard
