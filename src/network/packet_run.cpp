#include "network/packet_run.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/errors.h"
#include "base/hash.h"
#include "network/completions.h"
#include "network/deliveries.h"
#include "network/flow/ideal.h"
#include "network/layouts.h"
#include "network/packet/checkpoint.h"
#include "network/packet/moments.h"
#include "network/packet/transports/patience.h"
#include "network/packet/transports/transports.h"
#include "network/packet_case.h"
#include "network/packet_setup.h"
#include "network/probes_of.h"
#include "network/simulation_case.h"
#include "network/stall_watch.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

class PacketRun {
 public:
  explicit PacketRun(const SimulationCase& asked) : case_(asked) {}

  SimulationResult run(const SimulationRun& how) {
    if (case_.input.transport == Transport::ideal) return run_fluid(how);
    check_sample_count(case_.probes, case_.asked.scenario.probes, case_.least());
    const packet::TransportTraits traits = packet::traits_of(case_.input, case_.asked.scenario.transports);
    packet::TransportSetup setup = set_up(case_, traits, how.threads, how.traced_flows);
    packet::Moments moments;
    std::optional<packet::Checkpoints> checkpoints;
    if (how.checkpoints.wanted()) checkpoints.emplace(how.checkpoints, identity(how), moments);
    if (checkpoints) setup.checkpoints = &*checkpoints;
    packet::WindowSummary last;
    std::function<std::uint64_t()> received_bytes;
    setup.received_bytes = &received_bytes;
    Picoseconds held_back = 0;
    setup.held_back = &held_back;
    StallWatch watch(case_.asked.scenario, case_.workload.flows, case_.faults, case_.layout.hosts_of_device(),
                     packet::patience_of(setup, traits.backs_off), held_back, received_bytes);
    const packet::RunOutcome run =
        traits.run(setup, case_.asked.scenario.transports, [&](const packet::WindowSummary& now) {
          last = now;
          moments.add(now);
          watch.check(now);
          if (how.progress) how.progress(progress(now));
          // Senders of what nobody answers are done before it has arrived.
          return now.finished < case_.workload.flows.size() || !traits.answers;
        });
    if (checkpoints && checkpoints->stopped()) throw SimulationStopped(progress(last));
    check_end(run, how.checkpoints.resume);
    return result(run, moments);
  }

 private:
  /// Without packets: the time that the hosts' links need, and what one packet's way takes.
  SimulationResult run_fluid(const SimulationRun& how) {
    if (!how.traced_flows.empty()) fail_input(whole("--trace-flows"), "transport 'ideal' sends no packets");
    if (case_.input.delivery)
      fail_input(whole("simulation.delivery"), "transport 'ideal' sends no packets", "nscc or rccc");
    if (case_.input.packet_loss > 0 || case_.input.bit_error_rate)
      fail_input(whole(case_.input.packet_loss > 0 ? "simulation.packet_loss" : "simulation.bit_error_rate"),
                 "transport 'ideal' sends no packets", "any other transport");
    if (!how.checkpoints.resume.empty())
      fail_input(whole(how.checkpoints.resume), "transport 'ideal' has no run to continue");
    if (!case_.probes.empty())
      fail_input(place_of(case_.asked.scenario.probes.front().places), "transport 'ideal' sends no packets",
                 "any other transport");
    if (!case_.asked.scenario.failures.empty())
      fail_input(place_of(case_.asked.scenario.failures.front().places),
                 "transport 'ideal' knows no links that fail", "any other transport");
    workload::check_order_is_known(case_.workload, whole("simulation.transport"),
                                   "any transport but 'ideal'");
    std::vector<flow::FluidFlow> fluid;
    fluid.reserve(case_.workload.flows.size());
    for (const workload::Flow& flow : case_.workload.flows) fluid.push_back(alone(flow));
    flow::run_fluid(case_.layout, case_.limits, case_.workload, fluid);
    packet::RunOutcome run;
    run.counters.finished = case_.workload.flows.size();
    for (const workload::Flow& flow : case_.workload.flows) run.now = std::max(run.now, flow.finished);
    packet::Moments none;
    return result(run, none);
  }

  /// Of the least time of a flow, what its bytes take at its hosts, or on a way that is slower, and the rest.
  flow::FluidFlow alone(const workload::Flow& flow) const {
    const auto full = static_cast<std::uint64_t>(case_.input.packet.si());
    const auto header = static_cast<std::uint64_t>(case_.input.header.si());
    const wiring::Reach reach = case_.layout.reach(flow.from, flow.to);
    const Picoseconds least = picoseconds(case_.ideal_time(flow.bytes, reach));
    const std::uint64_t bytes = flow.bytes + (flow.bytes + full - 1) / full * header;
    const Picoseconds at_hosts = time_at_hosts(flow, bytes);
    const std::uint64_t last = flow.bytes == 0 ? 0 : (flow.bytes - 1) % full + 1;
    const Picoseconds of_last = picoseconds(case_.ideal_time(last, reach));
    const Picoseconds rest = of_last - std::min(of_last, time_at_hosts(flow, last + header));
    const Picoseconds on_way = least - std::min(least, rest);
    // Whole packets are dealt to the planes: up to one more is no slower way.
    if (on_way > at_hosts + case_.layout.host_link(flow.from).time(full + header))
      return {bytes, rest, on_way};
    return {bytes, least - std::min(least, at_hosts), 0};
  }
  Picoseconds time_at_hosts(const workload::Flow& flow, std::uint64_t bytes) const {
    const auto by_links = [&](std::uint32_t host) {
      return case_.layout.host_link(host).time(bytes) / case_.layout.planes;
    };
    return std::max({by_links(flow.from), by_links(flow.to), case_.limits.send.time(bytes),
                     case_.limits.receive.time(bytes)});
  }

  SimulationProgress progress(const packet::WindowSummary& now) const {
    return {now.finished,    case_.workload.flows.size(), Bytes(static_cast<double>(now.delivered_bytes)),
            case_.all_bytes, seconds(now.begin),          now.events};
  }

  /// What a checkpoint has to be of for this run to continue it.
  packet::CheckpointIdentity identity(const SimulationRun& how) const {
    packet::CheckpointIdentity out = {{"the program version", TRAINYARD_VERSION},
                                      {"the engine's behaviour", std::to_string(kEngineBehaviour)}};
    const auto add_file = [&](const char* name, const std::shared_ptr<const SourceText>& file) {
      out.emplace_back(name, file ? text_hash(file->text) : std::string{});
    };
    add_file("the file of --topology", how.files.topology);
    add_file("the file of --connections", how.files.connections);
    add_file("the file of --flows", how.files.flows);
    out.emplace_back("--trace-flows", fmt::format("{}", fmt::join(how.traced_flows, ",")));
    for (const packet::Probe& probe : case_.probes)
      out.emplace_back("[[probe]] of " + probe.name,
                       fmt::format("{},{},{}", probe.interval, probe.from, probe.until));
    for (auto& setting : simulation_settings(case_.asked.scenario)) out.push_back(std::move(setting));
    for (auto& entry : packet::identity_of(case_.layout, case_.workload.flows, case_.workload.dependencies,
                                           case_.workload.lineups, case_.workload.connections, case_.faults))
      out.push_back(std::move(entry));
    return out;
  }

  void check_end(const packet::RunOutcome& run, const std::string& resumed) const {
    if (run.end == packet::RunEnd::deadlock) {
      std::string ports;
      for (const std::string& port : run.deadlock) ports += port + " -> ";
      if (!run.deadlock.empty()) ports += run.deadlock.front();
      fail_input(
          whole(case_.asked.scenario.source_name),
          fmt::format("deadlock at {:.3f} us: ports wait for each other's {}", seconds(run.now).si() * 1e6,
                      case_.input.credit_buffer ? "credits" : "pauses to end"),
          ports);
    }
    if (run.end == packet::RunEnd::overflow && !resumed.empty())
      fail_input(whole(resumed), "a switch with pauses dropped data: no run has this state",
                 "a checkpoint as the program wrote it");
    TY_ASSERT(run.end != packet::RunEnd::overflow,
              "a switch with pauses dropped data: its headroom was too small");
    if (run.counters.finished < case_.workload.flows.size())
      fail_input(whole(case_.asked.scenario.source_name),
                 fmt::format("{} of {} {} finished at {:.6g} s, and nothing is left to happen",
                             run.counters.finished, counted(case_.workload.flows.size(), "flow"),
                             agreeing(run.counters.finished, "has", "have"), seconds(run.now).si()),
                 fmt::format("simulated time ends at {:.3g} s", workload::kHorizon.si()));
  }

  SimulationResult result(const packet::RunOutcome& run, const packet::Moments& moments) {
    SimulationResult out;
    out.design = case_.asked.name;
    out.hosts = case_.asked.hosts;
    out.planes = case_.layout.planes;
    out.link_rate = case_.asked.link_rate();
    out.link_names = case_.layout.link_names;
    out.link_count = case_.layout.most_links();
    if (!run.lost_bytes.empty()) end_by_arrival(case_.workload.flows, run.lost_bytes);
    out.flows = case_.connections.joined(std::move(case_.workload.flows));
    out.lost_bytes = case_.connections.summed(run.lost_bytes);
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
      const std::vector<std::uint32_t> flow_of = case_.connections.flow_of_parts();
      for (packet::TraceEntry& entry : out.trace) {
        if (case_.connections.cut()) entry.flow = flow_of[entry.flow];
      }
      for (std::uint32_t n = 0; n < case_.layout.nodes.size(); ++n)
        out.trace_nodes.push_back(wiring::node_name(case_.layout, n));
    }
    out.ideal = case_.least(out.flows);
    summarize_completions(out, [&](const workload::Flow& flow) { return case_.ideal_time(flow); });
    hosts_to_devices(case_.layout, out.flows);
    return out;
  }

  PacketCase case_;
};

}  // namespace

SimulationResult run_packets(const SimulationCase& asked, const SimulationRun& how) {
  return PacketRun(asked).run(how);
}

Seconds least_of_packets(const SimulationCase& asked) { return PacketCase(asked).least(); }

}  // namespace trainyard
