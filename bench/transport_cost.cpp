// What both ends of a transport do for a packet, without a network: a flow of full packets between two hosts
// whose packets arrive after a delay, all of them. `transport_cost NAME PACKETS` prints the bytes that its
// ends remember of a flow, at rest and at most, and its timeouts; tools/transport_cost counts the
// instructions of runs of two lengths.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>

#include "network/packet/transports/bbr.h"
#include "network/packet/transports/credits.h"
#include "network/packet/transports/cubic.h"
#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/dctcp.h"
#include "network/packet/transports/homa.h"
#include "network/packet/transports/hpcc.h"
#include "network/packet/transports/ndp.h"
#include "network/packet/transports/nscc.h"
#include "network/packet/transports/scheduled.h"
#include "network/packet/transports/smartt.h"
#include "network/packet/transports/swift.h"
#include "topology/fabric.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard::packet {
namespace {

constexpr std::uint64_t kBytes = 4096;
constexpr wiring::LinkRules kLink{5'000'000, 10};  // 800 Gbps; a round trip of 20 us and some
constexpr Picoseconds kOneWay = 2 * kLink.delay;
constexpr Picoseconds kPacket = kBytes * 10;
constexpr std::uint32_t kWindow = 600;  // packets: more than a round trip at line rate

/// Two hosts; what one sends reaches the other after the delay.
template <class Transport>
class Loopback {
 public:
  using P = typename Transport::Packet;

  class Context {
   public:
    Context(Loopback& net, std::uint32_t host) : net_(net), host_(host) {}
    Picoseconds now() const { return net_.now_; }
    std::uint32_t host() const { return host_; }
    std::uint32_t plane() const { return 0; }
    void send(P packet, std::uint32_t = 0) { net_.carry(host_, packet); }
    void ready() { net_.ready_ = true; }
    void wake_at(Picoseconds time) { net_.wakes_[host_] = time; }
    void received(std::uint32_t) {}
    void finished(std::uint32_t) { net_.done_ = true; }
    Counters& counters() { return net_.counters_; }

   private:
    Loopback& net_;
    std::uint32_t host_;
  };

  explicit Loopback(Transport& transport) : transport_(transport) {}

  [[gnu::noinline]] void run() {
    Context sender(*this, 0);
    transport_.start(sender, 0);
    most_bytes = transport_.bytes();
    while (!done_) step();
  }

  std::size_t most_bytes = 0;
  const Counters& counters() const { return counters_; }

 private:
  /// What happens next: an arrival, a wake-up, or service of the sender's port.
  void step() {
    const Picoseconds arrival[2] = {arriving_[0].empty() ? kNever : arriving_[0].front().arrival,
                                    arriving_[1].empty() ? kNever : arriving_[1].front().arrival};
    const Picoseconds service = ready_ ? std::max(free_at_, now_) : kNever;
    const Picoseconds next = std::min({arrival[0], arrival[1], wakes_[0], wakes_[1], service});
    if (next == kNever) std::abort();
    now_ = std::max(now_, next);
    for (std::uint32_t host = 0; host < 2; ++host) {
      if (arrival[host] == next) return deliver(host);
      if (wakes_[host] == next) return wake(host);
    }
    offer();
  }
  void deliver(std::uint32_t host) {
    const P packet = arriving_[host].front();
    arriving_[host].pop_front();
    Context context(*this, host);
    transport_.receive(context, packet);
    if ((++delivered_ & 63U) == 0) most_bytes = std::max(most_bytes, transport_.bytes());
  }
  void wake(std::uint32_t host) {
    wakes_[host] = kNever;
    Context context(*this, host);
    transport_.wake(context);
  }
  void offer() {
    Context context(*this, 0);
    P packet;
    ready_ = transport_.offer(context, packet);
    if (!ready_) return;
    free_at_ = now_ + kPacket;
    carry(0, packet);
  }
  void carry(std::uint32_t from, P packet) {
    packet.arrival = now_ + kOneWay;
    packet.in_port = 0;
    arriving_[1 - from].push_back(packet);
  }

  Transport& transport_;
  std::deque<P> arriving_[2];
  Picoseconds wakes_[2] = {kNever, kNever};
  Picoseconds now_ = 0;
  Picoseconds free_at_ = 0;
  bool ready_ = false;
  bool done_ = false;
  std::uint32_t delivered_ = 0;
  Counters counters_;
};

/// Sends, and hears of each packet, and knows nothing: what the loop itself takes.
class Nothing {
 public:
  struct Packet : packet::Packet {};

  explicit Nothing(const TransportSetup& setup)
      : packets_(static_cast<std::uint32_t>(setup.flows.front().bytes / kBytes)) {}
  template <class Context>
  void start(Context& context, std::uint32_t) {
    context.ready();
  }
  template <class Context>
  bool offer(Context&, Packet& out) {
    if (next_ == packets_) return false;
    out.sequence = next_++;
    return true;
  }
  template <class Context>
  void receive(Context& context, const Packet& packet) {
    if (context.host() == 1) return context.send(packet);
    if (++heard_ == packets_) context.finished(0);
  }
  template <class Context>
  void wake(Context&) {}
  std::size_t bytes() const { return 0; }

 private:
  std::uint32_t packets_;
  std::uint32_t next_ = 0;
  std::uint32_t heard_ = 0;
};

wiring::Layout two_hosts() {
  static const Scenario scenario =
      ScenarioText::parse(
          std::make_shared<const SourceText>(SourceText{
              "bench.toml",
              "[facility]\ndevices = 8\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"}))
          .resolve();
  DesignInput input;
  input.name = "two";
  input.hosts = 2;
  input.domain = 1;
  input.radix = 4;
  const NetworkDesign design = resolve_design(scenario, input);
  return wiring::lay_out(*design.fabric->clos(), 1, {kLink}, whole("bench"));
}

/// Prints what a transport remembers of a flow, at rest and at most, and its timeouts.
template <class Make>
void measure(const TransportSetup& setup, const Make& make) {
  std::vector<Flow> two(2, setup.flows.front());
  TransportSetup of_two{setup.layout, two, setup.dependencies, setup.faults, setup.links};
  of_two.packets_per_ack = setup.packets_per_ack;
  auto transport = make(setup);
  const std::size_t before = transport.bytes();
  const std::size_t of_a_flow = make(of_two).bytes() - before;
  Loopback<decltype(transport)> loop(transport);
  loop.run();
  std::printf("%zu %zu %llu\n", of_a_flow, of_a_flow + loop.most_bytes - before,
              static_cast<unsigned long long>(loop.counters().timeouts));
}

template <class Law>
void measure_law(const TransportSetup& setup, const Law& law) {
  measure(setup, [&](const TransportSetup& s) { return Acked<Law>(s, law); });
}

using S = const TransportSetup&;
struct Entry {
  const char* name;
  void (*measure)(S);
};
constexpr Entry kTransports[] = {
    {"nothing", [](S s) { measure(s, [](S t) { return Nothing(t); }); }},
    {"ndp", [](S s) { measure(s, [](S t) { return Ndp(t, NdpInput{}); }); }},
    {"eqds", [](S s) { measure(s, [](S t) {
                         return Credits(t, {kWindow, 1, 0.99});
                       }); }},
    {"rccc", [](S s) { measure(s, [](S t) {
                         return Credits(t, {kWindow, 4, 0.99});
                       }); }},
    {"homa", [](S s) { measure(s, [](S t) {
                         return Homa(t, {kWindow, kWindow, 7, 7});
                       }); }},
    {"scheduled", [](S s) { measure(s, [](S t) { return Scheduled(t, {}, {}); }); }},
    {"nscc", [](S s) { measure_law(s, Nscc(NsccInput{}, true)); }},
    {"smartt", [](S s) { measure_law(s, Smartt(SmarttInput{})); }},
    {"roce", [](S s) { measure_law(s, Roce<true>(DcqcnInput{})); }},
    {"irn", [](S s) { measure_law(s, Roce<false>(DcqcnInput{})); }},
    {"hpcc", [](S s) { measure_law(s, Hpcc(HpccInput{})); }},
    {"swift", [](S s) { measure_law(s, Swift(SwiftInput{})); }},
    {"dctcp", [](S s) { measure_law(s, Dctcp(DctcpInput{})); }},
    {"cubic", [](S s) { measure_law(s, Cubic(CubicInput{})); }},
    {"bbr", [](S s) { measure_law(s, Bbr(BbrInput{})); }},
};

int run(const std::string& name, std::uint64_t packets, std::uint32_t packets_per_ack) {
  const wiring::Layout layout = two_hosts();
  std::vector<Flow> flows(1);
  flows.front().to = 1;
  flows.front().bytes = packets * kBytes;
  LinkState links;
  const std::vector<Dependency> dependencies;
  const std::vector<Fault> faults;
  TransportSetup setup{layout, flows, dependencies, faults, links};
  setup.window_packets = kWindow;
  setup.packets_per_ack = packets_per_ack;
  for (const Entry& entry : kTransports) {
    if (name != entry.name) continue;
    entry.measure(setup);
    return 0;
  }
  std::fprintf(stderr, "transport_cost: no transport %s\n", name.c_str());
  return 2;
}

}  // namespace
}  // namespace trainyard::packet

int main(int argc, char** argv) {
  if (argc < 3 || std::strtoull(argv[2], nullptr, 10) == 0) {
    std::fprintf(stderr, "usage: transport_cost NAME PACKETS [PACKETS_PER_ACKNOWLEDGEMENT]\n");
    return 2;
  }
  const auto per_ack = static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0);
  return trainyard::packet::run(argv[1], std::strtoull(argv[2], nullptr, 10), per_ack);
}
