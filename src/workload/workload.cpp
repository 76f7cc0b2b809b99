#include "workload/workload.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/counted.h"
#include "collective/all_reduces.h"
#include "collective/library_schedules.h"
#include "collective/traffic_groups.h"
#include "topology/fabric.h"
#include "topology/topology.h"
#include "trainyard/nearest.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"
#include "trainyard/scenario.h"
#include "workload/arrivals.h"
#include "workload/collectives.h"

namespace trainyard::workload {
namespace {

constexpr double kMostFlows = 20e6;
constexpr double kMostPacketsOfFlow = 4e9;

/// What generated traffic is made of.
struct Request {
  const SimulationInput& input;
  std::vector<std::uint32_t> hosts;
  BitRate host_rate;
};

std::uint64_t whole_bytes(Bytes bytes) { return static_cast<std::uint64_t>(std::ceil(bytes.si() - 1e-9)); }

Collective collective_of(const Request& request) {
  return {request.hosts, whole_bytes(request.input.bytes),
          static_cast<std::uint64_t>(request.input.chunks.value_or(1)),
          static_cast<std::uint64_t>(request.input.group.value_or(1))};
}

Workload poisson(const Request& request) {
  const SimulationInput& input = request.input;
  if (!input.load)
    fail_input(whole("simulation.load"), "poisson needs the share of the hosts' rate that arrives",
               "such as 0.5");
  if (input.flows.has_value() == input.duration.has_value())
    fail_input(whole("simulation.flows"), "poisson needs an end",
               "either simulation.flows or simulation.duration");
  const std::uint64_t bytes = std::max<std::uint64_t>(1, whole_bytes(input.bytes));
  PoissonArrivals arrivals{request.hosts, request.host_rate, *input.load,
                           size_distribution(input.sizes.value_or(FlowSizes::fixed), bytes),
                           static_cast<std::uint64_t>(input.seed)};
  if (input.flows) arrivals.flows = static_cast<std::uint64_t>(*input.flows);
  arrivals.duration = input.duration;
  return poisson_flows(arrivals);
}

template <Workload (*Make)(const Collective&)>
Workload collective(const Request& request) {
  return Make(collective_of(request));
}

Workload of_switches(const Request& request, Reduction::Kind kind) {
  Collective all = collective_of(request);
  if (!request.input.group) all.group = all.hosts.size();
  return in_network(all, kind);
}

/// Settings that only some traffic has a use for.
enum Setting : unsigned { kLoad = 1, kFlows = 2, kDuration = 4, kSizes = 8, kChunks = 16, kGroup = 32 };

struct SettingName {
  Setting setting;
  const char* name;
};
constexpr SettingName kSettings[] = {{kLoad, "load"},   {kFlows, "flows"},   {kDuration, "duration"},
                                     {kSizes, "sizes"}, {kChunks, "chunks"}, {kGroup, "group"}};

unsigned settings_given(const SimulationInput& input) {
  return (input.load ? kLoad : 0U) | (input.flows ? kFlows : 0U) | (input.duration ? kDuration : 0U) |
         (input.sizes ? kSizes : 0U) | (input.chunks ? kChunks : 0U) | (input.group ? kGroup : 0U);
}

/// Traffic that is generated flow by flow. `sign` is the setting that tells it from the named traffic of the
/// same name; 0: there is none.
struct Generator {
  std::string_view name;
  unsigned uses;
  unsigned sign;
  std::function<Workload(const Request&)> make;
  bool is_operation = true;  // of which all parts have to arrive
};

/// Those of all-reduces (src/collective/) between the others.
std::vector<Generator> all_generators() {
  std::vector<Generator> out = {{"poisson", kLoad | kFlows | kDuration | kSizes, 0, poisson, false}};
  for (const RegisteredAllReduce& entry : all_reduces()) {
    for (const CollectiveSchedule& schedule : entry.algorithm->schedules) {
      out.push_back({schedule.traffic, kChunks, 0, [&schedule](const Request& request) {
                       return scheduled(collective_of(request), schedule);
                     }});
    }
  }
  for (const CollectiveSchedule* schedule : {&pat_all_gather(), &pat_reduce_scatter()}) {
    out.push_back({schedule->traffic, kChunks, 0, [schedule](const Request& request) {
                     return scheduled(collective_of(request), *schedule);
                   }});
  }
  for (const InNetworkTraffic& entry : kInNetworkTraffics) {
    out.push_back({entry.traffic, kChunks | kGroup, 0,
                   [kind = entry.kind](const Request& request) { return of_switches(request, kind); }});
  }
  out.push_back({"tree_all_reduce", kChunks, 0, collective<tree_all_reduce>});
  out.push_back({"hierarchical_all_reduce", kChunks | kGroup, kGroup, collective<hierarchical_all_reduce>});
  out.push_back({"all_to_all_windowed", kGroup, 0, collective<all_to_all_windowed>});
  out.push_back({"pipeline", kChunks, kChunks, collective<pipeline_transfers>});
  return out;
}

const std::vector<Generator>& generators() {
  static const std::vector<Generator> table = all_generators();
  return table;
}

const Generator* generator_of(const SimulationInput& input) {
  for (const Generator& g : generators()) {
    if (input.traffic == g.name && (g.sign == 0 || (settings_given(input) & g.sign) != 0)) return &g;
  }
  return nullptr;
}

std::string users_of(Setting setting) {
  std::string out;
  for (const Generator& g : generators()) {
    if ((g.uses & setting) == 0) continue;
    out += (out.empty() ? "" : ", ") + std::string(g.name);
    if (g.sign == kGroup && setting != kGroup) out += " with simulation.group";
  }
  return out;
}

/// A setting without effect would be a mistake that nobody notices.
void check_settings(const SimulationInput& input, unsigned uses) {
  const unsigned idle = settings_given(input) & ~uses;
  for (const SettingName& s : kSettings) {
    if ((idle & s.setting) == 0) continue;
    fail_input(whole(std::string("simulation.") + s.name),
               "traffic '" + input.traffic + "' has no use for it", "for: " + users_of(s.setting));
  }
}

void check_packets(const SimulationInput& input) {
  const double per_flow = std::ceil(input.bytes.si() / input.packet.si());
  if (per_flow > kMostPacketsOfFlow)
    fail_input(whole("simulation.bytes"), fmt::format("{:.3g} packets of a flow", per_flow), "fewer bytes");
}

/// The named traffic among the active hosts of the network, as if each were an HB domain of its own.
class NamedTraffic {
 public:
  NamedTraffic(const SimulationInput& input, const NetworkDesign& design, std::vector<std::uint32_t> hosts)
      : input_(input), design_(design), hosts_(std::move(hosts)) {}

  Workload build() {
    NetworkDesign flat = design_;
    flat.hosts = static_cast<std::int64_t>(hosts_.size());
    flat.domain = 1;
    flat.domains = flat.hosts;
    const TrafficMatrix matrix =
        named_traffic(flat, input_.traffic, input_.bytes, static_cast<std::uint64_t>(input_.seed));
    check_flow_count(flow_count(matrix), "simulation.traffic");
    for (const TrafficFlow& flow : matrix.flows) add(flow.from, flow.to, flow.bytes);
    for (const TrafficClass& c : matrix.classes) {
      visit_groups(matrix, c, [&](const std::vector<std::int64_t>& members) {
        visit_pairs(
            c.pattern, static_cast<std::int64_t>(members.size()), [&](std::int64_t from, std::int64_t to) {
              add(members[static_cast<std::size_t>(from)], members[static_cast<std::size_t>(to)], c.pair);
            });
      });
    }
    return std::move(out_);
  }

 private:
  static double flow_count(const TrafficMatrix& matrix) {
    auto sum = static_cast<double>(matrix.flows.size());
    for (const TrafficClass& c : matrix.classes) {
      const std::int64_t size = group_size(c);
      const std::int64_t groups = matrix.devices / size;
      sum += static_cast<double>(groups) * pairs_of_group(c.pattern, size);
    }
    return sum;
  }

  void add(std::int64_t from, std::int64_t to, Bytes bytes) {
    const std::uint64_t size = whole_bytes(bytes);
    if (size < 1) return;
    Flow flow;
    flow.from = hosts_[static_cast<std::size_t>(from)];
    flow.to = hosts_[static_cast<std::size_t>(to)];
    flow.bytes = size;
    if (flow.from != flow.to) out_.flows.push_back(flow);
  }

  const SimulationInput& input_;
  const NetworkDesign& design_;
  std::vector<std::uint32_t> hosts_;
  Workload out_;
};

}  // namespace

const std::vector<std::string>& simulated_traffic_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out = traffic_names();
    for (const Generator& g : generators()) {
      if (g.sign == 0) out.emplace_back(g.name);
    }
    return out;
  }();
  return names;
}

std::vector<std::uint32_t> active_hosts(const Scenario& scenario, const NetworkDesign& design,
                                        std::int64_t hosts) {
  const double active = scenario.simulation.active;
  const std::int64_t count = std::max<std::int64_t>(2, std::llround(static_cast<double>(hosts) * active));
  if (count > hosts) fail_design(design.input, "hosts", "a network of one host has nobody to talk to");
  std::vector<std::uint32_t> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = std::min(static_cast<double>(i) / active + 1e-9, static_cast<double>(hosts - 1));
    out.push_back(static_cast<std::uint32_t>(at));
  }
  return out;
}

void check_flow_count(double flows, const std::string& setting) {
  if (flows <= kMostFlows) return;
  constexpr double kWritten = 1e15;  // whole; above, in powers of ten
  fail_input(
      whole(setting),
      fmt::format("{} flows; a simulation takes {:.0f}",
                  flows < kWritten ? fmt::format("{:.0f}", flows) : fmt::format("{:.3g}", flows), kMostFlows),
      "fewer hosts or fewer flows");
}

Workload workload_of(const Scenario& scenario, const NetworkDesign& design, std::int64_t hosts) {
  const SimulationInput& input = scenario.simulation;
  const auto& names = simulated_traffic_names();
  if (std::find(names.begin(), names.end(), input.traffic) == names.end())
    fail_input(whole("simulation.traffic"), "no traffic '" + input.traffic + "'",
               suggestion(input.traffic, names));
  const Generator* generator = generator_of(input);
  check_settings(input, generator != nullptr ? generator->uses : 0);
  check_packets(input);
  if (generator != nullptr && generator->is_operation && input.delivery == Delivery::uud)
    fail_input(whole("simulation.delivery"),
               "all parts of " + input.traffic + " have to arrive, and nobody sends again what is lost",
               "rod, rud or rudi");
  std::vector<std::uint32_t> active = active_hosts(scenario, design, hosts);
  Workload out = generator == nullptr ? NamedTraffic(input, design, std::move(active)).build()
                                      : generator->make({input, std::move(active), design.host_rate});
  const bool drawn = input.sizes.value_or(FlowSizes::fixed) != FlowSizes::fixed;
  out.place = [drawn](std::uint32_t) { return whole(drawn ? "simulation.sizes" : "simulation.bytes"); };
  return out;
}

void fail_horizon(const Workload& workload, std::uint32_t flow, const std::string& what) {
  fail_input(workload.place ? workload.place(flow) : whole("simulation"), what,
             fmt::format("simulated time ends at {:.3g} s: smaller flows or higher rates", kHorizon.si()));
}

namespace {

/// For each flow that waits without end one that it waits for and that does, too; itself where none is known.
std::vector<std::uint32_t> stuck_before(const Workload& workload, const std::vector<std::uint32_t>& left) {
  std::vector<std::uint32_t> out(left.size());
  std::iota(out.begin(), out.end(), 0U);
  const auto note = [&](std::uint32_t before, std::uint32_t after) {
    if (left[before] > 0 && left[after] > 0) out[after] = before;
  };
  for (const Dependency& d : workload.dependencies) {
    if (d.after < left.size()) {
      note(d.before, d.after);
    } else {
      for (const std::uint32_t flow : workload.lineups[d.after - left.size()]) note(d.before, flow);
    }
  }
  for (const Connection& messages : workload.connections) {
    for (std::size_t m = 1; m < messages.size(); ++m) note(messages[m - 1], messages[m]);
  }
  return out;
}

/// Flows that wait for each other, each for the next and the last for the first; or the one that `stuck`
/// waits for without a known reason.
std::vector<std::uint32_t> circle_behind(std::uint32_t stuck, const std::vector<std::uint32_t>& before) {
  std::vector<bool> seen(before.size(), false);
  std::uint32_t at = stuck;
  for (; !seen[at]; at = before[at]) seen[at] = true;
  std::vector<std::uint32_t> circle = {at};
  for (std::uint32_t next = before[at]; next != at; next = before[next]) circle.push_back(next);
  std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
  return circle;
}

std::string circle_text(const std::vector<std::uint32_t>& circle, const PlaceOfFlow& place) {
  constexpr std::size_t kShown = 6;
  const auto named = [&](std::uint32_t flow) {
    return place ? fmt::format("flow {} (line {})", flow, place(flow).line) : fmt::format("flow {}", flow);
  };
  std::string out = named(circle.front());
  if (circle.size() == 1) return out + " is one of them or waits for one";
  for (std::size_t i = 1; i < std::min(circle.size(), kShown); ++i) out += " waits for " + named(circle[i]);
  if (circle.size() > kShown) out += fmt::format(" and so on, {} flows in all,", circle.size());
  return out + " waits for " + named(circle.front());
}

}  // namespace

void check_dependencies(const Workload& workload, const Location& where, const PlaceOfFlow& place) {
  if (workload.dependencies.empty() && workload.connections.empty() && workload.lineups.empty()) return;
  const std::size_t flows = workload.flows.size();
  std::vector<std::uint32_t> left(flows, 0);
  std::vector<std::vector<std::uint32_t>> after(flows);
  std::vector<std::size_t> begun(workload.lineups.size(), 0);
  for (const Lineup& lineup : workload.lineups) {
    for (const std::uint32_t flow : lineup) ++left[flow];
  }
  for (const Dependency& d : workload.dependencies) {
    if (d.after < flows) ++left[d.after];
    after[d.before].push_back(d.after);
  }
  for (const Connection& messages : workload.connections) {
    for (std::size_t m = 1; m < messages.size(); ++m) {
      ++left[messages[m]];
      after[messages[m - 1]].push_back(messages[m]);
    }
  }
  std::vector<std::uint32_t> free;
  for (std::uint32_t f = 0; f < left.size(); ++f) {
    if (left[f] == 0) free.push_back(f);
  }
  std::size_t done = 0;
  while (!free.empty()) {
    const std::uint32_t flow = free.back();
    free.pop_back();
    ++done;
    for (std::uint32_t next : after[flow]) {
      if (next >= flows) {
        const Lineup& lineup = workload.lineups[next - flows];
        std::size_t& at = begun[next - flows];
        if (at == lineup.size()) continue;
        next = lineup[at++];
      }
      if (--left[next] == 0) free.push_back(next);
    }
  }
  if (done == flows) return;
  const auto stuck = static_cast<std::uint32_t>(
      std::find_if(left.begin(), left.end(), [](std::uint32_t n) { return n > 0; }) - left.begin());
  const std::vector<std::uint32_t> circle = circle_behind(stuck, stuck_before(workload, left));
  fail_input(place ? place(circle.front()) : where,
             fmt::format("{} {} for each other in a circle, or for one that does",
                         counted(left.size() - done, "flow"), agreeing(left.size() - done, "waits", "wait")),
             circle_text(circle, place));
}

void check_order_is_known(const Workload& workload, const Location& where, const std::string& help) {
  if (!workload.connections.empty())
    fail_input(where, "messages of one connection share its packets' order", help);
  if (workload.lineups.empty()) return;
  fail_input(where, "which flow a multishot trigger begins follows from the run, packet by packet", help);
}

}  // namespace trainyard::workload
