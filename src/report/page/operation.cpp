#include "trainyard/operation.h"

#include <fmt/core.h>

#include <string>

#include "base/counted.h"
#include "report/data/goodput_words.h"
#include "report/data/show.h"
#include "report/drawing/operation_charts.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "trainyard/report/operation.h"

namespace trainyard {
namespace {

std::string days_text(const OperationDay& day) { return day.days ? show(*day.days) : "never"; }

PageFacts operation_facts(const OperationAnswer& a) {
  PageFacts out = {{"to train", days_text(a.asked)},
                   {"all devices all day, without failures", show(a.ideal)},
                   {"useful time", show_share(a.goodput)},
                   {"energy a day", show(a.asked.energy_cost)},
                   {"other work earns a day", show(a.asked.service_income)},
                   {"power left below the caps", show(a.asked.idle_power)}};
  if (a.earned_usd_per_mwh) out.emplace_back("other work earns a MWh", "$" + fixed(*a.earned_usd_per_mwh, 2));
  return out;
}

void add_day(PageTable& table, const OperationDay& day, const std::string& name) {
  table.row({name, days_text(day), show_share(day.speed), show(day.energy_cost), show(day.service_income),
             show(day.idle_power), day.cost ? show(*day.cost) : ""});
}

PageTable days_table(const char* first) {
  return {{first},
          number_column("to train"),
          number_column("speed"),
          number_column("energy a day"),
          number_column("income a day"),
          number_column("idle power"),
          number_column("net cost")};
}

std::string operation_rules_table(const OperationAnswer& a) {
  PageTable table = days_table("rule");
  add_day(table, a.asked, a.asked.name);
  for (const OperationDay& day : a.others) add_day(table, day, day.name);
  return table.html();
}

std::string operation_pauses_table(const OperationAnswer& a) {
  if (a.pauses.empty()) return "<p>The price of energy is the same all day.</p>";
  PageTable table = days_table("training up to, $/MWh");
  for (const OperationDay& day : a.pauses) add_day(table, day, day.name);
  return table.html();
}

std::string operation_swings_table(const OperationAnswer& a) {
  PageTable table{{"swing"},
                  number_column("from"),
                  number_column("to"),
                  number_column("within"),
                  number_column("a day"),
                  number_column("store that keeps the limit")};
  for (const PowerSwing& s : a.swings)
    table.row({s.what, show(s.from), show(s.to), show(s.over), grouped_or(3, s.per_day),
               s.store ? show(*s.store) : "no limit"});
  return table.html();
}

PageFacts operation_checkpoint(const OperationAnswer& a) {
  const CheckpointTraffic& c = a.checkpoint;
  return {{c.backups ? "bytes of a backup" : "bytes", show(c.bytes)},
          {"time of one", show(c.write)},
          {"every", show(c.interval)},
          {"share of the scale-out rate", show_share(c.rate_share)},
          {"step meanwhile", show(c.step)},
          {"training slower by", fmt::format("{:.3f}%", 100 * c.slowdown)}};
}

}  // namespace

std::string operation_page(const Scenario& scenario, const OperationAnswer& a) {
  return page(
      "operation",
      {.kind = "operate",
       .title = page_title(scenario),
       .subject = fmt::format("{}, {} of {}, {}{}", counted(grouped(a.devices), "device"),
                              counted(grouped(a.replicas), "replica"), grouped(a.replica_devices),
                              show(a.power_limit), words_after("; ", failures_of_hours_words(scenario, a))),
       .cards = operation_facts(a),
       .footer = page_footer(scenario)},
      {{"day", operation_in_time(a)},
       {"rules", operation_rules_table(a)},
       {"pauses", operation_pauses_table(a)},
       {"swings", operation_swings_table(a)},
       {"checkpoint", page_facts(operation_checkpoint(a))},
       {"settings", page_facts(page_settings(scenario, {"operation."}, LeftOut::shown))}},
      operation_charts(a));
}

}  // namespace trainyard
