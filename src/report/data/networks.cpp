#include "trainyard/report/networks.h"

#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/data/network_quantities.h"
#include "report/data/quantity_values.h"
#include "scenario/choices/designs.h"
#include "trainyard/networks_compared.h"

namespace trainyard {
namespace {

Json quantities_json(const std::vector<PlanQuantity>& quantities) {
  Json out;
  for (const PlanQuantity& q : quantities) out[q.name()] = value_json(q);
  return out;
}

Json bill_json(const Bill& bill) {
  Json lines = Json::array();
  for (const BillLine& line : bill.lines) {
    lines.push_back({{"item", line.item},
                     {"count", line.count},
                     {"price_each_usd", line.each ? number_or_null(line.each->si()) : Json(nullptr)},
                     {"price_usd", number_or_null(line.price.si())},
                     {"power_w", line.power ? number_or_null(line.power->si()) : Json(nullptr)},
                     {"source", line.source}});
  }
  return lines;
}

Json tiers_json(const DesignCounts& counts) {
  Json out = Json::array();
  for (const TierCount& tier : counts.tiers)
    out.push_back({{"name", tier.name}, {"switches", tier.switches}, {"ports_used", tier.ports_used}});
  return out;
}

Json links_json(const DesignCounts& counts) {
  Json out = Json::array();
  for (const LinkCount& link : counts.links) out.push_back({{"name", link.name}, {"links", link.links}});
  return out;
}

Json blast_json(const DesignCounts& counts) {
  Json out = Json::array();
  for (const BlastRadius& b : counts.blast)
    out.push_back(
        {{"what", b.what}, {"hosts", b.hosts}, {"share", b.share}, {"elsewhere_only", b.out_of_reach}});
  return out;
}

Json lengths_json(const Bill& bill) {
  Json out = Json::array();
  for (const LengthClass& c : bill.lengths)
    out.push_back(
        {{"up_to_m", c.up_to.si() > 1e6 ? Json(nullptr) : Json(c.up_to.si())}, {"cables", c.cables}});
  return out;
}

Json load_json(const NetworkLoad& load) {
  Json links = Json::array();
  for (const LinkLoad& link : load.links) {
    links.push_back({{"name", link.name},
                     {"links", link.links},
                     {"idle", link.idle},
                     {"worst_bytes", number_or_null(link.worst.si())},
                     {"mean_bytes", number_or_null(link.mean.si())}});
  }
  return {{"offered_bytes", number_or_null(load.offered.si())},
          {"forwarded_bytes", number_or_null(load.forwarded.si())},
          {"bound_s", number_or_null(load.bound.si())},
          {"host_bound_s", number_or_null(load.host_bound.si())},
          {"share", number_or_null(load.share())},
          {"worst_link", load.worst_link},
          {"idle_share", number_or_null(load.idle_share)},
          {"links", links}};
}

}  // namespace

std::string networks_json(const std::vector<NetworkAnswer>& answers, const Provenance& provenance) {
  Json designs = Json::array();
  for (const NetworkAnswer& a : answers) {
    Json design = {{"name", a.design.input.name},
                   {"title", a.design.input.title},
                   {"topology", choice_name(a.design.input.topology)}};
    design.update(quantities_json(design_quantities(a, answers)));
    design["counted_on_graph"] = a.counted_on_graph;
    design["by_tier"] = tiers_json(a.counts);
    design["by_link"] = links_json(a.counts);
    design["blast_radius"] = blast_json(a.counts);
    design["lengths"] = lengths_json(a.bill);
    design["bill"] = bill_json(a.bill);
    design["power_unknown"] = a.bill.power_unknown();
    if (a.effect) design["load"] = load_json(a.effect->load);
    if (!a.effect) design["no_step_time"] = a.no_effect;
    designs.push_back(std::move(design));
  }
  Json json = {{"designs", designs}};
  json["provenance"] = provenance_json(provenance);
  return dumped(json);
}

std::string networks_csv(const std::vector<NetworkAnswer>& answers) {
  CsvTable table("design,quantity,value");
  for (const PlanQuantity& q : network_quantities(answers)) {
    table.add(q.section()).add(q.name());
    add_value(table, q);
    table.end_row();
  }
  return std::move(table).text();
}

std::string loads_json(const std::vector<TrafficAnswer>& answers, const Provenance& provenance) {
  Json loads = Json::array();
  for (const TrafficAnswer& a : answers) {
    Json one = {{"design", a.design}, {"traffic", a.traffic}, {"routing", a.routing}};
    one.update(load_json(a.load));
    loads.push_back(std::move(one));
  }
  Json json = {{"loads", loads}};
  json["provenance"] = provenance_json(provenance);
  return dumped(json);
}

std::string loads_csv(const std::vector<TrafficAnswer>& answers) {
  CsvTable table("design,traffic,links,count,idle,worst_bytes,mean_bytes,bound_s");
  for (const TrafficAnswer& a : answers) {
    for (const LinkLoad& l : a.load.links)
      table.row(a.design, a.traffic, l.name, l.links, l.idle, l.worst, l.mean, a.load.bound);
  }
  return std::move(table).text();
}

}  // namespace trainyard
