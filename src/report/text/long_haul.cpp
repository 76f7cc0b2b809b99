#include "trainyard/long_haul.h"

#include <fmt/core.h>

#include "base/counted.h"
#include "report/data/show.h"
#include "scenario/choices/transports.h"
#include "scenario/choices/wide_area.h"
#include "trainyard/report/wide_area.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

bool with_local(const std::vector<LongHaulResult>& results) {
  for (const LongHaulResult& r : results) {
    if (r.local_longest > Seconds(0)) return true;
  }
  return false;
}

std::string row(const LongHaulResult& r, bool local) {
  std::string out = fmt::format("   {:>9} {:>8.1e}", choice_name(r.run.transport), r.run.bit_error_rate);
  if (local) out += fmt::format(" {:>9}", r.run.wide_area_first ? "first" : "equal");
  out += fmt::format(" {:>10} {:>10} {:>10} {:>10} {:>8.2f} {:>8}", show(r.median), show(r.p99),
                     show(r.longest), show(r.exchange), r.exchange / r.ideal, show_share(r.overhead));
  out += fmt::format(" {:>9} {:>9} {:>9}", r.counters.corrupted, r.counters.drops, r.counters.repeats);
  if (local) out += fmt::format(" {:>10}", show(r.local_longest));
  return out + "\n";
}

}  // namespace

std::string long_haul_text(const Scenario& scenario, const std::vector<LongHaulResult>& results) {
  const LongHaulResult& first = results.front();
  const bool local = with_local(results);
  std::string out = fmt::format(
      "{}\n\nPackets between {} ({}): {}, each host sums {}, {}; at the least {} without losses\n",
      scenario.title, counted(scenario.long_haul.sites, "site"), choice_name(scenario.long_haul.exchange),
      counted(first.flows, "flow"), show(first.run.bytes),
      counted(scenario.long_haul.path_rates.size(), "path"), show(first.ideal));
  out += fmt::format("   {:>9} {:>8}", "transport", "bit");
  if (local) out += fmt::format(" {:>9}", "wide area");
  out += fmt::format(" {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>9} {:>9} {:>9}", "median", "p99", "longest",
                     "exchange", "over", "over-", "lost to", "dropped", "repeated");
  if (local) out += fmt::format(" {:>10}", "local");
  out += fmt::format("\n   {:>9} {:>8}", "", "errors");
  if (local) out += fmt::format(" {:>9}", "is served");
  out += fmt::format(" {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>9} {:>9} {:>9}", "", "", "", "", "least",
                     "head", "errors", "", "");
  if (local) out += fmt::format(" {:>10}", "longest");
  out += "\n";
  for (const LongHaulResult& r : results) out += row(r, local);
  return out;
}

}  // namespace trainyard
