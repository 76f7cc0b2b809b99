// Links of any rate, slower for a while, and with queues of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "network/packet/transports/patience.h"
#include "network/packet/transports/transport_setup.h"
#include "network/wiring/byte_time.h"
#include "topology/clos_shape.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"
#include "workload/workload.h"

namespace trainyard {
namespace {

using wiring::ByteTime;

TEST(ByteTime, IsExactForWholePicosecondsAndNearForOthers) {
  EXPECT_EQ(ByteTime(80).of_bytes(1'000'000'000'000'000), 80'000'000'000'000'000U);
  EXPECT_EQ(ByteTime::of(80).parts(), ByteTime(80).parts());
  EXPECT_EQ(ByteTime::of(8000.0 / 300).of_bytes(4096), 109'226U);  // 109,226.67 ps
  EXPECT_EQ(ByteTime::of(8000.0 / 300).of_bytes(3'000'000), 80'000'000U);
  EXPECT_EQ(ByteTime(80).bytes_in(2'000'000), 25'000U);
  EXPECT_EQ(ByteTime(80).bytes_in(2'000'001), 25'001U);
  EXPECT_LT(ByteTime(20), ByteTime::of(20.5));
}

/// 32 hosts under four leaves and four spines.
Scenario scenario(const std::vector<std::string>& settings, const std::string& rest = {}) {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(
      SourceText{"test.toml",
                 "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"
                 "[[design]]\nname = \"d\"\ndomain = 1\nrate = \"100 Gbps\"\nhosts = 32\nradix = 16\nprices "
                 "= \"railonly23\"\n"
                 "[simulation]\nbytes = \"1 MB\"\n" +
                     rest}));
  for (const std::string& setting : settings) text.set(setting);
  return text.resolve();
}

std::string with_rate(const std::string& rate) {
  return "design=[{name = \"d\", domain = 1, hosts = 32, radix = 16, rate = \"" + rate +
         "\", prices = \"railonly23\"}]";
}

/// Flow 0 alone.
Picoseconds alone(const std::string& rate) {
  const Scenario s = scenario({with_rate(rate), "simulation.traffic=incast", "simulation.active=0.0625",
                               "simulation.bytes=4MB", "simulation.window=200"});
  return simulate(s).flows.front().finished;
}

/// Rates follow marks: where none were made they would stay at the links'.
TEST(SimulateLinks, RatesOfIrnHearOfMarks) {
  const auto run = [](std::vector<std::string> settings) {
    settings.insert(settings.end(), {"simulation.transport=irn", "simulation.traffic=incast"});
    return simulate(scenario(settings));
  };
  const SimulationResult windows = run({});
  const SimulationResult rates = run({"irn.dcqcn=true"});
  EXPECT_EQ(windows.counters.marks, 0U);
  EXPECT_GT(rates.counters.marks, 0U);
  EXPECT_NE(rates.longest.si(), windows.longest.si());
  const SimulationResult asked = run({"irn.dcqcn=true", "simulation.mark_from=8", "simulation.mark_all=8"});
  EXPECT_EQ(rates.longest.si(), asked.longest.si());
}

TEST(SimulateLinks, RatesNeedNoWholePicosecondsAByte) {
  const double slow = static_cast<double>(alone("200 Gbps"));
  const double between = static_cast<double>(alone("300 Gbps"));
  const double fast = static_cast<double>(alone("400 Gbps"));
  // Delays are the same, times on links go with the inverse of the rate.
  const double delays = 2 * fast - slow;
  EXPECT_NEAR(between, delays + (slow - delays) * 2 / 3, 4000);
}

/// The first flow of 4 MB alone, over four planes that share 100 Gbps.
Picoseconds over_planes(const std::string& transport, int connections, SimulationEngine engine) {
  const Scenario s = scenario(
      {"design=[{name = \"d\", domain = 1, hosts = 32, radix = 16, planes = 4, rate = \"100 Gbps\", prices = "
       "\"railonly23\"}]",
       "simulation.traffic=incast", "simulation.active=0.0625", "simulation.bytes=4MB",
       "simulation.window=1000", "simulation.queue=1000", "simulation.transport=" + transport,
       "simulation.connections_per_flow=" + std::to_string(connections)});
  return simulate(s, {.engine = engine}).flows.front().received;
}

TEST(SimulateLinks, ConnectionsOfAFlowUsePlanesInTurn) {
  // On one plane at 25 Gbps: 1.28 ms. On k of the four planes a k-th of the time, delays apart.
  for (const SimulationEngine engine : {SimulationEngine::packet, SimulationEngine::flow}) {
    for (const std::string transport : {"roce", "dctcp"}) {
      const double one = static_cast<double>(over_planes(transport, 1, engine));
      EXPECT_NEAR(one, 1.28e9, 0.03e9);
      EXPECT_NEAR(static_cast<double>(over_planes(transport, 2, engine)), one / 2, 0.02 * one);
      EXPECT_NEAR(static_cast<double>(over_planes(transport, 4, engine)), one / 4, 0.02 * one);
      EXPECT_NEAR(static_cast<double>(over_planes(transport, 6, engine)), one / 3, 0.02 * one);
    }
  }
}

TEST(SimulateLinks, ConnectionsOfAFlowTakeNoLessThanItsLeast) {
  // Packets of a connection each cross switches beside each other, and sooner than one of all bytes.
  for (const std::string planes : {"1", "4"}) {
    for (const std::string bytes : {"3 B", "2 kB", "20 kB", "100 kB"}) {
      const Scenario s = scenario(
          {"design=[{name = \"d\", domain = 1, hosts = 32, radix = 16, planes = " + planes +
               ", rate = \"100 Gbps\", prices = \"railonly23\"}]",
           "simulation.traffic=incast", "simulation.active=0.0625", "simulation.bytes=" + bytes,
           "simulation.transport=dctcp", "simulation.connections_per_flow=4", "simulation.link_delay=100ns"});
      const double slowdown = simulate(s).slowdowns.front();
      EXPECT_GE(slowdown, 1 - 1e-9) << planes << " planes, " << bytes;
      EXPECT_LT(slowdown, 1.15) << planes << " planes, " << bytes;
    }
  }
}

/// 15 flows to one host, whose 100 Gbps are shared by so many planes; sprayed.
SimulationResult incast_over(const std::string& planes, const std::string& transport) {
  const std::string window = transport == "ndp" || transport == "eqds" ? "200" : "unset";
  std::vector<std::string> settings = {
      "design=[{name = \"d\", domain = 1, hosts = 32, radix = 16, planes = " + planes +
          ", rate = \"100 Gbps\", prices = \"railonly23\"}]",
      "simulation.traffic=incast", "simulation.active=0.5", "simulation.transport=" + transport};
  if (window != "unset") settings.push_back("simulation.window=" + window);
  return simulate(scenario(settings));
}

/// Senders that are held back to a fifteenth of their links have all ports free whenever they may send.
TEST(SimulateLinks, AnIncastTakesAllPlanesOfTheReceiver) {
  const double link = 15e6 * 8 / 100e9 * kPicosecondsPerSecond;
  for (const std::string transport : {"ndp", "eqds", "smartt", "nscc", "rccc", "scheduled"}) {
    const SimulationResult out = incast_over("4", transport);
    Picoseconds last = 0;
    for (const workload::Flow& flow : out.flows) last = std::max(last, flow.finished);
    EXPECT_GE(static_cast<double>(last), link) << transport;
    EXPECT_LT(static_cast<double>(last), 1.15 * link) << transport;
  }
}

/// A controller's rates are those of all planes together: spread over them nothing is lost.
TEST(SimulateLinks, ReservationsFitBehindOversubscribedLeavesOfSeveralPlanes) {
  for (const std::string planes : {"1", "2", "4"}) {
    const SimulationResult out = simulate(scenario(
        {"design=[{name = \"d\", domain = 1, hosts = 24, radix = 16, oversubscription = [3], planes = " +
             planes + ", rate = \"100 Gbps\", prices = \"railonly23\"}]",
         "simulation.transport=scheduled"}));
    EXPECT_EQ(out.counters.drops, 0U) << planes << " planes";
    EXPECT_EQ(out.counters.repeats, 0U) << planes << " planes";
  }
}

/// A pause waits while its link sends a destroyed packet again; what comes in meanwhile has its room.
TEST(SimulateLinks, PausesHoldOnLinksThatRetry) {
  const std::vector<std::string> pauses = {"simulation.transport=roce", "simulation.link_retry=true",
                                           "simulation.traffic=permutation", "simulation.pause_above=4",
                                           "simulation.resume_below=2"};
  for (const std::string more : {"simulation.bit_error_rate=1e-6", "simulation.packet_loss=0.05",
                                 "simulation.replay_buffer=20kB", "simulation.replay_limit=9"}) {
    for (const std::string seed : {"1", "2", "3"}) {
      std::vector<std::string> settings = pauses;
      settings.insert(settings.end(), {more, "simulation.seed=" + seed});
      if (more == "simulation.replay_limit=9") settings.push_back("simulation.packet_loss=0.2");
      const SimulationResult out = simulate(scenario(settings));
      EXPECT_EQ(out.counters.finished, 32U) << more;
      EXPECT_EQ(out.counters.drops, 0U) << more;
    }
  }
  // Three repeats of 2 us and more at 100 Gbps: some 75 kB beside what a link without bit errors needs.
  std::vector<std::string> settings = pauses;
  settings.push_back("simulation.headroom=50kB");
  EXPECT_NO_THROW(simulate(scenario(settings)));
  settings.push_back("simulation.packet_loss=0.05");
  EXPECT_THROW(simulate(scenario(settings)), InputError);
}

/// So do they when links of two leaves run at a fiftieth for a while: one may wait for a packet that was sent
/// slowly, while data comes at the full rate again.
TEST(SimulateLinks, PausesHoldWhenSlowLinksRecover) {
  struct Slow {
    std::string first;  // until when, the leaves
    std::string second;
  };
  for (const Slow& until : {Slow{"31.4", "35.6"}, Slow{"38", "42.2"}, Slow{"47", "51.2"}}) {
    std::string failures;
    for (const std::string uplink : {"0", "1", "2", "3"}) {
      const std::string part = "\nuplink = " + uplink + "\nrate_share = 0.02\n";
      failures += "[[failure]]\nnode = \"leaf 0\"" + part + "from = \"5 us\"\nuntil = \"" + until.first +
                  " us\"\n[[failure]]\nnode = \"leaf 2\"" + part + "from = \"7 us\"\nuntil = \"" +
                  until.second + " us\"\n";
    }
    for (const std::string seed : {"1", "2", "3", "4", "5", "6"}) {
      const SimulationResult out = simulate(
          scenario({"simulation.transport=roce", "simulation.traffic=permutation", "simulation.pause_above=2",
                    "simulation.resume_below=1", "simulation.link_delay=200 ns", "dcqcn.enabled=false",
                    "simulation.seed=" + seed},
                   failures));
      EXPECT_EQ(out.counters.finished, 32U) << until.first << " us, seed " << seed;
      EXPECT_EQ(out.counters.drops, 0U) << until.first << " us, seed " << seed;
    }
  }
}

/// A flow whose planes are all down waits in the turns once, however often it has waited in vain: each entry
/// more would be looked at for every packet of its host, and the run not end within minutes.
TEST(SimulateLinks, FlowsThatNoPlaneServesWaitOnce) {
  for (const std::string transport : {"nscc", "rccc", "ndp", "homa"}) {
    EXPECT_THROW(simulate(scenario(
                     {"design=[{name = \"d\", domain = 1, hosts = 32, radix = 16, planes = 2, rate = \"100 "
                      "Gbps\", prices = \"railonly23\"}]",
                      "simulation.transport=" + transport, "simulation.bytes=50kB"},
                     "[[failure]]\nnode = \"leaf 0\"\n[[failure]]\nnode = \"leaf 0\"\nplane = 1\n")),
                 InputError);
  }
}

/// And goes on when a plane is there again.
TEST(SimulateLinks, FlowsThatNoPlaneServedGoOn) {
  for (const std::string transport : {"nscc", "rccc", "eqds", "ndp", "homa", "scheduled", "roce", "dctcp"}) {
    const SimulationResult out = simulate(scenario(
        {"design=[{name = \"d\", domain = 1, hosts = 32, radix = 16, planes = 2, rate = \"100 Gbps\", prices "
         "= "
         "\"railonly23\"}]",
         "simulation.transport=" + transport, "simulation.bytes=200kB"},
        "[[failure]]\nnode = \"leaf 0\"\nfrom = \"5 us\"\nuntil = \"4 ms\"\n[[failure]]\nnode = \"leaf 0\"\n"
        "plane = 1\nfrom = \"4 us\"\n"));
    EXPECT_EQ(out.counters.finished, 32U) << transport;
  }
}

TEST(SimulateLinks, TwoHostsAreActiveAtLeast) {
  const SimulationResult out = simulate(scenario({"simulation.active=5e-324"}));
  ASSERT_EQ(out.flows.size(), 2U);
  EXPECT_EQ(out.flows[0].from + out.flows[1].from, 31U);
}

/// Packets of a flow with one path that went around a failure each by its own way would overtake each other.
TEST(SimulateLinks, FlowsOfOnePathGoAroundFailuresInOrder) {
  const SimulationResult out = simulate(
      scenario({"simulation.transport=roce"},
               "[[failure]]\nnode = \"leaf 0\"\nuplink = 0\n[[failure]]\nnode = \"leaf 1\"\nuplink = 3\n"));
  EXPECT_EQ(out.counters.finished, 32U);
  EXPECT_EQ(out.counters.repeats, 0U);
  EXPECT_EQ(out.counters.timeouts, 0U);
}

TEST(SimulateLinks, TheLeastIsKeptAtAnyRate) {
  for (const char* rate : {"300 Gbps", "130 Gbps", "12.3456789 Gbps"}) {
    const SimulationResult r = simulate(scenario({with_rate(rate)}));
    EXPECT_GE(*std::min_element(r.slowdowns.begin(), r.slowdowns.end()), 1) << rate;
    EXPECT_EQ(r.counters.finished, 32U);
  }
}

constexpr const char* kSlowHost = "[[failure]]\nnode = \"host 0\"\nrate_share = 0.25\n";

TEST(SimulateLinks, ASlowLinkTakesAsMuchLonger) {
  const std::vector<std::string> one = {"simulation.traffic=incast", "simulation.active=0.0625",
                                        "simulation.bytes=4MB", "simulation.window=400"};
  for (const SimulationEngine engine : {SimulationEngine::packet, SimulationEngine::flow}) {
    SimulationRun how;
    how.engine = engine;
    const double whole = simulate(scenario(one), how).longest.si();
    const double quarter = simulate(scenario(one, kSlowHost), how).longest.si();
    EXPECT_NEAR(quarter / whole, 4, 0.1);
  }
}

TEST(SimulateLinks, ALinkThatIsSlowForAWhileIsAsFastAsBeforeAfterIt) {
  const std::vector<std::string> one = {"simulation.traffic=incast", "simulation.active=0.0625",
                                        "simulation.bytes=4MB", "simulation.window=400"};
  const char* a_while =
      "[[failure]]\nnode = \"host 0\"\nrate_share = 0.25\nfrom = \"100 us\"\nuntil = \"180 us\"\n";
  const double whole = simulate(scenario(one)).longest.si();
  // Of 80 us three quarters are lost.
  EXPECT_NEAR(simulate(scenario(one, a_while)).longest.si() - whole, 60e-6, 2e-6);
  SimulationRun how;
  how.engine = SimulationEngine::flow;
  EXPECT_NEAR(simulate(scenario(one, a_while), how).longest.si() - simulate(scenario(one), how).longest.si(),
              60e-6, 1e-6);
}

/// Flows of all hosts, beside one spine of a quarter of the rate.
SimulationResult beside_a_slow_spine(const std::string& transport, const std::string& load_balancing,
                                     int seed = 1) {
  return simulate(
      scenario({"simulation.traffic=permutation", "simulation.queue=29", "simulation.transport=" + transport,
                "simulation.load_balancing=" + load_balancing, "simulation.seed=" + std::to_string(seed)},
               "[[failure]]\nnode = \"spine 0\"\nrate_share = 0.25\n"));
}

TEST(SimulateLinks, PacketsThatAreLateOnASlowWayAreNotSentAgain) {
  for (const char* transport : {"nscc", "smartt"}) {
    const auto counters = beside_a_slow_spine(transport, "spray").counters;
    EXPECT_GT(counters.trims, 10U) << transport;
    EXPECT_LE(counters.repeats, counters.trims + counters.trims / 20) << transport;
  }
}

/// A device that forwards gives its own packets any rate, and is no oversubscribed switch (once receivers of
/// RCCC slowed down to a tenth for it).
TEST(SimulateLinks, DevicesThatForwardAreNotOversubscribed) {
  const auto run = [](const std::string& control) {
    return simulate(scenario(
        {R"(design=[{name = "r", topology = "rail_only", rails = 8, radix = 16, prices = "railonly23"}])",
         "simulation.extent=datacenter", "simulation.traffic=all_to_all", "simulation.bytes=4 MB",
         "simulation.transport=rccc", "rccc.oversubscription_control=" + control}));
  };
  const SimulationResult out = run("true");
  EXPECT_GT(out.counters.trims, 100U);
  EXPECT_EQ(out.mean.si(), run("false").mean.si());
}

TEST(SimulateLinks, SendersByCreditLeaveASlowWay) {
  for (const char* transport : {"eqds", "rccc"}) {
    double blind = 0;
    double seeing = 0;
    for (const int seed : {1, 2, 3}) {  // one alone spreads by 3%
      blind += beside_a_slow_spine(transport, "spray", seed).mean.si();
      seeing += beside_a_slow_spine(transport, "bitmap", seed).mean.si();
    }
    EXPECT_LT(seeing, 0.94 * blind) << transport;
  }
}

TEST(SimulateLinks, MarksOfTheReceiversLinkAreNoneForCredit) {
  SimulationRun how;
  how.files.flows = std::make_shared<const SourceText>(
      SourceText{"flows.csv", "from,to,bytes,start_s\n1,0,1000000,0\n2,0,1000000,0\n3,0,1000000,0\n"});
  const auto marks = [&](const std::string& transport) {
    return simulate(scenario({"simulation.transport=" + transport}), how).counters.marks;
  };
  EXPECT_GT(marks("nscc"), 0U);
  EXPECT_EQ(marks("rccc"), 0U);
}

TEST(SimulateLinks, OfFailuresThatOverlapTheWorstCounts) {
  const std::string down = "[[failure]]\nnode = \"spine 1\"\nfrom = \"0 s\"\nuntil = \"40 us\"\n";
  const std::string slow =
      "[[failure]]\nnode = \"spine 1\"\nrate_share = 0.5\nfrom = \"20 us\"\nuntil = \"60 us\"\n";
  const std::string apart =
      "[[failure]]\nnode = \"spine 1\"\nfrom = \"0 s\"\nuntil = \"40 us\"\n"
      "[[failure]]\nnode = \"spine 1\"\nrate_share = 0.5\nfrom = \"40 us\"\nuntil = \"60 us\"\n";
  for (const SimulationEngine engine : {SimulationEngine::packet, SimulationEngine::flow}) {
    SimulationRun how;
    how.engine = engine;
    const SimulationResult a = simulate(scenario({}, down + slow), how);
    const SimulationResult b = simulate(scenario({}, apart), how);
    for (std::size_t f = 0; f < a.flows.size(); ++f) ASSERT_EQ(a.flows[f].finished, b.flows[f].finished);
  }
}

TEST(SimulateLinks, QueuesOfAFileAreThoseOfItsTiers) {
  const auto with = [](const std::string& leaf) {
    SimulationRun how;
    how.files.topology = std::make_shared<const SourceText>(
        SourceText{"net.topo",
                   "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 500\n"
                   "Radix_Down 8\nRadix_Up 8\n" +
                       leaf + "Tier 1\nDownlink_speed_Gbps 100\nDownlink_Latency_ns 500\nRadix_Down 2\n"});
    return how;
  };
  const Scenario s = scenario({"simulation.traffic=incast", "simulation.bytes=400kB"});
  const SimulationResult usual = simulate(s, with(""));
  const SimulationResult small = simulate(s, with("Queue_Down 20480\n"));
  EXPECT_EQ(usual.counters.longest_queue, 50U * 4096);
  EXPECT_EQ(small.counters.longest_queue, 5U * 4096);
  const SimulationResult up = simulate(s, with("Queue_Up 20480\n"));
  EXPECT_EQ(up.counters.longest_queue, usual.counters.longest_queue);
  EXPECT_THROW(simulate(s, with("Queue_Down 2048\n")), InputError);
}

TEST(SimulateLinks, ARunWhoseWordNeverComesBackEnds) {
  // Data arrives, again and again; the way of its acknowledgements is dead, and nobody knows.
  SimulationRun how;
  how.files.flows = std::make_shared<const SourceText>(
      SourceText{"flows.csv", "from,to,bytes,start_s,path,path_back\n0,8,4096,0,0,7\n1,9,4096,0,0,0\n"});
  const Scenario s = scenario(
      {"simulation.transport=nscc", "simulation.load_balancing=ecmp", "simulation.failures_known=false"},
      "[[failure]]\nnode = \"leaf 1\"\nuplink = 7\n");
  try {
    simulate(s, how);
    FAIL();
  } catch (const InputError& e) {
    const Finding& finding = e.findings().front();
    EXPECT_NE(finding.message.find("1 of 2 flows has finished, and the same bytes arrive again and again"),
              std::string::npos)
        << finding.message;
    EXPECT_NE(finding.help.find("flow 0 from host 0 to host 8 goes on"), std::string::npos) << finding.help;
  }
}

/// A flow of 1 MB whose acknowledgements take a link that is down and of which nobody knows.
Scenario without_answers(const std::string& failure) {
  return scenario({"simulation.transport=roce", "simulation.load_balancing=ecmp",
                   "simulation.failures_known=false", "simulation.timeout=20us"},
                  "[[failure]]\nnode = \"leaf 1\"\nuplink = 7\n" + failure);
}
SimulationRun with_flow(const std::string& flow) {
  SimulationRun how;
  how.files.flows = std::make_shared<const SourceText>(
      SourceText{"flows.csv", "from,to,bytes,start_s,path,path_back\n" + flow});
  return how;
}

TEST(SimulateLinks, RepeatsInVainGoOnWhileALinkIsStillToComeBack) {
  // 20.48 ms from one to the next of 1,300 repeats.
  const SimulationResult result =
      simulate(without_answers("until = \"25 s\"\n"), with_flow("0,8,1000000,0,0,7\n"));
  const double took = seconds(result.flows.front().finished).si();
  EXPECT_GT(took, 25);
  EXPECT_LT(took, 25.03);
}

TEST(SimulateLinks, RepeatsInVainEndSoon) {
  // 100 repeats of the flow are 100 MB, after which it is looked at, and 100 more bring nothing: 190 of them
  // are 20.48 ms apart.
  try {
    simulate(without_answers(""), with_flow("0,8,1000000,0,0,7\n"));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(e.findings().front().message.find("the same bytes arrive again and again"), std::string::npos);
    EXPECT_NE(e.findings().front().message.find("no progress at 3.9"), std::string::npos)
        << e.findings().front().message;
  }
}

TEST(SimulateLinks, FlowsWaitForTheirTurnsForAnyTime) {
  // A ten-thousandth of 100 Gbps: the first takes 8 s, for which the second waits, too, though it comes
  // later.
  const Scenario s =
      scenario({"simulation.transport=scheduled", "scheduled.most_flows=1", "scheduled.utilization=0.0001"});
  SimulationRun how;
  how.files.flows = std::make_shared<const SourceText>(
      SourceText{"flows.csv", "from,to,bytes,start_s\n0,8,10000000,0\n1,8,4096,8\n"});
  const SimulationResult result = simulate(s, how);
  EXPECT_NEAR(seconds(result.flows[0].finished).si(), 8, 0.1);
  EXPECT_NEAR(seconds(result.flows[1].finished).si(), 16, 0.1);
}

TEST(SimulateLinks, ALateControllerIsNoHalt) {
  for (const char* transport : {"scheduled", "fec"}) {
    const Scenario s = scenario({std::string("simulation.transport=") + transport, "scheduled.delay=20 s"});
    EXPECT_NEAR(simulate(s).longest.si(), 20, 0.1) << transport;
  }
}

TEST(SimulateLinks, AHaltBehindALateControllerIsFound) {
  const Scenario s =
      scenario({"simulation.transport=scheduled", "scheduled.delay=20 s", "simulation.failures_known=false"},
               "[[failure]]\nnode = \"leaf 1\"\n");
  SimulationRun how;
  how.files.flows =
      std::make_shared<const SourceText>(SourceText{"flows.csv", "from,to,bytes,start_s\n0,8,4096,0\n"});
  try {
    simulate(s, how);
    FAIL();
  } catch (const InputError& e) {
    const std::string& message = e.findings().front().message;
    constexpr std::string_view kAt = "no progress at ";
    const auto at = message.find(kAt);
    ASSERT_NE(at, std::string::npos) << message;
    EXPECT_GE(std::stod(message.substr(at + kAt.size())), 20) << message;  // its word has come
  }
}

TEST(SimulateLinks, AFallbackThatSendsNextToNothingIsNamed) {
  const auto with = [](const std::string& fallback) {
    return scenario({"simulation.transport=scheduled", "scheduled.dead_from=0 s", "simulation.bytes=8192 B",
                     "scheduled.fallback=" + fallback});
  };
  EXPECT_NEAR(simulate(with("1e-6")).longest.si(), 8192 * 80e-12 / 1e-6, 0.4);
  try {
    simulate(with("1e-9"));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.findings().front().where.source->name, "scheduled.fallback");
  }
}

TEST(SimulateLinks, PacketsOnVerySlowLinksAreWaitedFor) {
  // A packet takes 328 s on each of two links, which is more than 5,000 timeouts of 32 ms.
  const Scenario s =
      scenario({"simulation.link_delay=1ms"}, "[[failure]]\nnode = \"leaf 0\"\nrate_share = 1e-9\n");
  SimulationRun how;
  how.files.flows =
      std::make_shared<const SourceText>(SourceText{"flows.csv", "from,to,bytes,start_s\n0,8,4096,0\n"});
  const SimulationResult result = simulate(s, how);
  EXPECT_NEAR(seconds(result.flows.front().finished).si(), 2 * 4096 * 80e-12 / 1e-9 + 2 * 64 * 80e-12 / 1e-9,
              1);
}

TEST(SimulateLinks, BadLuckOnLossyWaysIsNoHalt) {
  // One packet of 256 arrives, and so do acknowledgements; senders that back off try once in 1,024 timeouts.
  const std::string ring =
      "design=[{name = \"d\", topology = \"torus\", dimensions = [32], domain = 1, hosts = 32, rate = \"100 "
      "Gbps\", "
      "prices = \"railonly23\"}]";
  for (const char* transport : {"ndp", "nscc", "dctcp"}) {
    const Scenario s =
        scenario({ring, "simulation.packet_loss=0.5", "simulation.transport=" + std::string(transport)});
    SimulationRun how;
    how.files.flows =
        std::make_shared<const SourceText>(SourceText{"flows.csv", "from,to,bytes,start_s\n0,6,4096,0\n"});
    EXPECT_GT(seconds(simulate(s, how).flows.front().finished).si(), 5) << transport;
  }
}

/// How long a run is waited for, of packets of 4 KiB with a timeout of 1 ms over four links.
packet::Patience patience(std::uint64_t lost_below, double slowest_share = 1) {
  ClosShape shape;
  shape.endpoints = 32;
  shape.tiers = {{.children = 8, .group = 1, .uplinks = 8, .down = 8},
                 {.children = 4, .group = 8, .uplinks = 0, .down = 4}};
  wiring::Layout layout = wiring::lay_out(shape, 1, {wiring::LinkRules{}}, whole("test"));
  wiring::LinkRules slow;
  slow.picoseconds_per_byte = wiring::ByteTime::of(80 / slowest_share);
  layout.links.push_back(slow);
  std::vector<workload::Flow> flows;
  const std::vector<workload::Dependency> dependencies;
  const std::vector<wiring::Fault> faults;
  wiring::LinkState links;
  packet::TransportSetup setup{layout, flows, dependencies, faults, links};
  setup.queues.lost_below = lost_below;
  return patience_of(setup);
}

TEST(Patience, IsAsLongAsLuckCanBeBad) {
  constexpr double kMillisecond = 1e9;
  EXPECT_EQ(patience(0).silence, 5000 * 1e9);
  EXPECT_EQ(patience(0).repeated, 1e8);
  // Half of the packets are lost on each of four links: 642 tries leave a chance of (15/16)^642 = 1e-18.
  const double tries = std::log(1e-18) / std::log(15.0 / 16);
  const std::uint64_t half = std::uint64_t{1} << 63U;
  EXPECT_NEAR(static_cast<double>(patience(half).silence), tries * 1024 * kMillisecond, kMillisecond);
  // 80 packets of 82 s each.
  EXPECT_NEAR(static_cast<double>(patience(0, 4e-9).silence), 20 * 4 * 4096 * 80 / 4e-9, kMillisecond);
  // What never arrives is not waited for.
  EXPECT_EQ(patience(~std::uint64_t{0}).silence, 5000 * 1e9);
  // Where hosts of one switch get on, those that are farther apart are waited for: one packet of 2^64
  // arrives.
  EXPECT_EQ(patience(~std::uint64_t{0} - (std::uint64_t{1} << 48U)).silence, picoseconds(workload::kHorizon));
  // One of 10^5 arrives, and so does one acknowledgement of as many data packets: 17 GB in vain say nothing.
  const auto rarely = static_cast<std::uint64_t>((1 - std::pow(1e-5, 0.25)) * 0x1p64);
  EXPECT_NEAR(patience(rarely).repeated, std::log(1e18) * 1e5 * 4096, 1e7);
}

}  // namespace
}  // namespace trainyard
