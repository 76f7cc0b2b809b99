// The program as a user runs it: what it prints, where, and its exit status.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace trainyard {

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("trainyard-cli-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  Ran run(const std::string& arguments) const { return run_program(TRAINYARD_PROGRAM, arguments); }

  Ran run_program(const std::string& program, const std::string& arguments) const {
    const std::string command =
        "\"" + program + "\" " + arguments + " >" + path("out") + " 2>" + path("err") + " </dev/null";
    const int raw = std::system(command.c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128, read_all(path("out")), read_all(path("err"))};
  }

  /// Refused with each of these words.
  void expect_refused(const std::string& question, const std::vector<std::string>& words) const {
    const Ran ran = run(question);
    EXPECT_EQ(ran.status, 2) << question << ran.err;
    for (const std::string& word : words)
      EXPECT_NE(ran.err.find(word), std::string::npos) << question << ran.err;
  }

  /// A small valid scenario with some text in place of one line.
  std::string scenario(const std::string& replace, const std::string& with) const {
    std::string text =
        "title = \"small\"\n[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = "
        "\"llama3-8b\"\n"
        "[mapping]\ntensor = 2\npipeline = 1\n";
    const auto at = text.find(replace);
    EXPECT_NE(at, std::string::npos) << replace;
    text.replace(at, replace.size(), with);
    return file("scenario.toml", text);
  }

  std::filesystem::path folder_;
};

}  // namespace trainyard
