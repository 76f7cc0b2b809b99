// What may fail in a plan's cluster, and what it takes down.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/goodput.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Plan plan_with(const std::vector<std::string>& changes, const std::string& name = "llama3-405b-months") {
  ScenarioText text = ScenarioText::load(name);
  for (const std::string& change : changes) text.set(change);
  return make_plan(text.resolve());
}

/// A step that the network decides for a tenth of its time.
GoodputCase case_of(const Plan& plan) {
  return goodput_case(plan, [&](double kept) { return plan.step.step * (0.9 + 0.1 / kept); });
}

double stops_a_day(const GoodputCase& c, FailureCause cause) {
  double out = 0;
  for (const FailureMode& mode : c.modes)
    if (mode.cause == cause && mode.stops) out += mode.rate_per_s * 86400;
  return out;
}

const FailureMode& mode_of(const GoodputCase& c, FailureCause cause, const std::string& what) {
  const auto found = std::find_if(c.modes.begin(), c.modes.end(),
                                  [&](const FailureMode& m) { return m.cause == cause && m.what == what; });
  if (found == c.modes.end()) throw std::runtime_error("no mode " + what);
  return *found;
}

TEST(GoodputCase, RatesAreThoseOfTheSetTimesParts) {
  const GoodputCase c = case_of(plan_with({}));
  EXPECT_NEAR(stops_a_day(c, FailureCause::gpu), 16384 * 0.0784 / 365, 1e-9);
  EXPECT_NEAR(stops_a_day(c, FailureCause::host), 2048 * 0.152 / 365, 1e-9);
  EXPECT_NEAR(stops_a_day(c, FailureCause::planned), 318.0 / 365, 1e-9);
  // Both ends of a server's link; those between switches have other ways.
  EXPECT_NEAR(stops_a_day(c, FailureCause::transceiver), 2 * 16384 * 0.00433 / 365, 1e-9);
  EXPECT_EQ(c.hosts, 2048);
}

TEST(GoodputCase, ServersAndRacksAreThoseOfTheHbDomain) {
  const auto layout = [](const std::vector<std::string>& changes) {
    ScenarioText text = ScenarioText::load("llama3-405b-months");
    for (const std::string& change : changes) text.set(change);
    const ResilienceInput r = resilience_of(text.resolve());
    return std::pair{*r.host_devices, *r.rack_hosts};
  };
  const std::string racks_of_72 = "facility.hb_domain=nvl72-gb200";
  EXPECT_EQ(layout({}), (std::pair<std::int64_t, std::int64_t>{8, 4}));
  EXPECT_EQ(layout({racks_of_72}), (std::pair<std::int64_t, std::int64_t>{4, 18}));
  EXPECT_EQ(layout({racks_of_72, "resilience.host_devices=8"}),
            (std::pair<std::int64_t, std::int64_t>{8, 9}));
  EXPECT_EQ(layout({racks_of_72, "resilience.host_devices=72", "resilience.rack_hosts=3"}),
            (std::pair<std::int64_t, std::int64_t>{72, 3}));
  const Plan plan = plan_with({}, "deepseek-v3");
  const GoodputCase c = case_of(plan);
  EXPECT_EQ(c.hosts, (plan.mapping.devices_used + 3) / 4);
}

TEST(GoodputCase, PlanesLeaveTheJobTrainingMoreSlowly) {
  const Plan one = plan_with({});
  Plan two = one;
  DesignInput design;
  design.name = "planes";
  design.planes = 2;
  design.bundle_planes = false;
  two.scenario.designs = {design};
  EXPECT_GT(stops_a_day(case_of(one), FailureCause::switch_chip), 0);
  const GoodputCase rerouted = case_of(two);
  EXPECT_EQ(stops_a_day(rerouted, FailureCause::switch_chip), 0);
  EXPECT_EQ(stops_a_day(rerouted, FailureCause::cable), 0);
  EXPECT_NEAR(mode_of(rerouted, FailureCause::cable, "one link of a host").slowdown, 0.1, 1e-9);
  two.scenario.resilience->reroute = false;
  EXPECT_GT(stops_a_day(case_of(two), FailureCause::switch_chip), 0);
}

/// Of a failed switch or link, the servers that a leaf takes, or what the job is slowed by.
TEST(GoodputCase, WhatAPartTakesIsTheNetworksOwnBlastRadius) {
  const auto modes = [](const std::string& design, const std::vector<std::string>& more = {}) {
    std::vector<std::string> changes = {"design=[{name='a', " + design + "}]"};
    changes.insert(changes.end(), more.begin(), more.end());
    return case_of(plan_with(changes));
  };
  const auto most_servers = [](const GoodputCase& c) {
    std::int64_t out = 0;
    for (const FailureMode& mode : c.modes)
      if (mode.cause == FailureCause::switch_chip) out = std::max(out, mode.hosts);
    return out;
  };
  // Leaves of as many ports: half of 128 to servers of eight, or to a device of each server.
  EXPECT_EQ(most_servers(modes("radix=128")), 8);
  EXPECT_EQ(most_servers(modes("radix=64")), 4);
  EXPECT_EQ(most_servers(modes("radix=128, topology='rail_optimized'")), 64);
  EXPECT_EQ(most_servers(modes("radix=128, topology='rail_only'")), 64);
  EXPECT_EQ(most_servers(modes("radix=64, topology='rail_only'")), 32);
  // A smaller leaf is there more often: all servers' devices have a port.
  const auto leaves = [&](const std::string& design) {
    return mode_of(modes(design), FailureCause::switch_chip, "one leaf").parts;
  };
  EXPECT_NEAR(leaves("radix=128"), 256, 1e-9);
  EXPECT_NEAR(leaves("radix=64"), 512, 1e-9);
  // Of planes each takes its share, of rails as of any.
  for (const char* topology : {"fat_tree", "rail_optimized", "rail_only"}) {
    const GoodputCase planes =
        modes(std::string("radix=128, planes=4, bundle_planes=false, topology='") + topology + "'");
    EXPECT_EQ(most_servers(planes), 0) << topology;
    EXPECT_NEAR(mode_of(planes, FailureCause::switch_chip, "one leaf").slowdown, 0.1 * (4.0 / 3 - 1), 1e-9);
  }
}

TEST(GoodputCase, DevicesWithoutALinkSendThroughOthersOfTheirDomain) {
  const auto with = [](const std::string& design, const std::string& forward) {
    return case_of(plan_with({"design=[{name='a', radix=128, " + design + "}]", forward}));
  };
  const std::string on = "resilience.forward=true";
  const GoodputCase rails = with("topology='rail_optimized'", on);
  // One device in eight sends over the other seven's links.
  const double seventh = 0.1 * (8.0 / 7 - 1);
  for (const auto& [cause, what] : {std::pair{FailureCause::switch_chip, "one leaf"},
                                    std::pair{FailureCause::cable, "one link of a host"}}) {
    const FailureMode& mode = mode_of(rails, cause, what);
    EXPECT_FALSE(mode.stops) << what;
    EXPECT_EQ(mode.hosts, 0) << what;
    EXPECT_NEAR(mode.slowdown, seventh, 1e-9) << what;
  }
  // A fat tree's leaf takes all devices of its servers, a link one.
  const GoodputCase tree = with("topology='fat_tree'", on);
  EXPECT_EQ(mode_of(tree, FailureCause::switch_chip, "one leaf").hosts, 8);
  EXPECT_NEAR(mode_of(tree, FailureCause::cable, "one link of a host").slowdown, seventh, 1e-9);
  // Of a plane of four, a quarter of an eighth.
  const GoodputCase planes = with("topology='rail_only', planes=4, bundle_planes=false", on);
  EXPECT_NEAR(mode_of(planes, FailureCause::switch_chip, "one leaf").slowdown, 0.1 * (32.0 / 31 - 1), 1e-9);
  EXPECT_TRUE(mode_of(with("topology='rail_optimized'", "resilience.forward=false"),
                      FailureCause::switch_chip, "one leaf")
                  .stops);
}

TEST(GoodputCase, CheckpointsOutliveWhatTheirTierDoes) {
  const auto kept = [&](const std::string& tier, FailureCause cause) {
    const GoodputCase c =
        case_of(plan_with({"resilience.failures=default", "resilience.checkpoint=" + tier}));
    return std::all_of(c.modes.begin(), c.modes.end(),
                       [&](const FailureMode& m) { return m.cause != cause || !m.stops || m.keeps; });
  };
  EXPECT_TRUE(kept("host_memory", FailureCause::software));
  EXPECT_FALSE(kept("host_memory", FailureCause::gpu));
  EXPECT_TRUE(kept("neighbour", FailureCause::rack_power));
  EXPECT_FALSE(kept("neighbour", FailureCause::power_feed));
  EXPECT_TRUE(kept("local_disk", FailureCause::site));
  EXPECT_FALSE(kept("local_disk", FailureCause::host));
  EXPECT_TRUE(kept("file_system", FailureCause::site));
}

TEST(GoodputCase, BytesAreThoseOfTheOptimizer) {
  const Plan plan = plan_with({});
  // Master weights of 4 bytes and two states of 4 bytes, one copy of the model.
  EXPECT_NEAR(case_of(plan).checkpoint_bytes.si(), 12 * plan.model.parameters.total,
              0.01 * 12 * plan.model.parameters.total);
  const GoodputCase sync = case_of(plan_with({"resilience.asynchronous=false"}));
  EXPECT_EQ(sync.stall, sync.write);
  EXPECT_NEAR(sync.write.si(), sync.checkpoint_bytes.si() / 2e12, 0.1);
}

/// One copy of the weights, the master's where there is one, whatever the working copy is in.
TEST(GoodputCase, BytesHoldTheWeightsOnceInAnyFormat) {
  const std::pair<const char*, double> formats[] = {{"bf16", 2}, {"fp32", 4}, {"fp8", 1}};
  for (const auto& [weights, weight_bytes] : formats)
    for (const auto& [master, master_bytes] : formats)
      for (const bool copy : {true, false}) {
        const Plan plan =
            plan_with({std::string("precision.weights=") + weights, std::string("precision.master=") + master,
                       std::string("precision.master_copy=") + (copy ? "true" : "false")});
        const double of_parameter = (copy ? master_bytes : weight_bytes) + 2 * 4;
        EXPECT_NEAR(case_of(plan).checkpoint_bytes.si() / (of_parameter * plan.model.parameters.total), 1,
                    1e-9)
            << weights << ", " << master << (copy ? "" : ", no copy");
      }
}

TEST(GoodputCase, AnswersThatNeverEndSayWhatWouldLetThem) {
  const Plan plan = plan_with({"resilience.restart=200 h", "resilience.runs=5"});
  try {
    study_goodput(plan, case_of(plan), 1);
    FAIL() << "training ended";
  } catch (const Infeasible& answer) {
    EXPECT_NE(answer.shortfall.find("a failure every"), std::string::npos) << answer.shortfall;
    EXPECT_NE(answer.remedy.find("fewer failures"), std::string::npos) << answer.remedy;
  }
}

TEST(GoodputCase, WhatEndsOnlyWhileAllServersAreThereDoesNotEnd) {
  // Servers that fail are not back for years: the first days alone are useful.
  const Plan plan = plan_with({"resilience.spares=0", "resilience.shrink=false", "resilience.runs=5"});
  GoodputCase c = case_of(plan);
  for (FailureMode& mode : c.modes)
    if (mode.cause != FailureCause::silent) mode.lasts = Seconds(1000 * 365 * 86400.0);
  c.repair = Seconds(1000 * 365 * 86400.0);
  try {
    study_goodput(plan, c, 1);
    FAIL() << "training ended";
  } catch (const Infeasible& answer) {
    EXPECT_EQ(answer.remedy.find("resilience.spares"), std::string::npos) << answer.remedy;
    EXPECT_NE(answer.remedy.find("repairs 1e+07 times as fast"), std::string::npos) << answer.remedy;
  }
  c = case_of(plan);
  try {
    study_goodput(plan, c, 1);
    FAIL() << "training ended";
  } catch (const Infeasible& answer) {
    EXPECT_NE(answer.remedy.find("resilience.shrink = true (9"), std::string::npos) << answer.remedy;
    EXPECT_NE(answer.remedy.find("resilience.spares = 16 (9"), std::string::npos) << answer.remedy;
  }
}

TEST(GoodputCase, TrainingThatEndsBeforeServersAreGoneIsAnAnswer) {
  // Five crews repair five servers a day, and some six fail.
  const std::vector<std::string> changes = {"resilience.crews=5", "resilience.spares=30",
                                            "resilience.runs=20", "resilience.shrink=false"};
  const Plan plan = plan_with(changes);
  GoodputCase c = case_of(plan);
  try {
    study_goodput(plan, c, 1);
    FAIL() << "training ended";
  } catch (const Infeasible& answer) {
    EXPECT_NE(answer.shortfall.find("of it is done then"), std::string::npos) << answer.shortfall;
    EXPECT_NE(answer.remedy.find("resilience.crews = 7 (9"), std::string::npos) << answer.remedy;
  }
  Plan shorter = plan;
  shorter.step.days_to_train = Seconds(20 * 86400);
  EXPECT_LT(study_goodput(shorter, c, 1).form.long_run_ettr, kLeastUseful);
  // Longer than the period, but long before the replicas are gone.
  c = case_of(plan_with({"resilience.crews=1", "resilience.shrink=true", "resilience.least_replicas=0.01",
                         "resilience.runs=20"}));
  const GoodputAnswer shrinking = study_goodput(plan, c, 1);
  EXPECT_EQ(shrinking.form.long_run_ettr, 0);
  EXPECT_GT(shrinking.target.time_s.mean, c.period.si());
}

// Months and runs to the target are told as one simulation.
TEST(GoodputCase, TellsEveryRunOnce) {
  const Plan plan = plan_with({"resilience.runs=20"});
  std::vector<std::size_t> told;
  std::size_t all = 0;
  study_goodput(plan, case_of(plan), 1, [&](std::size_t done, std::size_t runs) {
    told.push_back(done);
    if (all != 0) {
      EXPECT_EQ(runs, all);
    }
    all = runs;
  });
  ASSERT_EQ(told.size(), all);
  EXPECT_GT(all, 20U);
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], i + 1);
}

TEST(GoodputCase, DaysAndDollarsAreThoseOfTheTrainingNotOfThePeriod) {
  const auto answer_of = [](const std::string& period) {
    const Plan plan = plan_with({"resilience.crews=5", "resilience.spares=30", "training.tokens=5e12",
                                 "resilience.runs=20", "resilience.period=" + period});
    return study_goodput(plan, case_of(plan), 1);
  };
  const GoodputAnswer months = answer_of("54 days");
  EXPECT_LT(months.form.ettr, 0.6);  // long after training is over
  EXPECT_GT(months.training.useful, 0.7);
  for (const char* period : {"5 days", "3000 days"}) {
    const GoodputAnswer other = answer_of(period);
    EXPECT_EQ(other.training.time, months.training.time) << period;
    EXPECT_EQ(other.target.time_s.mean, months.target.time_s.mean) << period;
    EXPECT_EQ(other.cost, months.cost) << period;
    EXPECT_EQ(other.best_spares, months.best_spares) << period;
    EXPECT_EQ(other.form.interval, months.form.interval) << period;
    ASSERT_EQ(other.spares.size(), months.spares.size()) << period;
    for (std::size_t i = 0; i < other.spares.size(); ++i)
      EXPECT_EQ(other.spares[i].time, months.spares[i].time) << period;
  }
}

/// Recovery of a century is no more useful a quadrillion times as fast than a million times.
TEST(GoodputCase, RemediesAreNotLargerThanHelps) {
  const Plan plan = plan_with({"resilience.restart=100 years", "resilience.crews=6", "resilience.spares=4",
                               "resilience.shrink=false", "resilience.runs=5"});
  try {
    study_goodput(plan, case_of(plan), 1);
    FAIL() << "training ended";
  } catch (const Infeasible& answer) {
    EXPECT_EQ(answer.remedy.find("1e+15"), std::string::npos) << answer.remedy;
  }
}

/// Spares from none to four times what is under repair in the mean, in at most 16 steps; where that is less
/// than one, to four; the question's own among them.
TEST(GoodputCase, SparesAreComparedToFourTimesWhatIsUnderRepair) {
  for (const double rarer : {1e-3, 0.05, 0.3}) {
    for (const std::int64_t own : {0, 3, 7}) {
      const Plan plan = plan_with(
          {"resilience.spares=" + std::to_string(own), "resilience.runs=1", "resilience.shrink=true"});
      GoodputCase c = case_of(plan);
      for (FailureMode& mode : c.modes) mode.rate_per_s *= rarer;
      double repaired = 0;
      for (const FailureMode& mode : c.modes) {
        const bool later = mode.cause == FailureCause::silent || mode.cause == FailureCause::straggler;
        const Seconds gone = later ? c.repair : mode.lasts;
        repaired += mode.rate_per_s * static_cast<double>(mode.hosts) * gone.si();
      }
      const GoodputAnswer answer = study_goodput(plan, c, 1);
      std::set<double> asked;
      for (const WorthRow& row : answer.spares) asked.insert(row.value);
      EXPECT_EQ(asked.size(), answer.spares.size());
      EXPECT_EQ(asked.count(0), 1U);
      EXPECT_EQ(asked.count(static_cast<double>(own)), 1U);
      asked.erase(static_cast<double>(own));
      const double most = std::max(4.0, std::ceil(4 * repaired));
      if (own < 4) {
        EXPECT_NEAR(*asked.rbegin(), most, 0.25 * most) << rarer;
      }
      if (most == 4) {
        asked.insert(static_cast<double>(own));
        EXPECT_EQ(asked, (std::set<double>{0, 1, 2, 3, 4, static_cast<double>(own)})) << rarer;
      }
    }
  }
}

TEST(GoodputCase, SlowCheckpointsAreNamed) {
  const Plan plan = plan_with({"resilience.file_rate=1 B/s", "resilience.runs=5"});
  try {
    study_goodput(plan, case_of(plan), 1);
    FAIL() << "training ended";
  } catch (const Infeasible& answer) {
    EXPECT_NE(answer.remedy.find("times as fast (resilience.file_rate"), std::string::npos) << answer.remedy;
  }
}

TEST(GoodputCase, RareBackupsAreNamed) {
  // A leaf takes eight servers, and with them both copies, before there ever is a backup.
  const Plan plan = plan_with({"resilience.checkpoint=neighbour", "resilience.backup_every=1000000"});
  try {
    study_goodput(plan, case_of(plan), 1);
    FAIL() << "training ended";
  } catch (const Infeasible& answer) {
    EXPECT_NE(answer.remedy.find("resilience.backup_every = 1000 (9"), std::string::npos) << answer.remedy;
  }
}

TEST(GoodputCase, SparesAndDetectionAreWorthSomething) {
  const Plan plan = plan_with({"resilience.runs=20"});
  const GoodputAnswer answer = study_goodput(plan, case_of(plan), 1);
  ASSERT_GT(answer.spares.size(), 3U);
  for (std::size_t i = 1; i < answer.spares.size(); ++i)
    EXPECT_GE(answer.spares[i].ettr, answer.spares[i - 1].ettr - 1e-3);
  EXPECT_GT(answer.best_spares.value(), 0);
  EXPECT_GT(answer.detection.front().ettr, answer.detection.back().ettr);
  EXPECT_GT(answer.target.time_s.mean, answer.ideal.si());
  EXPECT_GT(answer.cost, answer.ideal_cost);
}

}  // namespace
}  // namespace trainyard
