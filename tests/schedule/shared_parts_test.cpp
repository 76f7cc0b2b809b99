// What failed parts of a network and of a site take: by hand, and as the design's own blast radius says.
#include "schedule/shared_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "schedule/contention.h"
#include "schedule/outages.h"
#include "schedule_cases.h"
#include "trainyard/catalog.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

using namespace schedule;

constexpr double kYear_s = 365 * 86400.0;

Cluster cluster_on(int domains, const std::string& design) {
  return cluster_of(scheduled_design(shared_cluster(domains, {}, design)), {});
}

FailureSet all_fail() {
  FailureSet set;
  set.switch_chip = set.plane = set.rack_power = set.power_feed = set.cooling = set.site = set.cable = 1;
  return set;
}

std::size_t number_of(const SharedParts& parts, const std::string& name) {
  for (std::size_t kind = 0; kind < parts.size(); ++kind)
    if (parts.kind(kind).name == name) return kind;
  ADD_FAILURE() << name;
  return 0;
}

Damage damage_of(const Cluster& cluster, const std::string& name, std::int64_t part) {
  const SharedParts parts(cluster, all_fail(), {});
  return parts.damage(number_of(parts, name), part);
}

TEST(SharedParts, ALeafOfOnePlaneTakesItsDomains) {
  const Cluster cluster =
      cluster_on(32, "topology = \"fat_tree\"\noversubscription = [2]");  // 4 below a leaf
  const Damage leaf = damage_of(cluster, "leaf", 1);
  EXPECT_EQ(leaf.gone, (std::vector<std::int32_t>{4, 5, 6, 7}));
  EXPECT_TRUE(leaf.slower.empty());
}

TEST(SharedParts, ALeafOfARailTakesItsRank) {
  const Cluster cluster = cluster_on(96, "topology = \"rail_optimized\"\nradix = 64");
  const Damage leaf = damage_of(cluster, "leaf", 0);
  EXPECT_TRUE(leaf.gone.empty());
  EXPECT_EQ(leaf.slower.size(), 32U);
  for (const auto& [domain, share] : leaf.slower) EXPECT_DOUBLE_EQ(share, 1.0 / 8);
  ASSERT_EQ(leaf.links.size(), 1U);  // those of its group, of which seven leaves are left
  EXPECT_DOUBLE_EQ(leaf.links.front().second, 1.0 / 8);
}

TEST(SharedParts, LeavesTakeWhatTheBlastRadiusSays) {
  for (const char* design :
       {"topology = \"fat_tree\"\nradix = 40", "topology = \"rail_only\"\nradix = 64",
        "topology = \"rail_optimized\"\nradix = 64", "topology = \"fat_tree\"\nplanes = 2"}) {
    const Cluster cluster = cluster_on(100, design);
    const BlastRadius blast = count(*cluster.design).blast.front();
    const SharedParts parts(cluster, all_fail(), {});
    const std::size_t leaf = number_of(parts, "leaf");
    EXPECT_EQ(parts.kind(leaf).parts, std::llround(blast.parts)) << design;
    double most = 0;  // device rates that are lost
    double all = 0;
    for (std::int64_t part = 0; part < parts.kind(leaf).parts; ++part) {
      const Damage damage = parts.damage(leaf, part);
      double lost = 8.0 * static_cast<double>(damage.gone.size());
      for (const auto& [domain, share] : damage.slower) lost += 8 * share;
      most = std::max(most, lost);
      all += lost;
    }
    EXPECT_NEAR(most, blast.hosts * blast.share, 1e-9) << design;
    EXPECT_NEAR(all, 800, 1e-9) << design;  // every device has one leaf in each plane
  }
}

TEST(SharedParts, PlanesAndSpinesTakeTheirShare) {
  const Cluster two = cluster_on(32, "topology = \"fat_tree\"\nplanes = 2\noversubscription = [2]");
  const Damage plane = damage_of(two, "plane", 1);
  EXPECT_EQ(plane.slower.size(), 32U);
  for (const auto& [domain, share] : plane.slower) EXPECT_DOUBLE_EQ(share, 0.5);
  const Cluster one = cluster_on(32, "topology = \"fat_tree\"\noversubscription = [2]");
  EXPECT_EQ(damage_of(one, "plane", 0).gone.size(), 32U);  // nothing is left
  const Damage spine = damage_of(one, "spine", 0);
  EXPECT_TRUE(spine.gone.empty() && spine.slower.empty());
  ASSERT_EQ(spine.links.size(), one.levels.front().rate_up.size());
  const BlastRadius blast = count(*one.design).blast[2];
  ASSERT_EQ(blast.what, "one spine");
  EXPECT_DOUBLE_EQ(spine.links.front().second, blast.share);
}

TEST(SharedParts, PowerTakesNeighbours) {
  const Cluster cluster = cluster_on(100, "topology = \"fat_tree\"");
  EXPECT_EQ(damage_of(cluster, "rack's power", 24).gone, (std::vector<std::int32_t>{96, 97, 98, 99}));
  EXPECT_EQ(damage_of(cluster, "power feed", 3).gone.size(), 4U);  // the last of 4 racks of 8 times 4
  EXPECT_EQ(damage_of(cluster, "cooling loop", 0).gone.size(), 32U);
  EXPECT_EQ(damage_of(cluster, "site", 0).gone.size(), 100U);
  EXPECT_DOUBLE_EQ(damage_of(cluster, "link of a device", 799).slower.front().second, 1.0 / 8);
  EXPECT_EQ(damage_of(cluster, "link of a device", 799).slower.front().first, 99);
}

TEST(SharedParts, WhatNeverFailsIsNoKind) {
  EXPECT_EQ(SharedParts(cluster_on(32, "topology = \"fat_tree\""), FailureSet{}, {}).size(), 0U);
}

TEST(SharedParts, JobsGoAtTheRateThatPartsLeave) {
  const Cluster cluster = cluster_on(32, "topology = \"fat_tree\"\nplanes = 2");
  const Damage plane = damage_of(cluster, "plane", 0);
  Contention contention(cluster, JobOverlap::together);
  const schedule::Placement placement = {{0, 8}, {1, 8}};  // below one leaf: it loads no link
  EXPECT_FALSE(contention.add(0, placement, {JobTraffic::ring, 0.5}));
  contention.lose(plane, 1);
  ASSERT_TRUE(contention.add(0, placement, {JobTraffic::ring, 0.5}));
  EXPECT_FALSE(contention.add(1, {{2, 8}}, {JobTraffic::ring, 0.5}));  // inside an HB domain
  contention.solve();
  EXPECT_DOUBLE_EQ(contention.shares().at(0).rate, 0.5);
  EXPECT_DOUBLE_EQ(contention.shares().at(0).speed, 1 / (0.5 + 0.5 / 0.5));
  contention.lose(plane, -1);
  contention.remove(0);
  EXPECT_FALSE(contention.add(0, placement, {JobTraffic::ring, 0.5}));
}

TEST(Outages, ComeAtTheirRates) {
  const Cluster cluster = cluster_on(32, "topology = \"fat_tree\"\noversubscription = [2]");
  const SharedParts parts(cluster, all_fail(), {});
  double rate_per_s = 0;
  for (std::size_t kind = 0; kind < parts.size(); ++kind) rate_per_s += parts.kind(kind).rate_per_s;
  Outages outages(parts, 7);
  std::vector<double> seen(parts.size());
  constexpr int kDrawn = 20'000;
  double last_s = 0;
  for (int i = 0; i < kDrawn; ++i) {
    ASSERT_GT(outages.next_failure_s(), last_s);
    last_s = outages.next_failure_s();
    const PartNumber part = outages.failing();
    ASSERT_LT(part.second, parts.kind(part.first).parts);
    ++seen[part.first];
  }
  EXPECT_NEAR(last_s * rate_per_s, kDrawn, 0.03 * kDrawn);
  for (std::size_t kind = 0; kind < parts.size(); ++kind) {
    const double expected = kDrawn * parts.kind(kind).rate_per_s / rate_per_s;
    EXPECT_NEAR(seen[kind], expected, 5 * std::sqrt(expected)) << parts.kind(kind).name;
  }
  EXPECT_NEAR(parts.kind(number_of(parts, "leaf")).rate_per_s, 8 / kYear_s, 1e-12);
}

// A site that fails ten times a day: jobs end, and every second is somewhere.
TEST(Outages, StopJobsAndSlowThem) {
  Scenario scenario = shared_cluster(
      32, {"part_failures=\"default\"", "spares=2", "repair_time=\"1 h\"", "failures_per_1000_days=100"},
      "topology = \"fat_tree\"\nplanes = 2\noversubscription = [2]");
  auto catalog = std::make_shared<Catalog>(*scenario.catalog);
  FailureSet& set = catalog->failures["default"];
  set.site = set.plane = 3650;
  set.switch_chip = set.power_feed = 1000;
  set.facility_repair = set.link_repair = Seconds(600);
  scenario.catalog = catalog;
  std::vector<Job> jobs;
  double work = 0;
  for (int i = 0; i < 60; ++i) {
    jobs.push_back(job(i * 600.0, 8 * (1 + i % 12), 7200));
    work += 8.0 * (1 + i % 12) * 7200;
  }
  const ScheduleAnswer answer = study_schedule(scenario, jobs_of(jobs));
  EXPECT_EQ(answer.totals.finished, 60);
  const double all = 256 * answer.totals.span.si();
  EXPECT_NEAR(sum_of(answer.use), all, 1e-7 * all);
  EXPECT_NEAR(answer.use.useful, work, 1e-7 * work);
  EXPECT_GT(answer.use.contention, 0);
  EXPECT_GT(answer.use.down, 0);
  std::int64_t stopped = 0;
  for (const ScheduleOutages& o : answer.outages) {
    stopped += o.jobs_stopped;
    if (o.part == "site") {
      EXPECT_EQ(o.domains_gone, 32 * o.failures);
    }
    if (o.part == "plane") {
      EXPECT_EQ(o.domains_slower, 32 * o.failures);
    }
  }
  EXPECT_GT(stopped, 0);
  EXPECT_GE(answer.totals.failures, stopped);  // those of HB domains besides
  const ScheduleAnswer again = study_schedule(scenario, jobs_of(jobs));
  EXPECT_EQ(again.totals.span.si(), answer.totals.span.si());
}

}  // namespace
}  // namespace trainyard
