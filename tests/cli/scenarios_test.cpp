// scenarios and example.
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, AnExampleIsAScenarioThatPlans) {
  const Ran example = run("example llama3-405b");
  EXPECT_EQ(example.status, 0);
  EXPECT_EQ(run("plan " + file("mine.toml", example.out)).status, 0);
}

TEST_F(Cli, AnExampleIsARecord) {
  const std::string text = run("example llama3-405b").out;
  const auto record = nlohmann::json::parse(run("example llama3-405b --json").out).at(0);
  EXPECT_EQ(record.at("name"), "llama3-405b");
  EXPECT_EQ(record.at("text"), text);
  const Ran csv = run("example llama3-405b --csv");
  EXPECT_TRUE(csv.out.starts_with("name,title,text\nllama3-405b,")) << csv.out;
  EXPECT_EQ(run("example lama3-405b --json").status, 2);
}

TEST_F(Cli, WhatIsComparedStandsOnce) {
  expect_refused("sweep llama3-405b --key mapping.tensor --values 4,8,4", {"--values", "'4' stands twice"});
  expect_refused("sweep llama3-405b --key mapping.tensor --values 4,8 --set mapping.tensor=16",
                 {"--set mapping.tensor=16", "the sweep gives 'mapping.tensor' its values"});
  expect_refused("simulate ndp-permutation --trace x.csv --trace-flows 3,3",
                 {"--trace-flows", "'3' stands twice"});
  for (const char* list :
       {"ownership.intervals_s=[5,1,5.0]", "optimize.planes=[1,2,1]",
        "optimize.switches=['tomahawk5','tomahawk5']", "training.hides=['tensor','tensor']"})
    expect_refused(std::string("plan llama3-405b --set \"") + list + "\"", {"--set", "stands twice"});
  expect_refused("years two-generations --set ownership.intervals_s=[]", {"--set", "no interval to compare"});
  const std::string sweep = "plan llama3-405b --set \"sweep=[{name='a',key='mapping.tensor',";
  expect_refused(sweep + "values=[4,4]}]\"", {"4 stands twice"});
  expect_refused(sweep + "from='1',to='1',points=3}]\"", {"1 stands twice"});
}

}  // namespace
}  // namespace trainyard
