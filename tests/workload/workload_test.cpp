// What is sent: sizes, arrivals, collectives; and how long small collectives take on a network.
#include "workload/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "base/errors.h"
#include "collective/all_reduces.h"
#include "network/packet/queueing.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"
#include "workload/arrivals.h"
#include "workload/collectives.h"
#include "workload/size_distributions.h"

namespace trainyard::workload {
namespace {

using namespace wiring;  // NOLINT(google-build-using-namespace)
using namespace packet;  // NOLINT(google-build-using-namespace)

// Sizes.

/// Share of a table's flows below a size, on its line.
double share_below(const SizeDistribution& sizes, double bytes) {
  const auto& points = sizes.points();
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto low = static_cast<double>(points[i - 1].bytes);
    const auto high = static_cast<double>(points[i].bytes);
    if (bytes >= high) continue;
    const double part = bytes <= low ? 0 : (bytes - low) / (high - low);
    return (static_cast<double>(points[i - 1].share) +
            part * static_cast<double>(points[i].share - points[i - 1].share)) /
           static_cast<double>(kWholeShare);
  }
  return 1;
}

TEST(Sizes, HaveThePublishedMeans) {
  for (const PublishedSizes& sizes : published_sizes()) {
    if (!sizes.mean_bytes) continue;
    EXPECT_NEAR(SizeDistribution(sizes.points).mean() / *sizes.mean_bytes, 1, sizes.tolerance)
        << sizes.source;
  }
}

/// Sums over the points of a published table, so that no digit of it changes unseen.
struct Transcribed {
  FlowSizes name;
  std::size_t points;
  std::uint64_t bytes, shares;
};

TEST(Sizes, AreThePublishedPoints) {
  for (const Transcribed& table : {Transcribed{FlowSizes::web_search, 12, 48'390'000, 6'550'000'000},
                                   Transcribed{FlowSizes::data_mining, 9, 1'074'154'120, 6'440'000'000},
                                   Transcribed{FlowSizes::hadoop, 20, 13'593'150, 10'825'000'000},
                                   Transcribed{FlowSizes::w1, 31, 210'868, 25'257'126'575},
                                   Transcribed{FlowSizes::w2, 35, 8'985'235, 27'667'159'180},
                                   Transcribed{FlowSizes::w3, 43, 60'579'606, 35'046'833'615},
                                   Transcribed{FlowSizes::w4, 21, 23'631'983, 13'284'115'000},
                                   Transcribed{FlowSizes::w5, 13, 76'783'620, 7'128'128'000}}) {
    const auto& all = published_sizes();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == table.name; });
    ASSERT_NE(found, all.end());
    EXPECT_EQ(found->points.size(), table.points) << found->source;
    std::uint64_t bytes = 0;
    std::uint64_t shares = 0;
    for (const SizePoint& point : found->points) {
      bytes += point.bytes;
      shares += point.share;
    }
    EXPECT_EQ(bytes, table.bytes) << found->source;
    EXPECT_EQ(shares, table.shares) << found->source;
  }
}

// Greenberg et al. 2009 as pFabric gives it: whole packets of 1460 bytes.
TEST(Sizes, OfDataMiningAreWholePackets) {
  for (const PublishedSizes& sizes : published_sizes()) {
    if (sizes.name != FlowSizes::data_mining) continue;
    for (const SizePoint& point : sizes.points) EXPECT_EQ(point.bytes % 1460, 0U) << point.bytes;
  }
}

// Roy et al. 2015 give no mean; this one is the table's, by hand.
TEST(Sizes, OfHadoopHaveTheMeanOfTheirTable) {
  EXPECT_DOUBLE_EQ(size_distribution(FlowSizes::hadoop, 0).mean(), 120420.75);
}

TEST(Sizes, SampledHaveTheMeanAndTheSharesOfTheirTable) {
  constexpr std::uint64_t kSamples = 400'000;
  for (const PublishedSizes& published : published_sizes()) {
    const SizeDistribution sizes(published.points);
    double sum = 0;
    double squares = 0;
    std::vector<double> drawn;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      drawn.push_back(static_cast<double>(sizes.sample(mixed(1, i))));
      sum += drawn.back();
      squares += drawn.back() * drawn.back();
    }
    const double mean = sum / kSamples;
    const double error = std::sqrt((squares / kSamples - mean * mean) / kSamples);
    EXPECT_NEAR(mean, sizes.mean(), 4 * error) << published.source;
    for (const SizePoint& point : published.points) {
      const double size = static_cast<double>(point.bytes) + 0.5;  // samples are whole bytes
      const auto below = std::count_if(drawn.begin(), drawn.end(), [&](double d) { return d < size; });
      EXPECT_NEAR(static_cast<double>(below) / kSamples, share_below(sizes, size), 0.005) << published.source;
    }
  }
}

TEST(Sizes, ThatAreFixedAreFixed) {
  const SizeDistribution sizes = size_distribution(FlowSizes::fixed, 12345);
  EXPECT_EQ(sizes.mean(), 12345);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(sizes.sample(mixed(i)), 12345U);
}

TEST(Sizes, AreEndsOfTheTableForTheSmallestAndTheLargestHash) {
  const SizeDistribution sizes = size_distribution(FlowSizes::web_search, 0);
  EXPECT_EQ(sizes.sample(0), 1U);
  EXPECT_NEAR(static_cast<double>(sizes.sample(~std::uint64_t{0})), 30e6, 30);  // the last billionth
}

// Arrivals.

std::vector<std::uint32_t> hosts(std::uint32_t count) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

PoissonArrivals arrivals(FlowSizes sizes, std::uint64_t flows) {
  PoissonArrivals out{hosts(32), BitRate(100e9), 0.4, size_distribution(sizes, 50'000), 3};
  out.flows = flows;
  return out;
}

TEST(Exponential, HasTheMeanTheVarianceAndTheTailOfOne) {
  constexpr std::uint64_t kSamples = 400'000;
  double sum = 0;
  double squares = 0;
  double beyond = 0;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const double x = static_cast<double>(exponential(mixed(11, i))) / 0x1p32;
    sum += x;
    squares += x * x;
    beyond += x > 3 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kSamples, 1, 4 / std::sqrt(kSamples));
  EXPECT_NEAR(squares / kSamples, 2, 4 * std::sqrt(20.0 / kSamples));  // E x^4 - (E x^2)^2 = 24 - 4
  EXPECT_NEAR(beyond / kSamples, std::exp(-3), 4 * std::sqrt(std::exp(-3) / kSamples));
}

TEST(Poisson, OffersTheLoadThatIsAskedFor) {
  const PoissonArrivals asked = arrivals(FlowSizes::fixed, 200'000);
  const Workload made = poisson_flows(asked);
  double bytes = 0;
  for (const Flow& flow : made.flows) bytes += static_cast<double>(flow.bytes);
  const double seconds = static_cast<double>(made.flows.back().start) / kPicosecondsPerSecond;
  EXPECT_NEAR(bytes * 8 / seconds / (32 * 100e9), 0.4, 0.4 * 4 / std::sqrt(200'000));
}

TEST(Poisson, EndsWithSimulatedTime) {
  PoissonArrivals asked = arrivals(FlowSizes::fixed, 100);
  for (const double load : {1e-13, 1e-300}) {  // 100 x 400 kbit over 3.2 Tbps: 12.5 us at full load
    asked.load = load;
    EXPECT_THROW(poisson_flows(asked), InputError) << load;
  }
  asked.load = 1e-10;
  const Workload made = poisson_flows(asked);
  EXPECT_EQ(made.flows.size(), 100U);
  EXPECT_NEAR(seconds(made.flows.back().start).si(), 125e3, 0.5 * 125e3);
  asked.flows.reset();
  asked.duration = kHorizon;
  EXPECT_GT(poisson_flows(asked).flows.size(), 1000U);
  asked.duration = 1.001 * kHorizon;
  EXPECT_THROW(poisson_flows(asked), InputError);
}

TEST(Poisson, IsTheSameForTheSameSeedAndALongerRunBeginsAsAShorterOne) {
  PoissonArrivals asked = arrivals(FlowSizes::web_search, 1000);
  const Workload made = poisson_flows(asked);
  asked.flows = 2000;
  const Workload longer = poisson_flows(asked);
  ASSERT_EQ(longer.flows.size(), 2000U);
  for (std::size_t f = 0; f < made.flows.size(); ++f) {
    EXPECT_EQ(made.flows[f].from, longer.flows[f].from);
    EXPECT_EQ(made.flows[f].to, longer.flows[f].to);
    EXPECT_EQ(made.flows[f].bytes, longer.flows[f].bytes);
    EXPECT_EQ(made.flows[f].start, longer.flows[f].start);
  }
  asked.seed = 4;
  EXPECT_NE(poisson_flows(asked).flows[0].start, made.flows[0].start);
}

// Written down once: another compiler or library must not change what a seed means.
TEST(Poisson, IsTheSameOnEveryMachine) {
  std::uint64_t sum = 0;
  for (const Flow& flow : poisson_flows(arrivals(FlowSizes::w3, 1000)).flows)
    sum = mixed(sum, mixed(flow.start, flow.bytes) + flow.from * 1000U + flow.to);
  EXPECT_EQ(sum, 16875299125988811830U);
}

TEST(Poisson, SendsFromAndToEveryHostAlikeAndNeverToItself) {
  std::vector<double> sent(32, 0);
  std::vector<double> got(32, 0);
  for (const Flow& flow : poisson_flows(arrivals(FlowSizes::fixed, 64'000)).flows) {
    ASSERT_NE(flow.from, flow.to);
    ++sent[flow.from];
    ++got[flow.to];
  }
  for (std::uint32_t h = 0; h < 32; ++h) {
    EXPECT_NEAR(sent[h], 2000, 4 * std::sqrt(2000));
    EXPECT_NEAR(got[h], 2000, 4 * std::sqrt(2000));
  }
}

TEST(Poisson, EndsAtTheTimeThatIsSaid) {
  PoissonArrivals asked = arrivals(FlowSizes::fixed, 0);
  asked.flows.reset();
  asked.duration = Seconds(1e-3);
  const Workload made = poisson_flows(asked);
  // 32 hosts x 0.4 x 100 Gbps for 1 ms in flows of 50 kB.
  EXPECT_NEAR(static_cast<double>(made.flows.size()), 3200, 4 * std::sqrt(3200));
  EXPECT_LT(made.flows.back().start, 1'000'000'000U);
  asked.duration = Seconds(1e-15);  // a flow arrives every 312.5 ns
  EXPECT_THROW(poisson_flows(asked), InputError);
}

// Collectives.

/// Every host that takes part sends so many bytes in so many flows, and nothing waits for itself.
void expect_sends(const Workload& workload, std::uint32_t count, double bytes, double tolerance,
                  std::size_t flows) {
  EXPECT_EQ(workload.flows.size(), flows);
  std::vector<double> sent(count, 0);
  std::vector<double> got(count, 0);
  for (const Flow& flow : workload.flows) {
    ASSERT_NE(flow.from, flow.to);
    ASSERT_GT(flow.bytes, 0U);
    sent[flow.from] += static_cast<double>(flow.bytes);
    got[flow.to] += static_cast<double>(flow.bytes);
  }
  for (std::uint32_t h = 0; h < count; ++h) {
    EXPECT_NEAR(sent[h], bytes, tolerance) << "host " << h;
    EXPECT_NEAR(got[h], bytes, tolerance) << "host " << h;
  }
  check_dependencies(workload, whole("test"));
}

/// Flows in the longest row of flows that wait for each other by receipt.
std::size_t steps_of(const Workload& workload) {
  std::vector<std::size_t> step(workload.flows.size(), 1);
  std::size_t most = 0;
  for (const Dependency& d : workload.dependencies) {
    EXPECT_LT(d.before, d.after);
    if (d.on_receipt) {
      EXPECT_EQ(workload.flows[d.before].to, workload.flows[d.after].from);
      step[d.after] = std::max(step[d.after], step[d.before] + 1);
    } else {
      EXPECT_EQ(workload.flows[d.before].from, workload.flows[d.after].from);
    }
  }
  for (const std::size_t s : step) most = std::max(most, s);
  return most;
}

/// The schedule of this name, of any algorithm.
Workload scheduled_by(std::string_view traffic, const Collective& collective) {
  for (const RegisteredAllReduce& entry : all_reduces()) {
    for (const CollectiveSchedule& schedule : entry.algorithm->schedules) {
      if (schedule.traffic == traffic) return scheduled(collective, schedule);
    }
  }
  ADD_FAILURE() << traffic;
  return {};
}

TEST(RingAllReduce, SendsWhatPatarasukAndYuanCount) {
  for (const std::uint32_t n : {2U, 3U, 8U, 13U}) {
    for (const std::uint64_t chunks : {1U, 4U}) {
      const std::uint64_t bytes = 4000ULL * n * chunks;
      const Workload made = scheduled_by("ring_all_reduce", {hosts(n), bytes, chunks});
      const double expected = 2.0 * static_cast<double>(bytes) * (n - 1) / n;
      expect_sends(made, n, expected, 0, 2ULL * (n - 1) * n * chunks);
      EXPECT_EQ(steps_of(made), 2ULL * (n - 1));
    }
  }
}

TEST(RingAllReduce, OfSizesThatDoNotDivideIsByteForByteTwiceTheWholeLessTwoPieces) {
  const Workload made = scheduled_by("ring_all_reduce", {hosts(7), 1000, 3});
  // Pieces differ by a byte: 2 of them in each of 3 chunks.
  expect_sends(made, 7, 2.0 * 1000 * 6 / 7, 6, 2 * 6 * 7 * 3);
}

TEST(RingAllGatherAndReduceScatter, AreHalfOfAnAllReduce) {
  for (const char* name : {"ring_all_gather", "ring_reduce_scatter"}) {
    const Workload made = scheduled_by(name, {hosts(8), 80'000, 5});
    expect_sends(made, 8, 70'000, 0, 7 * 8 * 5);
    EXPECT_EQ(steps_of(made), 7U);
  }
}

TEST(HalvingDoubling, SendsAsMuchAsARingInLogarithmicallyManySteps) {
  for (const std::uint32_t n : {2U, 4U, 16U}) {
    const std::uint64_t bytes = 4096ULL * n;
    const Workload made = scheduled_by("halving_doubling", {hosts(n), bytes * 3, 3});
    const auto log2 = static_cast<std::size_t>(std::log2(n));
    expect_sends(made, n, 2.0 * 3 * 4096 * (n - 1), 0, 2 * log2 * n * 3);
    EXPECT_EQ(steps_of(made), 2 * log2);
  }
}

TEST(HierarchicalAllReduce, SendsAsMuchAsARingAndMostOfItInsideGroups) {
  for (const std::uint32_t g : {1U, 2U, 4U, 12U}) {
    constexpr std::uint32_t n = 12;
    const Workload made = hierarchical_all_reduce({hosts(n), 12'000 * 2, 2, g});
    const std::uint32_t steps = 2 * (g - 1) + 2 * (n / g - 1);
    expect_sends(made, n, 2.0 * 2000 * (n - 1), 0, std::size_t{steps} * n * 2);
    EXPECT_EQ(steps_of(made), steps);
    double across = 0;
    for (const Flow& flow : made.flows)
      across += flow.from / g == flow.to / g ? 0.0 : static_cast<double>(flow.bytes);
    EXPECT_DOUBLE_EQ(across, 2.0 * 24'000 * (n / g - 1));  // of 12 hosts: 2 B (N / g - 1) / N each
  }
}

TEST(AllToAllWindowed, SendsToEverybodyOnceAndToFewAtATime) {
  const Workload made = all_to_all_windowed({hosts(9), 8000, 1, 3});
  expect_sends(made, 9, 8000, 0, 72);
  std::vector<std::size_t> waiting(72, 0);
  for (const Dependency& d : made.dependencies) {
    EXPECT_FALSE(d.on_receipt);
    EXPECT_EQ(d.after - d.before, 3U);
    ++waiting[d.after];
  }
  EXPECT_EQ(std::count(waiting.begin(), waiting.end(), 0U), 9 * 3);
}

TEST(Pipeline, SendsEveryMicrobatchOverEveryLinkOfTheLine) {
  const Workload made = pipeline_transfers({hosts(5), 7000, 7});
  EXPECT_EQ(made.flows.size(), 4U * 7);
  EXPECT_EQ(steps_of(made), 4U);
  std::vector<double> sent(5, 0);
  for (const Flow& flow : made.flows) {
    EXPECT_EQ(flow.to, flow.from + 1);
    sent[flow.from] += static_cast<double>(flow.bytes);
  }
  EXPECT_EQ(sent, (std::vector<double>{7000, 7000, 7000, 7000, 0}));
  check_dependencies(made, whole("test"));
}

TEST(Dependencies, InACircleAreAnError) {
  Workload workload;
  workload.flows.resize(3);
  workload.dependencies = {{0, 1}, {1, 2}, {2, 1}};
  try {
    check_dependencies(workload, whole("test"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.findings().front().help, "flow 1 waits for flow 2 waits for flow 1");
  }
}

// Settings.

Scenario scenario(const std::string& hosts, const std::vector<std::string>& settings) {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{
      "test.toml",
      "[facility]\ndevices = 8\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[[design]]\n"
      "name = \"d\"\ndomain = 1\nradix = 16\nrate = \"100 Gbps\"\nhosts = " +
          hosts + "\n"}));
  for (const std::string& setting : settings) text.set("simulation." + setting);
  return text.resolve();
}

/// The key that an error names and its message.
std::string complaint(const std::string& hosts, const std::vector<std::string>& settings) {
  try {
    simulate(scenario(hosts, settings));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_complaint(const std::string& hosts, const std::vector<std::string>& settings,
                      const std::vector<std::string>& words) {
  const std::string text = complaint(hosts, settings);
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(Traffic, ThatIsMistypedGetsTheNearestName) {
  expect_complaint("8", {"traffic=ring_all_reduse"},
                   {"simulation.traffic", "did you mean 'ring_all_reduce'"});
}

TEST(Traffic, SaysWhichSettingItHasNoUseForOrLacks) {
  expect_complaint("8", {"traffic=permutation", "chunks=2"}, {"simulation.chunks", "ring_all_reduce"});
  expect_complaint("8", {"traffic=ring_all_reduce", "load=0.5"}, {"simulation.load", "poisson"});
  expect_complaint("8", {"traffic=hierarchical_all_reduce", "chunks=2"},
                   {"simulation.chunks", "simulation.group"});
  expect_complaint("8", {"traffic=poisson", "flows=10"}, {"simulation.load"});
  expect_complaint("8", {"traffic=poisson", "load=0.5"}, {"simulation.flows", "simulation.duration"});
  expect_complaint("8", {"traffic=poisson", "load=0.5", "duration=\"1000 s\""},
                   {"simulation.duration", "flows"});
  expect_complaint("6", {"traffic=halving_doubling"}, {"power of two", "4 or 8"});
  expect_complaint("8", {"traffic=hierarchical_all_reduce", "group=3"}, {"simulation.group", "such as 2"});
  expect_complaint("8", {"traffic=ring_all_reduce", "bytes=\"10 B\"", "chunks=4"}, {"simulation.bytes"});
}

std::size_t flow_count(const std::string& hosts, const std::vector<std::string>& settings) {
  return simulate(scenario(hosts, settings)).flows.size();
}

TEST(Traffic, OfOldNamesIsTheNamedOneWithoutTheNewSettings) {
  EXPECT_EQ(flow_count("8", {"traffic=pipeline", "bytes=\"64 kB\""}), 14U);  // both ways
  EXPECT_EQ(flow_count("8", {"traffic=pipeline", "bytes=\"64 kB\"", "chunks=4"}), 28U);
  EXPECT_EQ(flow_count("8", {"traffic=hierarchical_all_reduce", "bytes=\"64 kB\""}), 8U);
  EXPECT_EQ(flow_count("8", {"traffic=hierarchical_all_reduce", "bytes=\"64 kB\"", "group=4"}), 8U * 8);
}

TEST(Traffic, IsOfActiveHostsSpreadOverTheNetwork) {
  const SimulationResult run =
      simulate(scenario("16", {"traffic=ring_all_gather", "bytes=\"64 kB\"", "active=0.25"}));
  for (const Flow& flow : run.flows) {
    EXPECT_EQ(flow.from % 4, 0U);
    EXPECT_EQ(flow.to % 4, 0U);
  }
}

TEST(Traffic, OfEveryKindArrives) {
  for (const std::vector<std::string>& settings :
       std::vector<std::vector<std::string>>{{"traffic=poisson", "load=0.6", "flows=2000", "sizes=w3"},
                                             {"traffic=ring_reduce_scatter", "chunks=3"},
                                             {"traffic=halving_doubling"},
                                             {"traffic=hierarchical_all_reduce", "group=4", "chunks=2"},
                                             {"traffic=all_to_all_windowed", "group=2"},
                                             {"traffic=pipeline", "chunks=8"}}) {
    const SimulationResult run = simulate(scenario("16", settings));
    EXPECT_EQ(run.counters.finished, run.flows.size()) << settings.front();
  }
}

// Times. One leaf of 100 Gbps: 80 ps a byte, two links of 1 us.

constexpr Picoseconds kPacket = 4096 * 80;
constexpr Picoseconds kControl = 64 * 80;
constexpr Picoseconds kDelay = 1'000'000;

/// A flow of whole packets alone, store and forward over two links: until received, until known.
Picoseconds received_after(std::uint64_t packets) { return (packets + 1) * kPacket + 2 * kDelay; }
Picoseconds known_after(std::uint64_t packets) { return received_after(packets) + 2 * (kControl + kDelay); }

/// What acknowledgements can cost a flow that shares its links with another one's: one for each packet, on
/// the way up and on the way down; the last one, and the flow's first packet, may wait for a packet in
/// service.
Picoseconds overhead(std::uint64_t packets) { return 2 * (packets + 1) * kControl + 2 * kPacket; }

Picoseconds last_received(const SimulationResult& run) {
  Picoseconds last = 0;
  for (const Flow& flow : run.flows) last = std::max(last, flow.received);
  EXPECT_EQ(run.counters.trims, 0U);
  return last;
}

TEST(RingAllReduce, TakesItsStepsOneAfterTheOther) {
  constexpr std::uint64_t kHosts = 8;
  constexpr std::uint64_t kPackets = 20;  // of a piece
  const std::string bytes = std::to_string(kHosts * kPackets * 4096);
  const Picoseconds last = last_received(
      simulate(scenario("8", {"traffic=ring_all_reduce", "bytes=\"" + bytes + " B\"", "transport=ndp"})));
  constexpr std::uint64_t kSteps = 2 * (kHosts - 1);
  EXPECT_GE(last, kSteps * received_after(kPackets));
  EXPECT_LE(last, kSteps * (received_after(kPackets) + overhead(kPackets)));
}

TEST(RingAllReduce, InChunksHidesTheLatencyOfItsSteps) {
  const std::vector<std::string> whole_buffer = {"traffic=ring_all_reduce", "bytes=\"2621440 B\""};
  std::vector<std::string> in_chunks = whole_buffer;
  in_chunks.emplace_back("chunks=4");
  EXPECT_LT(last_received(simulate(scenario("8", in_chunks))),
            last_received(simulate(scenario("8", whole_buffer))));
}

TEST(Pipeline, FillsAndThenTakesAStepAMicrobatch) {
  // Microbatch m leaves stage 0 when the one before is known to have arrived, and takes a receipt a stage:
  // M - 1 + S - 1 steps.
  constexpr std::uint64_t kStages = 6;
  constexpr std::uint64_t kMicrobatches = 9;
  constexpr std::uint64_t kPackets = 16;
  const std::string bytes = std::to_string(kMicrobatches * kPackets * 4096);
  const Picoseconds last = last_received(simulate(
      scenario("6", {"traffic=pipeline", "chunks=9", "bytes=\"" + bytes + " B\"", "transport=ndp"})));
  const Picoseconds least =
      (kMicrobatches - 1) * known_after(kPackets) + (kStages - 1) * received_after(kPackets);
  EXPECT_GE(last, least);
  EXPECT_LE(last, least + (kMicrobatches - 1 + kStages - 1) * overhead(kPackets));
}

TEST(AllToAllWindowed, OneAtATimeTakesTurnsThatNeverCollide) {
  // In turn r everybody sends to the host r further on: N - 1 flows of a host, each known before the next.
  constexpr std::uint64_t kHosts = 8;
  constexpr std::uint64_t kPackets = 10;
  const std::string bytes = std::to_string((kHosts - 1) * kPackets * 4096);
  const Picoseconds last =
      last_received(simulate(scenario("8", {"traffic=all_to_all_windowed", "bytes=\"" + bytes + " B\""})));
  const Picoseconds least = (kHosts - 2) * known_after(kPackets) + received_after(kPackets);
  EXPECT_GE(last, least);
  EXPECT_LE(last, least + (kHosts - 1) * overhead(kPackets));
}

}  // namespace
}  // namespace trainyard::workload
