#include "trainyard/circuits.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "base/counted.h"
#include "report/data/show.h"
#include "report/drawing/circuit_charts.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "trainyard/report/circuits.h"

namespace trainyard {
namespace {

std::string longer_text(Seconds step, Seconds electrical) {
  return fmt::format("{:.2f}%", 100 * (step / electrical - 1));
}

PageFacts circuits_facts(const CircuitsAnswer& a) {
  return {{"step over circuits", show(a.step.step)},
          {"over electrical rails", show(a.electrical)},
          {"longer by", longer_text(a.step.step, a.electrical)},
          {"a change takes", show(a.step.change)},
          {"changes of a device a step", fmt::format("{:.1f}", a.step.changes)},
          {"changes that show", show(a.step.exposed())},
          {"ports that are shared", show(a.step.sharing(a.electrical))}};
}

std::string circuit_networks_table(const CircuitsAnswer& a) {
  PageTable table{{"network"},
                  number_column("switches"),
                  number_column("optical ends"),
                  number_column("price"),
                  number_column("power"),
                  number_column("step")};
  for (const CircuitNetwork& n : a.networks) {
    table.row({n.name, grouped(n.switches), grouped(n.optical_ends), show(n.price),
               n.power ? show(*n.power) : "unknown", show(n.step)});
  }
  return table.html();
}

std::string circuit_uses_table(const CircuitsAnswer& a) {
  PageTable table{{"traffic"},
                  {"pattern"},
                  number_column("members"),
                  number_column("neighbours"),
                  number_column("ports"),
                  number_column("rate"),
                  number_column("detour"),
                  number_column("turns")};
  for (const CircuitUse& use : a.uses) {
    table.row({use.kind, use.electrical ? "over the electrical network" : use.pattern, grouped(use.members),
               grouped(use.neighbours), grouped(use.ports), show_share(use.share),
               fmt::format("{:.2f}", use.detour), fmt::format("{:.0f}", use.turns)});
  }
  return table.html();
}

std::string circuit_choices_table(const CircuitsAnswer& a, const std::vector<CircuitChoice>& rows) {
  PageTable table{{"choice"},
                  number_column("change"),
                  number_column("step"),
                  number_column("longer"),
                  number_column("changes"),
                  {"why not"}};
  for (const CircuitChoice& row : rows) {
    if (row.step) {
      table.row({row.name, show(row.change), show(row.step->step), longer_text(row.step->step, a.electrical),
                 fmt::format("{:.1f}", row.step->changes), ""});
    } else {
      table.row({row.name, show(row.change), "", "", "", row.why});
    }
  }
  return table.html();
}

std::string circuit_failures_table(const CircuitsAnswer& a) {
  PageTable table{{"network"},           {"failure"},           number_column("devices"),
                  number_column("keep"), number_column("step"), {"then"}};
  for (const CircuitFailure& f : a.failures) {
    table.row({f.network, f.what, grouped(f.devices), show_share(f.kept), f.step ? show(*f.step) : "stops",
               f.then});
  }
  return table.html();
}

}  // namespace

std::string circuits_page(const Scenario& scenario, const CircuitsAnswer& a) {
  return page(
      "circuits",
      {.kind = "circuits",
       .title = page_title(scenario),
       .subject = fmt::format("{} of {}, {} each", counted(a.rails.rails, "rail"),
                              counted(grouped(a.rails.hosts), "device"), counted(a.rails.ports, "port")),
       .cards = circuits_facts(a),
       .footer = page_footer(scenario)},
      {{"timeline", circuits_timeline(a)},
       {"uses", circuit_uses_table(a)},
       {"networks", circuit_networks_table(a)},
       {"rules", circuit_choices_table(a, a.rules)},
       {"switches", circuit_choices_table(a, a.switches)},
       {"failures", circuit_failures_table(a)},
       {"settings", page_facts(page_settings(scenario, {"circuits."}, LeftOut::shown))}},
      circuit_charts(a));
}

}  // namespace trainyard
