#include "trainyard/report/step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../simulated_step.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

TEST(StepJson, SumsUp) {
  const Json json = Json::parse(step_json(small().step, small().plan));
  EXPECT_NEAR(json["compute_s"].get<double>() + json["exposed"]["total_s"].get<double>() +
                  json["idle_s"].get<double>(),
              json["step_s"].get<double>(), 1e-9);
  EXPECT_EQ(json["stages"].size(), 6u);
  EXPECT_EQ(json["stages"][0]["memory_s_bytes"][0][0], 0.0);
  EXPECT_NEAR(json["busy"]["compute"].get<double>(), json["compute_share"].get<double>(), 1e-9);
  const Json& busy = json["busy_in_time"]["compute"];
  double sum = 0;
  for (const Json& share : busy) sum += share.get<double>();
  EXPECT_NEAR(sum / static_cast<double>(busy.size()), json["busy"]["compute"].get<double>(), 1e-9);
  EXPECT_FALSE(json["provenance"]["scenario_hash"].get<std::string>().empty());
}

TEST(StepCsv, HasALineForEachStage) {
  const std::string csv = step_csv(small().step);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  const auto columns = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  EXPECT_EQ(columns(csv.substr(0, csv.find('\n'))), columns(csv.substr(csv.rfind('\n', csv.size() - 2))));
}

TEST(FailingStepJson, CostIsTheDifferenceByKind) {
  const Json json = Json::parse(step_json(failing().step, failing().plan));
  const Json& cost = json["failure_cost"];
  EXPECT_NEAR(cost["exposed"]["total_s"].get<double>() + cost["idle_s"].get<double>() +
                  cost["stopped_s"].get<double>(),
              cost["step_s"].get<double>(), 1e-9);
  EXPECT_NEAR(json["step_s"].get<double>() - cost["without"]["step_s"].get<double>(),
              cost["step_s"].get<double>(), 1e-9);
  EXPECT_EQ(cost["failures"][0]["until_s"], 5.0);
  EXPECT_GT(cost["step_s"], 1.0);  // a part of the three seconds falls into the fill of the pipeline
  EXPECT_LT(cost["step_s"], 3.0);
  EXPECT_TRUE(Json::parse(step_json(small().step, small().plan))["failure_cost"].is_null());
}

}  // namespace
}  // namespace trainyard
