#include "network/packet/simulate.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "base/hash.h"
#include "base/quantity_text.h"
#include "network/packet/deadlock.h"
#include "network/packet/failures.h"
#include "network/packet/flow_files.h"
#include "network/packet/ideal.h"
#include "network/packet/moments.h"
#include "network/packet/topology_file.h"
#include "network/packet/transports.h"
#include "network/packet/workload.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

using packet::Picoseconds;

constexpr double kMostPacketsOfFlow = 4e9;
constexpr Picoseconds kSilentTimeouts = 5000;  // senders wait up to 1,024 timeouts
constexpr double kMostRepeats = 1000;
constexpr double kPauseAbove = 15;
constexpr Seconds kTimeout{1e-3};
constexpr Seconds kLosslessTimeout{64e-3};
constexpr double kResumeBelow = 12;

Picoseconds picoseconds(Seconds time) {
  return static_cast<Picoseconds>(std::llround(time.si() * packet::kPicosecondsPerSecond));
}

Seconds seconds(Picoseconds time) {
  return Seconds(static_cast<double>(time) / packet::kPicosecondsPerSecond);
}

/// Rates whose byte takes whole picoseconds: then sums of times are exact.
packet::LinkRules links_of(const NetworkDesign& design, const SimulationInput& input) {
  const double exact = 8 * packet::kPicosecondsPerSecond / design.link_rate.si();
  const double whole_ps = std::round(exact);
  if (whole_ps < 1 || std::abs(exact - whole_ps) > 1e-6) {
    fail_design(
        design.input, "rate",
        fmt::format("a byte takes {} ps on a link of {}", exact,
                    format_quantity(design.link_rate.si(), Unit::bits_per_second)),
        "packets are simulated at rates whose byte takes whole picoseconds: 100, 200, 400, 800 Gbps, ...");
  }
  return {picoseconds(input.link_delay), static_cast<std::uint64_t>(whole_ps)};
}

/// Of one link of a host.
BitRate host_rate(const packet::Layout& layout) {
  constexpr double kBitsPerByte = 8;
  return BitRate(kBitsPerByte * packet::kPicosecondsPerSecond /
                 static_cast<double>(layout.links.front().picoseconds_per_byte));
}

/// Hosts, switches and links: of a design, or of htsim's topology file.
struct Network {
  std::string name;
  std::optional<NetworkDesign> design;  // of a design
  packet::Layout layout;
  std::int64_t hosts = 0;
};

Network network_of(const Scenario& scenario, const SimulationFiles& files) {
  if (files.topology) {
    const packet::TopologyFile file = packet::read_topology_file(files.topology);
    return {files.topology->name,
            {},
            packet::lay_out(file.shape, 1, file.links, whole(files.topology->name)),
            file.shape.endpoints};
  }
  NetworkDesign design = simulated_design(scenario);
  packet::Layout layout =
      packet::lay_out(packet::clos_of(design), static_cast<std::uint32_t>(design.planes),
                      {links_of(design, scenario.simulation)}, whole("simulation.design"));
  const std::int64_t hosts = design.fabric->endpoints() - design.gateways;
  std::string name = design.input.name;
  return {std::move(name), std::move(design), std::move(layout), hosts};
}

packet::Workload workload_for(const Scenario& scenario, const Network& network,
                              const SimulationFiles& files) {
  if (files.connections) return packet::read_connection_matrix(files.connections, network.hosts);
  if (files.flows) return packet::read_flow_file(files.flows, network.hosts);
  NetworkDesign design = network.design ? *network.design : simulated_design(scenario);
  if (!network.design) {  // named traffic on a topology file's network
    design.planes = 1;
    design.link_rate = design.host_rate = host_rate(network.layout);
  }
  return packet::workload_of(scenario, design, network.hosts);
}

class Simulation {
 public:
  Simulation(const Scenario& scenario, const SimulationFiles& files)
      : scenario_(scenario),
        input_(scenario.simulation),
        network_(network_of(scenario, files)),
        layout_(network_.layout),
        hosts_(network_.hosts),
        workload_(workload_for(scenario, network_, files)),
        faults_(packet::faults_of(layout_, scenario.failures)) {
    if (!faults_.empty()) links_.down.assign(layout_.wires.size(), 0);
    links_.known = input_.failures_known;
    for (const packet::Flow& flow : workload_.flows) {
      all_bytes_ += Bytes(static_cast<double>(flow.bytes));
      if (static_cast<double>(flow.bytes) / input_.packet.si() > kMostPacketsOfFlow)
        fail_input(whole("simulation.packet"),
                   fmt::format("a flow of {} bytes is more than 4e9 packets", flow.bytes),
                   "larger packets or smaller flows");
    }
  }

  Seconds least() const {
    std::uint64_t largest = 0;
    for (const packet::Flow& flow : workload_.flows) largest = std::max(largest, flow.bytes);
    return ideal_time(largest, layout_.tiers - 1);
  }

  SimulationResult run(const SimulationRun& how) {
    if (input_.transport == Transport::ideal) return run_fluid(how);
    const packet::TransportTraits& traits = packet::traits_of(input_.transport);
    packet::TransportSetup setup = set_up(traits);
    setup.threads = how.threads;
    trace(setup, how.traced_flows);
    packet::Moments moments;
    std::optional<packet::Checkpoints> checkpoints;
    if (how.checkpoints.wanted()) checkpoints.emplace(how.checkpoints, identity(how), moments);
    if (checkpoints) setup.checkpoints = &*checkpoints;
    packet::WindowSummary last;
    const packet::RunOutcome run =
        traits.run(setup, scenario_.transports, [&](const packet::WindowSummary& now) {
          last = now;
          moments.add(now);
          check_progress(now, setup.timeout);
          if (how.progress) how.progress(progress(now));
          return now.finished < workload_.flows.size();
        });
    if (checkpoints && checkpoints->stopped()) throw SimulationStopped(progress(last));
    check_end(run);
    return result(run, moments);
  }

 private:
  static std::uint32_t narrow(std::int64_t v) { return static_cast<std::uint32_t>(v); }

  std::uint64_t packets_to_bytes(double packets) const {
    return static_cast<std::uint64_t>(packets * (input_.packet.si() + input_.header.si()));
  }

  /// Without packets: the time that the hosts' links need, and what one packet's way takes.
  SimulationResult run_fluid(const SimulationRun& how) {
    if (!how.traced_flows.empty()) fail_input(whole("--trace-flows"), "transport 'ideal' sends no packets");
    if (!how.checkpoints.resume.empty())
      fail_input(whole(how.checkpoints.resume), "transport 'ideal' has no run to continue");
    std::vector<Picoseconds> latency;
    for (const packet::Flow& flow : workload_.flows) {
      const Seconds alone = ideal_time(flow.bytes, layout_.meeting_tier(flow.from, flow.to));
      const std::uint64_t sending = flow.bytes * layout_.links.front().picoseconds_per_byte / layout_.planes;
      latency.push_back(picoseconds(alone) - std::min(picoseconds(alone), sending));
    }
    packet::run_fluid(layout_, workload_.flows, workload_.dependencies, latency);
    packet::RunOutcome run;
    run.counters.finished = workload_.flows.size();
    for (const packet::Flow& flow : workload_.flows) run.now = std::max(run.now, flow.finished);
    packet::Moments none;
    return result(run, none);
  }

  packet::TransportSetup set_up(const packet::TransportTraits& traits) {
    check_sizes();
    packet::TransportSetup setup{layout_, workload_.flows, workload_.dependencies, faults_, links_};
    setup.sizes.payload_bytes = static_cast<std::uint16_t>(input_.packet.si());
    setup.sizes.header_bytes = static_cast<std::uint16_t>(input_.header.si());
    setup.sizes.control_bytes = static_cast<std::uint16_t>(input_.control_packet.si());
    if (!input_.acknowledgements_first.value_or(traits.acknowledgements_first))
      setup.sizes.ack_priority = packet::kDataPriority;
    setup.queues = queues(traits);
    setup.window_packets = narrow(input_.window);
    setup.timeout = picoseconds(input_.timeout.value_or(setup.queues.pauses() ? kLosslessTimeout : kTimeout));
    if (!input_.timeout) setup.timeout = std::max(setup.timeout, 4 * setup.longest_round_trip());
    setup.load_balancing = input_.load_balancing.value_or(traits.load_balancing);
    check_load_balancing(setup.load_balancing);
    setup.queues.adaptive = setup.load_balancing == LoadBalancing::adaptive;
    setup.flowlet_gap = picoseconds(input_.flowlet_gap);
    setup.seed = static_cast<std::uint64_t>(input_.seed);
    if (setup.timeout < 2 * setup.longest_round_trip())
      fail_input(whole("simulation.timeout"), "shorter than two round trips of an empty network",
                 fmt::format("at least {}",
                             format_quantity(2 * seconds(setup.longest_round_trip()).si(), Unit::seconds)));
    return setup;
  }

  void check_sizes() const {
    constexpr double kMostBytes = 65535;
    constexpr double kMostQueue = 4294967295.0;
    const double full = input_.packet.si() + input_.header.si();
    if (full > kMostBytes)
      fail_input(whole("simulation.packet"), fmt::format("packets of {} bytes with their headers", full),
                 "simulation.packet and simulation.header together take 65,535 bytes at most");
    if (input_.control_packet.si() > full)
      fail_input(whole("simulation.control_packet"), "larger than a full data packet",
                 fmt::format("at most {} bytes", full));
    if (static_cast<double>(input_.queue) * full > kMostQueue)
      fail_input(whole("simulation.queue"), "more than 4 GB at one port", "fewer or smaller packets");
    const SwiftInput& swift = scenario_.transports.swift;
    if (swift.flow_window_low >= swift.flow_window_high)
      fail_input(whole("swift.flow_window_low"), "not below swift.flow_window_high",
                 "the target grows from the one to the other");
    constexpr double kMostSlots = 5e8;  // of 8 bytes
    const double slots = static_cast<double>(layout_.longest_delay() + layout_.links.front().time(65535)) /
                         static_cast<double>(layout_.shortest_delay());
    if (slots * static_cast<double>(layout_.nodes.size()) > kMostSlots)
      fail_input(whole("simulation.link_delay"),
                 "too short beside the time of a packet, or beside other delays",
                 "links of more equal delays, or fewer switches");
  }

  void check_load_balancing(LoadBalancing choice) const {
    const bool per_packet = choice == LoadBalancing::spray || choice == LoadBalancing::random ||
                            choice == LoadBalancing::reps || choice == LoadBalancing::adaptive ||
                            choice == LoadBalancing::weighted;
    if (per_packet && (input_.transport == Transport::roce || input_.transport == Transport::hpcc))
      fail_input(whole("simulation.load_balancing"),
                 "go-back-N takes packets that overtake each other for losses",
                 "ecmp, flowlet or fixed; irn, smartt and others for a path a packet");
    const bool untold = input_.transport == Transport::ndp || input_.transport == Transport::homa ||
                        input_.transport == Transport::eqds || input_.transport == Transport::rccc ||
                        input_.transport == Transport::scheduled || input_.transport == Transport::fec;
    if (choice == LoadBalancing::reps && untold)
      fail_input(whole("simulation.load_balancing"),
                 "acknowledgements of this transport do not tell which paths are good", "spray or random");
  }

  packet::QueueRules queues(const packet::TransportTraits& traits) const {
    packet::QueueRules q;
    const auto queue = static_cast<double>(input_.queue);
    q.data_bytes = packets_to_bytes(queue);
    q.header_bytes = static_cast<std::uint16_t>(input_.control_packet.si());
    q.control_bytes = input_.control_queue
                          ? static_cast<std::uint64_t>(*input_.control_queue) * q.header_bytes
                          : 2 * q.data_bytes;
    q.trim = input_.trim.value_or(traits.trim);
    q.mark_from = packets_to_bytes(input_.mark_from.value_or(traits.mark_from * queue));
    q.mark_all = packets_to_bytes(input_.mark_all.value_or(traits.mark_all * queue));
    if (q.mark_all > 0 && q.mark_all < q.mark_from)
      fail_input(whole("simulation.mark_all"), "smaller than simulation.mark_from",
                 "marks begin at mark_from and are certain from mark_all on");
    q.mark_leaving = input_.mark_leaving.value_or(traits.mark_leaving);
    if (input_.shared_buffer) {
      q.pool_bytes = static_cast<std::uint64_t>(input_.shared_buffer->si());
      q.share = input_.shared_buffer_alpha;
      if (q.pool_bytes < packets_to_bytes(1))
        fail_input(whole("simulation.shared_buffer"), "too small for one packet",
                   fmt::format("at least {} bytes", packets_to_bytes(1)));
    }
    q.cut_through = input_.cut_through;
    q.lost_below = static_cast<std::uint64_t>(input_.packet_loss * 0x1p64);
    if (input_.pause.value_or(traits.pause)) set_pauses(q);
    return q;
  }

  void set_pauses(packet::QueueRules& q) const {
    q.trim = false;
    q.pause_above = packets_to_bytes(input_.pause_above.value_or(kPauseAbove));
    q.resume_below = packets_to_bytes(input_.resume_below.value_or(kResumeBelow));
    if (q.resume_below > q.pause_above)
      fail_input(whole("simulation.resume_below"), "larger than simulation.pause_above",
                 "a link goes on when less waits than made it pause");
    if (q.resume_below == 0)
      fail_input(whole("simulation.resume_below"), "with 0 packets a paused link never goes on",
                 "at least 1");
    check_pool(q);
    const std::uint64_t needed = headroom_needed(q);
    q.headroom_bytes = input_.headroom ? static_cast<std::uint64_t>(input_.headroom->si()) : needed;
    if (q.headroom_bytes < needed) {
      fail_input(
          whole("simulation.headroom"),
          fmt::format("{} bytes are too few for what arrives after a pause was sent", q.headroom_bytes),
          fmt::format("these links need {} bytes: two delays at the link's rate, a packet under way at "
                      "either end, and the pause itself",
                      needed));
    }
  }

  /// Pauses keep data within thresholds of each input port: a shared buffer has to hold them all.
  void check_pool(const packet::QueueRules& q) const {
    if (q.pool_bytes == 0) return;
    std::uint64_t ports = 0;
    for (const packet::Node& node : layout_.nodes)
      ports = std::max<std::uint64_t>(ports, node.hosts ? 0 : node.ports);
    const std::uint64_t needed = ports * (q.pause_above + headroom_needed(q));
    if (q.pool_bytes < needed)
      fail_input(whole("simulation.shared_buffer"), "too small for what pauses let in",
                 fmt::format("{} ports need {} bytes", ports, needed));
  }

  /// What arrives at most after the packet that made a switch pause its neighbour: the pause waits for a
  /// packet in service, travels, and lets a packet in service there go out; all the while data comes in.
  std::uint64_t headroom_needed(const packet::QueueRules& q) const {
    std::uint64_t most = 0;
    for (const packet::LinkRules& link : layout_.links) {
      const std::uint64_t round =
          (2 * link.delay + link.picoseconds_per_byte - 1) / link.picoseconds_per_byte;
      most = std::max(most, round + q.pause_bytes + 3 * packets_to_bytes(1));
    }
    return most;
  }

  void trace(packet::TransportSetup& setup, const std::vector<std::int64_t>& flows) const {
    if (flows.empty()) return;
    setup.traced_flows.assign(workload_.flows.size(), 0);
    for (const std::int64_t flow : flows) {
      if (flow < 0 || flow >= static_cast<std::int64_t>(workload_.flows.size()))
        fail_input(whole("--trace-flows"), fmt::format("no flow {}", flow),
                   fmt::format("flows are numbered 0 to {}", workload_.flows.size() - 1));
      setup.traced_flows[static_cast<std::size_t>(flow)] = 1;
    }
  }

  SimulationProgress progress(const packet::WindowSummary& now) const {
    return {now.finished, workload_.flows.size(), Bytes(static_cast<double>(now.delivered_bytes)),
            all_bytes_,   seconds(now.begin),     now.events};
  }

  /// Stops a run that goes on for ever: nothing arrives for thousands of timeouts, or the same again and
  /// again.
  void check_progress(const packet::WindowSummary& now, Picoseconds timeout) {
    if (now.delivered_bytes != delivered_before_) {
      delivered_before_ = now.delivered_bytes;
      delivered_at_ = now.begin;
    }
    const bool silent = now.begin - delivered_at_ > kSilentTimeouts * timeout;
    const bool in_vain = static_cast<double>(now.delivered_bytes) > kMostRepeats * (all_bytes_.si() + 1e6);
    if (!silent && !in_vain) return;
    std::size_t flow = 0;
    const auto& flows = workload_.flows;
    while (flow < flows.size() &&
           (flows[flow].began == packet::kNever || flows[flow].finished != packet::kNever))
      ++flow;
    if (flow == flows.size()) {  // all that could begin has ended: others begin later
      delivered_at_ = now.begin;
      return;
    }
    fail_input(
        whole(scenario_.source_name),
        fmt::format("no progress at {:.6g} s: {} of {} flows have finished, and {}", seconds(now.begin).si(),
                    now.finished, flows.size(),
                    silent ? "nothing arrives any more" : "the same bytes arrive again and again"),
        fmt::format("flow {} from host {} to host {} goes on; are links down for good, or queues too small?",
                    flow, flows[flow].from, flows[flow].to));
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
    for (auto& setting : simulation_settings(scenario_)) out.push_back(std::move(setting));
    for (auto& entry : packet::identity_of(layout_, workload_.flows, workload_.dependencies, faults_))
      out.push_back(std::move(entry));
    return out;
  }

  void check_end(const packet::RunOutcome& run) const {
    if (run.end == packet::RunEnd::deadlock) {
      std::string ports;
      for (const std::string& port : run.deadlock) ports += (ports.empty() ? "" : " -> ") + port;
      fail_input(whole(scenario_.source_name),
                 fmt::format("deadlock at {:.3f} us: ports wait for each other's pauses to end",
                             seconds(run.now).si() * 1e6),
                 ports);
    }
    TY_ASSERT(run.end != packet::RunEnd::overflow,
              "a switch with pauses dropped data: its headroom was too small");
  }

  SimulationResult result(const packet::RunOutcome& run, const packet::Moments& moments) {
    SimulationResult out;
    out.design = network_.name;
    out.hosts = hosts_;
    out.planes = layout_.planes;
    out.link_rate = host_rate(layout_);
    out.link_count = 2 * std::int64_t{layout_.tiers};
    out.flows = workload_.flows;
    out.counters = run.counters;
    out.end = seconds(run.now);
    out.bytes = run.bytes;
    out.up = run.up;
    out.down = run.down;
    for (const packet::WindowSummary& m : moments.all())
      out.moments.push_back({seconds(m.begin), Bytes(static_cast<double>(m.longest_queue)),
                             Bytes(static_cast<double>(m.delivered_bytes))});
    out.trace = run.trace;
    if (!run.trace.empty()) {
      for (std::uint32_t n = 0; n < layout_.nodes.size(); ++n)
        out.trace_nodes.push_back(packet::node_name(layout_, n));
    }
    out.ideal = least();
    summarize_completions(out, [&](const packet::Flow& flow) {
      return ideal_time(flow.bytes, layout_.meeting_tier(flow.from, flow.to));
    });
    return out;
  }

  /// The least time of a flow alone whose way goes up to a tier and down again: its packets dealt to the
  /// planes on the slowest link, the last one's way, and the last acknowledgement back.
  Seconds ideal_time(std::uint64_t bytes, std::uint32_t tier) const {
    const auto full = static_cast<std::uint64_t>(input_.packet.si());
    const auto header = static_cast<std::uint64_t>(input_.header.si());
    const auto control = static_cast<std::uint64_t>(input_.control_packet.si());
    const std::uint64_t packets = (bytes + full - 1) / full;
    const std::uint64_t last = bytes == 0 ? 0 : (bytes - 1) % full + 1 + header;
    const std::uint64_t before = packets == 0 ? 0 : packets - 1;
    // With a round of the planes begun, a full packet leaves beside the last one.
    const std::uint64_t rounds = before / layout_.planes;
    const std::uint64_t first_link =
        rounds * (full + header) + (before % layout_.planes != 0 ? full + header : last);
    const std::uint64_t on_the_way = input_.cut_through ? std::min(last, control) : last;
    std::uint64_t slowest = 0;
    Picoseconds sum = 0;
    for (std::uint32_t t = 0; t <= tier; ++t) {
      const packet::LinkRules& link = layout_.links[t];
      slowest = std::max(slowest, link.picoseconds_per_byte);
      sum += 2 * (link.time(on_the_way) + link.time(control) + 2 * link.delay);
    }
    // Of the last packet one time too many: that on the slowest link is part of first_link.
    return seconds(sum + first_link * slowest - std::min(sum, on_the_way * slowest));
  }

  const Scenario& scenario_;
  const SimulationInput& input_;
  Network network_;
  const packet::Layout& layout_;
  std::int64_t hosts_;
  packet::Workload workload_;
  Bytes all_bytes_{0};
  std::vector<packet::Fault> faults_;
  packet::LinkState links_;
  std::uint64_t delivered_before_ = 0;
  Picoseconds delivered_at_ = 0;
};

}  // namespace

NetworkDesign simulated_design(const Scenario& scenario) {
  std::string name = scenario.simulation.design;
  if (name.empty() && !scenario.designs.empty()) name = scenario.designs.front().name;
  return designs_of(scenario, name).front();
}

void summarize_completions(SimulationResult& out, const std::function<Seconds(const packet::Flow&)>& least) {
  std::vector<Picoseconds> times;
  std::vector<double> slowdowns;
  double sum = 0;
  for (const packet::Flow& flow : out.flows) {
    out.slowdowns.push_back(std::numeric_limits<double>::quiet_NaN());
    if (flow.finished == packet::kNever) continue;
    times.push_back(flow.finished - flow.began);
    sum += seconds(times.back()).si();
    slowdowns.push_back(seconds(times.back()) / least(flow));
    out.slowdowns.back() = slowdowns.back();
  }
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  std::sort(slowdowns.begin(), slowdowns.end());
  const auto rank = [&](double share) {
    const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(times.size())));
    return std::max<std::size_t>(at, 1) - 1;
  };
  out.mean = Seconds(sum / static_cast<double>(times.size()));
  out.median = seconds(times[rank(0.5)]);
  constexpr int kQuantiles = 20;
  for (int q = 0; q <= kQuantiles; ++q)
    out.quantiles.push_back(seconds(times[rank(static_cast<double>(q) / kQuantiles)]));
  out.p99 = seconds(times[rank(0.99)]);
  out.longest = seconds(times.back());
  double slow = 0;
  for (const double s : slowdowns) slow += s;
  out.mean_slowdown = slow / static_cast<double>(slowdowns.size());
  out.p99_slowdown = slowdowns[rank(0.99)];
}

SimulationStopped::SimulationStopped(const SimulationProgress& progress)
    : std::runtime_error(fmt::format("stopped at {:.3f} us of simulated time, with {} of {} flows finished",
                                     progress.now.si() * 1e6, progress.flows_finished, progress.flows)) {}

Seconds least_completion(const Scenario& scenario) { return Simulation(scenario, {}).least(); }

SimulationResult simulate(const Scenario& scenario, const SimulationRun& run) {
  return Simulation(scenario, run.files).run(run);
}

}  // namespace trainyard
