// catalog: entries of the user's own.
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, ACatalogFolderAddsEntries) {
  const std::string folder = path("mine");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/more.toml")
      << "[accelerators.h100-big]\nbased_on = \"h100-sxm\"\nmemory = \"160 GB\"\n"
         "source = \"a wish\"\n";
  const Ran ran = run("catalog show h100-big --catalog " + folder);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("160"), std::string::npos) << ran.out;
}

TEST_F(Cli, BlanksAroundTheEqualsSignOfAFilterAreNobodys) {
  const Ran tight = run("catalog list accelerators --where vendor=AMD --json");
  EXPECT_EQ(tight.status, 0) << tight.err;
  EXPECT_NE(tight.out.find("AMD"), std::string::npos);
  EXPECT_EQ(run("catalog list accelerators --where ' vendor = AMD ' --json").out, tight.out);
  expect_refused("catalog list accelerators --where ' = AMD'", {"expected field=text"});
}

// As an entry's section in a file.
TEST_F(Cli, ASourceMayFollowWhatItIsTheSourceOf) {
  const std::string memory = " --set 'catalog.accelerators.h100-sxm.memory=\"90 GB\"'";
  const std::string source = " --set catalog.accelerators.h100-sxm.source=test";
  const Ran one = run("plan llama3-405b --json" + source + memory);
  ASSERT_EQ(one.status, 0) << one.err;
  const Ran other = run("plan llama3-405b --json" + memory + source);
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(nlohmann::json::parse(other.out)["mapping"], nlohmann::json::parse(one.out)["mapping"]);
  EXPECT_EQ(run("plan llama3-405b" + memory).status, 2);
}

TEST_F(Cli, BlanksAroundTheEqualsSignOfAnEntryAreNobodys) {
  const std::string set = "plan llama3-405b --json --set ";
  const std::string entry = R"({memory = "90 GB", source = "a wish"})";
  const Ran tight = run(set + "'catalog.accelerators.h100-sxm=" + entry + "'");
  EXPECT_EQ(tight.status, 0) << tight.err;
  const Ran wide = run(set + "' catalog.accelerators.h100-sxm = " + entry + "'");
  EXPECT_EQ(wide.out, tight.out) << wide.err;
}

}  // namespace
}  // namespace trainyard
