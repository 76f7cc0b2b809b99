#include "circuits/demands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/counted.h"
#include "base/errors.h"
#include "collective/all_reduces.h"
#include "facility/networks.h"
#include "scenario/choices/assumptions.h"
#include "scenario/in_force.h"
#include "step/build_step.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/range.h"

namespace trainyard {

std::int64_t all_to_all_turns(std::int64_t hosts, std::int64_t ports) {
  const bool leaves_one_out = hosts % 2 == 1 && ports % 2 == 1;
  const std::int64_t sets = leaves_one_out ? hosts : hosts - 1;
  return (sets + ports - 1) / ports;
}

double ring_detour(std::int64_t hosts) {
  const double n = real(hosts);
  return hosts % 2 == 0 ? n * n / (4 * (n - 1)) : (n + 1) / 4;
}

namespace circuits {
namespace {

constexpr std::int64_t kRingNeighbours = 2;

/// Sums that are no rings need other neighbours, or switches that sum.
void check_sums(const Plan& plan) {
  for (const GradientStage& stage : plan.communication.gradient.stages) {
    if (stage.network != NetworkLevel::scale_out || stage.peers <= kRingNeighbours) continue;
    if (all_reduce_of(stage.algorithm).is_ring) continue;
    throw Infeasible("sums of gradients that circuits carry",
                     fmt::format("{} devices sum by '{}', and circuits hold rings", stage.peers,
                                 choice_name(stage.algorithm)),
                     "it would hold with assumptions.exchange_between_domains = \"ring\"");
  }
}

[[noreturn]] void fail_ports(std::int64_t needed, std::int64_t have, const std::string& what) {
  throw Infeasible(
      "a circuit for every neighbour",
      fmt::format("for {} a device needs {}, and has {} that {}", what, counted(needed, "port"), have,
                  agreeing(have, "works", "work")),
      fmt::format("it would hold with circuits.ports = {}{}", needed,
                  needed > kRingNeighbours ? ", or circuits that change (circuits.reconfigure)" : ""));
}

bool exchanges_context(const Plan& plan) {
  return software_of(plan.scenario).context_exchange == ContextExchange::all_to_all &&
         plan.scenario.assumptions.compute_model == ComputeModel::calibrated;
}

}  // namespace

std::string_view traffic_name(Traffic traffic) {
  constexpr std::string_view kNames[] = {
      "data", "first and last stage", "sum over all", "expert", "context", "pipeline"};
  return kNames[static_cast<std::size_t>(traffic)];
}

Demands::Demands(const StepModel& model, const Plan& plan, const CircuitsInput& settings, Ports ports,
                 StepTime change)
    : graph_(model.graph),
      settings_(settings),
      ports_(ports),
      rail_(networks_of(plan.scenario).scale_out),
      stages_(model.shape.stages),
      replicas_(static_cast<std::int32_t>(model.replicas.size())),
      layers_per_operation_(model.layers_per_operation),
      most_bytes_(graph_.classes().size(), 0),
      needs_(graph_.classes().size()) {
  rail_.rate = rail_.rate * ports.kept;
  check_sums(plan);
  for (const StepOperation& op : graph_.operations()) {
    if (is_transfer(op.work)) most_bytes_[op.transfer] = std::max(most_bytes_[op.transfer], op.bytes);
  }
  for (std::size_t i = 0; i < needs_.size(); ++i) add_class(i, plan);
  if (fixed()) {
    share_ports_for_good();
  } else {
    for (std::size_t i = 0; i < needs_.size(); ++i)
      if (needs_[i].on_rail) set_ports(needs_[i], change, most_bytes_[i]);
  }
  number_keys();
  find_members();
}

void Demands::add_class(std::size_t index, const Plan& plan) {
  const TransferClass& c = graph_.classes()[index];
  ClassNeed& need = needs_[index];
  const double bytes = most_bytes_[index];
  const bool beside = settings_.electrical_rate && bytes < settings_.electrical_below.si();
  need.on_rail = c.network == StepResource::scale_out && bytes > 0 && !beside;
  set_group(need, c, plan);
}

void Demands::set_group(ClassNeed& need, const TransferClass& c, const Plan& plan) const {
  need.members = c.ranks;
  switch (c.work) {
    case StepWork::pipeline:
      need.traffic = Traffic::pipeline;
      need.members = stages_;
      break;
    case StepWork::expert:
      need.traffic = Traffic::expert;
      need.all_to_all = true;
      need.members = std::max<std::int64_t>(2, plan.mapping.expert_domains());
      break;
    case StepWork::context:
      need.traffic = Traffic::context;
      need.members = std::max<std::int64_t>(2, plan.mapping.domains_per_group);
      need.all_to_all = exchanges_context(plan);
      break;
    default:
      need.traffic = c.span == TransferSpan::ends  ? Traffic::ends
                     : c.span == TransferSpan::all ? Traffic::all
                                                   : Traffic::data;
  }
  const std::int64_t others = need.members - 1;
  need.neighbours = need.all_to_all ? others : std::min(others, kRingNeighbours);
}

/// One kind has all ports that work.
void Demands::set_ports(ClassNeed& need, StepTime change, double bytes) const {
  const bool pipeline = need.traffic == Traffic::pipeline;
  need.by_pair =
      pipeline && (settings_.reconfigure == CircuitChange::transfers || ports_.working < need.neighbours);
  if (need.all_to_all && need.neighbours > ports_.working) return set_all_to_all(need, change, bytes);
  const std::int64_t at_once = need.by_pair ? 1 : need.neighbours;
  const std::int64_t each = ports_.working / at_once;
  if (each == 0) fail_ports(at_once, ports_.working, fmt::format("rings of {}", traffic_name(need.traffic)));
  need.ports = each * at_once;
  need.share = real(pipeline ? each : need.ports) / real(ports_.all);
}

/// More peers than ports: in turns, or handed on around a ring.
void Demands::set_all_to_all(ClassNeed& need, StepTime change, double bytes) const {
  const std::int64_t turns = all_to_all_turns(need.members, ports_.working);
  ClassNeed rotate = need;
  rotate.ports = ports_.working;
  rotate.turns = turns;
  rotate.share = real(ports_.working) / real(ports_.all);
  rotate.detour = real(turns * ports_.working) / real(need.neighbours);
  const std::int64_t pairs = ports_.working / kRingNeighbours;
  const bool rings = pairs > 0;
  if (!rings && settings_.all_to_all == CircuitAllToAll::forward)
    fail_ports(kRingNeighbours, ports_.working, "rings that hand on");
  ClassNeed ring = need;
  if (rings) {
    ring.neighbours = kRingNeighbours;
    ring.ports = pairs * kRingNeighbours;
    ring.share = real(ring.ports) / real(ports_.all);
    ring.detour = ring_detour(need.members);
  }
  const auto time = [&](const ClassNeed& way) {
    const double within = real(2 * layers_per_operation_) * real(way.turns - 1);
    return bytes * way.detour / (rail_.rate.si() * way.share) + within * seconds_of(change).si();
  };
  const bool by_ring =
      rings && (settings_.all_to_all == CircuitAllToAll::forward ||
                (settings_.all_to_all == CircuitAllToAll::best && time(ring) < time(rotate)));
  need = by_ring ? ring : rotate;
}

/// Every neighbour of every kind has as many ports; an all-to-all of more peers goes around a ring.
void Demands::share_ports_for_good() {
  std::map<std::pair<Traffic, std::int64_t>, std::int64_t> wanted;
  for (ClassNeed& need : needs_) {
    if (!need.on_rail) continue;
    if (need.all_to_all && need.neighbours > kRingNeighbours) {
      need.neighbours = kRingNeighbours;
      need.detour = ring_detour(need.members);
    }
    wanted[{need.traffic, need.members}] = need.neighbours;
  }
  std::int64_t sum = 0;
  for (const auto& [kind, neighbours] : wanted) sum += neighbours;
  if (sum == 0) return;
  const std::int64_t each = ports_.working / sum;
  if (each == 0) fail_ports(sum, ports_.working, "all kinds together");
  for (ClassNeed& need : needs_) {
    if (!need.on_rail) continue;
    need.ports = each * need.neighbours;
    need.share = real(need.traffic == Traffic::pipeline ? each : need.ports) / real(ports_.all);
  }
}

bool Demands::electrical(OperationId id) const {
  const StepOperation& op = graph_.operation(id);
  return is_transfer(op.work) && graph_.class_of(id).network == StepResource::scale_out && op.bytes > 0 &&
         !of(id).on_rail;
}

bool Demands::by_circuit(OperationId id) const {
  const StepOperation& op = graph_.operation(id);
  return is_transfer(op.work) && op.bytes > 0 && of(id).on_rail;
}

Demands::KeyOf Demands::key_of(OperationId id) const {
  const ClassNeed& need = of(id);
  const std::int32_t pair = need.by_pair
                                ? std::min(graph_.stream_of(id).stage, graph_.receiving_stage(id)) * stages_ +
                                      std::max(graph_.stream_of(id).stage, graph_.receiving_stage(id))
                                : -1;
  return {need.traffic, need.members, pair};
}

void Demands::number_keys() {
  std::map<KeyOf, std::int32_t> numbers;
  keys_.assign(graph_.size(), -1);
  for (OperationId id = 0; id < graph_.size(); ++id) {
    if (!by_circuit(id)) continue;
    const auto [at, is_new] = numbers.emplace(key_of(id), static_cast<std::int32_t>(key_traffic_.size()));
    keys_[id] = at->second;
    if (is_new) key_traffic_.push_back(std::get<Traffic>(at->first));
  }
}

/// Those of a stream that send to one stage are alike.
void Demands::find_members() {
  std::map<std::tuple<std::uint32_t, std::uint16_t, std::int32_t>, std::uint32_t> found;
  group_.assign(graph_.size(), 0);
  for (OperationId id = 0; id < graph_.size(); ++id) {
    if (!by_circuit(id)) continue;
    const StepOperation& op = graph_.operation(id);
    const std::int32_t to = op.work == StepWork::pipeline ? graph_.receiving_stage(id) : -1;
    const auto [at, is_new] =
        found.emplace(std::tuple(op.stream, op.transfer, to), static_cast<std::uint32_t>(groups_.size()));
    if (is_new) groups_.push_back(members_of(id));
    group_[id] = at->second;
  }
}

std::vector<std::int32_t> Demands::members_of(OperationId id) const {
  const StepStream& stream = graph_.stream_of(id);
  const Traffic traffic = of(id).traffic;
  std::vector<std::int32_t> stages = {stream.stage};
  if (traffic == Traffic::pipeline) stages.push_back(graph_.receiving_stage(id));
  if (traffic == Traffic::ends) stages = {0, stages_ - 1};
  if (traffic == Traffic::all) {
    stages.resize(static_cast<std::size_t>(stages_));
    std::iota(stages.begin(), stages.end(), 0);
  }
  const bool one = traffic == Traffic::expert || traffic == Traffic::context || traffic == Traffic::pipeline;
  std::vector<std::int32_t> out;
  for (std::int32_t r = 0; r < replicas_; ++r) {
    if (one && r != stream.replica) continue;
    for (const std::int32_t s : stages) out.push_back(r * stages_ + s);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

StepTime Demands::at_rate(double bytes, BytesPerSecond rate) const { return step_time(Bytes(bytes) / rate); }

StepTime Demands::sending(OperationId id) const {
  const double bytes = graph_.operation(id).bytes;
  const double share = graph_.class_of(id).rate_share;
  if (electrical(id)) return at_rate(bytes, byte_rate(*settings_.electrical_rate));
  const ClassNeed& need = of(id);
  return at_rate(bytes * need.detour, rail_.rate * (share * need.share));
}

double Demands::turns_within(OperationId id) const {
  const ClassNeed& need = of(id);
  if (need.turns == 1) return 0;
  // Dispatch and combine, of every layer of the operation; each begins where the last one ended.
  return real(graph_.class_of(id).passes * layers_per_operation_) * real(need.turns - 1);
}

std::vector<CircuitUse> uses_of(const Demands& demands, const StepGraph& graph) {
  std::map<std::pair<Traffic, bool>, CircuitUse> found;
  for (OperationId id = 0; id < graph.size(); ++id) {
    const bool electrical = demands.electrical(id);
    if (!electrical && !demands.by_circuit(id)) continue;
    const ClassNeed& need = demands.of(id);
    CircuitUse& use = found[{need.traffic, electrical}];
    use.kind = traffic_name(need.traffic);
    use.pattern = need.all_to_all                     ? "all to all"
                  : need.traffic == Traffic::pipeline ? "next and previous"
                  : need.neighbours < kRingNeighbours ? "pair"
                                                      : "ring";
    use.members = std::max(use.members, need.members);
    use.electrical = electrical;
    use.transfers += 1;
    use.bytes += Bytes(graph.operation(id).bytes);
    if (electrical) continue;
    use.neighbours = need.neighbours;
    use.ports = need.ports;
    use.share = need.share;
    use.detour = need.detour;
    use.turns = real(need.turns);
  }
  std::vector<CircuitUse> out;
  for (auto& [kind, use] : found) out.push_back(std::move(use));
  return out;
}

}  // namespace circuits
}  // namespace trainyard
