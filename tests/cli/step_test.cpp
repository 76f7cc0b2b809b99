// step: networks, traces, reports.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, StepRefusesNetworksThatItCannotUse) {
  for (const auto& [arguments, says] :
       {std::pair("llama3-405b --network flw", "did you mean 'flow'?"),
        std::pair("llama3-405b --network packet", "needs a [[design]] section"),
        std::pair("hotnets24-moe --network packet --set \"design=[{name='a'}]\"",
                  "needs a [simulation] section"),
        std::pair("hotnets24-fig5 --network packet --phases pipelin", "did you mean 'pipeline'?"),
        std::pair("hotnets24-dense --network packet --phases pipeline expert --set "
                  "\"design=[{name='a',hosts=64,radix=16}]\" --set simulation.window=100",
                  "this step has: pipeline, gradient"),
        std::pair("llama3-405b --set \"step_failure=[{stage=2,what='device',from='1 s'}]\"",
                  "the step cannot end"),
        std::pair("llama3-405b --set \"step_failure=[{stage=2,what='devise'}]\"", "did you mean 'device'?"),
        std::pair("llama3-405b --set \"network.scale_out_rate=1 bps\"", "network.scale_out_rate"),
        std::pair("hotnets24-fig5 --network packet --set simulation.traffic=incast",
                  "permutations of its own bytes"),
        std::pair("hotnets24-fig5 --network packet --set dctcp.gain=0.5", "has other settings"),
        std::pair("llama3-405b --phases pipeline", "--network packet")}) {
    const Ran refused = run(std::string("step ") + arguments);
    EXPECT_EQ(refused.status, 2) << arguments;
    EXPECT_NE(refused.err.find(says), std::string::npos) << refused.err;
    EXPECT_EQ(refused.out, "");
  }
}

TEST_F(Cli, AStepIsTracedAndReported) {
  const Ran ran =
      run("step llama3-405b --json --trace " + path("trace.json") + " --report " + path("step.html"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_GT(nlohmann::json::parse(ran.out)["step_s"].get<double>(), 0);
  EXPECT_NE(read_all(path("trace.json")).find("traceEvents"), std::string::npos);
  EXPECT_NE(read_all(path("step.html")).find("timeline-data"), std::string::npos);
  EXPECT_EQ(run("step llama3-405b --network quantum").status, 2);
  const Ran schedule = run("step llama3-405b --schedule dualpip");
  EXPECT_EQ(schedule.status, 2);
  EXPECT_NE(schedule.err.find("dualpipe"), std::string::npos);
}

TEST_F(Cli, ATraceCanBeAPartOfAStep) {
  const Ran part =
      run("step llama3-405b --trace " + path("part.json") + " --trace-from '1 s' --trace-length '2 s'");
  EXPECT_EQ(part.status, 0) << part.err;
  EXPECT_NE(part.err.find("operations: those that run between 1.000 s and 3.000 s"), std::string::npos)
      << part.err;
  EXPECT_TRUE(nlohmann::json::accept(read_all(path("part.json"))));
  for (const char* wrong :
       {"--trace-from '900000 s'", "--trace-from soon", "--trace-from '-1 s'", "--trace-length '2 apples'"}) {
    const Ran refused = run("step llama3-405b --trace " + path("wrong.json") + " " + wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.err.find("--trace-"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(path("wrong.json"))) << wrong;
  }
  EXPECT_EQ(run("step llama3-405b --trace-length all").status, 2);  // of no trace
}

// A stage of each layer: the work for a stage does not grow with their number.
TEST_F(Cli, ManyStagesAreSimulatedOrRefusedWithTheirCount) {
  const std::string deep =
      "step " + scenario("tensor = 2\npipeline = 1", "tensor = 8\npipeline = 30000") +
      " --set facility.devices=300000000 --set model.layers=30000 --set model.name=llama3-405b";
  const Ran ran = run(deep + " --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out).at("stages").size(), 30'000U);
  expect_refused(deep + " --set training.batch_tokens=4e9", {"operations is more than is simulated (2e+07)"});
}

}  // namespace
}  // namespace trainyard
