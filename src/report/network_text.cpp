#include "report/network_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "report/provenance_json.h"
#include "scenario/choices.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kColumns = 4;  // designs beside each other
constexpr int kLabel = 26;
constexpr int kColumn = 21;

std::string show(double value, Unit unit) { return format_quantity(value, unit); }
template <Dimension D>
std::string show(Quantity<D> value) {
  return format_quantity(value.si(), unit_of<Quantity<D>>());
}

/// Digits in groups of three: counts of hardware are exact.
std::string exact(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

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
      {"hosts", [](A a) { return exact(a.design.hosts); }},
      {"rate of a host", [](A a) { return show(a.design.host_rate); }},
      {"planes x networks", [](A a) { return fmt::format("{} x {}", a.design.planes, a.design.networks); }},
      {"hosts of a network", [](A a) { return exact(a.design.fabric->endpoints() - a.design.gateways); }},
      {"gateways of a network", [](A a) { return exact(a.design.gateways); }},
      {"tiers", [](A a) { return std::to_string(a.design.fabric->tiers()); }},
      {"ports of a switch",
       [](A a) { return a.design.part.ports > 0 ? exact(a.design.part.ports) : std::string("-"); }},
      {"", nullptr},
      {"switch chips", [](A a) { return exact(a.counts.chips); }},
      {"switch boxes", [](A a) { return exact(a.counts.boxes); }},
      {"links of hosts", [](A a) { return exact(a.counts.host_links); }},
      {"links between switches", [](A a) { return exact(a.counts.switch_links); }},
      {"cables between switches", [](A a) { return exact(a.counts.switch_cables); }},
      {"transceivers", [](A a) { return exact(std::llround(a.bill.transceivers)); }},
      {"ports used / idle",
       [](A a) {
         return show(static_cast<double>(a.counts.ports_used), Unit::count) + " / " +
                show(static_cast<double>(a.counts.ports_idle()), Unit::count);
       }},
      {"", nullptr},
      {"bisection", [](A a) { return show(a.counts.bisection_share, Unit::fraction); }},
      {"farthest hosts", [](A a) { return fmt::format("{} links", a.counts.diameter); }},
      {"shortest paths", [](A a) { return show(a.counts.paths, Unit::number); }},
      {"most hosts, same tiers",
       [](A a) { return show(static_cast<double>(a.counts.largest_hosts), Unit::count); }},
      {"host keeps (1 switch down)", [](A a) { return show(a.counts.host_kept, Unit::fraction); }},
      {"HB domain keeps", [](A a) { return show(a.counts.domain_kept, Unit::fraction); }},
      {"", nullptr},
      {"price", [](A a) { return show(a.bill.price); }},
      {"  of switches", [](A a) { return show(a.bill.price_switches); }},
      {"  a host", [](A a) { return show(a.bill.price / static_cast<double>(a.design.hosts)); }},
      {"power", [](A a) { return show(a.bill.power); }},
      {"price, all datacenters",
       [](A a) { return show(a.bill.price * static_cast<double>(a.design.datacenters)); }},
      {"", nullptr},
      {"step", [](A a) { return of_effect(a, [](const NetworkEffect& e) { return show(e.step); }); }},
      {"exposed communication",
       [](A a) {
         return of_effect(a, [](const NetworkEffect& e) { return show(e.exposed_share, Unit::fraction); });
       }},
      {"links that carry nothing",
       [](A a) {
         return of_effect(a, [](const NetworkEffect& e) { return show(e.load.idle_share, Unit::fraction); });
       }},
      {"busiest link",
       [](A a) { return of_effect(a, [](const NetworkEffect& e) { return e.load.worst_link; }); }},
  };
  return table;
}

std::string block(const NetworkTable& table, std::size_t first) {
  const std::size_t last = std::min(table.names.size(), first + kColumns);
  std::string out = fmt::format("{:<{}}", "", kLabel);
  for (std::size_t i = first; i < last; ++i) out += fmt::format("{:>{}}", table.names[i], kColumn);
  out += "\n";
  for (const NetworkTable::Line& line : table.lines) {
    if (!line.label.empty()) {
      out += fmt::format("{:<{}}", line.label, kLabel);
      for (std::size_t i = first; i < last; ++i) out += fmt::format("{:>{}}", line.cells[i], kColumn);
    }
    out += "\n";
  }
  return out;
}

std::string bill_text(const NetworkAnswer& a) {
  std::string out = fmt::format("\nbill of materials of {} (one datacenter)\n", a.design.input.name);
  for (const BillLine& line : a.bill.lines) {
    out += fmt::format("   {:<44} {:>14} {:>12} {:>12} {:>12}\n", line.item, exact(std::llround(line.count)),
                       line.each ? show(*line.each) : "", show(line.price), show(line.power));
  }
  out += "   cables by length:";
  for (const LengthClass& c : a.bill.lengths) {
    const std::string limit = c.up_to.si() > 1e6 ? "longer" : "up to " + show(c.up_to);
    out += fmt::format(" {} {};", exact(std::llround(c.cables)), limit);
  }
  out.back() = '\n';
  return out;
}

std::string blast_text(const NetworkAnswer& a) {
  std::string out = "when it fails\n";
  for (const BlastRadius& b : a.counts.blast) {
    out += fmt::format("   {:<28} {:>12} hosts lose {:>7} of their rate{}\n", b.what,
                       exact(std::llround(b.hosts)), show(b.share, Unit::fraction),
                       b.out_of_reach ? " to hosts elsewhere" : "");
  }
  return out;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json quantities_json(const std::vector<PlanQuantity>& quantities, const std::string& section) {
  Json out;
  for (const PlanQuantity& q : quantities) {
    if (!q.key.starts_with(section + ".")) continue;
    const std::string name = q.key.substr(section.size() + 1);
    if (q.unit == Unit::none) {
      out[name] = q.text;
    } else if (q.unit == Unit::count) {
      out[name] = static_cast<std::int64_t>(q.value);
    } else {
      out[name] = number(q.value);
    }
  }
  return out;
}

Json bill_json(const Bill& bill) {
  Json lines = Json::array();
  for (const BillLine& line : bill.lines) {
    lines.push_back({{"item", line.item},
                     {"count", line.count},
                     {"price_each_usd", line.each ? number(line.each->si()) : Json(nullptr)},
                     {"price_usd", number(line.price.si())},
                     {"power_w", number(line.power.si())},
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
                     {"worst_bytes", number(link.worst.si())},
                     {"mean_bytes", number(link.mean.si())}});
  }
  return {{"offered_bytes", number(load.offered.si())},
          {"forwarded_bytes", number(load.forwarded.si())},
          {"bound_s", number(load.bound.si())},
          {"host_bound_s", number(load.host_bound.si())},
          {"share", number(load.share())},
          {"worst_link", load.worst_link},
          {"idle_share", number(load.idle_share)},
          {"links", links}};
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

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

std::string networks_text(const std::vector<NetworkAnswer>& answers) {
  std::string out = "one datacenter\n\n";
  const NetworkTable table = network_table(answers);
  for (std::size_t first = 0; first < answers.size(); first += kColumns)
    out += (first > 0 ? "\n" : "") + block(table, first);
  if (answers.size() <= kColumns) {
    for (const NetworkAnswer& a : answers) out += bill_text(a) + blast_text(a);
  }
  std::string notes;
  for (const NetworkAnswer& a : answers) {
    if (!a.effect && answers.size() <= kColumns)
      notes += fmt::format("no step time for {}: {}\n", a.design.input.name, a.no_effect);
    if (!a.counted_on_graph) notes += fmt::format("{} is counted in closed form\n", a.design.input.name);
  }
  return notes.empty() ? out : out + "\n" + notes;
}

std::string networks_json(const std::vector<NetworkAnswer>& answers, const Provenance& provenance) {
  const auto quantities = network_quantities(answers);
  Json designs = Json::array();
  for (std::size_t i = 0, q = 0; i < answers.size(); ++i) {
    const NetworkAnswer& a = answers[i];
    const std::string section = quantities[q].key.substr(0, quantities[q].key.find('.'));
    while (q < quantities.size() && quantities[q].key.starts_with(section + ".")) ++q;
    Json design = {{"name", a.design.input.name},
                   {"title", a.design.input.title},
                   {"topology", choice_name(a.design.input.topology)}};
    design.update(quantities_json(quantities, section));
    design["counted_on_graph"] = a.counted_on_graph;
    design["by_tier"] = tiers_json(a.counts);
    design["by_link"] = links_json(a.counts);
    design["blast_radius"] = blast_json(a.counts);
    design["lengths"] = lengths_json(a.bill);
    design["bill"] = bill_json(a.bill);
    if (a.effect) design["load"] = load_json(a.effect->load);
    if (!a.effect) design["no_step_time"] = a.no_effect;
    designs.push_back(std::move(design));
  }
  Json json = {{"designs", designs}};
  json["provenance"] = provenance_json(provenance);
  return dump(json);
}

std::string networks_csv(const std::vector<NetworkAnswer>& answers) {
  std::string out = "design,quantity,value\n";
  for (const PlanQuantity& q : network_quantities(answers)) {
    const std::size_t dot = q.key.find('.');
    out += csv_field(q.key.substr(0, dot)) + "," + q.key.substr(dot + 1) + "," +
           (q.unit == Unit::none ? csv_field(q.text) : number_text(q.value)) + "\n";
  }
  return out;
}

std::string loads_text(const std::vector<TrafficAnswer>& answers) {
  std::string out;
  for (const TrafficAnswer& a : answers) {
    out += fmt::format("{}{} on {}{}\n", out.empty() ? "" : "\n", a.traffic, a.design,
                       a.routing.empty() ? "" : ", " + a.routing + " routing");
    out += fmt::format("   {:<26} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "links", "count", "idle", "worst",
                       "mean", "worst/mean");
    for (const LinkLoad& l : a.load.links) {
      const double ratio = l.mean.si() > 0 ? l.worst / l.mean : 0;
      out +=
          fmt::format("   {:<26} {:>12} {:>12} {:>12} {:>12} {:>12.3f}\n", l.name, show(l.links, Unit::count),
                      show(l.idle, Unit::count), show(l.worst), show(l.mean), ratio);
    }
    out += fmt::format("   {} in all", show(a.load.offered));
    if (a.load.forwarded.si() > 0)
      out += fmt::format(", {} of them forwarded through HB domains first", show(a.load.forwarded));
    out += fmt::format("\n   takes at least {} ({}); the hosts alone {}; {} of the links carry nothing\n",
                       show(a.load.bound), a.load.worst_link.empty() ? "nothing is sent" : a.load.worst_link,
                       show(a.load.host_bound), show(a.load.idle_share, Unit::fraction));
  }
  return out;
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
  return dump(json);
}

std::string loads_csv(const std::vector<TrafficAnswer>& answers) {
  std::string out = "design,traffic,links,count,idle,worst_bytes,mean_bytes,bound_s\n";
  for (const TrafficAnswer& a : answers) {
    for (const LinkLoad& l : a.load.links) {
      out += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(a.design), csv_field(a.traffic), l.name,
                         number_text(l.links), number_text(l.idle), number_text(l.worst.si()),
                         number_text(l.mean.si()), number_text(a.load.bound.si()));
    }
  }
  return out;
}

}  // namespace trainyard
