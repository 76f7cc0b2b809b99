// Simulations of figures on several ranks beside the same ones on one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "thread_ranks.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/stored_runs.h"

namespace trainyard {
namespace {

std::vector<Scenario> simulations() {
  std::vector<Scenario> out;
  for (const char* bytes : {"5 kB", "10 kB", "20 kB"}) {
    ScenarioText text = ScenarioText::load("ndp-permutation");
    text.set(std::string("simulation.bytes=") + bytes);
    out.push_back(text.resolve());
  }
  return out;
}

TEST(QuickRuns, RanksShareThem) {
  const std::vector<StoredRun> alone = quick_runs_of(simulations(), nullptr);
  ASSERT_EQ(alone.size(), 3U);
  on_ranks(3, [&](Ranks& ranks) {
    const std::vector<StoredRun> together = quick_runs_of(simulations(), &ranks);
    if (!ranks.leads()) return;
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(together[i].settings_hash, alone[i].settings_hash);
      EXPECT_EQ(together[i].mean_s, alone[i].mean_s);
      EXPECT_EQ(together[i].p99_s, alone[i].p99_s);
      EXPECT_EQ(together[i].max_s, alone[i].max_s);
      EXPECT_EQ(together[i].ideal_s, alone[i].ideal_s);
      EXPECT_EQ(together[i].quantiles_s, alone[i].quantiles_s);
      EXPECT_EQ(together[i].origin, alone[i].origin);
      EXPECT_EQ(together[i].reduced, alone[i].reduced);
    }
  });
}

}  // namespace
}  // namespace trainyard
