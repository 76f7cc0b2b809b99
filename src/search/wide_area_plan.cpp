#include <fmt/ranges.h>

#include "base/counted.h"
#include "facility/networks.h"
#include "scenario/choices/mapping.h"
#include "scenario/transport_facts.h"
#include "step/wide_area.h"
#include "trainyard/errors.h"
#include "trainyard/long_haul.h"
#include "trainyard/plan.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/planning.h"
#include "trainyard/scenario.h"
#include "trainyard/wide_area.h"

namespace trainyard {
namespace {

/// A mapping leaves datacenters empty that its replicas do not reach.
Plan plan_over(Scenario scenario, std::int64_t sites) {
  scenario.facility.datacenters = sites;
  Plan plan = make_plan(scenario);
  if (plan.mapping.datacenters != sites)
    throw Infeasible("fewer copies of the model than sites",
                     "those of each stage fill " + counted(plan.mapping.datacenters, "HB domain"),
                     "fewer sites");
  return plan;
}

/// What differs from the plan over one site; empty: nothing.
std::string changes(const MappingPlan& one, const MappingPlan& now) {
  std::vector<std::string> out;
  const auto compare = [&](std::string_view name, auto before, auto after) {
    if (before != after) out.push_back(fmt::format("{} {} instead of {}", name, after, before));
  };
  compare("tensor", one.tensor, now.tensor);
  compare("context", one.context, now.context);
  compare("pipeline", one.pipeline, now.pipeline);
  compare("virtual stages", one.virtual_stages, now.virtual_stages);
  compare("data", one.data, now.data);
  compare("expert", one.expert, now.expert);
  if (one.expert_tensor != one.tensor || now.expert_tensor != now.tensor)
    compare("expert tensor", one.expert_tensor, now.expert_tensor);
  compare("placement", choice_name(one.placement), choice_name(now.placement));
  compare("microbatches", one.microbatches, now.microbatches);
  compare("sequences of a microbatch", one.microbatch, now.microbatch);
  compare("sequences of a batch", one.batch_sequences, now.batch_sequences);
  return fmt::format("{}", fmt::join(out, ", "));
}

/// Why replicas share a batch otherwise than over one site; "" where they do not. A replica stands whole in
/// one site, so that there may be room for a count that divides no batch.
std::string batch_reason(const MappingPlan& one, const MappingPlan& now) {
  if (one.data == now.data && one.microbatches == now.microbatches) return {};
  const std::string replicas = counted(now.data, "replica");
  if (one.batch_sequences != now.batch_sequences)
    return fmt::format(
        "a batch is {:.6g} sequences in place of {:.6g}, since each of {} takes whole microbatches",
        now.batch_sequences, one.batch_sequences, replicas);
  return fmt::format(
      "of the replicas that stand whole in one of {}, {} share the batch of {:.6g} sequences in equal "
      "microbatches: {} {} idle",
      counted(now.datacenters, "site"), now.data, now.batch_sequences, counted(now.devices_idle, "device"),
      agreeing(now.devices_idle, "is", "are"));
}

std::vector<std::string> notes(const Plan& plan, const MappingPlan& one, WideAreaExchange exchange) {
  std::vector<std::string> out;
  const std::string changed = changes(one, plan.mapping);
  if (!changed.empty())
    out.push_back("planned otherwise than one site, so that their steps differ by more than what is added: " +
                  changed);
  if (std::string why = batch_reason(one, plan.mapping); !why.empty()) out.push_back(std::move(why));
  const WideAreaInput& w = plan.scenario.wide_area;
  if (plan.mapping.datacenters > 1 && w.exchange == WideAreaExchange::regions && exchange != w.exchange)
    out.push_back(fmt::format(
        "no regions, since they are not several regions of {}: the quickest exchange without them",
        counted(w.region_sites, "site")));
  return out;
}

/// Those of Fig. 3c.
std::vector<BitRate> curve_rates() {
  std::vector<BitRate> out;
  for (const double gbps : {1., 2., 5., 10., 20., 50., 100., 200., 400., 800.}) out.emplace_back(gbps * 1e9);
  return out;
}

/// From a campus to the other side of the Earth, 1, 2 and 5 in each decade.
std::vector<Seconds> curve_rtts() {
  std::vector<Seconds> out;
  for (const double ms : {0.1, 0.2, 0.5, 1., 2., 5., 10., 20., 50., 100., 200.}) out.emplace_back(ms / 1000);
  return out;
}

using Delays = std::vector<std::vector<Seconds>>;

/// A plan's sites, all of them this round trip apart.
SitesPoint point_at(const Plan& plan, Seconds rtt) {
  const auto sites = static_cast<std::size_t>(plan.mapping.datacenters);
  Delays delays(sites, std::vector<Seconds>(sites, rtt / 2));
  for (std::size_t i = 0; i < sites; ++i) delays[i][i] = Seconds(0);
  return sites_point(plan, plan.scenario.network.wide_area_rate, delays, 1 / static_cast<double>(sites));
}

}  // namespace

WideAreaAnswer plan_wide_area(const Scenario& scenario) {
  const WideAreaInput& w = scenario.wide_area;
  std::int64_t most = w.most_sites;
  if (!w.sites.empty()) most = std::min(most, static_cast<std::int64_t>(w.sites.size()));
  WideAreaAnswer out;
  out.nic_rate = port_rates_of(scenario).scale_out;
  out.rates = curve_rates();
  out.rtts = curve_rtts();
  MappingPlan one;
  for (std::int64_t k = 1; k <= most; ++k) {
    try {
      const Plan plan = plan_over(scenario, k);
      if (k == 1) one = plan.mapping;
      SitesPoint& point = out.points.emplace_back(sites_point(plan, scenario.network.wide_area_rate));
      point.notes = notes(plan, one, point.exchange.kind);
      if (k == 1) continue;
      std::vector<SitesPoint>& curve = out.curves.emplace_back();
      for (const BitRate rate : out.rates) curve.push_back(sites_point(plan, rate));
      std::vector<SitesPoint>& distance = out.distances.emplace_back();
      for (const Seconds rtt : out.rtts) distance.push_back(point_at(plan, rtt));
    } catch (const Infeasible& answer) {
      if (k == 1) throw;
      SitesPoint none;
      none.sites = k;
      none.infeasible = answer.constraint + ": " + answer.shortfall;
      out.points.push_back(std::move(none));
    }
    if (!out.too_many && out.points.back().added_share > w.largest_exposed_share) out.too_many = k;
  }
  return out;
}

Bytes long_haul_bytes(const Scenario& scenario) {
  if (scenario.long_haul.bytes) return *scenario.long_haul.bytes;
  const Plan plan = plan_over(scenario, scenario.long_haul.sites);
  return sites_point(plan, scenario.network.wide_area_rate).chunk / scenario.wide_area.compression;
}

std::vector<LongHaulCase> long_haul_cases(const Scenario& scenario) {
  const LongHaulInput& input = scenario.long_haul;
  std::vector<Transport> transports = input.transports;
  if (transports.empty()) transports = transports_between_sites();
  LongHaulCase one;
  one.bytes = long_haul_bytes(scenario);
  std::vector<LongHaulCase> out;
  for (const double rate : input.bit_error_rates) {
    one.bit_error_rate = rate;
    for (const Transport transport : transports) {
      one.transport = transport;
      one.wide_area_first = false;
      out.push_back(one);
      if (input.local_flows == 0) continue;
      one.wide_area_first = true;
      out.push_back(one);
    }
  }
  return out;
}

}  // namespace trainyard
