#include "report/text/network_table.h"

#include <fmt/core.h>

#include <cmath>

#include "base/counted.h"
#include "report/data/show.h"
#include "scenario/choices/designs.h"
#include "topology/fabric.h"
#include "trainyard/networks_compared.h"

namespace trainyard {
namespace {

using Cell = std::string (*)(const NetworkAnswer&);

struct Row {
  const char* label;
  Cell cell;
};

std::string of_effect(const NetworkAnswer& a, std::string (*cell)(const NetworkEffect&)) {
  return a.effect ? cell(*a.effect) : "-";
}

const std::vector<Row>& rows() {
  using A = const NetworkAnswer&;
  static const std::vector<Row> table = {
      {"topology", [](A a) { return std::string(choice_name(a.design.input.topology)); }},
      {"hosts", [](A a) { return grouped(a.design.hosts); }},
      {"rate of a host", [](A a) { return show(a.design.host_rate); }},
      {"planes x networks", [](A a) { return fmt::format("{} x {}", a.design.planes, a.design.networks); }},
      {"hosts of a network", [](A a) { return grouped(a.design.fabric->endpoints() - a.design.gateways); }},
      {"gateways of a network", [](A a) { return grouped(a.design.gateways); }},
      {"tiers", [](A a) { return std::to_string(a.design.fabric->tiers()); }},
      {"ports of a switch",
       [](A a) { return a.design.part.ports > 0 ? grouped(a.design.part.ports) : std::string("-"); }},
      {"", nullptr},
      {"switch chips", [](A a) { return grouped(a.counts.chips); }},
      {"switch boxes", [](A a) { return grouped(a.counts.boxes); }},
      {"links of hosts", [](A a) { return grouped(a.counts.host_links); }},
      {"links between switches", [](A a) { return grouped(a.counts.switch_links); }},
      {"cables between switches", [](A a) { return grouped(a.counts.switch_cables); }},
      {"transceivers", [](A a) { return grouped(std::llround(a.bill.transceivers)); }},
      {"ports used / idle",
       [](A a) { return show_count(a.counts.ports_used) + " / " + show_count(a.counts.ports_idle()); }},
      {"", nullptr},
      {"bisection", [](A a) { return show_share(a.counts.bisection_share); }},
      {"farthest hosts", [](A a) { return counted(a.counts.diameter, "link"); }},
      {"shortest paths", [](A a) { return show_many(a.counts.paths); }},
      {"most hosts, same tiers", [](A a) { return show_count(a.counts.largest_hosts); }},
      {"host keeps (1 switch down)", [](A a) { return show_share(a.counts.host_kept); }},
      {"HB domain keeps", [](A a) { return show_share(a.counts.domain_kept); }},
      {"", nullptr},
      {"price", [](A a) { return show(a.bill.price); }},
      {"  of switches", [](A a) { return show(a.bill.price_switches); }},
      {"  a host", [](A a) { return show(a.bill.price / static_cast<double>(a.design.hosts)); }},
      {"power",
       [](A a) { return a.bill.power() ? show(*a.bill.power()) : show(a.bill.power_known) + " + unknown"; }},
      {"price, all datacenters",
       [](A a) { return show(a.bill.price * static_cast<double>(a.design.datacenters)); }},
      {"", nullptr},
      {"step", [](A a) { return of_effect(a, [](const NetworkEffect& e) { return show(e.step); }); }},
      {"exposed communication",
       [](A a) { return of_effect(a, [](const NetworkEffect& e) { return show_share(e.exposed_share); }); }},
      {"links that carry nothing",
       [](A a) {
         return of_effect(a, [](const NetworkEffect& e) { return show_share(e.load.idle_share); });
       }},
      {"busiest link",
       [](A a) { return of_effect(a, [](const NetworkEffect& e) { return e.load.worst_link; }); }},
  };
  return table;
}

}  // namespace

NetworkTable network_table(const std::vector<NetworkAnswer>& answers) {
  NetworkTable table;
  for (const NetworkAnswer& a : answers) table.names.push_back(a.design.input.name);
  for (const Row& row : rows()) {
    NetworkTable::Line line{row.label, {}};
    for (const NetworkAnswer& a : answers) line.cells.push_back(row.cell ? row.cell(a) : "");
    table.lines.push_back(std::move(line));
  }
  return table;
}

}  // namespace trainyard
