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

}  // namespace
}  // namespace trainyard
