#include "trainyard/report/step.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../simulated_step.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

TEST(StepPage, HoldsTheTimeline) {
  const std::string page = step_page(small().step, small().plan);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  const std::string opening = "id=\"timeline-data\">";
  const auto begin = page.find(opening) + opening.size();
  const Json data = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["operations"].size(), 5 * small().step.detail->model.graph.size());
  const auto plots = std::count_if(data["rows"].begin(), data["rows"].end(),
                                   [](const Json& row) { return row.contains("points"); });
  EXPECT_EQ(plots, 6 + 3);  // memory of each stage; compute and two networks in use
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
