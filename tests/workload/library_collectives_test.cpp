// Trees, PAT and sums in switches: what they send, and how long they take beside their closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>

#include "collective/library_schedules.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"
#include "workload/collectives.h"
#include "workload/shards.h"

namespace trainyard::workload {
namespace {

std::vector<std::uint32_t> first_hosts(std::uint32_t n) {
  std::vector<std::uint32_t> out(n);
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

std::uint32_t height(const std::vector<TreeRank>& tree) {
  std::uint32_t most = 0;
  for (std::uint32_t rank = 0; rank < tree.size(); ++rank) {
    std::uint32_t above = 0;
    for (std::uint32_t at = rank; tree[at].parent != TreeRank::kNone; at = tree[at].parent) {
      if (++above > tree.size()) return above;  // a circle
    }
    most = std::max(most, above);
  }
  return most;
}

TEST(DoubleTree, IsLogarithmicAndNobodyIsInsideBothOfAnEvenNumber) {
  for (const std::uint32_t n : {2U, 3U, 5U, 8U, 12U, 31U, 72U}) {
    const std::vector<TreeRank> first = first_tree(n), second = second_tree(n);
    EXPECT_EQ(height(first), std::bit_width(n - 1)) << n;
    EXPECT_EQ(height(second), std::bit_width(n - 1)) << n;
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      EXPECT_LE(first[rank].children.size(), 2U);
      const bool inside_both = !first[rank].children.empty() && !second[rank].children.empty();
      EXPECT_FALSE(n % 2 == 0 && inside_both) << n;
    }
  }
}

TEST(TreeAllReduce, SendsTwiceTheBufferForAllButOne) {
  for (const std::uint32_t n : {2U, 7U, 16U}) {
    const Workload made = tree_all_reduce({first_hosts(n), 1001 * 6, 3});
    EXPECT_EQ(made.flows.size(), 4U * (n - 1) * 3);
    std::vector<std::uint64_t> sent(n, 0);
    for (const Flow& flow : made.flows) sent[flow.from] += flow.bytes;
    EXPECT_EQ(std::accumulate(sent.begin(), sent.end(), std::uint64_t{0}), 2ULL * 1001 * 6 * (n - 1));
    const std::uint64_t most = *std::max_element(sent.begin(), sent.end());
    EXPECT_LE(most, (n % 2 == 0 ? 2U : 4U) * 1001 * 6);
    check_dependencies(made, whole("test"));
  }
}

TEST(Pat, SendsAllButTheOwnPieceInLogarithmicallyManySteps) {
  for (const CollectiveSchedule* schedule : {&pat_all_gather(), &pat_reduce_scatter()}) {
    for (const std::uint32_t n : {2U, 5U, 8U, 12U}) {
      const Workload made = scheduled({first_hosts(n), 700ULL * n, 1}, *schedule);
      const auto steps = static_cast<std::size_t>(std::bit_width(n - 1));
      EXPECT_EQ(made.flows.size(), steps * n);
      std::vector<std::uint64_t> sent(n, 0), got(n, 0);
      for (const Flow& flow : made.flows) {
        sent[flow.from] += flow.bytes;
        got[flow.to] += flow.bytes;
      }
      EXPECT_EQ(sent, std::vector<std::uint64_t>(n, 700ULL * (n - 1))) << n;
      EXPECT_EQ(got, sent);
      check_dependencies(made, whole("test"));
    }
  }
}

/// Until the last byte is received, on one leaf: links of 100 Gbps and 1 us each way, flows at fair rates.
double simulated_us(std::uint32_t hosts, const std::string& traffic, std::uint64_t bytes, int chunks = 1) {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{
      "test.toml",
      "[facility]\ndevices = 8\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[[design]]\n"
      "name = \"d\"\ndomain = 1\nradix = 64\nrate = \"100 Gbps\"\nhosts = " +
          std::to_string(hosts) + "\n"}));
  text.set("simulation.traffic=" + traffic);
  text.set("simulation.bytes=\"" + std::to_string(bytes) + " B\"");
  text.set("simulation.link_delay=\"1 us\"");
  text.set("simulation.chunks=" + std::to_string(chunks));
  SimulationRun run;
  run.engine = SimulationEngine::flow;
  Picoseconds last = 0;
  for (const Flow& flow : simulate(text.resolve(), run).flows) last = std::max(last, flow.received);
  return seconds(last).si() * 1e6;
}

constexpr double kBytesPerUs = 12'500;
constexpr double kPathUs = 2;
constexpr double kHeaders = 0.02;  // of a flow: headers, and a packet that is stored at the switch

TEST(Pat, TakesLogarithmicallyManyDelaysAndTheBufferOnce) {
  for (const char* traffic : {"pat_all_gather", "pat_reduce_scatter"}) {
    for (const std::uint32_t n : {8U, 12U, 32U}) {
      const std::uint64_t bytes = 1'000'000ULL * n;
      const double expected =
          std::bit_width(n - 1) * kPathUs + static_cast<double>(bytes) * (n - 1) / n / kBytesPerUs;
      EXPECT_NEAR(simulated_us(n, traffic, bytes) / expected, 1, kHeaders) << traffic << n;
    }
  }
}

TEST(InNetworkAllReduce, TakesTheBufferOnceWhateverTheHosts) {
  for (const std::uint32_t n : {4U, 32U}) {
    const double expected = kPathUs + 8'000'000 / kBytesPerUs;
    EXPECT_NEAR(simulated_us(n, "in_network_all_reduce", 8'000'000) / expected, 1, kHeaders) << n;
  }
}

/// Each group's chunks are reductions of their own, whose flows go around the group.
TEST(InNetworkAllReduce, GroupsAndChunksAreReductions) {
  for (const InNetworkTraffic& traffic : kInNetworkTraffics) {
    const Workload made = in_network({first_hosts(12), 6000, 2, 4}, traffic.kind);
    ASSERT_EQ(made.reductions.size(), 3U * 2);
    EXPECT_EQ(made.flows.size(), 12U * 2);
    for (const Reduction& reduction : made.reductions) {
      EXPECT_EQ(reduction.kind, traffic.kind);
      EXPECT_EQ(reduction.ranks, 4U);
      for (std::uint32_t rank = 0; rank < reduction.ranks; ++rank) {
        const Flow& flow = made.flows[reduction.first + rank];
        EXPECT_EQ(flow.bytes, 3000U);
        EXPECT_EQ(flow.to, made.flows[reduction.first + (rank + 1) % reduction.ranks].from);
      }
    }
    check_dependencies(made, whole("test"));
    EXPECT_THROW(in_network({first_hosts(12), 6000, 1, 5}, traffic.kind), InputError);
    EXPECT_THROW(in_network({first_hosts(12), 6000, 1, 1}, traffic.kind), InputError);
  }
  EXPECT_THROW(in_network({first_hosts(12), 3, 1, 4}, Reduction::Kind::all_gather), InputError);
}

/// Every packet belongs to one shard, and the shards' bytes are the buffer.
TEST(Shards, AreCutIntoPacketsOfTheirOwn) {
  for (const std::uint64_t bytes : {1ULL, 7ULL, 4096ULL, 12'288ULL, 12'290ULL, 100'003ULL}) {
    for (const std::uint32_t count : {1U, 3U, 8U}) {
      const Shards shards(bytes, count, 4096);
      std::vector<std::uint64_t> of_shard(count, 0);
      for (std::uint64_t packet = 0; packet < shards.count(); ++packet) {
        const std::uint32_t shard = shards.shard(packet);
        EXPECT_GE(packet, shards.begin(shard));
        EXPECT_LT(packet, shards.begin(shard + 1));
        EXPECT_GE(shards.payload(packet), 1U);
        EXPECT_LE(shards.payload(packet), 4096U);
        of_shard[shard] += shards.payload(packet);
      }
      EXPECT_EQ(shards.begin(count), shards.count());
      for (std::uint32_t shard = 0; shard < count; ++shard)
        EXPECT_EQ(of_shard[shard], bytes / count + (shard < bytes % count ? 1 : 0)) << bytes << " " << count;
    }
  }
}

TEST(InNetworkAllReduce, TakesHalfOfARing) {
  const double ring = simulated_us(32, "ring_all_reduce", 32'000'000);
  const double expected = 2.0 * 31 / 32;  // bytes; the delays are little beside them
  EXPECT_NEAR(ring / simulated_us(32, "in_network_all_reduce", 32'000'000), expected, 0.1);
}

TEST(TreeAllReduce, OfOneSmallChunkTakesTwiceItsHeight) {
  // Halves of 64 bytes take 5 ns a link, a packet of headers as long again: delays alone count.
  for (const std::uint32_t n : {8U, 32U}) {
    const double expected = 2 * std::bit_width(n - 1) * kPathUs;
    EXPECT_NEAR(simulated_us(n, "tree_all_reduce", 128) / expected, 1, kHeaders) << n;
  }
}

TEST(TreeAllReduce, InManyChunksComesNearTwiceTheBuffer) {
  // A rank inside a tree sends 2 B at most; as chunks fill the trees, they overlap.
  const double bound = 2 * 64'000'000 / kBytesPerUs;
  const double taken = simulated_us(16, "tree_all_reduce", 64'000'000, 64);
  EXPECT_GE(taken, bound);
  EXPECT_LE(taken, 1.35 * bound);
}

}  // namespace
}  // namespace trainyard::workload
