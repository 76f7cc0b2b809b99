#include "trainyard/report/search.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "../markup.h"
#include "report/page/plan_parts.h"
#include "report/page/search_points.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario/search.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

const std::string kSpace =
    "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[mapping]\n"
    "tensor = { search = [1, 2, 4, 8] }\nmicrobatch = { search = [1, 2] }\n[search]\n"
    "front = [\"memory\"]\n";

ScenarioText space(const std::string& more = {}) {
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"space.toml", kSpace + more}));
}

SearchAnswer answered(const ScenarioText& text) {
  SearchAnswer out;
  out.title = "Eight billion";
  out.question = search_question(text, text.search());
  out.result = search(text, out.question);
  return out;
}

Json points_data(const std::string& page) {
  const std::string opening = "id=\"points-data\">";
  const auto begin = page.find(opening) + opening.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(SearchPage, HoldsEveryPointOfFrontAndRankingWithItsPlan) {
  const ScenarioText text = space();
  const SearchAnswer answer = answered(text);
  const std::string page = search_page(answer, text, {"space.toml"});
  EXPECT_EQ(page.find("{{"), std::string::npos);
  for (const char* part : {"Eight billion", "least time to train", "mapping.tensor", "What each value costs"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  const Json data = points_data(page);
  ASSERT_EQ(data["points"].size(), answer.result.ranked.size());  // 8 points, ranked 10
  std::size_t front = 0;
  for (std::size_t i = 0; i < data["points"].size(); ++i) {
    const Json& point = data["points"][i];
    const SearchPoint& ranked = answer.result.ranked[i];
    EXPECT_EQ(point["rank"], i + 1);
    EXPECT_EQ(point["values"][0], ranked.objectives[0]);
    EXPECT_EQ(point["values"][1], ranked.objectives[1]);
    for (std::size_t s = 0; s < answer.result.space.size(); ++s)
      EXPECT_EQ(data["settings"][s]["values"][point["choice"][s].get<std::size_t>()],
                answer.result.space[s].values[ranked.choice[s]]);
    EXPECT_EQ(
        point["command"],
        "trainyard plan space.toml --set mapping.tensor=" + answer.result.space[0].values[ranked.choice[0]] +
            " --set mapping.microbatch=" + answer.result.space[1].values[ranked.choice[1]]);
    for (const char* part : {"groups", "step", "memory", "warnings"})
      EXPECT_TRUE(point["plan"].contains(part));
    front += point["front"] ? 1 : 0;
  }
  EXPECT_EQ(front, answer.result.front.size());
}

TEST(SearchPage, NamesNothingOutsideItselfAndCannotBeBrokenOutOf) {
  const ScenarioText text = space();
  SearchAnswer answer = answered(text);
  answer.title = "</script><b title=\"x\">&";
  answer.why_not.push_back({answer.title, answer.result});
  answer.result.space[0].key = answer.title;
  answer.question.objectives[0].label = answer.title;
  const std::string page = search_page(answer, text, {answer.title});
  EXPECT_EQ(page.find("<b title"), std::string::npos);
  for (const char* reference :
       {"src=\"http", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
}

TEST(SearchPage, ASpaceWithoutAnAnswerSaysWhatIsInTheWay) {
  const ScenarioText text = space("limits = [\"power <= 1 kW\"]\n");
  const std::string page = search_page(answered(text), text, {"space.toml"});
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_NE(page.find("No answer: none of 8 is an answer"), std::string::npos);
  EXPECT_NE(page.find("beyond power &lt;= 1 kW"), std::string::npos);
  EXPECT_TRUE(points_data(page).is_null());
}

TEST(SearchPage, LongListsAreCut) {
  ScenarioText text = space();
  for (const char* given : {"pipeline=1", "virtual_stages=1", "context=1", "zero_stage=1", "recompute=full"})
    text.set(std::string("mapping.") + given);  // plans are then quick
  SearchAnswer answer = answered(text);
  const SearchPoint one = answer.result.ranked.front();
  answer.result.ranked.clear();
  for (std::size_t i = 0; i < kPagePlans + 100; ++i) {
    answer.result.ranked.push_back(one);
    answer.result.ranked.back().index = i;
  }
  answer.result.front = answer.result.ranked;
  const std::vector<PlannedPoint> points = planned_points(text, answer.result);
  EXPECT_GT(points.size(), kPagePlans);
  EXPECT_LE(points.size(), 2 * kPagePlans);
  EXPECT_EQ(points[kPagePlans - 1].rank, kPagePlans);
  EXPECT_EQ(points.back().point.index, kPagePlans + 99);  // the end of the front stays
  EXPECT_NE(search_page(answer, text, {"space.toml"}).find("a page holds 200 of each"), std::string::npos);
}

TEST(PlanParts, OfAStepAreTheStep) {
  for (const char* name :
       {"llama3-405b", "megatron-175b", "hotnets24-moe", "deepseek-v3", "railonly23-gpt3"}) {
    const Plan plan = make_plan(ScenarioText::load(name).resolve());
    const PlanParts parts = step_parts(plan);
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0,
                                       [](double s, const auto& part) { return s + part.second; });
    EXPECT_NEAR(sum / plan.step.step.si(), 1, 1e-12) << name;
    const auto layers = static_cast<double>(plan.mapping.layers_per_stage * plan.mapping.microbatches);
    const double passes = (plan.step.forward + plan.step.backward).si() * layers;
    EXPECT_NEAR(parts.front().second / passes, 1, 0.15) << name;  // the rest is the passes, nearly
  }
}

}  // namespace
}  // namespace trainyard
