// new: a scenario from answers, that the other verbs take as it is.
#include <gmock/gmock.h>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, NewWritesAScenarioThatPlanTakes) {
  const Ran ran = run("new " + path("my.toml"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, testing::HasSubstr("no terminal to ask on"));
  const std::string text = read_all(path("my.toml"));
  EXPECT_THAT(text, testing::HasSubstr("devices = 1024 "));
  EXPECT_THAT(text, testing::HasSubstr("# batch_tokens = "));
  const Ran plan = run("plan " + path("my.toml"));
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_THAT(plan.out, testing::HasSubstr("1,024 H100 SXM in 128 x DGX H100"));
  EXPECT_EQ(run("network " + path("my.toml")).status, 0);
}

TEST_F(Cli, NewTakesFlagsForAnswers) {
  const Ran ran =
      run("new " + path("my.toml") +
          " --accelerators gb200 --devices 1,440 --model deepseek-v3 --tokens 14.8T --batch-tokens 16M "
          "--rate '100 GB/s' --topology rail_only");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string text = read_all(path("my.toml"));
  for (const char* line :
       {"devices = 1440 ", "hb_domain = \"nvl72-gb200\" ", "tokens = 14800000000000 ",
        "batch_tokens = 16000000 ", "scale_out_rate = \"800 Gbps\" ", "topology = \"rail_only\" "})
    EXPECT_THAT(text, testing::HasSubstr(line));
  EXPECT_EQ(run("plan " + path("my.toml")).status, 0);
}

TEST_F(Cli, NewRefusesWhatIsNoAnswer) {
  const std::string verb = "new " + path("my.toml");
  expect_refused(verb + " --accelerators dgx-h10", {"dgx-h100"});
  expect_refused(verb + " --model lama3-70b", {"did you mean 'llama3-70b'?"});
  expect_refused(verb + " --devices many", {"--devices", "1024"});
  expect_refused(verb + " --devices 0", {"--devices"});
  expect_refused(verb + " --devices 10B", {"'10B' is no whole number from 1 to 1B"});
  expect_refused(verb + " --tokens -5T", {"--tokens", "from 1 to 1000000T"});
  expect_refused(verb + " --rate 400", {"--rate", "400 Gbps"});
  expect_refused(verb + " --topology torus9", {"rail_only"});
  EXPECT_FALSE(std::filesystem::exists(path("my.toml")));
  const Ran small = run(verb + " --devices 8 --model llama3-405b");
  EXPECT_EQ(small.status, 3) << small.err;
  EXPECT_FALSE(std::filesystem::exists(path("my.toml")));
}

TEST_F(Cli, NewWritesOverNothing) {
  const std::string mine = file("mine.toml", "mine");
  expect_refused("new " + mine, {"is there already"});
  EXPECT_EQ(read_all(mine), "mine");
  std::filesystem::create_symlink("nowhere", path("link"));
  expect_refused("new " + path("link"), {"is there already"});
  EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
}

}  // namespace
}  // namespace trainyard
