// Free devices, and who takes which, against counting.
#include "schedule/machines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "schedule/placer.h"
#include "schedule_cases.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

using namespace schedule;

bool fits_by_counting(const Machines& machines, std::int64_t devices) {
  std::vector<std::int32_t> free;
  for (std::int32_t domain = 0; domain < machines.domains(); ++domain)
    free.push_back(machines.free_of(domain));
  std::sort(free.begin(), free.end());
  for (; devices >= 8; devices -= 8) {
    if (free.empty() || free.back() < 8) return false;
    free.pop_back();
  }
  return devices == 0 || (!free.empty() && free.back() >= devices);
}

class Placed : public ::testing::TestWithParam<JobPlacement> {};

TEST_P(Placed, WhatFitsIsPlacedOnFreeDevices) {
  ScheduleInput settings;
  settings.placement = GetParam();
  const Cluster cluster = cluster_of(scheduled_design(shared_cluster(32)), settings);
  Placer placer(cluster, settings);
  Machines machines(32, 8);
  std::vector<schedule::Placement> held;
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    const std::int64_t devices = 1 + random() % 40;
    ASSERT_EQ(machines.fits(devices), fits_by_counting(machines, devices));
    const auto placement = placer.place(machines, devices);
    ASSERT_EQ(placement.has_value(), machines.fits(devices));
    if (placement) {
      std::int64_t sum = 0;
      std::set<std::int32_t> domains;
      for (const Part& part : *placement) {
        sum += part.devices;
        ASSERT_LE(part.devices, machines.free_of(part.domain));
        ASSERT_TRUE(domains.insert(part.domain).second);
      }
      ASSERT_EQ(sum, devices);
      ASSERT_EQ(static_cast<std::int64_t>(placement->size()), (devices + 7) / 8);
      machines.take(*placement);
      held.push_back(*placement);
    }
    while (!held.empty() && random() % 2 == 0) {
      std::swap(held.back(), held[random() % held.size()]);
      machines.give_back(held.back());
      held.pop_back();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryRule, Placed,
                         ::testing::Values(JobPlacement::first, JobPlacement::best, JobPlacement::leaf,
                                           JobPlacement::anywhere));

TEST(Placer, LeavesFillBeforeJobsSpanThem) {
  ScheduleInput settings;
  settings.placement = JobPlacement::leaf;
  const Cluster cluster = cluster_of(scheduled_design(shared_cluster(32)), settings);
  Placer placer(cluster, settings);
  Machines machines(32, 8);
  machines.take({{0, 8}, {5, 8}, {6, 8}, {9, 3}});
  // Two domains: the leaf of domains 4 to 7 has just two left.
  const schedule::Placement two = *placer.place(machines, 16);
  EXPECT_EQ(two[0].domain, 4);
  EXPECT_EQ(two[1].domain, 7);
  // Part of a domain: where it fills best.
  EXPECT_EQ(placer.place(machines, 5)->front().domain, 9);
  // Six: a whole leaf and a half, none of those with holes.
  std::set<std::int32_t> leaves;
  const schedule::Placement six = *placer.place(machines, 48);
  for (const Part& part : six) leaves.insert(part.domain / 4);
  EXPECT_EQ(leaves.size(), 2U);
}

/// 25 leaves of 32 ports for 8 ranks of 100 domains: a leaf of one rank or another ends every four domains.
struct UnevenRails {
  ScheduleInput settings;  // by leaf
  Cluster cluster = cluster_of(
      scheduled_design(shared_cluster(100, {}, "topology = \"rail_optimized\"\nradix = 64")), settings);
  Placer placer{cluster, settings};
  Machines machines{100, 8};

  std::size_t ranks_over_leaves(const schedule::Placement& placement) const {
    std::size_t over = 0;
    for (const RankClass& ranks : cluster.levels.front().classes) {
      std::set<std::int32_t> leaves;
      for (const Part& part : placement)
        leaves.insert(ranks.link_of_domain[static_cast<std::size_t>(part.domain)]);
      if (leaves.size() > 1) ++over;
    }
    return over;
  }
};

TEST(Placer, LeavesOfAllRanksCountWhereTheyDiffer) {
  UnevenRails rails;
  ASSERT_EQ(rails.cluster.levels.front().classes.size(), 8U);
  rails.machines.take({{0, 8}, {1, 8}});
  // Domains 2 to 9 are the first free ones below a leaf of the first rank, but on two leaves in two others.
  const schedule::Placement eight = *rails.placer.place(rails.machines, 64);
  ASSERT_EQ(eight.size(), 8U);
  EXPECT_EQ(rails.ranks_over_leaves(eight), 1U);
  // Only four that begin with a leaf are below one in every rank.
  EXPECT_EQ(rails.ranks_over_leaves(*rails.placer.place(rails.machines, 32)), 0U);
}

TEST(Placer, OfEqualLeavesThoseAreTakenThatHaveLeastRoom) {
  UnevenRails rails;
  // Four domains below one leaf in every rank are free in many places; here little else is below it.
  for (std::int32_t domain = 32; domain < 92; ++domain)
    if (domain < 60 || domain > 63) rails.machines.take({{domain, 8}});
  const schedule::Placement four = *rails.placer.place(rails.machines, 32);
  EXPECT_EQ(four.front().domain, 60);
  EXPECT_EQ(four.back().domain, 63);
}

TEST(Placer, APartOfADomainGoesWhereMostRanksShareALeafWithTheJob) {
  UnevenRails rails;
  for (std::int32_t domain = 0; domain < 100; ++domain)
    if (domain != 31) rails.machines.take({{domain, domain == 27 ? 4 : domain == 30 ? 3 : 8}});
  // Domain 27 would be filled, but is below another leaf in one rank.
  const schedule::Placement twelve = *rails.placer.place(rails.machines, 12);
  EXPECT_EQ(twelve.front().domain, 31);
  EXPECT_EQ(twelve.back().domain, 30);
}

}  // namespace
}  // namespace trainyard
