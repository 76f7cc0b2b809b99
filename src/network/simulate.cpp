#include "network/simulate.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "base/hash.h"
#include "base/quantity_text.h"
#include "network/flow/ideal.h"
#include "network/network_rules.h"
#include "network/packet/deadlock.h"
#include "network/packet/moments.h"
#include "network/packet/transports/transports.h"
#include "network/wiring/failures.h"
#include "network/wiring/least_time.h"
#include "network/wiring/topology_file.h"
#include "scenario/scenario.h"
#include "workload/flow_files.h"
#include "workload/workload.h"

namespace trainyard {
namespace {

constexpr double kMostPacketsOfFlow = 4e9;
constexpr Picoseconds kSilentTimeouts = 5000;  // senders wait up to 1,024 timeouts
constexpr double kMostRepeats = 1000;
constexpr Seconds kTimeout{1e-3};
constexpr Seconds kLosslessTimeout{64e-3};

/// Rates whose byte takes whole picoseconds: then sums of times are exact.
wiring::LinkRules links_of(const NetworkDesign& design, const SimulationInput& input) {
  const double exact = 8 * kPicosecondsPerSecond / design.link_rate.si();
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
BitRate host_rate(const wiring::Layout& layout) {
  constexpr double kBitsPerByte = 8;
  return BitRate(kBitsPerByte * kPicosecondsPerSecond /
                 static_cast<double>(layout.links.front().picoseconds_per_byte));
}

/// Hosts, switches and links: of a design, or of htsim's topology file.
struct Network {
  std::string name;
  std::optional<NetworkDesign> design;  // of a design
  wiring::Layout layout;
  std::int64_t hosts = 0;
};

Network network_of(const Scenario& scenario, const SimulationFiles& files) {
  if (files.topology) {
    const wiring::TopologyFile file = wiring::read_topology_file(files.topology);
    return {files.topology->name,
            {},
            wiring::lay_out(file.shape, 1, file.links, whole(files.topology->name)),
            file.shape.endpoints};
  }
  NetworkDesign design = simulated_design(scenario);
  wiring::Layout layout =
      wiring::lay_out(wiring::clos_of(design), static_cast<std::uint32_t>(design.planes),
                      {links_of(design, scenario.simulation)}, whole("simulation.design"));
  const std::int64_t hosts = design.fabric->endpoints() - design.gateways;
  std::string name = design.input.name;
  return {std::move(name), std::move(design), std::move(layout), hosts};
}

/// Among which a file may choose for each flow; 0: flows have no path of their own.
std::uint32_t paths_of_a_leaf(const SimulationInput& input, const wiring::Layout& layout) {
  if (input.transport == Transport::ideal) return 0;
  const LoadBalancing choice = packet::load_balancing(input, packet::traits_of(input.transport));
  return choice == LoadBalancing::ecmp ? layout.uplinks_leaf * std::max(1U, layout.uplinks_aggregation) : 0;
}

workload::Workload workload_for(const Scenario& scenario, const Network& network,
                                const SimulationFiles& files) {
  if (files.connections) return workload::read_connection_matrix(files.connections, network.hosts);
  if (files.flows)
    return workload::read_flow_file(files.flows, network.hosts, workload::kMostFlowsOfFile,
                                    paths_of_a_leaf(scenario.simulation, network.layout));
  NetworkDesign design = network.design ? *network.design : simulated_design(scenario);
  if (!network.design) {  // named traffic on a topology file's network
    design.planes = 1;
    design.link_rate = design.host_rate = host_rate(network.layout);
  }
  return workload::workload_of(scenario, design, network.hosts);
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
        faults_(wiring::faults_of(layout_, scenario.failures)),
        limits_(packet::host_limits(input_, layout_)) {
    if (!faults_.empty()) links_.down.assign(layout_.wires.size(), 0);
    links_.known = input_.failures_known;
    for (const workload::Flow& flow : workload_.flows) {
      all_bytes_ += Bytes(static_cast<double>(flow.bytes));
      if (static_cast<double>(flow.bytes) / input_.packet.si() > kMostPacketsOfFlow)
        fail_input(whole("simulation.packet"),
                   fmt::format("a flow of {} bytes is more than 4e9 packets", flow.bytes),
                   "larger packets or smaller flows");
    }
  }

  Seconds least() const {
    std::uint64_t largest = 0;
    for (const workload::Flow& flow : workload_.flows) largest = std::max(largest, flow.bytes);
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

  /// Without packets: the time that the hosts' links need, and what one packet's way takes.
  SimulationResult run_fluid(const SimulationRun& how) {
    if (!how.traced_flows.empty()) fail_input(whole("--trace-flows"), "transport 'ideal' sends no packets");
    if (!how.checkpoints.resume.empty())
      fail_input(whole(how.checkpoints.resume), "transport 'ideal' has no run to continue");
    std::vector<Picoseconds> latency;
    for (const workload::Flow& flow : workload_.flows) {
      const Seconds alone = ideal_time(flow.bytes, layout_.meeting_tier(flow.from, flow.to));
      const std::uint64_t sending =
          std::max({flow.bytes * layout_.links.front().picoseconds_per_byte / layout_.planes,
                    limits_.send.time(flow.bytes), limits_.receive.time(flow.bytes)});
      latency.push_back(picoseconds(alone) - std::min(picoseconds(alone), sending));
    }
    flow::run_fluid(layout_, limits_, workload_.flows, workload_.dependencies, latency);
    packet::RunOutcome run;
    run.counters.finished = workload_.flows.size();
    for (const workload::Flow& flow : workload_.flows) run.now = std::max(run.now, flow.finished);
    packet::Moments none;
    return result(run, none);
  }

  packet::TransportSetup set_up(const packet::TransportTraits& traits) {
    packet::check_sizes(scenario_, layout_);
    packet::TransportSetup setup{layout_, workload_.flows, workload_.dependencies, faults_, links_};
    setup.sizes.payload_bytes = static_cast<std::uint16_t>(input_.packet.si());
    setup.sizes.header_bytes = static_cast<std::uint16_t>(input_.header.si());
    setup.sizes.control_bytes = static_cast<std::uint16_t>(input_.control_packet.si());
    if (!input_.acknowledgements_first.value_or(traits.acknowledgements_first))
      setup.sizes.ack_priority = workload::kDataPriority;
    setup.queues = packet::queue_rules(input_, traits, layout_);
    setup.limits = limits_;
    setup.window_packets = narrow(input_.window);
    setup.timeout = picoseconds(input_.timeout.value_or(setup.queues.pauses() ? kLosslessTimeout : kTimeout));
    if (!input_.timeout) setup.timeout = std::max(setup.timeout, 4 * setup.longest_round_trip());
    setup.load_balancing = packet::load_balancing(input_, traits);
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
    while (flow < flows.size() && (flows[flow].began == kNever || flows[flow].finished != kNever)) ++flow;
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
        out.trace_nodes.push_back(wiring::node_name(layout_, n));
    }
    out.ideal = least();
    summarize_completions(out, [&](const workload::Flow& flow) {
      return ideal_time(flow.bytes, layout_.meeting_tier(flow.from, flow.to));
    });
    return out;
  }

  Seconds ideal_time(std::uint64_t bytes, std::uint32_t tier) const {
    return seconds(wiring::least_time(input_, layout_, limits_, bytes, tier));
  }

  const Scenario& scenario_;
  const SimulationInput& input_;
  Network network_;
  const wiring::Layout& layout_;
  std::int64_t hosts_;
  workload::Workload workload_;
  Bytes all_bytes_{0};
  std::vector<wiring::Fault> faults_;
  wiring::LinkState links_;
  wiring::HostLimits limits_;
  std::uint64_t delivered_before_ = 0;
  Picoseconds delivered_at_ = 0;
};

}  // namespace

NetworkDesign simulated_design(const Scenario& scenario) {
  std::string name = scenario.simulation.design;
  if (name.empty() && !scenario.designs.empty()) name = scenario.designs.front().name;
  return designs_of(scenario, name).front();
}

void summarize_completions(SimulationResult& out,
                           const std::function<Seconds(const workload::Flow&)>& least) {
  std::vector<Picoseconds> times;
  std::vector<double> slowdowns;
  double sum = 0;
  for (const workload::Flow& flow : out.flows) {
    out.slowdowns.push_back(std::numeric_limits<double>::quiet_NaN());
    if (flow.finished == kNever) continue;
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
