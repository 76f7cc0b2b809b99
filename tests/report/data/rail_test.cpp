#include "trainyard/report/rail.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trainyard/plan_traffic.h"
#include "trainyard/provenance.h"
#include "trainyard/rail.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

TEST(RailJson, ListsThePointsOfBothFigures) {
  const auto json = nlohmann::json::parse(rail_json(ScenarioText::load("railonly23-palm").resolve()));
  EXPECT_EQ(json.at("by_domain").size(), 6u);
  EXPECT_EQ(json.at("by_batch").size(), 3u * 4u);  // K of 256, 512, 1024; four batches
  for (const auto& point : json.at("by_batch")) {
    EXPECT_NEAR(point.at("compute_s").get<double>() + point.at("across_s").get<double>() +
                    point.at("inside_s").get<double>() + point.at("model_s").get<double>(),
                point.at("iteration_s").get<double>(), 1e-12);
    EXPECT_LE(point.at("ideal_s").get<double>(), point.at("iteration_s").get<double>());
  }
}

TEST(TrafficJson, SharesAddUp) {
  const RailAnalysis a = analyse_rail(ScenarioText::load("railonly23-opt").resolve());
  const auto json =
      nlohmann::json::parse(traffic_json(summarize(traffic_of(a.rail, a.best.model_group)), {}));
  double share = 0;
  for (const auto& c : json.at("classes")) share += c.at("volume_share").get<double>();
  EXPECT_NEAR(share, 1, 1e-12);
}

}  // namespace
}  // namespace trainyard
