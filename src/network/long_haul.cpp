#include "network/long_haul.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/counted.h"
#include "network/long_haul_flows.h"
#include "network/network_rules.h"
#include "network/packet/transports/patience.h"
#include "network/packet/transports/transport_setup.h"
#include "network/packet/transports/transports.h"
#include "topology/clos_shape.h"
#include "trainyard/long_haul.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"
#include "workload/workload.h"

namespace trainyard {
namespace {

wiring::ByteTime byte_time(BitRate rate, const char* setting) {
  constexpr double kMost = 1e9;
  const double exact = kBitsPerByte * kPicosecondsPerSecond / rate.si();
  if (exact < wiring::ByteTime::kLeast || exact > kMost)
    fail_input(
        whole(setting),
        fmt::format("a byte takes {:.6g} ps at {}", exact, format_quantity(rate.si(), Unit::bits_per_second)),
        fmt::format("from {:g} to {:g} ps", wiring::ByteTime::kLeast, kMost));
  return wiring::ByteTime::of(exact);
}

/// Of a link, whose window of simulated time it may be.
Picoseconds whole_delay(Seconds delay, const char* setting) {
  const Picoseconds out = picoseconds(delay);
  if (out < 1)
    fail_input(whole(setting), fmt::format("leaves a link a delay of {:.3g} s", delay.si()),
               "at least 1 ps, the unit of simulated time");
  return out;
}

Seconds path_rtt(const LongHaulInput& input, std::size_t path) {
  return input.path_rtts[input.path_rtts.size() == 1 ? 0 : path];
}

/// Half a path, and half of its bit errors.
wiring::LinkRules path_link(const LongHaulInput& input, std::size_t path, const PathErrors& errors) {
  const Seconds one_way = path_rtt(input, path) / 2 - 2 * input.site_delay;
  const double half_errors = -std::expm1(std::log1p(-errors.bit_error_rate) / 2);
  return {whole_delay(one_way / 2, "long_haul.path_rtts"),
          byte_time(input.path_rates[path], "long_haul.path_rates"), half_errors, errors.seed};
}

/// Shares of all paths up to each, of 2^32.
std::vector<std::uint32_t> shares_of(const std::vector<wiring::LinkRules>& paths) {
  double all = 0;
  for (const wiring::LinkRules& path : paths) all += 1 / static_cast<double>(path.picoseconds_per_byte);
  std::vector<std::uint32_t> out;
  double sum = 0;
  for (const wiring::LinkRules& path : paths) {
    sum += 1 / static_cast<double>(path.picoseconds_per_byte);
    out.push_back(static_cast<std::uint32_t>(std::min(sum / all * 0x1p32, 0x1p32 - 1)));
  }
  return out;
}

class LongHaul {
 public:
  LongHaul(const Scenario& scenario, const LongHaulCase& run,
           const std::function<void(const SimulationProgress&)>& progress)
      : scenario_(scenario),
        input_(scenario.long_haul),
        run_(run),
        progress_(progress),
        layout_(lay_out_long_haul(
            input_, {run.bit_error_rate, static_cast<std::uint64_t>(scenario.simulation.seed)})),
        traits_(packet::traits_of(run.transport, scenario.transports)) {
    check();
    traffic_ = long_haul_flows(input_, run_);
    for (const workload::Flow& flow : traffic_.flows) all_bytes_ += Bytes(static_cast<double>(flow.bytes));
  }

  LongHaulResult result() {
    packet::TransportSetup setup{layout_, traffic_.flows, traffic_.dependencies, no_faults_, links_};
    set_up(setup);
    std::function<std::uint64_t()> received_bytes;
    setup.received_bytes = &received_bytes;
    Picoseconds held_back = 0;
    setup.held_back = &held_back;
    const Picoseconds patience = packet::patience_of(setup, traits_.backs_off).silence +
                                 picoseconds(std::min(kSlowest * least(), workload::kHorizon));
    std::uint64_t finished = 0;
    std::uint64_t received = kUnknown;
    Picoseconds since = 0;
    const packet::RunOutcome out =
        traits_.run(setup, scenario_.transports, [&](const packet::WindowSummary& now) {
          if (now.finished > finished) {
            since = now.begin;
            received = kUnknown;
          }
          finished = now.finished;
          if (progress_) progress_(progress_at(now));
          if (now.begin > since + patience + held_back) {
            if (received_bytes() == received)
              fail_input(whole("long_haul"), "no flow has got on for thousands of timeouts",
                         "fewer bit errors, shorter flows or a longer queue");
            received = received_bytes();
            since = now.begin;
          }
          return finished < traffic_.flows.size();
        });
    if (out.counters.finished < traffic_.flows.size())
      fail_input(
          whole("long_haul"),
          fmt::format("{} of {} {} finished, and nothing is left to happen", out.counters.finished,
                      counted(traffic_.flows.size(), "flow"), agreeing(out.counters.finished, "has", "have")),
          fmt::format("simulated time ends at {:.3g} s", workload::kHorizon.si()));
    return summarize(out.counters);
  }

 private:
  static constexpr double kSlowest = 100;  // times as long as without losses
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  static constexpr double kMostPackets = 2e9;

  std::uint64_t payload() const { return static_cast<std::uint64_t>(scenario_.simulation.packet.si()); }
  std::uint64_t wire_bytes() const {
    return payload() + static_cast<std::uint64_t>(scenario_.simulation.header.si());
  }

  void check() const {
    constexpr std::uint64_t kMostBytes = 65535;
    if (wire_bytes() > kMostBytes)
      fail_input(whole("simulation.packet"),
                 fmt::format("packets of {} bytes with their headers", wire_bytes()),
                 "together 65,535 bytes at most");
    const auto senders = static_cast<double>(input_.senders);
    const double packets = static_cast<double>(input_.sites) * senders *
                           (sent_shares(input_) * run_.bytes.si() +
                            static_cast<double>(input_.local_flows) * input_.local_bytes.si()) /
                           scenario_.simulation.packet.si();
    if (run_.bytes.si() <= 0 || packets > kMostPackets)
      fail_input(whole("long_haul.bytes"),
                 fmt::format("flows of {:.4g} bytes: {:.3g} packets in all", run_.bytes.si(), packets),
                 fmt::format("at least one byte, at most {:.0e} packets", kMostPackets));
    constexpr double kLargestQueue = 1e15;
    if (input_.queue &&
        (input_.queue->si() < static_cast<double>(wire_bytes()) || input_.queue->si() > kLargestQueue))
      fail_input(whole("long_haul.queue"), fmt::format("a queue of {:g} bytes", input_.queue->si()),
                 fmt::format("at least one packet, with its header {} bytes; at most {:g}", wire_bytes(),
                             kLargestQueue));
    check_work();
    if (input_.local_flows > 0 && input_.senders < 2)
      fail_input(whole("long_haul.local_flows"), "a single host has no other in its site",
                 "long_haul.senders of 2 or more");
  }

  /// What windows of the shortest delay need.
  void check_work() const {
    constexpr double kMostWindows = 1e11;  // hours
    const Location shortest =
        whole(layout_.shortest_delay() < picoseconds(input_.site_delay) ? "long_haul.path_rtts"
                                                                        : "long_haul.site_delay");
    packet::check_windows(layout_, wire_bytes(), [&] {
      return packet::DelaySources{shortest, whole("long_haul.path_rtts"), {}};
    });
    if (least() > workload::kHorizon)
      fail_input(whole("long_haul.bytes"),
                 fmt::format("an exchange that takes {:.3g} s at least", least().si()),
                 fmt::format("simulated time ends at {:.3g} s", workload::kHorizon.si()));
    const double windows = least() / seconds(layout_.shortest_delay());
    if (windows > kMostWindows)
      fail_input(
          shortest,
          fmt::format("{:.3g} s of simulated time in windows of {:.3g} s, the shortest delay: {:.3g} windows",
                      least().si(), seconds(layout_.shortest_delay()).si(), windows),
          fmt::format("longer delays, for {:.0e} windows at most", kMostWindows));
  }

  /// Of the exchange, and of what stays inside a site, without losses.
  Seconds least() const {
    const Bytes local = static_cast<double>(input_.local_flows) * input_.local_bytes;
    return ideal() + local / byte_rate(input_.host_rate);
  }

  SimulationProgress progress_at(const packet::WindowSummary& now) const {
    return {now.finished, traffic_.flows.size(), Bytes(static_cast<double>(now.delivered_bytes)),
            all_bytes_,   seconds(now.begin),    now.events};
  }

  void set_up(packet::TransportSetup& setup) const {
    setup.sizes.payload_bytes = static_cast<std::uint16_t>(payload());
    setup.sizes.header_bytes = static_cast<std::uint16_t>(wire_bytes() - payload());
    setup.sizes.control_bytes = static_cast<std::uint16_t>(scenario_.simulation.control_packet.si());
    setup.queues.data_bytes = input_.queue ? whole_bytes(*input_.queue) : fastest_product();
    setup.queues.data_bytes = std::max(setup.queues.data_bytes, wire_bytes());
    setup.queues.control_bytes = 2 * setup.queues.data_bytes;
    setup.queues.header_bytes = setup.sizes.control_bytes;
    setup.queues.trim = traits_.trim;
    setup.queues.mark_from = marks(traits_.mark_from, setup);
    setup.queues.mark_all = marks(traits_.mark_all, setup);
    setup.queues.mark_leaving = traits_.mark_leaving;
    setup.queues.mark_to_hosts = traits_.mark_to_hosts;
    setup.window_packets = static_cast<std::uint32_t>(input_.window);
    setup.timeout = std::max(Picoseconds{kLeastTimeout}, 2 * setup.longest_round_trip());
    setup.load_balancing = scenario_.simulation.load_balancing.value_or(traits_.load_balancing);
    setup.seed = static_cast<std::uint64_t>(scenario_.simulation.seed);
    setup.threads = run_.threads;
    setup.in_steps = true;
    setup.one_network = false;
    if (!traits_.acknowledgements_first) setup.sizes.ack_priority = workload::kDataPriority;
  }

  static std::uint64_t marks(double share, const packet::TransportSetup& setup) {
    return static_cast<std::uint64_t>(share * static_cast<double>(setup.queues.data_bytes));
  }

  /// Of the fastest path.
  std::uint64_t fastest_product() const {
    double most = 0;
    for (std::size_t p = 0; p < input_.path_rates.size(); ++p)
      most = std::max(most, path_rtt(input_, p).si() * kPicosecondsPerSecond /
                                static_cast<double>(paths(p).picoseconds_per_byte));
    return static_cast<std::uint64_t>(most);
  }

  const wiring::LinkRules& paths(std::size_t path) const { return layout_.links[layout_.tiers + path]; }

  /// What a host sends and receives at the rate of hosts or of all paths, whichever is less, and as
  /// many of the shortest delays as the exchange has.
  Seconds ideal() const {
    double all_paths = 0;
    Seconds delay = path_rtt(input_, 0);
    for (std::size_t p = 0; p < input_.path_rates.size(); ++p) {
      all_paths += 1 / static_cast<double>(paths(p).picoseconds_per_byte);
      delay = std::min(delay, path_rtt(input_, p));
    }
    const double host = 1 / static_cast<double>(layout_.links.front().picoseconds_per_byte);
    const double rate = std::min(host, all_paths / static_cast<double>(input_.senders));
    const double bytes = sent_shares(input_) * run_.bytes.si();
    const double packets = std::ceil(bytes / static_cast<double>(payload()));
    const double wire_bytes = bytes + packets * static_cast<double>(this->wire_bytes() - payload());
    return delays() * delay / 2 + Seconds(wire_bytes / rate / kPicosecondsPerSecond);
  }

  /// Delays that follow each other.
  double delays() const {
    if (all_at_once(input_)) return 1;
    return input_.exchange == WideAreaExchange::ring ? 2 * (static_cast<double>(input_.sites) - 1) : 2;
  }

  LongHaulResult summarize(const packet::Counters& counters) const {
    LongHaulResult out;
    out.run = run_;
    out.flows = static_cast<std::int64_t>(traffic_.wide);
    out.ideal = ideal();
    out.counters = counters;
    std::vector<Picoseconds> times;
    std::uint64_t packets = 0;
    for (std::size_t f = 0; f < traffic_.flows.size(); ++f) {
      const Picoseconds time = traffic_.flows[f].received - traffic_.flows[f].began;
      packets += packets_of(traffic_.flows[f]);
      if (f < traffic_.wide) {
        times.push_back(time);
        out.exchange = std::max(out.exchange, seconds(traffic_.flows[f].received));
      } else {
        out.local_longest = std::max(out.local_longest, seconds(time));
      }
    }
    std::sort(times.begin(), times.end());
    const auto rank = [&](double share) {
      const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(times.size())));
      return seconds(times[std::max<std::size_t>(at, 1) - 1]);
    };
    out.median = rank(0.5);
    out.p99 = rank(0.99);
    out.longest = seconds(times.back());
    out.overhead = static_cast<double>(counters.repeats + packets_beside()) / static_cast<double>(packets);
    return out;
  }

  std::uint64_t packets_beside() const {
    if (traits_.beside == nullptr) return 0;
    std::uint64_t sum = 0;
    for (const workload::Flow& flow : traffic_.flows)
      sum += traits_.beside(scenario_.transports, packets_of(flow));
    return sum;
  }

  std::uint64_t packets_of(const workload::Flow& flow) const {
    return (flow.bytes + payload() - 1) / payload();
  }

  static constexpr Picoseconds kLeastTimeout = 1'000'000'000;

  const Scenario& scenario_;
  const LongHaulInput& input_;
  LongHaulCase run_;
  const std::function<void(const SimulationProgress&)>& progress_;
  wiring::Layout layout_;
  const packet::TransportTraits traits_;
  LongHaulFlows traffic_;
  Bytes all_bytes_{0};
  std::vector<wiring::Fault> no_faults_;
  wiring::LinkState links_;
};

}  // namespace

wiring::Layout lay_out_long_haul(const LongHaulInput& input, const PathErrors& errors) {
  const auto count = static_cast<std::int64_t>(input.path_rates.size());
  ClosShape shape;
  shape.endpoints = input.sites * input.senders;
  shape.tiers = {{.children = input.senders, .group = 1, .uplinks = count, .down = input.senders},
                 {.children = input.sites, .group = count, .uplinks = 0, .down = input.sites}};
  const wiring::LinkRules host{whole_delay(input.site_delay, "long_haul.site_delay"),
                               byte_time(input.host_rate, "long_haul.host_rate")};
  std::vector<wiring::LinkRules> paths;
  for (std::size_t p = 0; p < input.path_rates.size(); ++p) paths.push_back(path_link(input, p, errors));
  wiring::LinkRules slowest;  // for round trips of an empty network
  slowest.delay = 0;
  slowest.picoseconds_per_byte = 0;
  for (const wiring::LinkRules& path : paths) {
    slowest.delay = std::max(slowest.delay, path.delay);
    slowest.picoseconds_per_byte = std::max(slowest.picoseconds_per_byte, path.picoseconds_per_byte);
  }
  wiring::Layout out = wiring::lay_out(shape, 1, {host, slowest}, whole("long_haul.senders"));
  out.links.insert(out.links.end(), paths.begin(), paths.end());
  out.uplink_shares = shares_of(paths);
  const std::uint32_t first_leaf = out.leaves;  // behind the hosts'
  for (std::uint32_t site = 0; site < input.sites; ++site) {
    const wiring::Node& leaf = out.nodes[first_leaf + site];
    for (std::uint32_t p = 0; p < count; ++p) {
      wiring::Wire& up = out.wires[leaf.first_port + leaf.ports_down + p];
      up.link = static_cast<std::uint16_t>(out.tiers + p);
      out.wires[out.nodes[up.node].first_port + up.in_port].link = up.link;
    }
  }
  return out;
}

LongHaulResult simulate_long_haul(const Scenario& scenario, const LongHaulCase& run,
                                  const std::function<void(const SimulationProgress&)>& progress) {
  return LongHaul(scenario, run, progress).result();
}

}  // namespace trainyard
