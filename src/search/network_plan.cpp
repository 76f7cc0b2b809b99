#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/threads.h"
#include "base/whole_numbers.h"
#include "facility/networks.h"
#include "search/mapping_search.h"
#include "topology/fabric.h"
#include "topology/topologies.h"
#include "trainyard/errors.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/planning.h"
#include "trainyard/scenario/facility.h"

namespace trainyard {
namespace {

constexpr std::array kShared = {TrafficKind::pipeline, TrafficKind::gradient, TrafficKind::expert,
                                TrafficKind::weights};

/// Those of kShared that a matrix has.
std::vector<TrafficPart> parts_of(const TrafficMatrix& matrix) {
  std::vector<TrafficPart> out;
  for (const TrafficKind kind : kShared) {
    const bool has = std::any_of(matrix.classes.begin(), matrix.classes.end(),
                                 [&](const TrafficClass& c) { return c.kind == kind; });
    if (has) out.emplace_back(kind);
  }
  return out;
}

TrafficShares shares_of(const std::vector<TrafficPart>& parts, const std::vector<NetworkLoad>& loads) {
  const auto share = [&](TrafficKind kind) {
    const auto part = std::find(parts.begin(), parts.end(), TrafficPart(kind));
    return part == parts.end() ? 1 : std::min(1.0, loads[index(part - parts.begin())].share());
  };
  return {share(kShared[0]), share(kShared[1]), share(kShared[2]), share(kShared[3])};
}

NetworkEffect effect_on(const NetworkDesign& design, const Plan& plan) {
  const TrafficMatrix matrix = traffic_of(plan);
  NetworkEffect effect;
  std::vector<TrafficPart> parts = parts_of(matrix);
  parts.emplace_back(std::nullopt);
  std::vector<NetworkLoad> loads = loads_of(design, matrix, parts);
  effect.shares = shares_of(parts, loads);
  effect.load = std::move(loads.back());
  const Plan slowed = with_shares(plan, effect.shares, forwarded_on(design));
  effect.step = slowed.step.step;
  effect.exposed_share = slowed.step.exposed_share_step;
  effect.tokens_per_second = slowed.step.tokens_per_second;
  return effect;
}

}  // namespace

TrafficShares shares_on(const NetworkDesign& design, const TrafficMatrix& matrix) {
  const std::vector<TrafficPart> parts = parts_of(matrix);
  return shares_of(parts, loads_of(design, matrix, parts));
}

double forwarded_on(const NetworkDesign& design) {
  if (!design.topology->counts_forwarding || design.domain < 2) return 0;
  return 1 - 1 / static_cast<double>(design.domain);
}

Plan with_shares(const Plan& plan, const TrafficShares& shares, double forwarded) {
  Plan out = plan;
  NetworkInput& network = out.scenario.network;
  network.pipeline_share *= shares.pipeline;
  network.gradient_share *= shares.gradient;
  network.expert_share *= shares.expert;
  network.weights_share *= shares.weights;
  network.expert_forwarded = std::max(network.expert_forwarded, forwarded);
  Candidate candidate = evaluate(out.scenario, out.model, out.mapping);
  out.mapping = std::move(candidate.mapping);
  out.communication = std::move(candidate.communication);
  out.step = candidate.step;
  return out;
}

std::string mismatch(const NetworkDesign& design, const Plan& plan) {
  if (design.inside_domains()) return "inside HB domains";
  const std::int64_t domains = plan.facility.domains / plan.facility.datacenters;
  if (design.domain != plan.facility.domain_devices || design.domains != domains) {
    return fmt::format("for {} of {}, the plan's datacenter has {} of {}",
                       counted(design.domains, "HB domain"), design.domain, domains,
                       plan.facility.domain_devices);
  }
  if (design.hosts != domains * design.domain) {
    return fmt::format("for {}, the plan's datacenter has {}", counted(design.hosts, "host"),
                       domains * design.domain);
  }
  if (std::abs(design.host_rate / port_rates_of(plan.scenario).scale_out - 1) > 1e-9)
    return "at another rate than network.scale_out_rate";
  return {};
}

namespace {

NetworkAnswer answered(const Scenario& scenario, const NetworkDesign& design) {
  NetworkAnswer answer;
  answer.design = design;
  answer.counts = count(design);
  std::int64_t links = 0;
  for (const LinkCount& count : design.fabric->counts().links) links += count.links;
  answer.counted_on_graph = links <= kCountedLinks;
  if (answer.counted_on_graph) answer.counts = count_graph(design);
  answer.bill = price(design, scenario);
  return answer;
}

void add_effect(NetworkAnswer& answer, const Plan* plan) {
  const NetworkDesign& design = answer.design;
  answer.no_effect = plan ? mismatch(design, *plan) : "the scenario has no plan";
  if (answer.no_effect.empty() && design.hosts > kMostFollowedHosts)
    answer.no_effect = fmt::format("traffic is followed for up to {} hosts, and it has {}",
                                   kMostFollowedHosts, design.hosts);
  if (answer.no_effect.empty()) answer.effect = effect_on(design, *plan);
}

}  // namespace

NetworkAnswer answer_network(const Scenario& scenario, const NetworkDesign& design, const Plan* plan) {
  NetworkAnswer answer = answered(scenario, design);
  add_effect(answer, plan);
  return answer;
}

namespace {

/// Whether the effect of one of them is worth a look before it.
bool takes_long(const std::vector<NetworkDesign>& designs, const Plan& plan) {
  constexpr std::int64_t kFewHosts = 1000;
  const TrafficMatrix matrix = traffic_of(plan);
  return std::any_of(designs.begin(), designs.end(), [&](const NetworkDesign& design) {
    return design.hosts > kFewHosts && mismatch(design, plan).empty() && !follows_domains(design, matrix);
  });
}

/// Calls with every number below `count`, on so many threads. Throws what the lowest one throws.
void for_each(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(count);
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  try {
    on_threads(std::clamp(threads, 1U, static_cast<unsigned>(std::max<std::size_t>(1, count))), take);
  } catch (const std::runtime_error&) {  // a thread that could not be started: the others have done its part
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace

std::vector<NetworkAnswer> answer_networks(
    const Scenario& scenario, const std::string& name,
    const std::function<void(const std::vector<NetworkAnswer>&)>& on_counted, unsigned threads) {
  std::optional<Plan> plan;
  std::string why;
  try {
    plan = make_plan(scenario);
  } catch (const Infeasible& infeasible) {
    why = "no plan fits: " + infeasible.constraint;
  }
  const std::vector<NetworkDesign> designs = designs_of(scenario, name);
  std::vector<NetworkAnswer> out(designs.size());
  for_each(out.size(), threads, [&](std::size_t i) { out[i] = answered(scenario, designs[i]); });
  if (on_counted && plan && takes_long(designs, *plan)) on_counted(out);
  for_each(out.size(), threads, [&](std::size_t i) {
    add_effect(out[i], plan ? &*plan : nullptr);
    if (!plan) out[i].no_effect = why;
  });
  return out;
}

}  // namespace trainyard
