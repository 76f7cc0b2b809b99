// Which HB domains a class joins: every pair once, in as few runs as stand beside each other.
#include "topology/domain_runs.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "trainyard/traffic.h"

namespace trainyard {
namespace {

using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

TrafficMatrix of_class(std::int64_t domains, TrafficPattern pattern, std::vector<Digit> digits) {
  constexpr std::int64_t kDomain = 8;
  TrafficMatrix matrix;
  matrix.devices = domains * kDomain;
  matrix.domain_devices = kDomain;
  for (Digit& digit : digits) digit.stride *= kDomain;
  matrix.classes.push_back({"c", pattern, std::move(digits), Bytes(1), TrafficKind::other});
  return matrix;
}

std::vector<DomainRun> runs_of(const TrafficMatrix& matrix) {
  std::vector<DomainRun> out;
  visit_domain_runs(matrix, matrix.classes.front(), [&](const DomainRun& run) { out.push_back(run); });
  return out;
}

/// By the bytes between the first devices of all domains.
Pairs pairs_by_bytes(const TrafficMatrix& matrix) {
  Pairs out;
  const std::int64_t domain = matrix.domain_devices;
  for (std::int64_t from = 0; from < matrix.devices / domain; ++from) {
    for (std::int64_t to = 0; to < matrix.devices / domain; ++to) {
      if (from != to && matrix.between(from * domain, to * domain).si() > 0) out.insert({from, to});
    }
  }
  return out;
}

TEST(DomainRuns, HoldEveryPairOnce) {
  for (const TrafficPattern pattern : {TrafficPattern::all, TrafficPattern::ring, TrafficPattern::line,
                                       TrafficPattern::ends, TrafficPattern::incast}) {
    for (const std::vector<Digit>& digits :
         {std::vector<Digit>{{1, 12}}, {{1, 4}}, {{3, 4}}, {{4, 3}}, {{2, 2}}, {{6, 2}, {1, 3}}}) {
      const TrafficMatrix matrix = of_class(12, pattern, digits);
      ASSERT_TRUE(joins_equal_ranks(matrix, matrix.classes.front()));
      Pairs pairs;
      std::int64_t visited = 0;
      for (const DomainRun& run : runs_of(matrix)) {
        for (std::int64_t i = 0; i < run.count; ++i) pairs.insert({run.from + i, run.to + i});
        visited += run.count;
      }
      EXPECT_EQ(pairs, pairs_by_bytes(matrix));
      EXPECT_EQ(visited, std::ssize(pairs));
    }
  }
}

/// A ring of all domains goes on by one until it comes back; beside each other stand as many groups as the
/// stride has.
TEST(DomainRuns, AreAsLongAsTheyCanBe) {
  const auto ring = runs_of(of_class(12, TrafficPattern::ring, {{1, 12}}));
  ASSERT_EQ(ring.size(), 2U);
  EXPECT_EQ(ring[0].count + ring[1].count, 12);
  EXPECT_EQ(std::max(ring[0].count, ring[1].count), 11);
  const auto apart = runs_of(of_class(12, TrafficPattern::ring, {{4, 3}}));
  ASSERT_EQ(apart.size(), 2U);  // 0 and 4 to 4 and 8, and 8 back to 0: 8 and 4 domains
  EXPECT_EQ(std::max(apart[0].count, apart[1].count), 8);
}

TEST(DomainRuns, AreOfClassesOfWholeDomainsAlone) {
  const auto joins = [](std::int64_t devices, std::vector<Digit> digits) {
    TrafficMatrix matrix;
    matrix.devices = devices;
    matrix.domain_devices = 8;
    return joins_equal_ranks(matrix, {"c", TrafficPattern::all, std::move(digits), Bytes(1)});
  };
  EXPECT_TRUE(joins(64, {{8, 8}}));
  EXPECT_TRUE(joins(64, {{16, 4}}));
  EXPECT_FALSE(joins(64, {}));
  EXPECT_FALSE(joins(68, {{8, 8}}));   // half a domain is left
  EXPECT_FALSE(joins(64, {{4, 16}}));  // inside of domains, too
  EXPECT_FALSE(joins(64, {{8, 8}, {1, 8}}));
  EXPECT_FALSE(joins(96, {{8, 8}}));  // a group and a half
}

}  // namespace
}  // namespace trainyard
