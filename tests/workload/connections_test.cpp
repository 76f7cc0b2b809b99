// Flows that a library cuts over several connections.
#include "workload/connections.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <set>

#include "trainyard/errors.h"

namespace trainyard::workload {
namespace {

Workload random_workload() {
  Workload out;
  const auto flows = *rc::gen::inRange<std::uint32_t>(1, 20);
  for (std::uint32_t f = 0; f < flows; ++f)
    out.flows.push_back({f, f + 1, *rc::gen::inRange<std::uint64_t>(0, 40), f});
  for (std::uint32_t f = 1; f < flows; ++f) {
    if (*rc::gen::arbitrary<bool>())
      out.dependencies.push_back({*rc::gen::inRange<std::uint32_t>(0, f), f, *rc::gen::arbitrary<bool>()});
  }
  return out;
}

RC_GTEST_PROP(Connections, CarryEveryByteOnceAndEvenly, ()) {
  const Workload before = random_workload();
  const auto count = *rc::gen::inRange<std::uint32_t>(2, 10);
  const auto planes = *rc::gen::inRange<std::uint32_t>(1, 5);
  Workload after = before;
  const Connections connections(after, count, planes);
  for (std::uint32_t f = 0; f < before.flows.size(); ++f) {
    const std::uint32_t first = connections.first_part(f);
    const std::uint32_t parts = connections.first_part(f + 1) - first;
    RC_ASSERT(parts == std::min<std::uint64_t>(count, std::max<std::uint64_t>(1, before.flows[f].bytes)));
    std::uint64_t bytes = 0;
    for (std::uint32_t p = 0; p < parts; ++p) {
      const Flow& part = after.flows[first + p];
      RC_ASSERT(part.from == before.flows[f].from && part.to == before.flows[f].to);
      RC_ASSERT(part.plane == (f + p) % planes);
      RC_ASSERT(after.flows[first].bytes - part.bytes <= 1);
      bytes += part.bytes;
    }
    RC_ASSERT(bytes == before.flows[f].bytes);
  }
}

RC_GTEST_PROP(Connections, WaitForAllPartsOfAFlow, ()) {
  const Workload before = random_workload();
  Workload after = before;
  const Connections connections(after, *rc::gen::inRange<std::uint32_t>(2, 10), 1);
  const std::vector<std::uint32_t> flow_of = connections.flow_of_parts();
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const Dependency& d : after.dependencies) edges.insert({d.before, d.after});
  RC_ASSERT(edges.size() == after.dependencies.size());
  std::set<std::pair<std::uint32_t, std::uint32_t>> wanted;
  for (const Dependency& d : before.dependencies) wanted.insert({d.before, d.after});
  for (std::uint32_t a = 0; a < after.flows.size(); ++a) {
    for (std::uint32_t b = 0; b < after.flows.size(); ++b)
      RC_ASSERT(edges.contains({a, b}) == wanted.contains({flow_of[a], flow_of[b]}));
  }
}

RC_GTEST_PROP(Connections, AreOneFlowAgainFromTheFirstBeginToTheLastEnd, ()) {
  const Workload before = random_workload();
  Workload after = before;
  const Connections connections(after, 4, 2);
  for (std::uint32_t p = 0; p < after.flows.size(); ++p) {
    Flow& part = after.flows[p];
    part.began = 1000 - p;
    part.received = 2000 + p;
    part.finished = p % 7 == 6 ? kNever : 3000 + p;
  }
  const std::vector<Flow> joined = connections.joined(after.flows);
  RC_ASSERT(joined.size() == before.flows.size());
  for (std::uint32_t f = 0; f < joined.size(); ++f) {
    const std::uint32_t last = connections.first_part(f + 1) - 1;
    RC_ASSERT(joined[f].bytes == before.flows[f].bytes);
    RC_ASSERT(joined[f].began == 1000 - last);
    RC_ASSERT(joined[f].received == 2000 + last);
    RC_ASSERT(joined[f].plane == Flow::kPlaneOfHash);
    bool all = true;
    for (std::uint32_t p = connections.first_part(f); p <= last; ++p)
      all = all && after.flows[p].finished != kNever;
    RC_ASSERT((joined[f].finished == kNever) == !all);
  }
}

TEST(Connections, OfOneAreTheFlowItself) {
  Workload workload;
  workload.flows.push_back({0, 1, 100, 0});
  const Connections connections(workload, 1, 4);
  EXPECT_FALSE(connections.cut());
  EXPECT_EQ(workload.flows.front().plane, Flow::kPlaneOfHash);
  EXPECT_EQ(connections.joined(workload.flows).size(), 1U);
}

TEST(Connections, RefuseFlowsThatBeginByTurnsAndMorePartsThanARunTakes) {
  Workload turns;
  turns.flows.push_back({0, 1, 100, 0});
  turns.lineups.push_back({0});
  EXPECT_THROW(Connections(turns, 2, 1), InputError);
  Workload star;  // 2,000 times 1,000 flows that wait for each other
  for (std::uint32_t f = 0; f < 3000; ++f) star.flows.push_back({f, 3000, 1000, 0});
  for (std::uint32_t a = 0; a < 2000; ++a) {
    for (std::uint32_t b = 2000; b < 3000; ++b) star.dependencies.push_back({a, b, true});
  }
  EXPECT_THROW(Connections(star, 8, 1), InputError);
}

}  // namespace
}  // namespace trainyard::workload
