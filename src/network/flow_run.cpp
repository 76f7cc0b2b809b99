#include "network/flow_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "network/completions.h"
#include "network/flow/flow_simulation.h"
#include "network/flow/moment.h"
#include "network/flow/networks.h"
#include "network/layouts.h"
#include "network/packet/transports/transports.h"
#include "network/simulation_case.h"
#include "network/tier_rules.h"
#include "network/wiring/failures.h"
#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/simulation.h"
#include "workload/connections.h"
#include "workload/flow_order.h"
#include "workload/shards.h"

namespace trainyard {
namespace {

/// Whether switches sum what hosts send.
bool sums(const SimulationInput& input, const workload::Workload& workload) {
  return input.transport != Transport::ideal && packet::traits_of(input.transport).sums &&
         !workload.reductions.empty();
}

flow::NetworkRules rules_of(const SimulationCase& asked, bool summed) {
  const Scenario& scenario = asked.scenario;
  const SimulationInput& input = scenario.simulation;
  flow::NetworkRules rules;
  if (input.load_balancing) {
    rules.load_balancing = *input.load_balancing;
  } else if (input.transport != Transport::ideal) {
    rules.load_balancing = packet::traits_of(input.transport).load_balancing;
  }
  rules.seed = static_cast<std::uint64_t>(input.seed);
  rules.failures = !scenario.failures.empty();
  rules.failures_known = input.failures_known;
  rules.link_delay = input.link_delay;
  rules.packet = input.packet + input.header;
  if (input.cut_through) rules.header = input.control_packet;
  if (summed && flow::takes_one_path(rules.load_balancing)) {
    rules.sums = asked.shape() != nullptr && flow::has_sum_trees(*asked.shape());
    if (!rules.sums) rules.load_balancing = LoadBalancing::spray;  // no tree is named; planes share
  }
  return rules;
}

/// Hosts and links.
struct FlowNetwork {
  const ClosShape* shape = nullptr;  // of a folded Clos network
  std::vector<flow::LinkKind> kinds;
  std::shared_ptr<const wiring::Layout> layout;  // where every link counts by itself
  std::unique_ptr<flow::Network> links;

  bool in_blocks() const { return shape != nullptr && layout == nullptr; }
};

flow::LinkKind kind_of(const wiring::LinkRules& link) {
  return {BytesPerSecond(kPicosecondsPerSecond / static_cast<double>(link.picoseconds_per_byte)),
          seconds(link.delay)};
}

/// What [[tier]] changes, of as many tiers of links.
void apply_tiers(const SimulationCase& asked, std::vector<flow::LinkKind>& kinds) {
  const std::vector<TierInput>& tiers = asked.scenario.tiers;
  std::vector<wiring::LinkRules> links(kinds.size());
  trainyard::apply_tiers(tiers, links);  // refuses what is not there
  for (const TierInput& tier : tiers) {
    flow::LinkKind& kind = kinds[static_cast<std::size_t>(tier.tier)];
    if (tier.delay) kind.delay = *tier.delay;
    if (tier.rate) kind.rate = byte_rate(*tier.rate);
  }
}

std::vector<flow::LinkKind> kinds_of(const SimulationCase& asked) {
  if (asked.design) return {{byte_rate(asked.design->link_rate), asked.input().link_delay}};
  std::vector<flow::LinkKind> out;
  for (const wiring::LinkRules& link : asked.topology->links) out.push_back(kind_of(link));
  return out;
}

/// For times of failures; rates are those of the kinds.
std::vector<wiring::LinkRules> delays_of(const std::vector<flow::LinkKind>& kinds) {
  std::vector<wiring::LinkRules> out;
  for (const flow::LinkKind& kind : kinds) out.push_back({picoseconds(kind.delay), 1});
  return out;
}

/// `summed`: by the switches.
FlowNetwork network_of(const SimulationCase& asked, bool summed) {
  constexpr std::size_t kMostTiers = 3;  // of wiring::Layout
  const flow::NetworkRules rules = rules_of(asked, summed);
  if (summed && rules.failures)
    fail_input(place_of(asked.scenario.failures.front().places),
               "trees of switches are not built again when a link fails",
               "without failures, or another transport");
  const auto planes = static_cast<std::uint32_t>(asked.planes());
  FlowNetwork out{asked.shape(), kinds_of(asked), {}, {}};
  const bool by_link = out.shape != nullptr && flow::link_by_link(*out.shape, rules);
  if (out.shape != nullptr && out.shape->tiers.size() > kMostTiers && by_link) out.shape = nullptr;
  if (out.shape == nullptr) {
    if (!asked.scenario.tiers.empty())
      fail_input(place_of(asked.scenario.tiers.front().places),
                 "at flow level tiers are told apart in one folded Clos network", "--network packet");
    if (rules.failures)
      fail_input(place_of(asked.scenario.failures.front().places),
                 "failures are simulated on one folded Clos network of at most three tiers");
    if (asked.joined()) {
      out.layout = std::make_shared<const wiring::Layout>(layout_of(asked));
      out.links = flow::routed_links(out.layout, rules);
    } else {
      out.links = flow::graph_links(*asked.design, rules);
    }
    return out;
  }
  out.kinds.resize(out.shape->tiers.size(), out.kinds.back());
  apply_tiers(asked, out.kinds);
  if (by_link) {
    const Location where = whole(asked.topology ? asked.name : "simulation.design");
    out.layout = std::make_shared<const wiring::Layout>(
        wiring::lay_out(*out.shape, planes, delays_of(out.kinds), where));
    out.links = flow::clos_links(out.layout, out.kinds, rules);
  } else {
    out.links = flow::sprayed_blocks(*out.shape, planes, out.kinds, rules);
  }
  return out;
}

/// The hosts of a collective that switches do.
struct SumGroup {
  std::uint32_t number = 0;  // as the packet engine counts
  std::uint32_t first = 0;   // host
  std::uint32_t last = 0;    // the farthest host from it: on the way to it stands the root
  std::uint32_t shards = 1;  // of the buffer, each in packets of its own
};

/// Of each host that takes part.
std::map<std::uint32_t, SumGroup> groups_of(const workload::Workload& workload, const flow::Network& links) {
  std::map<std::uint32_t, SumGroup> out;
  std::uint32_t groups = 0;
  for (const workload::Reduction& reduction : workload.reductions) {
    SumGroup group;
    group.first = group.last = workload.flows[reduction.first].from;
    if (out.contains(group.first)) continue;  // the next chunk of a group
    group.number = groups++;
    if (reduction.kind != workload::Reduction::Kind::all_reduce) group.shards = reduction.ranks;
    Seconds farthest{0};
    for (std::uint32_t rank = 1; rank < reduction.ranks; ++rank) {
      const std::uint32_t host = workload.flows[reduction.first + rank].from;
      const Seconds way = links.latency(group.first, host, Bytes(1));
      if (way <= farthest) continue;
      farthest = way;
      group.last = host;
    }
    for (std::uint32_t rank = 0; rank < reduction.ranks; ++rank)
      out[workload.flows[reduction.first + rank].from] = group;
  }
  return out;
}

class FlowRun {
 public:
  FlowRun(const SimulationCase& asked, const SimulationRun& how)
      : asked_(asked),
        input_(asked.input()),
        how_(how),
        workload_(workload_of(asked, 0)),
        network_(network_of(asked, sums(input_, workload_))),
        links_alike_(network_.shape == nullptr || alike(network_.kinds)),
        load_balancing_(rules_of(asked, sums(input_, workload_)).load_balancing),
        connections_(workload_, static_cast<std::uint32_t>(input_.connections_per_flow.value_or(1)),
                     static_cast<std::uint32_t>(asked.planes())),
        sim_(*network_.links) {
    if (network_.layout != nullptr) devices_to_hosts(*network_.layout, workload_);
    if (sums(input_, workload_)) groups_ = groups_of(workload_, *network_.links);
  }

  SimulationResult run() {
    add_flows();
    add_failures();
    progress({});
    while (true) {
      const auto ended = sim_.advance();
      if (ended.empty()) break;
      progress(ended);
    }
    return result();
  }

 private:
  /// Bytes with their headers.
  Bytes on_the_wire(std::uint64_t bytes) const {
    const double payload = static_cast<double>(bytes);
    return Bytes(payload + std::ceil(payload / input_.packet.si()) * input_.header.si());
  }
  Bytes on_the_wire(const workload::Flow& flow) const {
    if (groups_.empty()) return on_the_wire(flow.bytes);
    return Bytes(static_cast<double>(flow.bytes) +
                 static_cast<double>(shards_of(flow).count()) * input_.header.si());
  }
  /// Where switches sum.
  workload::Shards shards_of(const workload::Flow& flow) const {
    return {flow.bytes, groups_.at(flow.from).shards, static_cast<std::uint64_t>(input_.packet.si())};
  }

  void add_flows() {
    workload::check_order_is_known(workload_, whole("--network flow"), "--network packet");
    const auto& flows = workload_.flows;
    id_.resize(flows.size());
    number_.reserve(flows.size());
    std::vector<std::vector<flow::After>> before(workload_.dependencies.empty() ? 0 : flows.size());
    sim_.reserve(flows.size());
    for (const workload::Dependency& d : workload_.dependencies)
      before[d.after].push_back({d.before, !d.on_receipt});
    for (const std::uint32_t f : workload::order_of(flows.size(), workload_.dependencies)) {
      flow::FlowRequest request;
      request.from = flows[f].from;
      request.to = flows[f].to;
      request.bytes = on_the_wire(flows[f]);
      request.start = seconds(flows[f].start);
      if (!before.empty()) request.after = std::move(before[f]);
      for (flow::After& a : request.after) a.flow = id_[a.flow];
      request.latency = last_packet(flows[f]);
      request.reply = reply(flows[f]);
      request.hash = groups_.empty() ? f : groups_.at(flows[f].from).number;
      request.plane = flows[f].plane;
      id_[f] = sim_.add(request);
      number_.push_back(f);
      all_bytes_ += Bytes(static_cast<double>(flows[f].bytes));
    }
  }

  void add_failures() {
    if (network_.layout == nullptr) return;
    for (const wiring::LinkChange& change : wiring::link_changes(*network_.layout, asked_.scenario.failures))
      sim_.set_link_share(change.port, change.share, seconds(change.time));
  }

  /// What the last packet takes after it left its host; where switches sum, by way of the root.
  Seconds last_packet(const workload::Flow& flow) const {
    const auto full = static_cast<std::uint64_t>(input_.packet.si());
    const std::uint64_t payload = flow.bytes == 0 ? 0 : (flow.bytes - 1) % full + 1;
    if (groups_.empty()) return network_.links->latency(flow.from, flow.to, on_the_wire(payload));
    const SumGroup& group = groups_.at(flow.from);
    const workload::Shards shards = shards_of(flow);
    return network_.links->latency(group.first, group.last, on_the_wire(shards.payload(shards.count() - 1)));
  }
  /// What the last acknowledgement takes; nobody answers a sum.
  Seconds reply(const workload::Flow& flow) const {
    if (!groups_.empty()) return Seconds(0);
    return network_.links->latency(flow.to, flow.from, input_.control_packet) +
           input_.control_packet / slowest(flow);
  }
  /// Of the links on its way; of sums, of that to the root.
  BytesPerSecond slowest(const workload::Flow& flow) const {
    const auto group = groups_.find(flow.from);
    const bool sums = group != groups_.end();
    const std::uint32_t from = sums ? group->second.first : flow.from;
    const std::uint32_t to = sums ? group->second.last : flow.to;
    const std::size_t last = links_alike_ ? 0 : meeting_tier(from, to);
    BytesPerSecond out = network_.kinds.front().rate;
    for (std::size_t t = 1; t <= last; ++t) out = std::min(out, network_.kinds[t].rate);
    return out;
  }
  /// At which a way turns, in a folded Clos network.
  std::size_t meeting_tier(std::uint32_t from, std::uint32_t to) const {
    if (network_.layout != nullptr) return network_.layout->meeting_tier(from, to);
    const ClosShape& shape = *network_.shape;
    const std::int64_t a = share_of(shape.endpoints, shape.leaves(), from);
    const std::int64_t b = share_of(shape.endpoints, shape.leaves(), to);
    std::size_t tier = 0;
    while (shape.block_of_leaf(tier, a) != shape.block_of_leaf(tier, b)) ++tier;
    return tier;
  }

  /// Of a flow alone, over all planes.
  Seconds least(const workload::Flow& flow) const {
    return on_the_wire(flow) / fastest(flow) + last_packet(flow) + reply(flow);
  }
  BytesPerSecond fastest(const workload::Flow& flow) const {
    const auto planes = static_cast<double>(asked_.planes());
    const bool in_clos = network_.shape != nullptr;
    if (in_clos && (links_alike_ || flow::takes_one_path(load_balancing_))) return planes * slowest(flow);
    flow::Route route;
    network_.links->route({flow.from, flow.to, 0}, {}, route);
    double rate = flow::kForever.si();
    for (const flow::LinkShare& use : route)
      rate = std::min(rate, network_.links->capacities()[use.link] / use.share);
    return BytesPerSecond(rate);
  }

  void progress(std::span<const flow::FlowId> ended) {
    for (const flow::FlowId id : ended)
      delivered_ += Bytes(static_cast<double>(workload_.flows[number_[id]].bytes));
    if (how_.progress)
      how_.progress({sim_.ended(), sim_.flows(), delivered_, all_bytes_, sim_.now(), sim_.events()});
  }

  SimulationResult result() {
    SimulationResult out;
    out.packets = false;
    out.design = asked_.name;
    out.hosts = asked_.hosts;
    out.planes = asked_.planes();
    out.link_rate = bit_rate(network_.kinds.front().rate);
    out.counters.events = sim_.events();
    std::vector<workload::Flow> flows = std::move(workload_.flows);
    for (std::uint32_t f = 0; f < flows.size(); ++f) {
      workload::Flow& flow = flows[f];
      const flow::FlowTimes times = sim_.times(id_[f]);
      flow.began = flow::moment(times.began, workload_, f);
      flow.received = flow::moment(times.received, workload_, f);
      flow.finished = flow::moment(times.known, workload_, f);
      if (times.known < flow::kForever) out.end = std::max(out.end, times.known);
    }
    out.flows = connections_.joined(std::move(flows));
    std::uint64_t largest = 0;
    for (const workload::Flow& flow : out.flows) {
      largest = std::max(largest, flow.bytes);
      if (flow.finished != kNever) ++out.counters.finished;
    }
    for (const workload::Flow& flow : out.flows) {
      if (flow.bytes == largest) out.ideal = std::max(out.ideal, least(flow));
    }
    count_links(out);
    summarize_completions(out, [&](const workload::Flow& flow) { return least(flow); });
    if (network_.layout != nullptr) hosts_to_devices(*network_.layout, out.flows);
    return out;
  }

  void count_links(SimulationResult& out) const {
    if (network_.shape == nullptr && network_.layout == nullptr) return;
    const std::vector<double> carried = sim_.carried();
    for (auto* uses : {&out.up, &out.down}) {
      for (const flow::LinkKind& kind : kinds_of_uses())
        uses->push_back({0, 0, 0, kPicosecondsPerSecond / kind.rate.si()});
    }
    if (network_.shape == nullptr) out.link_names = network_.layout->link_names;
    if (network_.in_blocks()) {
      count_blocks(carried, out);
    } else {
      count_ports(carried, out);
    }
  }

  std::vector<flow::LinkKind> kinds_of_uses() const {
    if (network_.shape != nullptr) return network_.kinds;
    std::vector<flow::LinkKind> out;
    for (const wiring::LinkRules& link : network_.layout->links) out.push_back(kind_of(link));
    return out;
  }

  static void count(packet::LinkUse& use, double bytes, std::int64_t links) {
    use.bytes += static_cast<std::uint64_t>(std::llround(bytes));
    use.ports += static_cast<std::uint32_t>(links);
    use.most_bytes = std::max(use.most_bytes,
                              static_cast<std::uint64_t>(std::llround(bytes / static_cast<double>(links))));
  }

  void count_blocks(const std::vector<double>& carried, SimulationResult& out) const {
    const ClosShape& shape = *network_.shape;
    const std::int64_t planes = asked_.planes();
    const auto hosts = static_cast<std::size_t>(shape.endpoints);
    for (std::size_t h = 0; h < hosts; ++h) {
      count(out.up[0], carried[h], planes);
      count(out.down[0], carried[hosts + h], planes);
    }
    std::size_t link = 2 * hosts;
    for (std::size_t t = 0; t < shape.top(); ++t) {
      const std::int64_t links = planes * shape.width(t) * shape.tiers[t].uplinks;
      for (std::int64_t b = 0; b < shape.blocks(t); ++b, link += 2) {
        count(out.up[t + 1], carried[link], links);
        count(out.down[t + 1], carried[link + 1], links);
      }
    }
  }

  void count_ports(const std::vector<double>& carried, SimulationResult& out) const {
    const wiring::Layout& layout = *network_.layout;
    for (const wiring::Node& node : layout.nodes) {
      for (std::uint32_t p = 0; p < node.ports; ++p) {
        const std::uint32_t port = node.first_port + p;
        if (layout.hands_over(node, port)) continue;
        const bool up = node.hosts || p >= node.ports_down;
        count((up ? out.up : out.down)[layout.wires[port].link], carried[port], 1);
      }
    }
  }

  static bool alike(const std::vector<flow::LinkKind>& kinds) {
    return std::all_of(kinds.begin(), kinds.end(),
                       [&](const flow::LinkKind& kind) { return kind.rate == kinds.front().rate; });
  }

  const SimulationCase& asked_;
  const SimulationInput& input_;
  const SimulationRun& how_;
  workload::Workload workload_;
  FlowNetwork network_;
  bool links_alike_;  // as fast as each other, but for networks that are no folded Clos
  LoadBalancing load_balancing_;
  workload::Connections connections_;
  flow::FlowSimulation sim_;
  std::map<std::uint32_t, SumGroup> groups_;  // by host; where switches sum
  std::vector<flow::FlowId> id_;              // of each flow of the workload
  std::vector<std::uint32_t> number_;         // and back
  Bytes all_bytes_{0};
  Bytes delivered_{0};
};

/// Hosts are as fast as their links here, and what is sprayed is even.
void check_input(const SimulationInput& input) {
  const std::pair<const char*, bool> limits[] = {
      {"simulation.host_send_rate", input.host_send_rate.has_value()},
      {"simulation.host_receive_rate", input.host_receive_rate.has_value()},
      {"simulation.pcie_rate", input.pcie_rate.has_value()}};
  for (const auto& [key, given] : limits) {
    if (given) fail_input(whole(key), "hosts have no limits of their own at flow level", "--network packet");
  }
  if (input.routing.value_or(PacketRouting::minimal) != PacketRouting::minimal)
    fail_input(whole("simulation.routing"), "flows take shortest ways at flow level", "--network packet");
  if (input.credit_buffer || input.link_retry || input.bit_error_rate)
    fail_input(whole(input.credit_buffer ? "simulation.credit_buffer"
                     : input.link_retry  ? "simulation.link_retry"
                                         : "simulation.bit_error_rate"),
               "links have no packets at flow level", "--network packet");
  if (input.packet_loss > 0)
    fail_input(whole("simulation.packet_loss"), "nothing is lost at flow level", "--network packet");
  if (input.delivery)
    fail_input(whole("simulation.delivery"), "nothing is lost, or sent again, at flow level",
               "--network packet");
  if (input.entropies)
    fail_input(whole("simulation.entropies"), "sprayed flows are even over their paths at flow level",
               "--network packet");
}

void check_run(const SimulationRun& run) {
  if (!run.traced_flows.empty())
    fail_input(whole("--trace-flows"), "at flow level there are no packets to trace", "--network packet");
  if (run.checkpoints.wanted())
    fail_input(whole(run.checkpoints.resume.empty() ? "--checkpoint" : run.checkpoints.resume),
               "runs at flow level are not saved or continued", "--network packet");
}

}  // namespace

SimulationResult run_flows(const SimulationCase& asked, const SimulationRun& how) {
  check_run(how);
  if (!asked.scenario.probes.empty())
    fail_input(place_of(asked.scenario.probes.front().places), "at flow level there are no queues to sample",
               "--network packet");
  check_input(asked.input());
  return FlowRun(asked, how).run();
}

}  // namespace trainyard
