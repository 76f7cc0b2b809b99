#include "trainyard/report/networks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/data/show.h"
#include "report/text/network_table.h"
#include "trainyard/networks_compared.h"

namespace trainyard {
namespace {

constexpr std::size_t kColumns = 4;  // designs beside each other
constexpr int kLabel = 26;
constexpr int kColumn = 21;

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
    out += fmt::format("   {:<44} {:>14} {:>12} {:>12} {:>12}\n", line.item,
                       grouped(std::llround(line.count)), line.each ? show(*line.each) : "", show(line.price),
                       line.power ? show(*line.power) : "unknown");
  }
  out += "   cables by length:";
  for (const LengthClass& c : a.bill.lengths) {
    const std::string limit = c.up_to.si() > 1e6 ? "longer" : "up to " + show(c.up_to);
    out += fmt::format(" {} {};", grouped(std::llround(c.cables)), limit);
  }
  out.back() = '\n';
  return out;
}

std::string blast_text(const NetworkAnswer& a) {
  std::string out = "when it fails\n";
  for (const BlastRadius& b : a.counts.blast) {
    const bool one = std::llround(b.hosts) == 1;
    out += fmt::format("   {:<28} {:>12} {} {:>7} of {} rate{}\n", b.what, grouped(std::llround(b.hosts)),
                       one ? "host loses" : "hosts lose", show_share(b.share), one ? "its" : "their",
                       b.out_of_reach ? " to hosts elsewhere" : "");
  }
  return out;
}

/// "+ unknown" in the table.
std::string unknown_power_text(const NetworkAnswer& a) {
  std::string items;
  for (const std::string& item : a.bill.power_unknown()) items += (items.empty() ? "" : ", ") + item;
  if (items.empty()) return {};
  return fmt::format("the power of {} is not known whole: {} of the rest, none known of {}\n",
                     a.design.input.name, show(a.bill.power_known), items);
}

}  // namespace

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
    notes += unknown_power_text(a);
    if (!a.effect && answers.size() <= kColumns)
      notes += fmt::format("no step time for {}: {}\n", a.design.input.name, a.no_effect);
    if (!a.counted_on_graph) notes += fmt::format("{} is counted in closed form\n", a.design.input.name);
  }
  return notes.empty() ? out : out + "\n" + notes;
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
      out += fmt::format("   {:<26} {:>12} {:>12} {:>12} {:>12} {:>12.3f}\n", l.name, show_count(l.links),
                         show_count(l.idle), show(l.worst), show(l.mean), ratio);
    }
    out += fmt::format("   {} in all", show(a.load.offered));
    if (a.load.forwarded.si() > 0)
      out += fmt::format(", {} of them forwarded through HB domains first", show(a.load.forwarded));
    out += fmt::format("\n   takes at least {} ({}); the hosts alone {}; {} of the links carry nothing\n",
                       show(a.load.bound), a.load.worst_link.empty() ? "nothing is sent" : a.load.worst_link,
                       show(a.load.host_bound), show_share(a.load.idle_share));
  }
  return out;
}

}  // namespace trainyard
