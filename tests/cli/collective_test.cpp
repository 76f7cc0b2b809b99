// collective: one operation of a library, as a user asks for it.
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, CollectiveAnswersInNumbers) {
  const Ran ran = run("collective all_reduce --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  int chosen = 0;
  for (const auto& way : json) {
    chosen += way.at("chosen").get<bool>() ? 1 : 0;
    const double sum = way.at("start_s").get<double>() +
                       way.at("steps").get<double>() * way.at("step_s").get<double>() +
                       way.at("tail_s").get<double>();
    EXPECT_DOUBLE_EQ(way.at("time_s").get<double>(), sum);
  }
  EXPECT_EQ(chosen, 1);
}

/// What the tuner goes by is no time where it is a rank, or of other channels than the wished ones.
TEST_F(Cli, CollectiveGivesTheTunersTimeWhereThereIsOne) {
  for (const auto& way : nlohmann::json::parse(run("collective all_reduce --json").out))
    EXPECT_GT(way.at("tuner_s").get<double>(), 0);
  for (const char* call : {"collective alltoall --json", "collective all_reduce --channels 1 --json"}) {
    for (const auto& way : nlohmann::json::parse(run(call).out))
      EXPECT_TRUE(way.at("tuner_s").is_null()) << call;
  }
  EXPECT_NE(run("collective all_reduce --csv").out.find(",start_s,step_s,"), std::string::npos);
}

TEST_F(Cli, CollectiveSaysWhatIsWrong) {
  expect_refused("collective all_reduce --dtype fp3", {"no type 'fp3'", "did you mean"});
  expect_refused("collective all_reduce --channels 0", {"--channels"});
  expect_refused("collective all_reduce --channels 65", {"--channels"});
  expect_refused("collective all_reduce --devices 9", {"9 devices", "2 to 8", "h100_sxm"});
  expect_refused("collective all_reduce --system gb200 --devices 73", {"2 to 72"});
  expect_refused("collective all_reduce --system b200_sxm --version 2.28",
                 {"--version 2.28", "b200_sxm", "did you mean '2.28.9'?"});
  expect_refused("collective all_reduce --system b200_sxm --version 9", {"allowed: 2.27.5, 2.28.9"});
  expect_refused("collective all_reduce --version 2.28.9", {"h100_sxm", "leave it out"});
  expect_refused("collective all_reduce --bytes '7 B' --dtype fp32",
                 {"--bytes: error: 7 bytes are no whole number of elements of 4 bytes"});
  expect_refused("collective allreduce", {"did you mean 'all_reduce'?"});
}

}  // namespace
}  // namespace trainyard
