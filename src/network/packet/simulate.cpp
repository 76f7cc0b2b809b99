#include "network/packet/simulate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "base/nearest.h"
#include "base/quantity_text.h"
#include "network/packet/ndp.h"
#include "topology/loads.h"

namespace trainyard {
namespace {

using packet::Picoseconds;

constexpr double kMostFlows = 20e6;
constexpr double kMostPacketsOfFlow = 4e9;

Picoseconds picoseconds(Seconds time) {
  return static_cast<Picoseconds>(std::llround(time.si() * packet::kPicosecondsPerSecond));
}

Seconds seconds(Picoseconds time) {
  return Seconds(static_cast<double>(time) / packet::kPicosecondsPerSecond);
}

NetworkDesign wanted_design(const Scenario& scenario) {
  std::string name = scenario.simulation.design;
  if (name.empty() && !scenario.designs.empty()) name = scenario.designs.front().name;
  return designs_of(scenario, name).front();
}

class Simulation {
 public:
  explicit Simulation(const Scenario& scenario)
      : input_(scenario.simulation), design_(wanted_design(scenario)), layout_(packet::lay_out(design_)) {
    set_links();
    add_flows();
  }

  Seconds least() const {
    std::uint64_t largest = 0;
    for (const packet::Flow& flow : out_.flows) largest = std::max(largest, flow.bytes);
    return ideal_time(largest);
  }

  SimulationResult run(const SimulationProgress& progress) {
    packet::QueueRules queues;
    queues.data_packets = narrow(input_.queue);
    queues.control_packets = narrow(input_.control_queue);
    queues.trim = input_.trim;
    queues.header_bytes = static_cast<std::uint16_t>(input_.control_packet.si());
    packet::NdpRules rules;
    rules.window_packets = narrow(input_.window);
    rules.packet_bytes = static_cast<std::uint16_t>(input_.packet.si());
    rules.control_bytes = queues.header_bytes;
    rules.timeout = picoseconds(input_.timeout);
    rules.spray = input_.load_balancing == LoadBalancing::spray;
    packet::Ndp ndp(layout_, links_, rules, out_.flows);
    packet::Engine<packet::Ndp> engine(layout_, links_, queues, ndp, starts(), rules.packet_bytes);
    engine.run(packet::kNever, [&](Picoseconds now) {
      if (progress) progress(ndp.finished(), out_.flows.size(), seconds(now));
      return ndp.finished() < out_.flows.size();
    });
    out_.finished = ndp.finished();
    out_.timeouts = ndp.timeouts();
    out_.counters = engine.counters();
    out_.end = seconds(engine.now());
    out_.bytes = engine.bytes() + ndp.bytes();
    summarize();
    return std::move(out_);
  }

 private:
  static std::uint32_t narrow(std::int64_t v) { return static_cast<std::uint32_t>(v); }

  /// Rates whose byte takes whole picoseconds: then sums of times are exact.
  void set_links() {
    if (design_.planes > 1) {
      fail_design(design_.input, "planes", "packets of a host over several planes are not simulated yet",
                  "planes = 1, at the rate of one plane");
    }
    const double exact = 8 * packet::kPicosecondsPerSecond / design_.link_rate.si();
    const double whole_ps = std::round(exact);
    if (whole_ps < 1 || std::abs(exact - whole_ps) > 1e-6) {
      fail_design(
          design_.input, "rate",
          fmt::format("a byte takes {} ps on a link of {}", exact,
                      format_quantity(design_.link_rate.si(), Unit::bits_per_second)),
          "packets are simulated at rates whose byte takes whole picoseconds: 100, 200, 400, 800 Gbps, ...");
    }
    links_.picoseconds_per_byte = static_cast<std::uint64_t>(whole_ps);
    links_.delay = picoseconds(input_.link_delay);
    out_.design = design_.input.name;
    out_.hosts = design_.fabric->endpoints() - design_.gateways;
    out_.link_rate = design_.link_rate;
    out_.link_count = 2 * std::int64_t{layout_.tiers};
  }

  /// The named traffic among the active hosts of the network, as if each were an HB domain of its own.
  void add_flows() {
    const auto& names = traffic_names();
    if (std::find(names.begin(), names.end(), input_.traffic) == names.end()) {
      fail_input(whole("simulation.traffic"), "no traffic '" + input_.traffic + "'",
                 suggestion(input_.traffic, names));
    }
    const double per_flow = std::ceil(input_.bytes.si() / input_.packet.si());
    if (per_flow > kMostPacketsOfFlow)
      fail_input(whole("simulation.bytes"), fmt::format("{:.3g} packets of a flow", per_flow), "fewer bytes");
    NetworkDesign flat = design_;
    flat.hosts = std::max<std::int64_t>(2, std::llround(static_cast<double>(out_.hosts) * input_.active));
    if (flat.hosts > out_.hosts)
      fail_design(design_.input, "hosts", "a network of one host has nobody to talk to");
    flat.domain = 1;
    flat.domains = flat.hosts;
    const TrafficMatrix matrix =
        named_traffic(flat, input_.traffic, input_.bytes, static_cast<std::uint64_t>(input_.seed));
    for (const TrafficFlow& flow : matrix.flows) add_flow(flow.from, flow.to, flow.bytes);
    for (const TrafficClass& c : matrix.classes) {
      visit_groups(matrix, c, [&](const std::vector<std::int64_t>& members) {
        visit_pairs(c.pattern, static_cast<std::int64_t>(members.size()),
                    [&](std::int64_t from, std::int64_t to) {
                      add_flow(members[static_cast<std::size_t>(from)], members[static_cast<std::size_t>(to)],
                               c.pair);
                    });
      });
    }
  }

  /// Active hosts are spread evenly over the network.
  std::uint32_t spread(std::int64_t active_host) const {
    return narrow(static_cast<std::int64_t>(static_cast<double>(active_host) / input_.active + 1e-9));
  }

  void add_flow(std::int64_t from, std::int64_t to, Bytes bytes) {
    const double whole_bytes = std::ceil(bytes.si() - 1e-9);
    if (whole_bytes < 1) return;
    if (static_cast<double>(out_.flows.size()) >= kMostFlows)
      fail_input(whole("simulation.traffic"), fmt::format("more than {:.0f} flows", kMostFlows),
                 "fewer hosts");
    packet::Flow flow;
    flow.from = std::min(spread(from), narrow(out_.hosts - 1));
    flow.to = std::min(spread(to), narrow(out_.hosts - 1));
    flow.bytes = static_cast<std::uint64_t>(whole_bytes);
    if (flow.from != flow.to) out_.flows.push_back(flow);
  }

  std::vector<std::vector<packet::FlowStart>> starts() const {
    std::vector<std::vector<packet::FlowStart>> out(layout_.leaf_of_host.size());
    for (std::uint32_t f = 0; f < out_.flows.size(); ++f)
      out[out_.flows[f].from].push_back({out_.flows[f].start, f});
    return out;
  }

  void summarize() {
    std::vector<Picoseconds> times;
    double sum = 0;
    for (const packet::Flow& flow : out_.flows) {
      if (flow.finished == packet::kNever) continue;
      times.push_back(flow.finished - flow.start);
      sum += seconds(times.back()).si();
    }
    out_.ideal = least();
    if (times.empty()) return;
    std::sort(times.begin(), times.end());
    const auto quantile = [&](double share) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(times.size())));
      return seconds(times[std::max<std::size_t>(rank, 1) - 1]);
    };
    out_.mean = Seconds(sum / static_cast<double>(times.size()));
    out_.median = quantile(0.5);
    out_.p99 = quantile(0.99);
    out_.longest = seconds(times.back());
  }

  /// All bytes on the first link, the last packet on the others, and the last acknowledgement back.
  Seconds ideal_time(std::uint64_t bytes) const {
    const auto full = static_cast<std::uint64_t>(input_.packet.si());
    const std::uint64_t last = bytes == 0 ? 0 : (bytes - 1) % full + 1;
    const auto links = static_cast<std::uint64_t>(out_.link_count);
    const std::uint64_t on_wire =
        bytes + (links - 1) * last + links * static_cast<std::uint64_t>(input_.control_packet.si());
    return seconds(on_wire * links_.picoseconds_per_byte + 2 * links * links_.delay);
  }

  const SimulationInput& input_;
  NetworkDesign design_;
  packet::Layout layout_;
  packet::LinkRules links_;
  SimulationResult out_;
};

}  // namespace

Seconds least_completion(const Scenario& scenario) { return Simulation(scenario).least(); }

SimulationResult simulate(const Scenario& scenario, const SimulationProgress& progress) {
  return Simulation(scenario).run(progress);
}

}  // namespace trainyard
