#include "network/network_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/bounds.h"
#include "network/packet/flow_control.h"
#include "network/packet/transports/transports.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"

namespace trainyard::packet {
namespace {

constexpr double kPauseAbove = 15;
constexpr double kResumeBelow = 12;

std::uint64_t bytes_of_packets(const SimulationInput& input, double packets) {
  return static_cast<std::uint64_t>(packets * (input.packet.si() + input.header.si()));
}

/// For how long a packet that a link has begun with keeps others waiting: with link-level retry until it has
/// arrived or is given up, and before that until there is room to keep it.
Picoseconds longest_service(const QueueRules& q, const LinkRules& link, std::uint64_t packet_bytes) {
  const Picoseconds once = link.time(packet_bytes);
  if (!q.link_retry) return once;
  const bool destroys = q.lost_below > 0 || link.bit_error_rate > 0;
  const Picoseconds word = 2 * link.delay + link.time(kOrderedSetBytes);
  const double replays =
      destroys ? static_cast<double>(q.replay_limit) * static_cast<double>(once + word) : 0;
  return once + whole_duration(replays) + (q.replay_bytes > 0 ? word : 0);
}

/// What arrives by a link at most after the packet that made a switch pause its neighbour: the pause waits
/// for a packet in service, travels, and lets a packet in service there go out; all the while data comes in.
/// The link may just have recovered from what slowed the packet that the pause waits for.
std::uint64_t headroom_of(const QueueRules& q, const LinkRules& link, const LinkRules& before,
                          std::uint64_t packet_bytes) {
  const Picoseconds slower = longest_service(q, before, packet_bytes) + before.time(q.pause_bytes);
  const Picoseconds late = slower - link.time(packet_bytes) - link.time(q.pause_bytes);
  return link.picoseconds_per_byte.bytes_in(2 * link.delay + late) + q.pause_bytes + 3 * packet_bytes;
}

/// Pauses keep data within thresholds of each input port: a shared buffer has to hold them all.
void check_pool(const QueueRules& q, const Layout& layout, std::uint64_t headroom) {
  if (q.pool_bytes == 0) return;
  std::uint64_t ports = 0;
  for (const Node& node : layout.nodes) ports = std::max<std::uint64_t>(ports, node.hosts ? 0 : node.ports);
  __extension__ using Wide = unsigned __int128;  // the product may have more than 64 bits
  const Wide needed = Wide{ports} * (q.pause_above + headroom);
  if (q.pool_bytes < needed)
    fail_input(whole("simulation.shared_buffer"), "too small for what pauses let in",
               fmt::format("{} ports need {} bytes", ports, needed));
}

/// At the one that is given, whose other one is the usual.
[[noreturn]] void fail_thresholds(const SimulationInput& input) {
  const char* kRule = "a link goes on when less waits than made it pause";
  if (input.resume_below)
    fail_input(whole("simulation.resume_below"), "larger than simulation.pause_above", kRule);
  fail_input(whole("simulation.pause_above"),
             fmt::format("smaller than simulation.resume_below, {:g}", kResumeBelow),
             fmt::format("{}: simulation.resume_below as well", kRule));
}

bool pauses(const SimulationInput& input, const TransportTraits& traits) {
  return !input.credit_buffer && input.pause.value_or(traits.pause);
}

/// Refuses what is said of pauses and of others when there are none.
void check_used(const SimulationInput& input, const TransportTraits& traits) {
  static const SimulationInput usual;
  struct Use {
    const char* key;
    bool given;
    bool used;
    const char* why;
    const char* remedy;
  };
  const bool paused = pauses(input, traits);
  const char* kNoPause = "no link is paused";
  const char* kPause = "simulation.pause = true, or a transport that pauses, such as roce";
  const Use uses[] = {
      {"simulation.pause_above", input.pause_above.has_value(), paused, kNoPause, kPause},
      {"simulation.resume_below", input.resume_below.has_value(), paused, kNoPause, kPause},
      {"simulation.headroom", input.headroom.has_value(), paused, kNoPause, kPause},
      {"simulation.trim", input.trim.value_or(false), !paused, "with pauses no queue is too full",
       "without it, or simulation.pause = false"},
      {"simulation.shared_buffer_alpha", input.shared_buffer_alpha != usual.shared_buffer_alpha,
       input.shared_buffer.has_value(), "no buffer is shared", "simulation.shared_buffer as well"},
      {"simulation.flowlet_gap", input.flowlet_gap != usual.flowlet_gap,
       traits_of(input.load_balancing.value_or(traits.load_balancing)).by_gaps,
       "flows are not cut into flowlets", "simulation.load_balancing = \"flowlet\""},
      {"simulation.timeout", input.timeout.has_value(), input.delivery != Delivery::uud,
       "with uud nobody sends again what is lost", "without it, or simulation.delivery = \"rud\""}};
  if (input.pause_above && input.resume_below && *input.resume_below > *input.pause_above)
    fail_thresholds(input);
  for (const Use& use : uses) {
    if (use.given && !use.used) fail_input(whole(use.key), use.why, use.remedy);
  }
}

void set_pauses(QueueRules& q, const SimulationInput& input, const Layout& layout) {
  q.trim = false;
  q.pause_above = bytes_of_packets(input, input.pause_above.value_or(kPauseAbove));
  q.resume_below = bytes_of_packets(input, input.resume_below.value_or(kResumeBelow));
  if (q.resume_below > q.pause_above) fail_thresholds(input);
  if (q.resume_below == 0)
    fail_input(whole("simulation.resume_below"), "with 0 packets a paused link never goes on", "at least 1");
  const std::uint64_t needed = headroom_needed(q, layout, bytes_of_packets(input, 1));
  check_pool(q, layout, needed);
  q.headroom_bytes = input.headroom ? static_cast<std::uint64_t>(input.headroom->si()) : needed;
  if (q.headroom_bytes < needed) {
    fail_input(whole("simulation.headroom"),
               fmt::format("{} bytes are too few for what arrives after a pause was sent", q.headroom_bytes),
               fmt::format("these links need {} bytes: two delays at the link's rate, a packet under way at "
                           "either end, {}and the pause itself",
                           needed, q.link_retry ? "what comes while a packet is sent again, " : ""));
  }
}

std::uint64_t bytes_or_refuse(const char* key, Bytes given, std::uint64_t least) {
  const auto out = static_cast<std::uint64_t>(given.si());
  if (out < least)
    fail_input(whole(key), fmt::format("{} bytes have no room for a full packet", out),
               fmt::format("at least {} bytes", least));
  return out;
}

/// What the links of HB domains do is not known.
void refuse_domains(const char* key, const Layout& layout) {
  if (!layout.devices.empty())
    fail_input(whole(key), "links of HB domains are simulated without it", "simulation.extent = \"network\"");
}

void set_credits(QueueRules& q, const SimulationInput& input, const Layout& layout) {
  refuse_domains("simulation.credit_buffer", layout);
  if (input.pause.value_or(false))
    fail_input(whole("simulation.credit_buffer"), "credits and pauses are two ways to lose nothing",
               "one of simulation.credit_buffer and simulation.pause");
  if (input.shared_buffer)
    fail_input(whole("simulation.credit_buffer"), "credits are of buffers that nobody shares",
               "without simulation.shared_buffer");
  if (input.trim.value_or(false))
    fail_input(whole("simulation.trim"), "with credits no queue is too full", "without it");
  q.trim = false;
  q.credit_bytes =
      bytes_or_refuse("simulation.credit_buffer", *input.credit_buffer, bytes_of_packets(input, 1));
}

void set_retry(QueueRules& q, const SimulationInput& input, const Layout& layout) {
  q.link_retry = input.link_retry.value_or(false);
  const std::pair<const char*, bool> needing[] = {
      {"simulation.replay_buffer", input.replay_buffer.has_value()},
      {"simulation.replay_limit", input.replay_limit.has_value()}};
  for (const auto& [key, given] : needing) {
    if (given && !q.link_retry)
      fail_input(whole(key), "links send nothing again", "simulation.link_retry = true as well");
  }
  if (!q.link_retry) return;
  refuse_domains("simulation.link_retry", layout);
  if (input.replay_buffer)
    q.replay_bytes =
        bytes_or_refuse("simulation.replay_buffer", *input.replay_buffer, bytes_of_packets(input, 1));
  if (input.replay_limit) q.replay_limit = static_cast<std::uint32_t>(*input.replay_limit);
}

void set_pool(QueueRules& q, const SimulationInput& input) {
  if (!input.shared_buffer) return;
  q.pool_bytes = static_cast<std::uint64_t>(input.shared_buffer->si());
  q.share = input.shared_buffer_alpha;
  if (q.pool_bytes < bytes_of_packets(input, 1))
    fail_input(whole("simulation.shared_buffer"), "too small for one packet",
               fmt::format("at least {} bytes", bytes_of_packets(input, 1)));
}

void set_marks(QueueRules& q, const SimulationInput& input, const TransportTraits& traits) {
  const auto queue = static_cast<double>(input.queue);
  q.mark_from = bytes_of_packets(input, input.mark_from.value_or(traits.mark_from * queue));
  q.mark_all = bytes_of_packets(input, input.mark_all.value_or(traits.mark_all * queue));
  if (q.mark_all > 0 && q.mark_all < q.mark_from)
    fail_input(whole(input.mark_all ? "simulation.mark_all" : "simulation.mark_from"),
               input.mark_all ? "smaller than simulation.mark_from" : "larger than simulation.mark_all",
               "marks begin at mark_from and are certain from mark_all on");
  q.mark_leaving = input.mark_leaving.value_or(traits.mark_leaving);
  q.mark_to_hosts = traits.mark_to_hosts;
}

Pace pace_of(BitRate rate) {
  const double time = kBitsPerByte * Pace::kKib * kPicosecondsPerSecond / rate.si();
  return {static_cast<std::uint64_t>(std::max(1.0, std::round(time)))};
}

/// A limit of hosts' software, which is one only below the hosts' links.
Pace pace_of_host(const char* key, const std::optional<BitRate>& rate, const Layout& layout) {
  if (!rate) return {};
  const double links = kBitsPerByte * kPicosecondsPerSecond * layout.planes /
                       static_cast<double>(layout.links.front().picoseconds_per_byte);
  if (rate->si() >= links)
    fail_input(whole(key), "not below the rate of a host's links: nothing would be limited",
               fmt::format("less than {}, or without it", format_quantity(links, Unit::bits_per_second)));
  return pace_of(*rate);
}

Pace slower(Pace a, Pace b) { return a.picoseconds_per_kib > b.picoseconds_per_kib ? a : b; }

}  // namespace

void check_windows(const Layout& layout, std::uint64_t packet_bytes,
                   const std::function<DelaySources()>& sources) {
  constexpr double kMostWindows = 2e7;
  constexpr std::uint64_t kLargestPacket = 65535;
  const Picoseconds delay = layout.longest_delay();
  Picoseconds longest = delay + layout.links.front().time(kLargestPacket);
  Picoseconds of_wired = longest;
  for (std::size_t l = 0; l < layout.links.size(); ++l) {
    longest = std::max(longest, layout.links[l].delay + layout.links[l].time(packet_bytes));
    if (l < layout.wired_links()) of_wired = longest;
  }
  const Picoseconds shortest = layout.shortest_delay();
  const double windows = static_cast<double>(longest) / static_cast<double>(shortest);
  if (windows <= kMostWindows) return;
  const auto time = [](Picoseconds of) { return format_quantity(seconds(of).si(), Unit::seconds); };
  const DelaySources of = sources();
  if (of.slowed && static_cast<double>(of_wired) / static_cast<double>(shortest) <= kMostWindows)
    fail_input(
        *of.slowed,
        fmt::format("leaves links so slow that a packet takes {:.3g} windows of {}, the shortest delay",
                    windows, time(shortest)),
        fmt::format("{:.3g} at most: more of the rate, or none", kMostWindows));
  if (delay < longest / 2)
    fail_input(of.shortest,
               fmt::format("too short beside the time of a packet: {:.3g} windows of {}, the shortest delay",
                           windows, time(shortest)),
               fmt::format("{:.3g} at most: longer delays", kMostWindows));
  fail_input(of.longest,
             fmt::format("a delay of {} is too long beside the shortest: {:.3g} windows of {}", time(delay),
                         windows, time(shortest)),
             fmt::format("{:.3g} at most: a shorter one, or longer others", kMostWindows));
}

void check_sizes(const Scenario& scenario) {
  constexpr double kMostBytes = 65535;
  constexpr double kMostQueue = 4294967295.0;
  const SimulationInput& input = scenario.simulation;
  const double full = input.packet.si() + input.header.si();
  if (full > kMostBytes)
    fail_input(whole("simulation.packet"), fmt::format("packets of {} bytes with their headers", full),
               "simulation.packet and simulation.header together take 65,535 bytes at most");
  if (input.control_packet.si() > full)
    fail_input(whole("simulation.control_packet"), "larger than a full data packet",
               fmt::format("at most {} bytes", full));
  if (static_cast<double>(input.queue) * full > kMostQueue)
    fail_input(whole("simulation.queue"), "more than 4 GB at one port", "fewer or smaller packets");
  check_parameters(scenario.transports);
}

std::uint64_t headroom_needed(const QueueRules& q, const Layout& layout, std::uint64_t packet_bytes) {
  std::uint64_t most = 0;
  for (std::size_t l = 0; l < layout.wired_links(); ++l) {
    const LinkRules& link = layout.links[l];
    most = std::max(most, headroom_of(q, link, link, packet_bytes));
    for (std::size_t s = layout.wired_links(); s < layout.links.size(); ++s) {
      const LinkRules& slowed = layout.links[s];
      if (slowed.picoseconds_per_byte > link.picoseconds_per_byte)
        most = std::max(most, headroom_of(q, link, slowed, packet_bytes));
    }
  }
  return most;
}

QueueRules queue_rules(const SimulationInput& input, const TransportTraits& traits, const Layout& layout) {
  check_used(input, traits);
  QueueRules q;
  q.data_bytes = bytes_of_packets(input, static_cast<double>(input.queue));
  q.header_bytes = static_cast<std::uint16_t>(input.control_packet.si());
  q.control_bytes = input.control_queue ? static_cast<std::uint64_t>(*input.control_queue) * q.header_bytes
                                        : 2 * q.data_bytes;
  q.trim = input.trim.value_or(traits.trim);
  set_marks(q, input, traits);
  set_pool(q, input);
  q.cut_through = input.cut_through;
  q.lost_below = static_cast<std::uint64_t>(input.packet_loss * 0x1p64);
  set_retry(q, input, layout);
  if (input.credit_buffer) {
    set_credits(q, input, layout);
  } else if (pauses(input, traits)) {
    set_pauses(q, input, layout);
  }
  return q;
}

void set_errors(Layout& layout, const SimulationInput& input) {
  if (!input.bit_error_rate) return;
  refuse_domains("simulation.bit_error_rate", layout);
  constexpr std::uint64_t kSeedOfErrors = 0x6572726f72;
  for (LinkRules& link : layout.links) {
    if (link.bit_error_rate > 0)
      fail_input(whole("simulation.bit_error_rate"), "these links have bit errors of their own",
                 "without it");
    link.bit_error_rate = *input.bit_error_rate;
    link.error_seed = mixed(kSeedOfErrors, static_cast<std::uint64_t>(input.seed));
  }
}

LoadBalancing load_balancing(const SimulationInput& input, const TransportTraits& traits) {
  const LoadBalancing choice = input.load_balancing.value_or(traits.load_balancing);
  if (traits.goes_back && traits_of(choice).paths == FlowPaths::many)
    fail_input(whole("simulation.load_balancing"),
               "go-back-N takes packets that overtake each other for losses",
               "ecmp, flowlet or fixed; irn, smartt and others for a path a packet");
  const bool learns = traits_of(choice).learns();
  if (!traits.answers && learns)
    fail_input(whole("simulation.load_balancing"), "without acknowledgements nobody learns good paths",
               "spray, random, ecmp and others");
  if (!traits.names_ways && learns)
    fail_input(whole("simulation.load_balancing"),
               "acknowledgements of this transport do not tell which paths are good", "spray or random");
  return choice;
}

namespace {

/// "a", "b" or "c": the load balancings whose senders go over paths in rounds.
std::string names_in_rounds() {
  std::string out;
  std::string last;
  const auto add = [&](const char* name) {
    if (!last.empty()) out += (out.empty() ? "" : ", ") + last;
    last = fmt::format("\"{}\"", name);
  };
#define TRAINYARD_LOAD_BALANCING(name, ...) \
  if (traits_of(LoadBalancing::name).in_rounds) add(#name);
#include "trainyard/registries/load_balancings.def"
  return out + " or " + last;
}

}  // namespace

std::uint32_t entropies(const SimulationInput& input, LoadBalancing choice) {
  if (!input.entropies) return 0;
  if (!traits_of(choice).in_rounds)
    fail_input(whole("simulation.entropies"), "flows of this simulation are not sprayed",
               "simulation.load_balancing = " + names_in_rounds());
  return static_cast<std::uint32_t>(*input.entropies);
}

std::uint32_t packets_per_ack(const SimulationInput& input, const TransportTraits& traits) {
  if (!input.packets_per_acknowledgement) return 0;
  if (!traits.keeps_connections && input.delivery)
    fail_input(whole("simulation.packets_per_acknowledgement"),
               "this simulation.delivery answers every packet by itself, or none", "delivery rod or rud");
  if (!traits.keeps_connections)
    fail_input(whole("simulation.packets_per_acknowledgement"),
               "this transport answers every packet by itself", "nscc, eqds, roce, dctcp and others");
  return static_cast<std::uint32_t>(*input.packets_per_acknowledgement);
}

HostLimits host_limits(const SimulationInput& input, const Layout& layout) {
  if (input.pcie_latency && !input.pcie_rate)
    fail_input(whole("simulation.pcie_latency"), "a latency of the bus without its rate",
               "simulation.pcie_rate as well");
  const std::pair<const char*, bool> limits[] = {
      {"simulation.host_send_rate", input.host_send_rate.has_value()},
      {"simulation.host_receive_rate", input.host_receive_rate.has_value()},
      {"simulation.pcie_rate", input.pcie_rate.has_value()}};
  for (const auto& [key, given] : limits) {
    if (given && !layout.devices.empty())
      fail_input(whole(key), "limits of hosts are simulated on one network alone",
                 "simulation.extent = \"network\"");
  }
  const Pace bus = input.pcie_rate ? pace_of(*input.pcie_rate) : Pace{};
  HostLimits out;
  out.send = slower(bus, pace_of_host("simulation.host_send_rate", input.host_send_rate, layout));
  out.receive = slower(bus, pace_of_host("simulation.host_receive_rate", input.host_receive_rate, layout));
  const double latency = input.pcie_latency.value_or(Seconds{0}).si();
  out.latency = static_cast<Picoseconds>(std::llround(latency * kPicosecondsPerSecond));
  return out;
}

}  // namespace trainyard::packet
