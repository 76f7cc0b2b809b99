#include "report/data/network_quantities.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "report/data/quantity_list.h"
#include "topology/fabric.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/rail.h"

namespace trainyard {
namespace {

std::string section_of(const std::string& name) {
  std::string out = name;
  for (char& c : out) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return out;
}

const NetworkAnswer& baseline_of(const std::vector<NetworkAnswer>& answers, const NetworkAnswer& answer) {
  const auto found = std::find_if(answers.begin(), answers.end(), [&](const NetworkAnswer& other) {
    return other.design.input.name == answer.design.input.baseline;
  });
  return found == answers.end() ? answers.front() : *found;
}

double saving(double value, double baseline) { return baseline > 0 ? 1 - value / baseline : 0; }
double saving(std::int64_t value, std::int64_t baseline) {
  return saving(static_cast<double>(value), static_cast<double>(baseline));
}

/// Unknown when either is.
std::optional<double> saving(const std::optional<Watts>& value, const std::optional<Watts>& baseline) {
  if (!value || !baseline) return std::nullopt;
  return saving(value->si(), baseline->si());
}

void add_shape(QuantityList& list, const NetworkAnswer& a) {
  const NetworkDesign& d = a.design;
  list.count("hosts", "hosts of a datacenter", d.hosts);
  list.count("domains", "HB domains", d.domains);
  list.count("planes", "planes", d.planes);
  list.count("networks", "independent networks of a plane", d.networks);
  list.count("network_hosts", "hosts of one of them", d.fabric->endpoints() - d.gateways);
  list.count("gateways", "ports of one of them for the wide area", d.gateways);
  list.count("tiers", "tiers of switches", d.fabric->tiers());
  list.count("radix", "ports of a switch", d.part.ports);
  list.add("host_rate", "rate of a host, one direction", d.host_rate);
  list.add("link_rate", "rate of a link, one direction", d.link_rate);
}

void add_counts(QuantityList& list, const DesignCounts& c) {
  list.count("switches", "switch chips", c.chips);
  list.count("boxes", "switch boxes", c.boxes);
  list.count("host_links", "links of hosts", c.host_links);
  list.count("switch_links", "links between switches", c.switch_links);
  list.count("host_cables", "cables of hosts", c.host_cables);
  list.count("switch_cables", "cables between switches", c.switch_cables);
  list.count("ports_used", "switch ports in use", c.ports_used);
  list.count("ports_idle", "switch ports idle", c.ports_idle());
  list.add("bisection", "bisection rate", c.bisection);
  list.fraction("bisection_share", "bisection over half of the hosts' rate", c.bisection_share);
  list.count("diameter", "links between the farthest hosts", c.diameter);
  list.number("paths", "shortest paths between them, all planes", c.paths);
  list.count("largest_hosts", "most hosts with the same tiers", c.largest_hosts);
  list.fraction("host_kept", "rate that the worst hit host keeps when a switch fails", c.host_kept);
  list.fraction("domain_kept", "rate that the worst hit HB domain keeps when a switch fails", c.domain_kept);
}

void add_bill(QuantityList& list, const Bill& bill) {
  list.number("transceivers", "transceivers", bill.transceivers);
  list.number("switch_transceivers", "transceivers of links between switches", bill.switch_transceivers);
  list.add("price_switches", "price of the switches", bill.price_switches);
  list.add("price_switch_cables", "price of the cables between switches", bill.price_switch_cables);
  list.add("price", "price of the network", bill.price);
  list.add_known("power", "power of the network", bill.power());
  list.add("power_known", "power of its parts whose power is known", bill.power_known);
}

void add_savings(QuantityList& list, const NetworkAnswer& a, const NetworkAnswer& base) {
  list.fraction("switches_saved", "fewer switches than " + base.design.input.name,
                saving(a.counts.chips, base.counts.chips));
  list.fraction("switch_cables_saved", "fewer cables between switches",
                saving(a.counts.switch_cables, base.counts.switch_cables));
  list.fraction("price_saved", "cheaper", saving(a.bill.price.si(), base.bill.price.si()));
  list.fraction_known("power_saved", "less power", saving(a.bill.power(), base.bill.power()));
}

void add_effect(QuantityList& list, const NetworkEffect& effect) {
  list.fraction("pipeline_share", "share of the rate left to pipeline transfers", effect.shares.pipeline);
  list.fraction("gradient_share", "share of the rate left to gradients", effect.shares.gradient);
  list.fraction("expert_share", "share of the rate left to experts", effect.shares.expert);
  list.fraction("weights_share", "share of the rate left to gathers of weights", effect.shares.weights);
  list.add("traffic", "bytes of a batch between HB domains", effect.load.offered);
  list.add("forwarded", "of them forwarded through HB domains", effect.load.forwarded);
  list.add("network_bound", "least time for a batch's traffic", effect.load.bound);
  list.text("worst_link", "busiest kind of link", effect.load.worst_link);
  list.fraction("idle_links", "links that carry nothing", effect.load.idle_share);
  list.add("step", "time of a step", effect.step);
  list.fraction("exposed_share", "exposed communication", effect.exposed_share);
}

}  // namespace

std::vector<PlanQuantity> design_quantities(const NetworkAnswer& answer,
                                            const std::vector<NetworkAnswer>& all) {
  std::vector<PlanQuantity> out;
  QuantityList list(out, section_of(answer.design.input.name));
  add_shape(list, answer);
  add_counts(list, answer.counts);
  add_bill(list, answer.bill);
  add_savings(list, answer, baseline_of(all, answer));
  if (answer.effect) add_effect(list, *answer.effect);
  return out;
}

std::vector<PlanQuantity> network_quantities(const std::vector<NetworkAnswer>& answers) {
  std::vector<PlanQuantity> out;
  for (const NetworkAnswer& answer : answers) {
    for (PlanQuantity& q : design_quantities(answer, answers)) out.push_back(std::move(q));
  }
  return out;
}

std::vector<PlanQuantity> trimmed_quantities(const Scenario& scenario) {
  const RailAnalysis analysis = analyse_rail(scenario);
  const TrafficMatrix matrix = traffic_of(analysis.rail, analysis.best.model_group);
  std::vector<PlanQuantity> out;
  for (const NetworkDesign& design : designs_of(scenario)) {
    QuantityList list(out, section_of(design.input.name));
    list.fraction("idle_links", "links that carry nothing", load_on_graph(design, matrix).idle_share);
  }
  return out;
}

}  // namespace trainyard
