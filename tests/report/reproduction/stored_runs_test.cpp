// Stored results of long simulations: theirs is a key, and no digit of them changes unnoticed.
#include "trainyard/stored_runs.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/reproduction/shipped_records.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

TEST(StoredRuns, AllAreOfTheShippedScenariosAndOfThisEngine) {
  const StoredRuns stored = stored_runs();
  EXPECT_EQ(stored.runs.size(), 66U);
  EXPECT_TRUE(stored.outdated.empty());
}

TEST(StoredRuns, AreRefusedWhenADigitChanges) {
  auto fields = shipped_records("simulated.csv").front();
  EXPECT_NO_THROW(stored_run(fields));
  for (const std::size_t column : {3U, 4U, 5U, 7U, 9U, 14U, 15U}) {
    auto changed = fields;
    char& last = changed[column].back();
    last = last == '1' ? '2' : '1';
    EXPECT_THROW(stored_run(changed), std::runtime_error) << column;
  }
}

std::string key_with(const std::vector<std::string>& changes) {
  ScenarioText text = ScenarioText::load("hotnets24-fig6");
  for (const std::string& change : changes) text.set(change, "test");
  return simulation_hash(text.resolve());
}

TEST(StoredRuns, HaveKeysOfWhatTheyUse) {
  const std::string ndp = key_with({"simulation.transport=ndp"});
  EXPECT_NE(ndp, key_with({"simulation.transport=homa"}));
  EXPECT_NE(ndp, key_with({"simulation.transport=ndp", "ndp.pull_rate=0.9"}));
  EXPECT_NE(ndp, key_with({"simulation.transport=ndp", "simulation.queue=51"}));
  EXPECT_EQ(ndp, key_with({"simulation.transport=ndp", "homa.overcommitment=3", "fec.parity=2"}));
  EXPECT_EQ(ndp, key_with({"simulation.transport=ndp", "training.tokens=1e12"}));
  EXPECT_NE(key_with({"simulation.transport=fec"}),
            key_with({"simulation.transport=fec", "scheduled.utilization=0.9"}));
  EXPECT_NE(key_with({"simulation.transport=irn"}),
            key_with({"simulation.transport=irn", "dcqcn.gain=0.01"}));
}

TEST(StoredRuns, HaveKeysOfTheClusterWhereTheDesignLeavesItOpen) {
  const auto key = [](const char* design, const char* devices) {
    const std::string text = "[facility]\nhb_domain = \"dgx-h100\"\ndevices = " + std::string(devices) +
                             "\n[model]\nname = \"llama3-8b\"\n[[design]]\nname = \"tree\"\nradix = 16\n" +
                             design;
    return simulation_hash(
        ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", text})).resolve());
  };
  EXPECT_NE(key("", "64"), key("", "128"));
  EXPECT_EQ(key("hosts = 64\ndomain = 8\nrate = \"100 Gbps\"\n", "64"),
            key("hosts = 64\ndomain = 8\nrate = \"100 Gbps\"\n", "128"));
}

TEST(StoredRuns, AreTheSameWhenASampleIsComputedAgain) {
  int computed = 0;
  for (const StoredRun& run : stored_runs().runs) {
    const bool small = std::count(run.changes.begin(), run.changes.end(), "simulation.active=0.1") > 0;
    if (!small || (run.label != "NDP" && run.label != "Homa" && run.label != "DCTCP")) continue;
    const SimulationResult result = simulate(scenario_of(run));
    EXPECT_EQ(fmt::format("{:.6g}", result.longest.si()), fmt::format("{:.6g}", run.max_s)) << run.label;
    EXPECT_EQ(fmt::format("{:.6g}", result.mean.si()), fmt::format("{:.6g}", run.mean_s)) << run.label;
    ++computed;
  }
  EXPECT_EQ(computed, 3);
}

}  // namespace
}  // namespace trainyard
