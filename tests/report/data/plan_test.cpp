#include "trainyard/report/plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "trainyard/catalog.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/quantities.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Plan dense_plan() { return make_plan(ScenarioText::load("hotnets24-dense").resolve()); }

TEST(PlanJson, HoldsEveryQuantityUnderItsSection) {
  const Plan plan = dense_plan();
  const auto json = nlohmann::json::parse(plan_json(plan));
  for (const PlanQuantity& q : plan_quantities(plan)) {
    const auto dot = q.key.find('.');
    const auto& value = json.at(q.key.substr(0, dot)).at(q.key.substr(dot + 1));
    if (!q.known) {
      EXPECT_TRUE(value.is_null()) << q.key;
    } else if (q.unit != Unit::none) {
      EXPECT_DOUBLE_EQ(value.get<double>(), q.value) << q.key;
    }
  }
}

TEST(PlanJson, NamesWhereItComesFrom) {
  const auto json = nlohmann::json::parse(plan_json(dense_plan()));
  for (const char* key : {"program_version", "scenario_hash", "catalog_version"}) {
    EXPECT_FALSE(json.at("provenance").at(key).get<std::string>().empty()) << key;
  }
}

TEST(PlanJson, IsTheSameBytesEachTime) { EXPECT_EQ(plan_json(dense_plan()), plan_json(dense_plan())); }

TEST(PlanCsv, HasALineForEachQuantity) {
  const Plan plan = dense_plan();
  const auto records = parse_csv(plan_csv(plan));
  const auto quantities = plan_quantities(plan);
  ASSERT_EQ(records.size(), quantities.size() + 1);
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    EXPECT_EQ(records[i + 1].size(), 6u);
    EXPECT_EQ(records[i + 1][0], quantities[i].key);
  }
}

}  // namespace
}  // namespace trainyard
