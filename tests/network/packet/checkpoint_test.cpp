// Checkpoints: a run that is saved, and continued by another, ends as if nothing had happened.
#include "network/packet/checkpoint.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cases.h"
#include "makers.h"
#include "network/packet/transports/bbr.h"
#include "network/packet/transports/credits.h"
#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/homa.h"
#include "network/packet/transports/hpcc.h"
#include "network/packet/transports/ndp.h"
#include "network/packet/transports/nscc.h"
#include "network/packet/transports/scheduled.h"
#include "network/packet/transports/unreliable.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"

namespace trainyard::packet {
namespace {

struct MakeEqds {
  auto operator()(const TransportSetup& s) const { return Credits(s, {s.window_packets, 2, 0.99}); }
};
struct MakeSharedCredits {
  auto operator()(const TransportSetup& s) const {
    return Credits(s, {s.window_packets, 4, 0.99, {}, false, true});
  }
};
struct MakeOrderedCredits {
  static constexpr Delivery kDelivery = Delivery::rod;
  auto operator()(const TransportSetup& s) const {
    return Credits(s, {s.window_packets, 2, 0.99, {0.01, 10'000'000}});
  }
};
struct MakeForgetfulEqds : MakeEqds {
  static constexpr Delivery kDelivery = Delivery::rudi;
};

struct MakeProbingNscc {
  auto operator()(const TransportSetup& s) const {
    NsccInput input;
    input.probes = true;
    return Acked<Nscc>(s, Nscc(input, s.queues.trim));
  }
};
struct MakeUnreliable {
  static constexpr Delivery kDelivery = Delivery::uud;
  auto operator()(const TransportSetup& s) const { return Unreliable(s); }
};
struct MakeFec {
  auto operator()(const TransportSetup& s) const { return Scheduled(s, {4, 1}, {0.95, 2}); }
};

const CheckpointIdentity kIdentity = {{"simulation.window", "50"}, {"simulation.queue", "8"}};

std::string path() {
  return (std::filesystem::temp_directory_path() / ("trainyard-checkpoint-" + std::to_string(getpid())))
      .string();
}

struct Ended {
  std::vector<Flow> flows;
  RunOutcome run;
  std::vector<WindowSummary> moments;
  std::uint64_t windows = 0;
  std::vector<Picoseconds> begins;  // of each of them
};

template <class Make>
Ended run_with(const Case& c, const Make& make, const CheckpointRules& rules,
               std::uint64_t most_windows = ~std::uint64_t{0}) {
  Ended out;
  out.flows = run_case(c, [&](const TransportSetup& given) {
                TransportSetup setup = given;
                setup.traced_flows.assign(c.flows.size(), 0);
                setup.traced_flows.front() = 1;
                Moments moments;
                Checkpoints checkpoints(rules, kIdentity, moments);
                setup.checkpoints = &checkpoints;
                auto transport = make(setup);
                out.run = run_transport(setup, transport, kMostPriorities, [&](const WindowSummary& now) {
                  moments.add(now);
                  out.begins.push_back(now.begin);
                  return ++out.windows < most_windows;
                });
                out.moments = moments.all();
                return out.run.counters;
              }).flows;
  return out;
}

/// Ends after some windows, with a checkpoint.
CheckpointRules stop_after(std::uint64_t windows) {
  CheckpointRules rules;
  rules.file = path();
  rules.stop = [windows]() mutable { return windows-- == 0; };
  return rules;
}
CheckpointRules resume() {
  CheckpointRules rules;
  rules.resume = path();
  return rules;
}

/// Every field of a counted thing, as bytes of the archive that checkpoints use.
template <class T>
std::string bytes_of(const T& value) {
  std::string out;
  pack(out, value);
  return out;
}

void expect_same_end(const Ended& a, const Ended& b) {
  for (std::size_t f = 0; f < a.flows.size(); ++f) {
    RC_ASSERT(a.flows[f].began == b.flows[f].began);
    RC_ASSERT(a.flows[f].received == b.flows[f].received);
    RC_ASSERT(a.flows[f].finished == b.flows[f].finished);
  }
  RC_ASSERT(a.run.end == b.run.end);
  RC_ASSERT(a.run.lost_bytes == b.run.lost_bytes);
  RC_ASSERT(a.run.now == b.run.now);
  RC_ASSERT(bytes_of(a.run.counters) == bytes_of(b.run.counters));
  RC_ASSERT(bytes_of(a.run.trace) == bytes_of(b.run.trace));
  RC_ASSERT(bytes_of(a.moments) == bytes_of(b.moments));
  RC_ASSERT(a.run.series.size() == b.run.series.size());
  for (std::size_t i = 0; i < a.run.series.size(); ++i) {
    RC_ASSERT(bytes_of(a.run.series[i].queue) == bytes_of(b.run.series[i].queue));
    RC_ASSERT(bytes_of(a.run.series[i].flow) == bytes_of(b.run.series[i].flow));
  }
  for (std::size_t t = 0; t < a.run.up.size(); ++t) {
    RC_ASSERT(a.run.up[t].bytes == b.run.up[t].bytes);
    RC_ASSERT(a.run.down[t].most_bytes == b.run.down[t].most_bytes);
  }
}

template <class Make>
class Resumed : public testing::Test {};
using Some = testing::Types<MakeNdp, MakeEqds, MakeSharedCredits, MakeOrderedCredits, MakeForgetfulEqds,
                            MakeHoma, MakeBbr, MakeNscc, MakeHpcc, MakeRoce, MakeFec, MakeOrderedNscc,
                            MakeForgetfulNscc, MakeProbingNscc, MakeUnreliable, MakeSharp>;
TYPED_TEST_SUITE(Resumed, Some);

/// What sums in switches bear.
Case case_of_sums_with_troubles() {
  Case c = case_of_sums();
  if (*rc::gen::inRange(0, 4) == 0) add_tiers(c);
  if (*rc::gen::inRange(0, 3) == 0) add_limits(c);
  if (*rc::gen::inRange(0, 4) == 0) add_probes(c);
  if (*rc::gen::inRange(0, 4) == 0) add_retry(c);
  return c;
}

template <class Make>
Case case_with_troubles() {
  if constexpr (requires { Make::kSums; }) return case_of_sums_with_troubles();
  Case c = random_case();
  if (*rc::gen::inRange(0, 4) == 0) add_tiers(c);
  if constexpr (requires { Make::kLossless; }) make_lossless(c);
  if constexpr (requires { Make::kDelivery; }) add_delivery(c, Make::kDelivery);
  if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
  if (*rc::gen::inRange(0, 3) == 0) add_pauses(c);
  if (*rc::gen::inRange(0, 3) == 0) add_limits(c);
  if (kKeepsConnections<Make> && c.delivery != Delivery::rudi) {
    if (*rc::gen::arbitrary<bool>()) add_messages(c);
  }
  // With rudi every lost packet waits for its timeout: runs are longer than what probes keep.
  if (c.delivery != Delivery::rudi && *rc::gen::inRange(0, 4) == 0) add_probes(c);
  if (c.queues.pauses()) return c;
  if (*rc::gen::inRange(0, 4) == 0) add_credits(c);
  if (*rc::gen::inRange(0, 4) == 0) add_retry(c);
  return c;
}

TYPED_TEST(Resumed, EndsAsTheRunThatWasNotInterrupted) {
  EXPECT_TRUE(rc::check([] {
    Case c = case_with_troubles<TypeParam>();
    const TypeParam make;
    const Ended whole = run_with(c, make, {});
    const auto windows = *rc::gen::inRange<std::uint64_t>(0, whole.windows);

    std::filesystem::remove(path());
    const Ended cut = run_with(c, make, stop_after(windows));
    RC_ASSERT(cut.run.end == RunEnd::stopped);
    const std::string file = read_file(path());
    c.threads = 3;
    std::filesystem::remove(path());
    run_with(c, make, stop_after(windows));
    RC_ASSERT(read_file(path()) == file);  // whatever the threads

    const Ended with_threads = run_with(c, make, resume());
    RC_ASSERT(windows + 1 + with_threads.windows == whole.windows);
    expect_same_end(whole, with_threads);
    c.threads = 1;
    expect_same_end(whole, run_with(c, make, resume()));
  }));
  std::filesystem::remove(path());
}

/// Senders to a host that answers no more, as its link is down, until it is up again.
Case silenced() {
  Case c;
  c.hosts = 16;
  c.radix = 8;
  const auto senders = *rc::gen::inRange<std::uint32_t>(1, 5);
  for (std::uint32_t h = 0; h < senders; ++h) c.flows.push_back({15 - h, 0, 400 * 4096, 0});
  const Layout layout = c.layout();
  const std::uint32_t of_host = layout.port_of_host(0, 0);
  const Wire& wire = layout.wires[of_host];
  const std::uint32_t of_switch = layout.nodes[wire.node].first_port + wire.in_port;
  const Picoseconds step = layout.shortest_delay();
  const Picoseconds from = *rc::gen::inRange<Picoseconds>(15, 60) * step;
  const Picoseconds until = from + *rc::gen::inRange<Picoseconds>(60, 400) * step;
  const bool both_ways = *rc::gen::arbitrary<bool>();
  for (const auto& [time, down] : {std::pair{from, true}, {until, false}}) {
    c.faults.push_back({time, of_switch, down});
    if (both_ways) c.faults.push_back({time, of_host, down});
  }
  return c;
}

/// Probes of the first flow's sender (loss_probes.h): the windows in which they leave.
std::vector<std::uint64_t> windows_of_probes(const Case& c, const Ended& whole) {
  const std::uint32_t hosts = c.layout().leaves;
  std::vector<std::uint64_t> out;
  for (const TraceEntry& entry : whole.run.trace) {
    if (entry.kind != PacketKind::pull || entry.event != TraceEvent::left || entry.node >= hosts) continue;
    const auto after = std::upper_bound(whole.begins.begin(), whole.begins.end(), entry.time);
    out.push_back(static_cast<std::uint64_t>(after - whole.begins.begin()) - 1);
  }
  return out;
}

RC_GTEST_PROP(Resumed, WhileItsSendersProbeAfterAFailure, ()) {
  const Case c = silenced();
  const MakeProbingNscc make;
  const Ended whole = run_with(c, make, {});
  RC_ASSERT(whole.run.counters.finished == c.flows.size());
  const std::vector<std::uint64_t> probes = windows_of_probes(c, whole);
  RC_ASSERT(!probes.empty());
  // With a probe that waits for its time, is under way, has been lost or is answered.
  const auto windows = *rc::gen::elementOf(probes) + *rc::gen::inRange<std::uint64_t>(0, 12);
  RC_PRE(windows + 1 < whole.windows);
  std::filesystem::remove(path());
  const Ended cut = run_with(c, make, stop_after(windows));
  RC_ASSERT(cut.run.end == RunEnd::stopped);
  const Ended resumed = run_with(c, make, resume());
  RC_ASSERT(windows + 1 + resumed.windows == whole.windows);
  expect_same_end(whole, resumed);
  std::filesystem::remove(path());
}

/// A file whose checksum is right but whose state is not what any run has left.
std::string forged(const std::string& file) {
  std::string state(checkpoint_state(path(), file, kIdentity));
  const auto changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, state.size());
    state[at] = *rc::gen::element(*rc::gen::arbitrary<char>(), static_cast<char>(0xFF), '\0');
  }
  return checkpoint_text(kIdentity, [&](std::string& text) { text += state; });
}

TYPED_TEST(Resumed, FromAForgedFileIsRefusedOrStaysInBounds) {
  constexpr std::uint64_t kMostWindows = 60;
  EXPECT_TRUE(rc::check([] {
    const Case c = case_with_troubles<TypeParam>();
    const TypeParam make;
    std::filesystem::remove(path());
    run_with(c, make, stop_after(*rc::gen::inRange<std::uint64_t>(0, kMostWindows)));
    if (!std::filesystem::exists(path())) return;  // it ended before
    const std::string file = read_file(path());
    for (int i = 0; i < 4; ++i) {
      write_file(path(), forged(file));
      try {
        run_with(c, make, resume(), kMostWindows);
      } catch (const InputError& error) {
        RC_ASSERT(!error.findings().empty());
      }
    }
    std::filesystem::remove(path());
  }));
}

RC_GTEST_PROP(Resumed, MayBeInterruptedAgainAndAgain, ()) {
  const Case c = case_with_troubles<MakeNdp>();
  const Ended whole = run_with(c, MakeNdp{}, {});
  CheckpointRules rules = stop_after(0);
  const auto step = *rc::gen::inRange<std::uint64_t>(1 + whole.windows / 8, 1 + whole.windows);
  Ended last = run_with(c, MakeNdp{}, rules);
  while (last.run.end == RunEnd::stopped) {
    rules = stop_after(step);
    rules.resume = path();
    last = run_with(c, MakeNdp{}, rules);
  }
  expect_same_end(whole, last);
  std::filesystem::remove(path());
}

// Files.

std::string small_file() {
  return checkpoint_text(kIdentity, [](std::string& text) { text += "the state of a simulation"; });
}

std::string refusal(const std::string& text, const CheckpointIdentity& identity = kIdentity) {
  try {
    checkpoint_state("run.ck", text, identity);
  } catch (const InputError& error) {
    std::string all;
    for (const Finding& finding : error.findings()) all += finding.message + "\n";
    return all;
  }
  return {};
}

TEST(CheckpointFile, GivesBackTheState) {
  EXPECT_EQ(checkpoint_state("run.ck", small_file(), kIdentity), "the state of a simulation");
}

TEST(CheckpointFile, SaysWhatDiffers) {
  EXPECT_EQ(refusal(small_file(), {{"simulation.window", "30"}, {"simulation.seed", "2"}}),
            "this checkpoint is of another simulation: simulation.window was 50 and is 30\n"
            "this checkpoint is of another simulation: simulation.seed was nothing and is 2\n"
            "this checkpoint is of another simulation: simulation.queue was 8 and is nothing\n");
}

TEST(CheckpointFile, OfAnotherFormatIsRefused) {
  std::string text = small_file();
  text.replace(text.find(" 11 "), 4, " 9 ");
  EXPECT_EQ(refusal(text), "this checkpoint has format 9; this program reads format 11\n");
  EXPECT_EQ(refusal("from,to,bytes\n"), "this is not a checkpoint\n");
  EXPECT_EQ(refusal(""), "this is not a checkpoint\n");
}

RC_GTEST_PROP(CheckpointFile, ThatIsCutOffIsRefused, ()) {
  const std::string whole = small_file();
  RC_ASSERT(!refusal(whole.substr(0, *rc::gen::inRange<std::size_t>(0, whole.size()))).empty());
}

RC_GTEST_PROP(CheckpointFile, ThatIsDamagedIsRefused, ()) {
  std::string text = small_file();
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const char before = text[at];
  text[at] = static_cast<char>(before ^ *rc::gen::inRange(1, 256));
  // Capitals are digits of the checksum as well.
  const bool same_digit = at < text.find('\n') && std::tolower(text[at]) == before;
  RC_ASSERT(same_digit || !refusal(text).empty());
}

TEST(CheckpointFile, WithTheStateOfSomethingElseIsRefused) {
  write_file(path(), small_file());
  Case c;
  c.flows.push_back({0, 1, 10'000, 0});
  EXPECT_THROW(run_with(c, MakeNdp{}, resume()), InputError);
  std::filesystem::remove(path());
}

}  // namespace
}  // namespace trainyard::packet
