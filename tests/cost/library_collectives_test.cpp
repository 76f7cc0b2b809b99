// A library's collectives: its choice beside what its source computes, times beside sums by hand.
#include "trainyard/library_collectives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "cost/library_steps.h"
#include "trainyard/catalog.h"

namespace trainyard {
namespace {

constexpr double kMiB = 1 << 20;
constexpr double kKiB = 1 << 10;

LibraryRun chosen(const std::string& system, const std::string& operation, std::int64_t devices, double bytes,
                  double element = 2) {
  return library_run(*shipped_catalog(), {system, operation, devices, bytes, element});
}

TEST(LibraryTuner, EstimatesAsNcclDoes) {
  // H100: 12 rings of 30 GB/s; LL at most 141 GB/s, LL128 0.92 of 360; 8 devices, 14 steps.
  const auto runs = library_candidates(*shipped_catalog(), {"h100_sxm", "all_reduce", 8, kMiB});
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_NEAR(runs[0].estimate_us, 6.6 + 14 * 0.6 + kMiB / (141e3 * 8 / 14), 1e-9);
  EXPECT_NEAR(runs[1].estimate_us, 14 + 14 * 1.9 + kMiB / (0.92 * 360e3 * 8 / 14), 1e-9);
  EXPECT_NEAR(runs[2].estimate_us, 8.4 + 14 * 3.4 + kMiB / (360e3 * 8 / 14), 1e-9);
  EXPECT_NEAR(runs[3].estimate_us, 25 + kMiB / (8 * 40e3 * 5 / 6), 1e-9);
}

TEST(LibraryTuner, TakesTheProtocolsThatSizesAsk) {
  EXPECT_EQ(chosen("h100_sxm", "all_reduce", 4, kMiB).protocol, LibraryProtocol::ll);
  EXPECT_EQ(chosen("h100_sxm", "all_reduce", 4, 8 * kMiB).protocol, LibraryProtocol::ll128);
  EXPECT_EQ(chosen("h100_sxm", "all_reduce", 4, 64 * kMiB).protocol, LibraryProtocol::simple);
  EXPECT_EQ(chosen("h100_sxm", "all_reduce", 8, 64 * kMiB).algorithm, LibraryAlgorithm::in_switch);
  // NVLS sums no bytes, and A100's switches sum nothing.
  EXPECT_EQ(chosen("h100_sxm", "all_reduce", 8, 64 * kMiB, 1).algorithm, LibraryAlgorithm::ring);
  EXPECT_EQ(chosen("a100_sxm", "all_reduce", 8, 64 * kMiB).algorithm, LibraryAlgorithm::ring);
  EXPECT_EQ(chosen("h100_sxm", "alltoall", 8, 128 * kKiB).protocol, LibraryProtocol::ll);
  EXPECT_EQ(chosen("h100_sxm", "alltoall", 8, 256 * kKiB).protocol, LibraryProtocol::simple);
}

TEST(LibraryTuner, KnowsInstallationsByTheirVersions) {
  LibraryCall call{"b200_sxm", "all_gather", 8, 16 * kMiB};
  EXPECT_EQ(library_run(*shipped_catalog(), call).protocol, LibraryProtocol::simple);
  call.version = "2.28.9";
  EXPECT_EQ(library_run(*shipped_catalog(), call).protocol, LibraryProtocol::ll128);
  call.version = "2.28";  // another one
  EXPECT_EQ(library_run(*shipped_catalog(), call).protocol, LibraryProtocol::simple);
}

/// Constants of rings, all 1 but those that matter.
std::vector<double> ring_ones() { return std::vector<double>(ring_constants, 1); }

LibraryFacts plain_facts() {
  LibraryFacts facts;
  facts.channels = 24;
  facts.in_switch_channels = 16;
  facts.p2p_channels = 32;
  return facts;
}

TEST(LibrarySteps, Ll128IsHopsAndPieces) {
  LibraryRun run;
  run.protocol = LibraryProtocol::ll128;
  std::vector<double> c = ring_ones();
  c[ring_start] = 5;
  c[ring_ll128_hop] = 2;
  c[ring_ll128_rate] = 10;  // GB/s of a channel
  c[ring_ll_tail] = 0.5;
  time_run(run, plain_facts(), {"x", "all_reduce", 4, 24 * 4 * 100e3}, c);
  EXPECT_EQ(run.channels, 24);
  EXPECT_NEAR(run.piece_bytes, 24 * 100e3, 1e-6);
  EXPECT_NEAR(run.time_us(), 5 + 6 * (2 + 10) + 0.5 * 10, 1e-9);
}

// A sum of bytes takes LL so many times as long for each round; a gather does not look at elements.
TEST(LibrarySteps, LlRoundsOfBytesTakeLonger) {
  const auto round = [](const std::string& operation, double element) {
    LibraryRun run;
    run.protocol = LibraryProtocol::ll;
    std::vector<double> c = ring_ones();
    c[ring_ll_hop] = 0;
    c[ring_ll_tail] = 0;
    c[ring_ll_narrow] = 3;
    time_run(run, plain_facts(), {"x", operation, 4, 24 * 4 * 100e3, element}, c);
    return run.step_us;
  };
  EXPECT_NEAR(round("all_reduce", 1) / round("all_reduce", 2), 3, 1e-6);
  EXPECT_NEAR(round("all_gather", 1) / round("all_gather", 2), 1, 1e-9);
}

TEST(LibrarySteps, ChannelsAndThreadsGrowWithTheSize) {
  std::vector<double> c = ring_ones();
  LibraryRun small, middle, large;
  for (LibraryRun* run : {&small, &middle, &large}) run->protocol = LibraryProtocol::ll;
  time_run(small, plain_facts(), {"x", "all_gather", 8, 1024}, c);
  time_run(middle, plain_facts(), {"x", "all_gather", 8, 8 * 512 * 64}, c);
  time_run(large, plain_facts(), {"x", "all_gather", 8, 64 * kMiB}, c);
  EXPECT_EQ(small.channels, 1);
  EXPECT_EQ(small.threads, 64);
  EXPECT_EQ(middle.channels, 8);  // 64 bytes a thread of 512
  EXPECT_EQ(middle.threads, 512);
  EXPECT_EQ(large.channels, 24);
}

TEST(LibrarySteps, InSwitchLoopsByItsChunks) {
  LibraryRun run;
  run.algorithm = LibraryAlgorithm::in_switch;
  std::vector<double> c = ring_ones();
  c[ring_switch_start] = 3;
  c[ring_switch_depth] = 2;
  c[ring_switch_loop] = 5;
  c[ring_switch_rate] = 64 * kKiB * 8 / 1e3 / 20;  // 20 us a chunk of 64 KiB for 8 devices
  time_run(run, plain_facts(), {"x", "all_reduce", 8, 128 * kMiB}, c);
  EXPECT_NEAR(run.steps, 128 * kMiB / (16 * 8 * 64 * kKiB), 1e-9);
  EXPECT_NEAR(run.time_us(), 3 + (16 + 2) * 25, 1e-9);
}

// Every device reads the sum of its shard from all, itself included, or writes its own to all: the links
// carry the buffer once one way, as for an all-reduce, without the shard that its head sends again.
TEST(LibrarySteps, InSwitchPassesTakeWhatAnAllReduceDoes) {
  const LibraryWish wish{LibraryAlgorithm::in_switch, {}, {}};
  const auto run = [&](const char* operation, double element = 2) {
    return library_run(*shipped_catalog(), {"h100_sxm", operation, 8, 64 * kMiB, element}, wish);
  };
  const LibraryRun whole = run("all_reduce");
  for (const char* pass : {"reduce_scatter", "all_gather"}) {
    EXPECT_EQ(run(pass).time_us(), whole.time_us()) << pass;
    EXPECT_NEAR(run(pass).wire_bytes * 9 / 8, whole.wire_bytes, 1e-6) << pass;
    EXPECT_EQ(chosen("h100_sxm", pass, 8, 64 * kMiB).algorithm, LibraryAlgorithm::ring) << pass;
  }
  EXPECT_EQ(run("all_gather", 1).algorithm, LibraryAlgorithm::in_switch);
  EXPECT_THROW(run("reduce_scatter", 1), InputError);  // bytes are not summed
  EXPECT_THROW(library_run(*shipped_catalog(), {"a100_sxm", "all_gather", 8, kMiB}, wish), InputError);
}

TEST(LibrarySteps, LargeRingsAreBoundByTheLinkAndGrowWithBytes) {
  const LibraryCall call{"x", "all_reduce", 8, 1e9};
  std::vector<double> c = ring_ones();
  c[ring_simple_rate] = 1e6;  // processors and latency are no limit
  c[ring_simple_link] = 400;
  c[ring_simple_hop] = 1e-9;
  c[ring_simple_overlap] = 3;
  LibraryRun run;
  time_run(run, plain_facts(), call, c);
  EXPECT_NEAR(run.steps * run.step_us, 14 * (1e9 / 8) / 400e3, 1);
}

TEST(LibraryRuns, NeverGetMuchFasterWithMoreBytesOfOneProtocol) {
  // A little they may: with the bytes grow channels and threads.
  for (const char* system : {"a100_sxm", "h100_sxm", "h200_sxm", "b200_sxm", "b300_sxm", "gb200", "gb300"}) {
    for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "alltoall"}) {
      for (const LibraryRun& one : library_candidates(*shipped_catalog(), {system, operation, 4, 1e6})) {
        if (one.algorithm == LibraryAlgorithm::in_switch) continue;  // smaller chunks at thresholds
        double last = 0;
        for (double bytes = 512; bytes < 1e10; bytes *= 1.7) {
          const double now = library_run(*shipped_catalog(), {system, operation, 4, bytes},
                                         {one.algorithm, one.protocol, std::nullopt})
                                 .time_us();
          EXPECT_TRUE(std::isfinite(now));
          EXPECT_GE(now, 0.9 * last) << system << operation << bytes;
          last = now;
        }
      }
    }
  }
}

TEST(LibraryRuns, WishesAreGrantedOrRefused) {
  const LibraryCall call{"b300_sxm", "all_reduce", 4, 1e6};
  const LibraryWish simple{LibraryAlgorithm::ring, LibraryProtocol::simple, 8};
  EXPECT_EQ(library_run(*shipped_catalog(), call, simple).channels, 8);
  EXPECT_THROW(library_run(*shipped_catalog(), call, {LibraryAlgorithm::pairwise, {}, {}}), InputError);
  EXPECT_THROW(library_run(*shipped_catalog(), {"b300_sxm", "allreduce", 4, 1e6}), InputError);
  EXPECT_THROW(library_run(*shipped_catalog(), {"l40s", "all_reduce", 4, 1e6}), InputError);
  EXPECT_THROW(library_run(*shipped_catalog(), {"b300_sxm", "all_reduce", 1, 1e6}), InputError);
  EXPECT_THROW(library_run(*shipped_catalog(), {"b300_sxm", "all_reduce", 4, 0}), InputError);
}

}  // namespace
}  // namespace trainyard
