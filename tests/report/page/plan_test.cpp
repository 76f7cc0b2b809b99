#include "trainyard/report/plan.h"

#include <gtest/gtest.h>

#include "../markup.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/chart.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Plan plan(const std::string& name, const std::vector<std::string>& changes = {}) {
  ScenarioText text = ScenarioText::load(name);
  for (const std::string& change : changes) text.set(change);
  return make_plan(text.resolve());
}

constexpr const char* kHostileName = "</script><b title=\"x\">&";

TEST(Report, CannotBeBrokenOutOf) {
  ScenarioText text = ScenarioText::load("hotnets24-dense");
  text.set("title='</script><b title=\"x\">&'");
  const Plan p = make_plan(text.resolve());
  Chart chart{"chart", "", {"x", Unit::number}, {"y", Unit::number}, {{"line", {{0, 0.1}, {1, 0.2}}}}};
  chart.title = chart.lines.front().label = kHostileName;
  Scenario small = ScenarioText::load("topologies").resolve();
  small.designs.resize(1);
  small.designs[0].name = small.designs[0].title = kHostileName;
  const std::string html = plan_page(p, {chart}, answer_networks(small));
  EXPECT_EQ(html.find("<b title"), std::string::npos);
  EXPECT_EQ(occurrences(html, "</script>"), 3u);  // data, library, code: none from the title
}

TEST(Report, NamesNothingOutsideItself) {
  const Plan p = plan("llama3-405b");
  const std::string html = plan_page(p, std::vector<SweepResult>());
  for (const char* reference :
       {"src=\"http", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(html.find(reference), std::string::npos) << reference;
  }
}

const std::vector<std::string> kContextRanks = {"model.name=mixtral-8x7b",
                                                "facility.devices=64",
                                                "mapping.context=4",
                                                "mapping.tensor=2",
                                                "mapping.pipeline=1",
                                                "mapping.virtual_stages=1",
                                                "mapping.expert=8",
                                                "assumptions.compute_model=calibrated",
                                                "model.sequence=32768",
                                                "mapping.zero_stage=2",
                                                "training.batch_tokens=2097152"};

TEST(Report, NamesEveryGroupOfDevices) {
  const std::string html = plan_page(plan("llama3-405b", kContextRanks), std::vector<SweepResult>());
  EXPECT_NE(html.find("tensor x pipeline x context x data; expert"), std::string::npos);
  EXPECT_NE(html.find("2 x 1 x 4 x 8; 8"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
