// Sites: distances, exchanges, losses and what they add to a step, against other derivations.
#include "step/wide_area.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "collective/collective.h"
#include "facility/site_delays.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"
#include "trainyard/wide_area.h"

namespace trainyard {
namespace {

Scenario scenario(const std::string& name, const std::vector<std::string>& sets = {}) {
  ScenarioText text = ScenarioText::load(name);
  for (const std::string& set : sets) text.set(set);
  return text.resolve();
}

using Delays = std::vector<std::vector<Seconds>>;

Delays equal(std::size_t sites, double delay) {
  Delays out(sites, std::vector<Seconds>(sites, Seconds(delay)));
  for (std::size_t a = 0; a < sites; ++a) out[a][a] = Seconds(0);
  return out;
}

TEST(Distance, OfTheCoastsIsAboutThePapersRoundTrip) {
  const Scenario s = scenario("hotnets24-dense", {"wide_area.sites=[[45.6, -121.2], [39.0, -77.5]]"});
  const Seconds rtt = 2 * site_delays(s, 2)[0][1];
  // 3,600 km by 1.3, there and back at c / 1.468.
  EXPECT_NEAR(rtt.si(), 2 * 3.6e6 * 1.3 * 1.468 / 299'792'458, 0.001);
  EXPECT_LT(rtt, s.network.wide_area_rtt);
}

TEST(Exchange, SendsWhatEachAlgorithmHasTo) {
  for (const std::size_t k : {2U, 3U, 5U, 8U}) {
    const Delays delays = equal(k, 0.03);
    const auto of = [&](WideAreaExchange kind) {
      return site_exchange(kind, delays, 2, Bytes(1e6), BytesPerSecond(1e9));
    };
    const auto n = static_cast<double>(k);
    EXPECT_DOUBLE_EQ(of(WideAreaExchange::all_pairs).sent_chunks, n - 1);
    EXPECT_DOUBLE_EQ(of(WideAreaExchange::all_pairs).delay.si(), 0.03);
    EXPECT_DOUBLE_EQ(of(WideAreaExchange::scatter).sent_chunks, 2 * (n - 1) / n);
    EXPECT_DOUBLE_EQ(of(WideAreaExchange::ring).sent_chunks, 2 * (n - 1) / n);
    EXPECT_NEAR(of(WideAreaExchange::ring).delay.si(), 2 * (n - 1) * 0.03, 1e-12);
  }
  const SiteExchange three =
      site_exchange(WideAreaExchange::tree, equal(3, 0.03), 2, Bytes(1), BytesPerSecond(1));
  EXPECT_DOUBLE_EQ(three.sent_chunks, 2);  // the root to both
  EXPECT_DOUBLE_EQ(three.delay.si(), 0.06);
  const SiteExchange seven =
      site_exchange(WideAreaExchange::tree, equal(7, 0.03), 2, Bytes(1), BytesPerSecond(1));
  EXPECT_DOUBLE_EQ(seven.sent_chunks, 3);  // up, and to both children
  EXPECT_DOUBLE_EQ(seven.delay.si(), 0.12);
}

/// The tree drawn link by link: who sends most, up and to its children, and how deep it is.
TEST(Exchange, RoundsAndBusiestSitesAreThoseOfTheDrawnAlgorithm) {
  for (std::size_t k = 2; k <= 9; ++k) {
    SCOPED_TRACE(k);
    const auto of = [&](WideAreaExchange kind) {
      return site_exchange(kind, equal(k, 0.03), 3, Bytes(1e6), BytesPerSecond(1e9));
    };
    std::vector<std::int64_t> links(k, 0);
    std::vector<std::int64_t> depth(k, 0);
    for (std::size_t site = 1; site < k; ++site) {
      const std::size_t parent = (site - 1) / 2;
      ++links[parent];
      ++links[site];
      depth[site] = depth[parent] + 1;
    }
    const std::int64_t deepest = *std::max_element(depth.begin(), depth.end());
    const SiteExchange tree = of(WideAreaExchange::tree);
    EXPECT_EQ(tree.sent_chunks, static_cast<double>(*std::max_element(links.begin(), links.end())));
    EXPECT_EQ(tree.rounds, 2 * deepest);
    EXPECT_NEAR(tree.delay.si(), 2 * static_cast<double>(deepest) * 0.03, 1e-12);
    EXPECT_EQ(of(WideAreaExchange::all_pairs).rounds, 1);
    EXPECT_EQ(of(WideAreaExchange::scatter).rounds, 2);
    EXPECT_NEAR(of(WideAreaExchange::scatter).delay.si(), 2 * 0.03, 1e-12);
    EXPECT_EQ(of(WideAreaExchange::ring).rounds, 2 * (static_cast<std::int64_t>(k) - 1));
    if (k % 3 == 0 && k > 3) {  // two rounds inside regions more than some exchange between k / 3 takes
      const SiteExchange regions = of(WideAreaExchange::regions);
      EXPECT_GE(regions.rounds, 3);
      EXPECT_NEAR(regions.delay.si(), static_cast<double>(regions.rounds) * 0.03, 1e-12);
    }
  }
}

/// The best of all is never slower than any, and each waits for delays as they grow.
TEST(Exchange, TheBestIsTheQuickestOfAllAtAnySize) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> delay(0.001, 0.05);
  for (int i = 0; i < 60; ++i) {
    const std::size_t k = 2 + random() % 5;
    Delays delays = equal(k, 0);
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = 0; b < a; ++b) delays[a][b] = delays[b][a] = Seconds(delay(random));
    Delays longer = delays;
    for (auto& row : longer)
      for (Seconds& d : row) d = d * 2;
    for (double bytes = 1e4; bytes < 1e11; bytes *= 100) {
      const auto time_of = [&](WideAreaExchange kind, const Delays& of) {
        const SiteExchange e = site_exchange(kind, of, 2, Bytes(bytes), BytesPerSecond(1e9));
        return e.delay.si() + e.sent_chunks * bytes / 1e9;
      };
      double least = INFINITY;
      for (const auto kind : {WideAreaExchange::all_pairs, WideAreaExchange::scatter, WideAreaExchange::ring,
                              WideAreaExchange::tree}) {
        least = std::min(least, time_of(kind, delays));
        const SiteExchange near = site_exchange(kind, delays, 2, Bytes(bytes), BytesPerSecond(1e9));
        const SiteExchange far = site_exchange(kind, longer, 2, Bytes(bytes), BytesPerSecond(1e9));
        EXPECT_NEAR(far.delay.si(), 2 * near.delay.si(), 1e-12);
        EXPECT_EQ(far.sent_chunks, near.sent_chunks);
      }
      EXPECT_NEAR(time_of(WideAreaExchange::best, delays), least, 1e-12 * least);
    }
  }
}

TEST(Exchange, TheRingGoesTheShorterWayRound) {
  // Four sites on a line: neighbours are 1 apart. Each chunk passes six of the ring's links.
  Delays line(4, std::vector<Seconds>(4));
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b)
      line[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = Seconds(std::abs(a - b));
  }
  const SiteExchange ring = site_exchange(WideAreaExchange::ring, line, 2, Bytes(1), BytesPerSecond(1));
  // 0-1-3-2-0 has links 1, 2, 1, 2: two rounds of 6 less two links of at least 1 + 2.
  EXPECT_DOUBLE_EQ(ring.delay.si(), 9);
}

TEST(Exchange, RegionsSaveTheLongLinksBytes) {
  const Scenario s = scenario("hotnets24-dense", {R"(wide_area.exchange="regions")"});
  const Delays delays = site_delays(s, 4);
  EXPECT_DOUBLE_EQ(delays[0][1].si(), 0.001);
  EXPECT_DOUBLE_EQ(delays[1][2].si(), 0.030);
  const SiteExchange out =
      site_exchange(WideAreaExchange::regions, delays, 2, Bytes(1e6), BytesPerSecond(1e9));
  EXPECT_DOUBLE_EQ(out.sent_chunks, 1.0 / 2 + 2.0 / 2);  // one long transfer of half, two short ones of half
  EXPECT_DOUBLE_EQ(out.delay.si(), 0.032);
}

// Inside, all regions wait for the one whose sites are farthest apart; between, for the longest of the links.
TEST(Exchange, RegionsWaitForTheSlowest) {
  const Delays delays = {{Seconds(0), Seconds(1), Seconds(10), Seconds(12)},
                         {Seconds(1), Seconds(0), Seconds(11), Seconds(10)},
                         {Seconds(10), Seconds(11), Seconds(0), Seconds(4)},
                         {Seconds(12), Seconds(10), Seconds(4), Seconds(0)}};
  const SiteExchange out = site_exchange(WideAreaExchange::regions, delays, 2, Bytes(1), BytesPerSecond(1e9));
  EXPECT_DOUBLE_EQ(out.delay.si(), 4 + 12 + 4);
  // One region of four, and four of one, are no regions.
  for (const std::int64_t whole : {1, 4}) {
    const SiteExchange flat =
        site_exchange(WideAreaExchange::regions, delays, whole, Bytes(1), BytesPerSecond(1e9));
    EXPECT_DOUBLE_EQ(flat.delay.si(), 12) << whole;
  }
}

// The maximum of geometric variables by inclusion and exclusion.
TEST(Losses, RepeatsAreTheMeanOfTheMaximum) {
  for (const double p : {0.01, 0.2, 0.5}) {
    EXPECT_NEAR(expected_repeats(1, p, p), p / (1 - p), 1e-9);
    for (const int n : {2, 5, 12}) {
      double sum = 0;
      double choose = 1;
      for (int j = 1; j <= n; ++j) {
        choose = choose * (n - j + 1) / j;
        sum += (j % 2 == 1 ? 1 : -1) * choose * std::pow(p, j) / (1 - std::pow(p, j));
      }
      EXPECT_NEAR(expected_repeats(n, p, p), sum, 1e-8) << p << " " << n;
    }
  }
  EXPECT_EQ(expected_repeats(1e9, 0, 0), 0);
  EXPECT_NEAR(expected_repeats(1e12, 1e-8, 1e-8), 1, 2e-4);
}

TEST(Losses, OfABlockAreCountedCaseByCase) {
  for (const double p : {0.001, 0.1, 0.6}) {
    for (const int parity : {0, 1, 3}) {
      constexpr int kPackets = 11;
      double sum = 0;
      for (unsigned lost = 0; lost < 1U << kPackets; ++lost) {
        const int count = __builtin_popcount(lost);
        if (count > parity) sum += std::pow(p, count) * std::pow(1 - p, kPackets - count);
      }
      EXPECT_NEAR(block_loss_probability(p, kPackets - parity, parity), sum, 1e-12 + 1e-9 * sum);
    }
  }
  EXPECT_EQ(block_loss_probability(0, 20, 1), 0);
}

TEST(Losses, OfAPacketFollowFromItsBits) {
  WideAreaInput w;
  w.bit_error_rate = 1e-5;
  EXPECT_NEAR(packet_loss_probability(w), 1 - std::pow(1 - 1e-5, 8 * 4096), 1e-11);
  w.packet_loss = 0.5;
  EXPECT_NEAR(packet_loss_probability(w), 1 - 0.5 * std::pow(1 - 1e-5, 8 * 4096), 1e-11);
}

/// Every idealised and calibrated plan over one site and over two, by each way to sum, is the plan's own
/// step.
TEST(Sites, TakeThePlansOwnStepForOneSiteAndForTwo) {
  int compared = 0;
  for (const char* name : {"hotnets24-moe", "llama3-405b", "deepseek-v3", "megatron-175b"}) {
    for (const char* set :
         {"mapping.zero_stage=0", "mapping.zero_stage=1", "mapping.zero_stage=3",
          R"(assumptions.step_rule="steady_state")", R"(assumptions.step_rule="pipeline")"}) {
      for (const char* kind : {"hierarchical_all_reduce", "hierarchical_reduce_scatter"}) {
        for (const char* rate : {"1 Gbps", "20 Gbps"}) {
          Scenario s = scenario(name, {set, fmt::format(R"(assumptions.gradient_exchange="{}")", kind),
                                       fmt::format(R"(network.wide_area_rate="{}")", rate)});
          for (const std::int64_t sites : {1, 2}) {
            s.facility.datacenters = sites;
            std::optional<Plan> fitting;
            try {
              fitting = make_plan(s);
            } catch (const Infeasible&) {  // states that are not sharded do not fit every device
              continue;
            }
            ++compared;
            const Plan& plan = *fitting;
            const SitesPoint point = sites_point(plan, s.network.wide_area_rate);
            const std::string asked = fmt::format("{} {} {} {} {}", name, set, kind, rate, sites);
            EXPECT_NEAR(point.step / plan.step.step, 1, 1e-12) << asked;
            EXPECT_NEAR(point.exposed_share, plan.step.exposed_share, 1e-12) << asked;
          }
        }
      }
    }
  }
  EXPECT_GE(compared, 100);
}

// Sums may be scattered inside sites or made there whole: the one that the step waits for least, with the
// exchange between sites that is used.
TEST(Sites, SumInsideInTheWayThatIsQuickestWithWhatIsBetween) {
  for (const std::int64_t sites : {2, 4, 6, 8}) {
    const auto of = [&](const std::string& kind) {
      Scenario s = scenario("llama3-405b", {"assumptions.gradient_exchange=\"" + kind + "\""});
      s.facility.datacenters = sites;
      return sites_point(make_plan(s), s.network.wide_area_rate).step;
    };
    EXPECT_EQ(of("best"), std::min(of("hierarchical_all_reduce"), of("hierarchical_reduce_scatter")))
        << sites;
  }
  const WideAreaAnswer answer = plan_wide_area(scenario("llama3-405b"));
  // Of those that use all devices: others send larger sums from fewer.
  for (const std::size_t sites : {2U, 4U, 8U})
    EXPECT_GT(answer.points[sites - 1].added_share, answer.points[sites / 2 - 1].added_share) << sites;
}

/// Fig. 3c of HotNets '24: the plan's own exposed share at every capacity, without and with tail loss.
TEST(Sites, AgreeWithThePlanOnFig3c) {
  for (const char* name : {"hotnets24-dense", "hotnets24-moe"}) {
    for (const char* tail : {"network.tail_loss_rtts=0", "network.tail_loss_rtts=1"}) {
      for (const char* rate : {"2 Gbps", "5 Gbps", "20 Gbps", "200 Gbps"}) {
        const Scenario s = scenario(name, {tail, std::string("network.wide_area_rate=\"") + rate + "\""});
        const Plan plan = make_plan(s);
        const SitesPoint point = sites_point(plan, s.network.wide_area_rate);
        EXPECT_EQ(point.sites, 2);
        EXPECT_NEAR(point.exposed_share, plan.step.exposed_share, 1e-12) << name << rate;
        EXPECT_NEAR(point.step / plan.step.step, 1, 1e-12) << name << rate;
        EXPECT_NEAR(point.time.si(), plan.communication.gradient.stages[2].time.si(), 1e-12);
      }
    }
  }
}

// With more datacenters the plan has all_pairs and scatter to choose from.
TEST(Sites, AreNoSlowerThanThePlansExchangeOfMore) {
  for (const char* sites : {"facility.datacenters=3", "facility.datacenters=4", "facility.datacenters=6"}) {
    for (const char* tail : {"network.tail_loss_rtts=0", "network.tail_loss_rtts=1"}) {
      const Plan plan = make_plan(scenario("hotnets24-dense", {tail, sites}));
      const Seconds planned = plan.communication.gradient.stages[2].time;
      const SitesPoint point = sites_point(plan, plan.scenario.network.wide_area_rate);
      EXPECT_LE(point.time, planned * (1 + 1e-12));
      const WideAreaExchange kind = point.exchange.kind;
      if (kind == WideAreaExchange::all_pairs || kind == WideAreaExchange::scatter) {
        EXPECT_NEAR(point.time / planned, 1, 1e-12);
      }
    }
  }
}

/// Behind the backward pass, or behind the stages inside sites where they take longer.
double patience_s(const Plan& plan) {
  std::vector<GradientStage> stages = plan.communication.gradient.stages;
  stages[2].time = Seconds(0);
  return std::max(plan.step.backward, pipelined_time(stages, plan.scenario.assumptions.stage_overlap)).si();
}

TEST(Sites, TheHidingRateIsThePlansOwnAndHides) {
  for (const char* name : {"hotnets24-dense", "hotnets24-moe"}) {
    const Plan plan = make_plan(scenario(name));
    const SitesPoint point = sites_point(plan, BitRate(20e9));
    // The formula of communication.wide_area_rate_hidden, and of the stages inside.
    const double expected = 8 * plan.communication.gradient.stages[2].bytes.si() /
                            (patience_s(plan) - plan.scenario.network.wide_area_rtt.si() / 2);
    ASSERT_TRUE(point.hiding_rate);
    EXPECT_NEAR(point.hiding_rate->si() / expected, 1, 1e-12);
  }
}

// What it is for: at this rate the wide area adds nothing, at less it does; by measured constants nothing but
// delays and the last piece.
TEST(Sites, AddNothingAtTheHidingRateAndSomethingBelow) {
  for (const char* name : {"hotnets24-dense", "hotnets24-moe", "llama3-405b"}) {
    for (const std::int64_t sites : {2, 3}) {
      Scenario s =
          scenario(name, {R"(assumptions.step_rule="steady_state")", "network.wide_area_rtt=\"10 us\""});
      s.facility.datacenters = sites;
      const Plan plan = make_plan(s);
      const auto rate = sites_point(plan, BitRate(20e9)).hiding_rate;
      ASSERT_TRUE(rate) << name;
      const bool calibrated = !plan.communication.gradient.phases.by_layer;
      const double added = sites_point(plan, *rate).added_share;
      EXPECT_NEAR(added, 0, calibrated ? 0.001 : 1e-12) << name << sites;
      EXPECT_GT(sites_point(plan, *rate * 0.9).added_share, added + 1e-6) << name << sites;
      EXPECT_NEAR(sites_point(plan, *rate * 100).added_share, 0, calibrated ? 1e-5 : 1e-12) << name << sites;
    }
  }
}

// Each exchange on its own hides at bytes / (backward pass - delays - repeats); the setting may choose.
TEST(Sites, TheHidingRateIsTheLeastOfAllExchangesAtAnyRate) {
  const std::string best = R"(wide_area.exchange="best")";
  for (const std::string tail : {"network.tail_loss_rtts=0", "network.tail_loss_rtts=1"}) {
    for (const std::int64_t k : {2, 3, 5}) {
      const auto of = [&](const std::string& exchange, BitRate rate) {
        Scenario s = scenario("hotnets24-moe", {tail, exchange});
        s.facility.datacenters = k;
        return sites_point(make_plan(s), rate).hiding_rate;
      };
      std::optional<BitRate> least;
      for (const char* kind : {"all_pairs", "scatter", "ring", "tree"}) {
        const auto one = of(std::string("wide_area.exchange=\"") + kind + "\"", BitRate(20e9));
        if (one && (!least || *one < *least)) least = one;
      }
      ASSERT_TRUE(least) << tail << " " << k;
      for (const double rate : {1e9, 20e9, 1e13}) EXPECT_EQ(of(best, BitRate(rate)), least) << tail << k;
    }
  }
}

TEST(Sites, FewerExchangesAreExposedLess) {
  const SitesPoint always = sites_point(make_plan(scenario("hotnets24-moe")), BitRate(2e9));
  const SitesPoint rarely =
      sites_point(make_plan(scenario("hotnets24-moe", {"wide_area.sync_every=10"})), BitRate(2e9));
  const SitesPoint small =
      sites_point(make_plan(scenario("hotnets24-moe", {"wide_area.compression=10"})), BitRate(2e9));
  EXPECT_GT(always.added, Seconds(0));
  EXPECT_NEAR(rarely.added / always.added, 0.1, 1e-12);
  EXPECT_NEAR(small.sent / always.sent, 0.1, 1e-12);
}

TEST(Sites, MoreOfThemAddMore) {
  const WideAreaAnswer answer = plan_wide_area(scenario("hotnets24-moe"));
  ASSERT_EQ(answer.points.size(), 8U);
  EXPECT_EQ(answer.points[0].added, Seconds(0));
  for (std::size_t k = 2; k < answer.points.size(); ++k)
    EXPECT_GE(answer.points[k].added_share, answer.points[k - 1].added_share);
  ASSERT_TRUE(answer.too_many);
  EXPECT_EQ(*answer.too_many, 4);
  for (const auto& curve : answer.curves) {
    for (std::size_t r = 1; r < curve.size(); ++r)
      EXPECT_LE(curve[r].exposed_share, curve[r - 1].exposed_share);
  }
}

// A replica stands in one of sites that are alike: 128 HB domains hold the 32 copies of 32 stages where their
// number divides by the sites, by eights beside each other in a domain or, on 16 domains, one stage after the
// other.
TEST(Sites, AreAsManyAsCopiesOfTheModelAtMost) {
  const Scenario s =
      scenario("railonly23-gpt3", {"mapping.tensor=32", "mapping.pipeline=32", "mapping.data=32"});
  const WideAreaAnswer answer = plan_wide_area(s);
  ASSERT_EQ(answer.points.size(), 8U);
  for (std::int64_t sites = 1; sites <= 8; ++sites) {
    const SitesPoint& point = answer.points[static_cast<std::size_t>(sites - 1)];
    EXPECT_EQ(point.sites, sites);
    const std::string wanted = 8 % sites == 0 ? ""
                               : sites == 3   ? "32 replicas of 1024 devices are more than the 24 that fit"
                                              : "HB domains of a datacenter do not hold 32 stages";
    EXPECT_EQ(wanted.empty(), point.infeasible.empty()) << point.infeasible;
    EXPECT_NE(point.infeasible.find(wanted), std::string::npos) << point.infeasible;
  }
  ASSERT_EQ(answer.curves.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(answer.curves[i].front().sites, std::int64_t{2} << i);
  Scenario packets = s;
  packets.long_haul.sites = 5;
  EXPECT_THROW(long_haul_bytes(packets), Infeasible);
}

TEST(Sites, SayWhatIsPlannedOtherwiseThanOneSite) {
  const Scenario free =
      scenario("ndp-permutation", {"mapping.tensor=auto", "mapping.pipeline=auto", "training.software=none",
                                   "assumptions.compute_model=roofline"});
  const WideAreaAnswer answer = plan_wide_area(free);
  EXPECT_TRUE(answer.points[0].notes.empty());
  std::vector<MappingPlan> mappings;
  for (const std::int64_t k : {1, 2}) {
    Scenario s = free;
    s.facility.datacenters = k;
    mappings.push_back(make_plan(s).mapping);
  }
  ASSERT_NE(mappings[0].pipeline, mappings[1].pipeline);
  ASSERT_GE(answer.points[1].notes.size(), 1U);
  const std::string change = "pipeline " + std::to_string(mappings[1].pipeline) + " instead of " +
                             std::to_string(mappings[0].pipeline);
  EXPECT_NE(answer.points[1].notes[0].find(change), std::string::npos) << answer.points[1].notes[0];
  // The mapping of this scenario is given.
  for (const SitesPoint& point : plan_wide_area(scenario("hotnets24-moe")).points)
    EXPECT_TRUE(point.notes.empty()) << point.sites << " " << point.notes[0];
}

// 2,048 HB domains hold 126 replicas of 16 in three sites; 2,048 sequences divide by 64 of them.
TEST(Sites, SayWhyABatchIsSharedOtherwise) {
  const WideAreaAnswer answer = plan_wide_area(scenario("llama3-405b"));
  ASSERT_EQ(answer.points[2].sites, 3);
  ASSERT_EQ(answer.points[2].notes.size(), 2U);
  EXPECT_EQ(
      answer.points[2].notes[1],
      "of the replicas that stand whole in one of 3 sites, 64 share the batch of 2048 sequences in equal "
      "microbatches: 8192 devices are idle");
  EXPECT_TRUE(answer.points[1].notes.empty());
}

TEST(Sites, SayWhereThereAreNoRegions) {
  const WideAreaAnswer answer = plan_wide_area(
      scenario("hotnets24-moe", {R"(wide_area.exchange="regions")", "wide_area.region_sites=3"}));
  for (const SitesPoint& point : answer.points) {
    const bool several = point.sites == 6;
    EXPECT_EQ(point.exchange.kind == WideAreaExchange::regions, several);
    EXPECT_EQ(point.notes.empty(), several || point.sites == 1) << point.sites;
  }
}

// One of 57.85 MB's packets of 4 KiB arrives of 10^14: a mean of 10^15 rounds.
TEST(Sites, SayThatAnExchangeNeverEnds) {
  EXPECT_TRUE(std::isinf(expected_repeats(1e6, 1, 1)));
  EXPECT_EQ(expected_repeats(1e6, 1, 0), 1);
  for (const char* rtt : {R"(network.wide_area_rtt="0 s")", R"(network.wide_area_rtt="60 ms")"}) {
    const Scenario s = scenario("hotnets24-moe", {"wide_area.bit_error_rate=1e-3", rtt});
    const WideAreaAnswer answer = plan_wide_area(s);
    EXPECT_EQ(answer.too_many, 2);
    const SitesPoint& two = answer.points[1];
    EXPECT_TRUE(std::isinf(two.time.si()) && std::isinf(two.step.si()));
    EXPECT_EQ(two.exposed_share, 1);
    EXPECT_EQ(two.added_share, 1);
    EXPECT_FALSE(two.hiding_rate);
  }
  // Where times are calibrated, under every ZeRO stage.
  for (const char* zero : {"mapping.zero_stage=0", "mapping.zero_stage=2", "mapping.zero_stage=3"}) {
    Scenario s = scenario("llama3-405b", {"wide_area.bit_error_rate=1e-3", zero, "mapping.recompute=full"});
    s.facility.datacenters = 2;
    const Plan plan = make_plan(s);
    EXPECT_TRUE(std::isinf(sites_point(plan, BitRate(20e9)).step.si())) << zero;
    EXPECT_TRUE(std::isinf(SiteSlowdown(plan, BitRate(20e9)).at(equal(2, 0.01), 0.5))) << zero;
    EXPECT_TRUE(std::isinf(SiteSlowdown(plan, BitRate(20e9)).at(equal(2, 0), 0.5))) << zero;
  }
}

TEST(Sites, ParityReplacesARoundTripOfRepeats) {
  const auto at = [](const std::vector<std::string>& sets) {
    return sites_point(make_plan(scenario("hotnets24-moe", sets)), BitRate(20e9));
  };
  const SitesPoint repeated = at({"wide_area.bit_error_rate=1e-12"});
  const SitesPoint coded = at({"wide_area.bit_error_rate=1e-12", "wide_area.code_parity=1"});
  EXPECT_NEAR(repeated.repeats, 1, 0.01);
  EXPECT_LT(coded.repeats, 0.01);
  EXPECT_NEAR(coded.sent / repeated.sent, 1.05, 1e-9);
  EXPECT_GT((repeated.time - coded.time).si(), 0.055);
}

TEST(Sites, PlacesAreChecked) {
  EXPECT_THROW(scenario("hotnets24-dense", {"wide_area.sites=[[91, 0]]"}), InputError);
  EXPECT_THROW(scenario("hotnets24-dense", {"wide_area.sites=[[1, 2, 3]]"}), InputError);
  EXPECT_THROW(scenario("hotnets24-dense", {"wide_area.sites=[1, 2]"}), InputError);
  EXPECT_THROW(scenario("hotnets24-dense", {"wide_area.most_sites=9"}), InputError);
  EXPECT_THROW(scenario("hotnets24-dense", {"wide_area.code_data=250", "wide_area.code_parity=10"}),
               InputError);
  EXPECT_EQ(plan_wide_area(scenario("hotnets24-dense", {"wide_area.sites=[[0, 0], [0, 1]]"})).points.size(),
            2U);
}

/// A division of other places and sizes; the cluster is planned over as many.
Plan over(std::int64_t sites, const std::string& name, std::vector<std::string> sets) {
  Scenario s = scenario(name, sets);
  s.facility.datacenters = sites;
  return make_plan(s);
}

TEST(Division, OfEqualSitesIsThatOfTheScenario) {
  for (const std::int64_t k : {2, 3, 5}) {
    const Plan plan = over(k, "hotnets24-moe", {"network.tail_loss_rtts=1"});
    const BitRate rate = plan.scenario.network.wide_area_rate;
    const SitesPoint all = sites_point(plan, rate);
    const SitesPoint same =
        sites_point(plan, rate, equal(static_cast<std::size_t>(k), 0.030), 1 / static_cast<double>(k));
    EXPECT_EQ(all.time, same.time);
    EXPECT_EQ(all.step, same.step);
    EXPECT_EQ(all.hiding_rate, same.hiding_rate);
  }
}

// Bytes are conserved: a site sends the sums of a whole copy, whatever its size. V = (devices of the stage in
// a site) x (chunk of a device) is the same for every site, and the smallest needs V / (its devices x rate).
TEST(Division, WaitsForTheSmallestSite) {
  for (const double share : {0.5, 0.25, 0.1}) {
    const Plan plan = over(2, "hotnets24-moe", {});
    const BitRate rate = plan.scenario.network.wide_area_rate;
    const MappingPlan& m = plan.mapping;
    const double devices = static_cast<double>(m.devices_used) / static_cast<double>(m.pipeline);
    const double volume = plan.communication.gradient.stages[2].bytes.si() * devices / 2;
    const SitesPoint point = sites_point(plan, rate, equal(2, 0.010), share);
    EXPECT_NEAR(point.sent.si(), volume / (devices * share), 1e-9 * point.sent.si());
    EXPECT_NEAR(point.time.si(), 0.010 + volume * 8 / (devices * share * rate.si()), 1e-9);
    EXPECT_NEAR(point.hiding_rate->si(), point.sent.si() * 8 / (patience_s(plan) - 0.010), 1);
  }
}

TEST(Division, NeedsACopyOfTheModelInEverySite) {
  const Plan plan = over(2, "hotnets24-dense", {});
  const double copies = static_cast<double>(plan.mapping.local_replicas * plan.mapping.peer_domains * 2);
  const BitRate rate = plan.scenario.network.wide_area_rate;
  EXPECT_TRUE(sites_point(plan, rate, equal(2, 0.01), 1 / copies).infeasible.empty());
  EXPECT_FALSE(sites_point(plan, rate, equal(2, 0.01), 0.9 / copies).infeasible.empty());
  EXPECT_TRUE(std::isinf(SiteSlowdown(plan, rate).at(equal(2, 0.01), 0.9 / copies)));
}

/// Places at random on a disc, so that distances are those of a plane.
Delays scattered(std::mt19937& random, std::size_t sites, double reach_s) {
  std::uniform_real_distribution<double> side(0, reach_s);
  std::vector<std::pair<double, double>> at(sites);
  for (auto& [x, y] : at) {
    x = side(random);
    y = side(random);
  }
  Delays out(sites, std::vector<Seconds>(sites));
  for (std::size_t a = 0; a < sites; ++a) {
    for (std::size_t b = 0; b < sites; ++b)
      out[a][b] = Seconds(std::hypot(at[a].first - at[b].first, at[a].second - at[b].second));
  }
  return out;
}

/// How much random divisions slow a plan, in the short way of a search, held to the long one. The smallest
/// site has at least this part of an even share.
std::vector<double> slowdowns(const Plan& plan, std::mt19937& random, int count, double least) {
  const BitRate rate = plan.scenario.network.wide_area_rate;
  const SiteSlowdown search(plan, rate);
  const auto k = static_cast<double>(plan.mapping.datacenters);
  std::vector<double> out;
  for (int round = 0; round < count; ++round) {
    const Delays delays = scattered(random, static_cast<std::size_t>(k), 0.05);
    const double share = std::uniform_real_distribution<double>(least, 1)(random) / k;
    out.push_back(search.at(delays, share));
    const SitesPoint point = sites_point(plan, rate, delays, share);
    EXPECT_NEAR(out.back(), point.step / search.undisturbed_batch(), 1e-12) << k;
    EXPECT_NEAR(point.added_share, 1 - 1 / out.back(), 1e-12) << k;
  }
  return out;
}

TEST(Division, TheShortWayOfASearchAgreesWithTheLongOne) {
  std::mt19937 random(3);
  int slowed = 0;
  for (const char* set :
       {"network.tail_loss_rtts=0", "network.tail_loss_rtts=1", "wide_area.bit_error_rate=1e-11",
        "wide_area.sync_every=4", R"(wide_area.exchange="ring")", R"(wide_area.exchange="scatter")",
        R"(wide_area.exchange="tree")", R"(assumptions.step_rule="pipeline")"}) {
    for (const std::int64_t k : {2, 3, 4, 5}) {
      SCOPED_TRACE(set);
      for (const double slowdown : slowdowns(over(k, "hotnets24-moe", {set}), random, 20, 0.3))
        slowed += slowdown > 1;
    }
  }
  EXPECT_GT(slowed, 100);
}

// By measured constants, which of the exchanges is quickest depends on how many layers wait for its delays.
TEST(Division, TheShortWayOfASearchAgreesWithTheLongOneWhereTimesAreCalibrated) {
  std::mt19937 random(4);
  for (const char* set : {"mapping.zero_stage=2", "mapping.zero_stage=3", R"(wide_area.exchange="tree")",
                          R"(wide_area.exchange="ring")"}) {
    for (const std::int64_t k : {2, 4}) {
      SCOPED_TRACE(set);
      const Plan plan =
          over(k, "llama3-405b", {set, R"(network.wide_area_rate="3 Gbps")", "mapping.recompute=full"});
      for (const double slowdown : slowdowns(plan, random, 5, 0.5)) EXPECT_GT(slowdown, 1.001);
    }
  }
}

}  // namespace
}  // namespace trainyard
