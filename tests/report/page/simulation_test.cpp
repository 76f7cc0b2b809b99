#include "trainyard/report/simulation.h"

#include <gtest/gtest.h>

#include <limits>

#include "../small_simulation.h"
#include "trainyard/report/chart.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

TEST(SimulationPage, HoldsItsChartsAndNothingFromOutside) {
  const std::string html = simulation_page(small_result(), {}, small_scenario());
  for (const char* part : {"Completion times of flows", "Longest queue of data at one port",
                           "Data that reaches its hosts", "hosts up: mean 50.00%, busiest 90.00%",
                           "simulation.transport", "design.two-tiers.radix", "ndp.", "new Chart("}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  for (const char* part :
       {"model.layers", "dctcp.", "src=\"http", "href=\"http", "url(http", "@import", "{{"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

TEST(SimulationPage, CannotBeBrokenOutOf) {
  SimulationResult r = small_result();
  r.design = "</script><b title=\"x\">&";
  Scenario scenario = small_scenario();
  scenario.title = r.design;
  const std::string html = simulation_page(r, {}, scenario);
  EXPECT_EQ(html.find("<b title"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
