#include "search/network_scores.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/counted.h"
#include "base/divisors.h"
#include "base/errors.h"
#include "base/whole_numbers.h"
#include "facility/networks.h"
#include "topology/clos_shape.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/topologies.h"
#include "topology/topology.h"
#include "trainyard/catalog.h"
#include "trainyard/network_load.h"
#include "trainyard/network_search.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/unbuildable_network.h"

namespace trainyard {
namespace {

/// Cable lengths of larger networks are those of so many switches of each tier.
constexpr std::int64_t kSmallNetwork = 16'384;
constexpr std::int64_t kSampledSwitches = 48;

/// Shares of a step are told apart to a hundredth of a percent.
double in_steps(double share) {
  constexpr double kStep = 1e-4;
  return std::round(share / kStep) * kStep;
}

std::string name_of(const NetworkDesign& d) {
  std::string name(d.topology->mix->name);
  if (d.dealing().over_rails()) name = fmt::format("{} {}", d.rails, name);
  name += fmt::format(", {}, {}", counted(d.planes, "plane"), counted(d.fabric->tiers(), "tier"));
  std::string over;
  for (const double o : d.input.oversubscription) over += fmt::format("{}{:g}:1", over.empty() ? "" : " ", o);
  const bool full = std::all_of(d.input.oversubscription.begin(), d.input.oversubscription.end(),
                                [](double o) { return o == 1; });
  if (!full) name += ", " + over;
  if (d.input.rails_per_switch) name += fmt::format(", {} a switch", *d.input.rails_per_switch);
  return name;
}

/// With all that was chosen.
MappingInput mapping_of(const Plan& plan) {
  const MappingPlan& chosen = plan.mapping;
  MappingInput out = plan.scenario.mapping;
  out.tensor = chosen.tensor;
  out.pipeline = chosen.pipeline;
  out.data = chosen.data;
  out.placement = chosen.placement;
  return out;
}

/// Every device to the same rank of the HB domain that stands half the datacenter away: no ring is harder on
/// networks whose blocks hold neighbours, and no rank has to be forwarded.
DeviceFlows half_way_round(const NetworkDesign& design) {
  DeviceFlows out;
  if (design.domains < 2) return out;
  const std::int64_t devices = design.domains * design.domain;
  const std::int64_t shift = design.domains / 2 * design.domain;
  out.busiest_host[0] = 1;
  out.flows.reserve(static_cast<std::size_t>(devices));
  for (std::int64_t d = 0; d < devices; ++d)
    out.flows.push_back(
        {static_cast<std::uint32_t>(d), static_cast<std::uint32_t>((d + shift) % devices), 0, 1});
  return out;
}

}  // namespace

NetworkScores::NetworkScores(const Scenario& scenario)
    : s_(scenario), host_rate_(port_rates_of(scenario).scale_out) {
  DesignInput flat;
  flat.name = "any";
  flat.radix = 1 << 30;  // one switch for all: only the order of devices counts
  const NetworkDesign any = resolve_design(s_, flat);
  domain_ = any.domain;
  gateways_ = any.gateways;
  mappings_.emplace(s_, any);
  shifted_ = half_way_round(any);
}

/// Parts without a price are the user's to add: those errors pass.
void NetworkScores::add(const DesignInput& mix, std::vector<NetworkChoice>& out) {
  std::optional<std::int64_t> usual;  // rails of a network
  if (worth_trying(mix)) {
    if (const auto design = cabled(mix)) {
      score(*design, out);
      usual = design->rails_per_network;
    }
  }
  if (!mix.rails || !topology_of(mix.topology).dealing.rails_share_switches()) return;
  // Fewer rails in a network: more switches, and less lost with one. More of them: fuller switches.
  DesignInput input = mix;
  for (const std::int64_t together : divisors(*mix.rails)) {
    if (together == usual) continue;
    input.rails_per_switch = together;
    if (!worth_trying(input)) continue;
    if (const auto other = cabled(input)) score(*other, out);
  }
}

/// A tier more than needed only adds switches, unless it thins what goes up to it: that may be cheaper, with
/// shorter cables.
bool NetworkScores::worth_trying(const DesignInput& input) const {
  const ClosParts parts{ports_of(input), input.oversubscription};
  if (parts.ports < 2) return false;
  const std::int64_t endpoints = endpoints_of(input);
  if (largest_clos(parts, *input.tiers) < endpoints) return false;
  if (*input.tiers < 3 || parts.oversubscription.back() > 1) return true;
  ClosParts fewer = parts;
  fewer.oversubscription.pop_back();
  return largest_clos(fewer, *input.tiers - 1) < endpoints;
}

std::int64_t NetworkScores::ports_of(const DesignInput& input) const {
  const BitRate rate = host_rate_ / static_cast<double>(input.planes);
  for (const PortSplit& split : s_.catalog->switches.at(input.switch_name).radix) {
    if (std::abs(split.rate / rate - 1) < 1e-9) return split.ports;
  }
  return 0;
}

std::int64_t NetworkScores::endpoints_of(const DesignInput& input) const {
  const FacilityPlan& facility = mappings_->own().facility;
  const std::int64_t hosts = facility.domains / facility.datacenters * domain_;
  const std::int64_t rails = input.rails.value_or(1);
  return (hosts / rails + ceil_div(gateways_, rails)) * input.rails_per_switch.value_or(1);
}

/// Mixes that cannot be cabled are not answers.
std::optional<NetworkDesign> NetworkScores::cabled(const DesignInput& input) const {
  try {
    return resolve_design(s_, input);
  } catch (const UnbuildableNetwork&) {
    return std::nullopt;
  }
}

void NetworkScores::score(const NetworkDesign& design, std::vector<NetworkChoice>& out) {
  const std::string unlike = mismatch(design, mappings_->own());
  TY_ASSERT(unlike.empty(), unlike);
  NetworkChoice choice;
  choice.input = design.input;
  choice.input.name = name_of(design);
  choice.tiers = design.fabric->tiers();
  choice.networks = design.networks;
  const DesignCounts counts = count(design);
  choice.chips = counts.chips;
  const bool small = design.fabric->endpoints() <= kSmallNetwork;
  const Bill bill = price(design, s_, small ? 0 : kSampledSwitches);
  const auto power = bill.power();
  if (!power) {
    fail_input(whole("optimize"),
               "networks are compared by their power, and none is known of " + bill.power_unknown().front(),
               "add `power` to its entry in your own catalog, or leave the part out");
  }
  choice.score.price = bill.price;
  choice.score.power = *power;
  choice.score.kept = counts.domain_kept;
  score_step(design, choice);
  Crossed& crossing = crossed(design);
  choice.carries.all_to_all = crossing.all_to_all.share(design);
  choice.carries.shifted = crossing.shifted.shares(design).pipeline;
  out.push_back(std::move(choice));
}

void NetworkScores::score_step(const NetworkDesign& design, NetworkChoice& choice) {
  const FastestMapping fastest = mappings_->fastest_on(design, choice.score.kept);
  choice.shares = fastest.shares;
  choice.exposed_share = in_steps(fastest.exposed_share);
  choice.tokens_per_second = fastest.tokens_per_second;
  choice.carries.failed = fastest.speed_left;
  if (mappings_->open()) choice.mapping = mapping_of(*fastest.plan);
}

void NetworkScores::find_losses(std::vector<NetworkChoice>& choices) const {
  const auto slower = [](const NetworkChoice& a, const NetworkChoice& b) {
    return a.tokens_per_second < b.tokens_per_second;
  };
  const auto fastest = std::max_element(choices.begin(), choices.end(), slower);
  if (fastest == choices.end()) return;
  const double unexposed = fastest->tokens_per_second / (1 - fastest->exposed_share);
  for (NetworkChoice& c : choices) c.score.lost_share = in_steps(1 - c.tokens_per_second / unexposed);
}

NetworkScores::Crossed& NetworkScores::crossed(const NetworkDesign& design) {
  const DeviceOrder order = order_of(design);
  forget_other_orders(crossed_, order);
  const auto known = crossed_.find(order);
  if (known != crossed_.end()) return known->second;
  Crossed made{Crossings(design, shifted_), UniformCrossings(design)};
  return crossed_.emplace(order, std::move(made)).first->second;
}

double NetworkScores::permutation_share(const NetworkChoice& choice) {
  constexpr std::uint64_t kSeed = 1;  // of network --traffic
  const NetworkDesign design = resolve_design(s_, choice.input);
  if (design.hosts > kMostFollowedHosts) return choice.carries.all_to_all;
  if (!permutation_) permutation_ = named_traffic(design, "permutation", Bytes(1), kSeed);
  return std::min(1.0, load_by_symmetry(design, *permutation_).share());
}

}  // namespace trainyard
