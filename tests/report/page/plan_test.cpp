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

constexpr const char* kHostile = "</script><b title=\"x\">&";

TEST(Report, CannotBeBrokenOutOf) {
  ScenarioText text = ScenarioText::load("hotnets24-dense");
  text.set("title='</script><b title=\"x\">&'");
  const Plan p = make_plan(text.resolve());
  Chart chart{"chart", "", {"x", Unit::number}, {"y", Unit::number}, {{"line", {{0, 0.1}, {1, 0.2}}}}};
  chart.title = chart.lines.front().label = kHostile;
  Scenario small = ScenarioText::load("topologies").resolve();
  small.designs.resize(1);
  small.designs[0].name = small.designs[0].title = kHostile;
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

}  // namespace
}  // namespace trainyard
