#include "network/packet_run.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "base/hash.h"
#include "network/completions.h"
#include "network/deliveries.h"
#include "network/flow/ideal.h"
#include "network/layouts.h"
#include "network/network_rules.h"
#include "network/packet/checkpoint.h"
#include "network/packet/moments.h"
#include "network/packet/transports/transports.h"
#include "network/probes_of.h"
#include "network/stall_watch.h"
#include "network/wiring/failures.h"
#include "network/wiring/least_time.h"
#include "topology/fabric.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario_text.h"
#include "workload/connections.h"

namespace trainyard {
namespace {

constexpr double kMostPacketsOfFlow = 4e9;
constexpr Seconds kTimeout{1e-3};
constexpr Seconds kLosslessTimeout{64e-3};

/// Among which a file may choose for each flow; 0: flows have no path of their own.
std::uint32_t paths_of_a_leaf(const SimulationInput& input, const wiring::Layout& layout) {
  if (input.transport == Transport::ideal) return 0;
  const LoadBalancing choice = packet::load_balancing(input, packet::traits_of(input));
  return choice == LoadBalancing::ecmp ? layout.uplinks_leaf * std::max(1U, layout.uplinks_aggregation) : 0;
}

class PacketRun {
 public:
  explicit PacketRun(const SimulationCase& asked)
      : asked_(asked),
        input_(asked.input()),
        layout_(layout_of(asked)),
        workload_(workload_of(asked, paths_of_a_leaf(input_, layout_))),
        connections_(cut_flows(input_, workload_, layout_.planes)),
        faults_(wiring::faults_of(layout_, asked.scenario.failures)),
        limits_(packet::host_limits(input_, layout_)),
        probes_(probes_of(asked.scenario.probes, layout_, workload_, connections_)),
        ways_of_sums_(ways_of_sums()) {
    packet::set_errors(layout_, input_);
    devices_to_hosts(layout_, workload_);
    wait_by_delivery(input_.delivery, workload_.dependencies);
    if (!faults_.empty()) links_.down.assign(layout_.wires.size(), 0);
    links_.known = input_.failures_known;
    for (const workload::Flow& flow : workload_.flows) {
      all_bytes_ += Bytes(static_cast<double>(flow.bytes));
      check(flow);
    }
  }

  Seconds least() const {
    return connections_.cut() ? least(connections_.joined(workload_.flows)) : least(workload_.flows);
  }

  SimulationResult run(const SimulationRun& how) {
    if (input_.transport == Transport::ideal) return run_fluid(how);
    check_sample_count(probes_, asked_.scenario.probes, least());
    const packet::TransportTraits traits = packet::traits_of(input_);
    packet::TransportSetup setup = set_up(traits, how.threads);
    trace(setup, how.traced_flows);
    setup.probes = probes_;
    packet::Moments moments;
    std::optional<packet::Checkpoints> checkpoints;
    if (how.checkpoints.wanted()) checkpoints.emplace(how.checkpoints, identity(how), moments);
    if (checkpoints) setup.checkpoints = &*checkpoints;
    packet::WindowSummary last;
    StallWatch watch(asked_.scenario, workload_.flows, faults_, layout_.hosts_of_device());
    const packet::RunOutcome run =
        traits.run(setup, asked_.scenario.transports, [&](const packet::WindowSummary& now) {
          last = now;
          moments.add(now);
          watch.check(now, setup.patience());
          if (how.progress) how.progress(progress(now));
          // Senders of what nobody answers are done before it has arrived.
          return now.finished < workload_.flows.size() || !traits.answers;
        });
    if (checkpoints && checkpoints->stopped()) throw SimulationStopped(progress(last));
    check_end(run, how.checkpoints.resume);
    return result(run, moments);
  }

 private:
  /// Nothing has connections where hosts' links are all there is.
  static workload::Connections cut_flows(const SimulationInput& input, workload::Workload& workload,
                                         std::uint32_t planes) {
    const std::int64_t count =
        input.transport == Transport::ideal ? 1 : input.connections_per_flow.value_or(1);
    return {workload, narrow(count), planes};
  }

  Seconds least(const std::vector<workload::Flow>& flows) const {
    std::uint64_t largest = 0;
    for (const workload::Flow& flow : flows) largest = std::max(largest, flow.bytes);
    Seconds out{0};
    for (const workload::Flow& flow : flows) {
      if (flow.bytes == largest) out = std::max(out, ideal_time(flow));
    }
    return out;
  }

  void check(const workload::Flow& flow) const {
    const auto bytes = static_cast<double>(flow.bytes);
    if (bytes / input_.packet.si() > kMostPacketsOfFlow)
      fail_input(whole("simulation.packet"),
                 fmt::format("a flow of {} bytes is more than 4e9 packets", flow.bytes),
                 "larger packets or smaller flows");
    const Seconds time = bytes * (1 + input_.header / input_.packet) * slowest_byte();
    if (time > workload::kHorizon)
      fail_input(whole("simulation"),
                 fmt::format("a flow of {} bytes takes {:.3g} s at the rate of its host or of a link",
                             flow.bytes, time.si()),
                 fmt::format("simulated time ends at {:.3g} s: smaller flows or higher rates",
                             workload::kHorizon.si()));
  }

  /// Of the links one after the other, and of what limits hosts.
  Seconds slowest_byte() const {
    double most =
        static_cast<double>(std::max(limits_.send.picoseconds_per_kib, limits_.receive.picoseconds_per_kib)) /
        wiring::Pace::kKib;
    for (const wiring::LinkRules& link : layout_.links)
      most = std::max(most, static_cast<double>(link.picoseconds_per_byte) / layout_.planes);
    return Seconds(most / kPicosecondsPerSecond);
  }

  static std::uint32_t narrow(std::int64_t v) { return static_cast<std::uint32_t>(v); }

  /// Without packets: the time that the hosts' links need, and what one packet's way takes.
  SimulationResult run_fluid(const SimulationRun& how) {
    if (!how.traced_flows.empty()) fail_input(whole("--trace-flows"), "transport 'ideal' sends no packets");
    if (input_.delivery)
      fail_input(whole("simulation.delivery"), "transport 'ideal' sends no packets", "nscc or rccc");
    if (input_.packet_loss > 0 || input_.bit_error_rate)
      fail_input(whole(input_.packet_loss > 0 ? "simulation.packet_loss" : "simulation.bit_error_rate"),
                 "transport 'ideal' sends no packets", "any other transport");
    if (!how.checkpoints.resume.empty())
      fail_input(whole(how.checkpoints.resume), "transport 'ideal' has no run to continue");
    if (!probes_.empty())
      fail_input(asked_.scenario.probes.front().where, "transport 'ideal' sends no packets",
                 "any other transport");
    if (!asked_.scenario.failures.empty())
      fail_input(asked_.scenario.failures.front().where, "transport 'ideal' knows no links that fail",
                 "any other transport");
    workload::check_order_is_known(workload_, whole("simulation.transport"), "any transport but 'ideal'");
    std::vector<Picoseconds> latency;
    for (const workload::Flow& flow : workload_.flows) {
      const Seconds alone = ideal_time(flow.bytes, layout_.reach(flow.from, flow.to));
      const auto by_links = [&](std::uint32_t host) {
        return layout_.host_link(host).time(flow.bytes) / layout_.planes;
      };
      const std::uint64_t sending =
          std::max({by_links(flow.from), by_links(flow.to), limits_.send.time(flow.bytes),
                    limits_.receive.time(flow.bytes)});
      latency.push_back(picoseconds(alone) - std::min(picoseconds(alone), sending));
    }
    flow::run_fluid(layout_, limits_, workload_.flows, workload_.dependencies, latency);
    packet::RunOutcome run;
    run.counters.finished = workload_.flows.size();
    for (const workload::Flow& flow : workload_.flows) run.now = std::max(run.now, flow.finished);
    packet::Moments none;
    return result(run, none);
  }

  Picoseconds usual_timeout(const packet::TransportSetup& setup,
                            const packet::TransportTraits& traits) const {
    const Picoseconds longest = setup.longest_round_trip();
    if (setup.queues.lossless()) return std::max(picoseconds(kLosslessTimeout), 4 * longest);
    if (traits.timeout_queues == 0) return std::max(picoseconds(kTimeout), 4 * longest);
    const double queues = traits.timeout_queues * static_cast<double>(input_.queue) *
                          static_cast<double>(setup.full_packet_time());
    return std::max(longest + static_cast<Picoseconds>(queues), 4 * longest);
  }

  packet::TransportSetup set_up(const packet::TransportTraits& traits, unsigned threads) {
    packet::check_sizes(asked_.scenario, layout_);
    packet::TransportSetup setup{layout_, workload_.flows, workload_.dependencies, faults_, links_};
    setup.threads = threads;
    setup.sizes.payload_bytes = static_cast<std::uint16_t>(input_.packet.si());
    setup.sizes.header_bytes = static_cast<std::uint16_t>(input_.header.si());
    setup.sizes.control_bytes = static_cast<std::uint16_t>(input_.control_packet.si());
    if (!input_.acknowledgements_first.value_or(traits.acknowledgements_first))
      setup.sizes.ack_priority = workload::kDataPriority;
    setup.queues = packet::queue_rules(input_, traits, layout_);
    setup.limits = limits_;
    setup.lineups = workload_.lineups;
    setup.connections = workload_.connections;
    setup.reductions = workload_.reductions;
    if (!setup.connections.empty() && !traits.keeps_connections && input_.delivery)
      fail_input(whole("simulation.delivery"), "it has no connections of several messages", "rod or rud");
    if (!setup.connections.empty() && !traits.keeps_connections)
      fail_input(whole("simulation.transport"), "this transport has no connections of several messages",
                 "nscc, eqds, roce, dctcp and others");
    setup.packets_per_ack = packet::packets_per_ack(input_, traits);
    setup.window_packets = narrow(input_.window);
    setup.timeout = input_.timeout ? picoseconds(*input_.timeout) : usual_timeout(setup, traits);
    setup.delivery = input_.delivery.value_or(Delivery::rud);
    setup.load_balancing = packet::load_balancing(input_, traits);
    setup.routing = routing(traits);
    setup.queues.weighs_detours = setup.routing == PacketRouting::ugal;
    setup.entropies = packet::entropies(input_, setup.load_balancing);
    setup.queues.adaptive = setup.load_balancing == LoadBalancing::adaptive;
    setup.flowlet_gap = picoseconds(input_.flowlet_gap);
    setup.seed = static_cast<std::uint64_t>(input_.seed);
    if (setup.timeout < 2 * setup.longest_round_trip())
      fail_input(whole("simulation.timeout"), "shorter than two round trips of an empty network",
                 fmt::format("at least {}",
                             format_quantity(2 * seconds(setup.longest_round_trip()).si(), Unit::seconds)));
    return setup;
  }

  /// Around busy links: where there are ways of several lengths.
  PacketRouting routing(const packet::TransportTraits& traits) const {
    const PacketRouting out = input_.routing.value_or(PacketRouting::minimal);
    if (out == PacketRouting::minimal) return out;
    if (asked_.joined())
      fail_input(whole("simulation.routing"), "packets take shortest ways where HB domains are simulated",
                 "minimal, or simulation.extent = \"network\"");
    if (layout_.routes.empty() || asked_.shape() != nullptr)
      fail_input(whole("simulation.routing"), "all ways through a folded Clos network are shortest ones",
                 "minimal; which of them a packet takes is simulation.load_balancing");
    if (out == PacketRouting::ugal && traits.goes_back)
      fail_input(whole("simulation.routing"), "go-back-N takes packets that overtake each other for losses",
                 "minimal or valiant");
    if (layout_.leaves > wiring::Routes::kMostDetours)
      fail_input(whole("simulation.routing"),
                 fmt::format("packets go by one of {} switches first, not of {}",
                             wiring::Routes::kMostDetours, layout_.leaves),
                 "minimal");
    return out;
  }

  void trace(packet::TransportSetup& setup, const std::vector<std::int64_t>& flows) const {
    if (flows.empty()) return;
    setup.traced_flows.assign(workload_.flows.size(), 0);
    const std::int64_t number = connections_.flows(workload_);
    for (const std::int64_t flow : flows) {
      if (flow < 0 || flow >= number)
        fail_input(whole("--trace-flows"), fmt::format("no flow {}", flow),
                   fmt::format("flows are numbered 0 to {}", number - 1));
      for (std::uint32_t part = connections_.first_part(narrow(flow));
           part < connections_.first_part(narrow(flow + 1)); ++part)
        setup.traced_flows[part] = 1;
    }
    // Packets are those of a connection.
    for (const workload::Connection& messages : workload_.connections) {
      const bool any = std::any_of(messages.begin(), messages.end(),
                                   [&](std::uint32_t flow) { return setup.traced_flows[flow] != 0; });
      setup.traced_flows[messages.front()] = any ? 1 : 0;
    }
  }

  SimulationProgress progress(const packet::WindowSummary& now) const {
    return {now.finished, workload_.flows.size(), Bytes(static_cast<double>(now.delivered_bytes)),
            all_bytes_,   seconds(now.begin),     now.events};
  }

  /// What a checkpoint has to be of for this run to continue it.
  packet::CheckpointIdentity identity(const SimulationRun& how) const {
    packet::CheckpointIdentity out = {{"the program version", TRAINYARD_VERSION}};
    const auto add_file = [&](const char* name, const std::shared_ptr<const SourceText>& file) {
      out.emplace_back(name, file ? text_hash(file->text) : std::string{});
    };
    add_file("the file of --topology", how.files.topology);
    add_file("the file of --connections", how.files.connections);
    add_file("the file of --flows", how.files.flows);
    out.emplace_back("--trace-flows", fmt::format("{}", fmt::join(how.traced_flows, ",")));
    for (const packet::Probe& probe : probes_)
      out.emplace_back("[[probe]] of " + probe.name,
                       fmt::format("{},{},{}", probe.interval, probe.from, probe.until));
    for (auto& setting : simulation_settings(asked_.scenario)) out.push_back(std::move(setting));
    for (auto& entry : packet::identity_of(layout_, workload_.flows, workload_.dependencies,
                                           workload_.lineups, workload_.connections, faults_))
      out.push_back(std::move(entry));
    return out;
  }

  void check_end(const packet::RunOutcome& run, const std::string& resumed) const {
    if (run.end == packet::RunEnd::deadlock) {
      std::string ports;
      for (const std::string& port : run.deadlock) ports += (ports.empty() ? "" : " -> ") + port;
      fail_input(whole(asked_.scenario.source_name),
                 fmt::format("deadlock at {:.3f} us: ports wait for each other's {}",
                             seconds(run.now).si() * 1e6, input_.credit_buffer ? "credits" : "pauses to end"),
                 ports);
    }
    if (run.end == packet::RunEnd::overflow && !resumed.empty())
      fail_input(whole(resumed), "a switch with pauses dropped data: no run has this state",
                 "a checkpoint as the program wrote it");
    TY_ASSERT(run.end != packet::RunEnd::overflow,
              "a switch with pauses dropped data: its headroom was too small");
    if (run.counters.finished < workload_.flows.size())
      fail_input(whole(asked_.scenario.source_name),
                 fmt::format("{} of {} flows have finished at {:.6g} s, and nothing is left to happen",
                             run.counters.finished, workload_.flows.size(), seconds(run.now).si()),
                 fmt::format("simulated time ends at {:.3g} s", workload::kHorizon.si()));
  }

  SimulationResult result(const packet::RunOutcome& run, const packet::Moments& moments) {
    SimulationResult out;
    out.design = asked_.name;
    out.hosts = asked_.hosts;
    out.planes = layout_.planes;
    out.link_rate = asked_.link_rate();
    out.link_names = layout_.link_names;
    out.link_count = layout_.most_links();
    if (!run.lost_bytes.empty()) end_by_arrival(workload_.flows, run.lost_bytes);
    out.flows = connections_.joined(workload_.flows);
    out.lost_bytes = connections_.summed(run.lost_bytes);
    out.counters = run.counters;
    out.counters.finished = out.flows.size();
    out.end = seconds(run.now);
    out.bytes = run.bytes;
    out.up = run.up;
    out.down = run.down;
    for (const packet::WindowSummary& m : moments.all())
      out.moments.push_back({seconds(m.begin), Bytes(static_cast<double>(m.longest_queue)),
                             Bytes(static_cast<double>(m.delivered_bytes))});
    out.series = run.series;
    out.trace = run.trace;
    if (!run.trace.empty()) {
      const std::vector<std::uint32_t> flow_of = connections_.flow_of_parts();
      for (packet::TraceEntry& entry : out.trace) {
        if (connections_.cut()) entry.flow = flow_of[entry.flow];
      }
      for (std::uint32_t n = 0; n < layout_.nodes.size(); ++n)
        out.trace_nodes.push_back(wiring::node_name(layout_, n));
    }
    out.ideal = least(out.flows);
    summarize_completions(out, [&](const workload::Flow& flow) { return ideal_time(flow); });
    hosts_to_devices(layout_, out.flows);
    return out;
  }

  /// Where switches sum, of each host: the ways to the farthest one of its group. Else empty.
  std::vector<wiring::Reach> ways_of_sums() const {
    if (input_.transport == Transport::ideal || !packet::traits_of(input_).sums) return {};
    std::vector<wiring::Reach> out(layout_.hosts());
    for (const workload::Reduction& reduction : workload_.reductions) {
      const std::uint32_t first = workload_.flows[reduction.first].from;
      wiring::Reach farthest;
      for (std::uint32_t rank = 0; rank < reduction.ranks; ++rank) {
        const wiring::Reach way = layout_.reach(first, workload_.flows[reduction.first + rank].from);
        if (way.links >= farthest.links) farthest = way;
      }
      for (std::uint32_t rank = 0; rank < reduction.ranks; ++rank)
        out[workload_.flows[reduction.first + rank].from] = farthest;
    }
    return out;
  }

  /// Of sums: up to the root and down again, and nobody answers.
  Seconds ideal_time(const workload::Flow& flow) const {
    if (ways_of_sums_.empty()) return ideal_time(flow.bytes, layout_.reach(flow.from, flow.to));
    const wiring::Reach way = ways_of_sums_[flow.from];
    return ideal_time(flow.bytes, way) - seconds(wiring::answer_time(input_, layout_, limits_, way));
  }
  Seconds ideal_time(std::uint64_t bytes, wiring::Reach reach) const {
    // Detours leave by any port.
    if (input_.routing.value_or(PacketRouting::minimal) != PacketRouting::minimal)
      reach.abreast = wiring::Routes::kMostPaths;
    return seconds(wiring::least_time(input_, layout_, limits_, bytes, reach));
  }

  const SimulationCase& asked_;
  const SimulationInput& input_;
  wiring::Layout layout_;
  workload::Workload workload_;
  workload::Connections connections_;
  Bytes all_bytes_{0};
  std::vector<wiring::Fault> faults_;
  wiring::LinkState links_;
  wiring::HostLimits limits_;
  std::vector<packet::Probe> probes_;
  std::vector<wiring::Reach> ways_of_sums_;
};

}  // namespace

SimulationResult run_packets(const SimulationCase& asked, const SimulationRun& how) {
  return PacketRun(asked).run(how);
}

Seconds least_of_packets(const SimulationCase& asked) { return PacketRun(asked).least(); }

}  // namespace trainyard
