#include "trainyard/report/circuits.h"

#include <fmt/core.h>

#include "base/counted.h"
#include "report/data/show.h"
#include "trainyard/circuits.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

std::string power_text(const std::optional<Watts>& power) { return power ? show(*power) : "unknown"; }

std::string circuits_headline(const CircuitsAnswer& a) {
  const CircuitStep& s = a.step;
  return fmt::format(
      "   step over circuits      {:>9}   {:.2f}% longer than {} over electrical rails\n"
      "   ports that are shared   {:>9}   circuits that change in no time: {}\n"
      "   changes that show       {:>9}   a device's circuits change {:.1f} times a step, {} in all\n",
      show(s.step), 100 * a.overhead(), show(a.electrical), show(s.sharing(a.electrical)), show(s.at_once),
      show(s.exposed()), s.changes, show(s.changing));
}

std::string uses_table(const CircuitsAnswer& a) {
  std::string out =
      fmt::format("\n{:<22} {:<18} {:>7} {:>10} {:>6} {:>7} {:>7} {:>6} {:>9}\n", "Neighbours on a rail",
                  "pattern", "members", "neighbours", "ports", "rate", "detour", "turns", "transfers");
  for (const CircuitUse& use : a.uses) {
    if (use.electrical) {
      out += fmt::format("   {:<19} {:<18} {:>7} over the electrical network beside {:>16}\n", use.kind,
                         use.pattern, use.members, use.transfers);
      continue;
    }
    out += fmt::format("   {:<19} {:<18} {:>7} {:>10} {:>6} {:>7} {:>7.2f} {:>6.0f} {:>9}\n", use.kind,
                       use.pattern, use.members, use.neighbours, use.ports, show_share(use.share), use.detour,
                       use.turns, use.transfers);
  }
  return out;
}

std::string networks_part(const CircuitsAnswer& a) {
  std::string out = fmt::format("\n{:<28} {:>9} {:>13} {:>10} {:>10} {:>10}\n", "Networks", "switches",
                                "optical ends", "price", "power", "step");
  for (const CircuitNetwork& n : a.networks) {
    out += fmt::format("   {:<25} {:>9} {:>13} {:>10} {:>10} {:>10}\n", n.name, grouped(n.switches),
                       grouped(n.optical_ends), show(n.price), power_text(n.power), show(n.step));
  }
  const CircuitRails& r = a.rails;
  return out + fmt::format(
                   "   {} of {} on {} of {}; one has {} of a device's "
                   "{}, of {}\n",
                   counted(r.rails, "rail"), counted(grouped(r.hosts), "device"),
                   counted(grouped(r.switches), "circuit switch"), counted(r.switch_ports, "port"),
                   r.ports_on_switch, counted(r.ports, "port"), counted(r.rails_on_switch, "rail"));
}

std::string circuit_failures(const CircuitsAnswer& a) {
  std::string out =
      fmt::format("\n{:<23} {:<44} {:>8} {:>6} {:>9}\n", "Failures", "", "devices", "keep", "step");
  for (const CircuitFailure& f : a.failures) {
    out += fmt::format("   {:<20} {:<44} {:>8} {:>6} {:>9}   {}\n", f.network, f.what, grouped(f.devices),
                       show_share(f.kept), f.step ? show(*f.step) : "stops", f.then);
  }
  return out;
}

std::string choices(const char* title, const CircuitsAnswer& a, const std::vector<CircuitChoice>& rows,
                    bool priced) {
  std::string out =
      fmt::format("\n{:<26} {:>10} {:>10} {:>8} {:>9}", title, "change", "step", "longer", "changes");
  out += priced ? fmt::format(" {:>10} {:>10}\n", "price", "power") : "\n";
  for (const CircuitChoice& row : rows) {
    if (!row.step) {
      out += fmt::format("   {:<23} {:>10} {}\n", row.name, show(row.change), row.why);
      continue;
    }
    out += fmt::format("   {:<23} {:>10} {:>10} {:>7.2f}% {:>9.1f}", row.name, show(row.change),
                       show(row.step->step), 100 * (row.step->step / a.electrical - 1), row.step->changes);
    if (priced)
      out += fmt::format(" {:>10} {:>10}", row.price ? show(*row.price) : "", power_text(row.power));
    out += "\n";
  }
  return out;
}

}  // namespace

std::string circuits_text(const Scenario& scenario, const CircuitsAnswer& a) {
  return fmt::format("{}\n\nA change of circuits takes {}\n", scenario.title, show(a.step.change)) +
         circuits_headline(a) + uses_table(a) + networks_part(a) +
         choices("When circuits change", a, a.rules, false) +
         choices("By the time of a change", a, a.times, false) +
         choices("Circuit switches", a, a.switches, true) + circuit_failures(a);
}

}  // namespace trainyard
