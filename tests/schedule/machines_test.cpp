// Free devices, and who takes which, against counting.
#include "schedule/machines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "schedule/placer.h"
#include "schedule_cases.h"

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

}  // namespace
}  // namespace trainyard
