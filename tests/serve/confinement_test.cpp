// What a process that answers a question can still do: asked of one that is confined so.
#include "serve/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

namespace trainyard::serving {
namespace {

constexpr std::size_t kBlock = 2'000'000'000;

/// Whether the condition holds in a process with these limits.
bool holds(const Confinement& limits, const std::function<bool()>& condition) {
  const pid_t process = fork();
  if (process == 0) {
    confine(limits);
    _exit(condition() ? 0 : 1);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool can_open(const std::string& path, int flags = O_RDONLY) {
  const int file = open(path.c_str(), flags, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

class Confined : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("trainyard-serve-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "own.toml") << "a = 1\n";
    if (syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 0)
      GTEST_SKIP() << "this kernel has no Landlock";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(Confined, ReadsNothingButItsFolder) {
  const Confinement limits{.folder = folder_.string()};
  EXPECT_TRUE(holds(limits, [] { return can_open("own.toml"); })) << "relative to the folder";
  EXPECT_TRUE(holds(limits, [] { return !can_open("/etc/passwd"); }));
  EXPECT_TRUE(holds(limits, [] { return !can_open(".."); }));
  std::filesystem::create_symlink("/etc/passwd", folder_ / "link");
  EXPECT_TRUE(holds(limits, [] { return !can_open("link"); }));
}

TEST_F(Confined, ReadsNothingWithoutAFolder) {
  const std::string own = (folder_ / "own.toml").string();
  EXPECT_TRUE(can_open(own));
  EXPECT_TRUE(holds({}, [&] { return !can_open(own) && !can_open("/etc/passwd"); }));
}

TEST_F(Confined, WritesNothing) {
  const Confinement limits{.folder = folder_.string()};
  EXPECT_TRUE(holds(limits, [] { return !can_open("new", O_WRONLY | O_CREAT); }));
  EXPECT_TRUE(holds(limits, [] { return !can_open("own.toml", O_WRONLY); }));
  EXPECT_TRUE(holds(limits, [] { return unlink("own.toml") != 0; }));
}

TEST(Confinement, LimitsMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer's own tables lie beyond any limit";
#endif
  const auto has_block = [] {
    void* volatile block = std::malloc(kBlock);  // NOLINT: it may fail, and must be asked for
    std::free(block);                            // NOLINT
    return block != nullptr;
  };
  EXPECT_TRUE(holds({.memory = Bytes(4e9)}, has_block));
  EXPECT_FALSE(holds({.memory = Bytes(1e9)}, has_block));
}

}  // namespace
}  // namespace trainyard::serving
