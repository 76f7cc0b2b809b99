#include "trainyard/ownership.h"

#include <fmt/core.h>

#include <string>

#include "base/counted.h"
#include "report/data/goodput_words.h"
#include "report/data/show.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/ownership.h"

namespace trainyard {
namespace {

std::string tokens_price_text(const std::optional<Usd>& price) {
  return price ? "$" + fixed(price->si(), 4) : "none";
}

/// After the beginning.
std::string moment_text(Seconds time) { return time.si() == 0 ? "at once" : show(time); }

std::string trained_text(const Ownership& o) {
  return o.trained ? show(*o.trained) : "not until the horizon";
}

PageFacts ownership_facts(const OwnershipAnswer& a) {
  return {{"training is through after", trained_text(a.asked)},
          {"tokens until the horizon", show_many(a.asked.tokens)},
          {"paid", show(a.asked.paid)},
          {"cost less what is in the books", show(a.asked.cost)},
          {"of it today", show(a.asked.present_value)},
          {"a million tokens, levelized", tokens_price_text(a.asked.per_million_tokens_levelized)}};
}

std::string owned_phases_table(const OwnershipAnswer& a) {
  PageTable table{{"phase"},
                  {"HB domain"},
                  number_column("devices"),
                  number_column("ordered"),
                  number_column("serves"),
                  number_column("retires"),
                  number_column("price"),
                  number_column("power"),
                  number_column("ports"),
                  number_column("useful time"),
                  number_column("tokens a second"),
                  number_column("a million tokens")};
  for (const OwnedPhase& p : a.phases)
    table.row({p.name, p.hb_domain, grouped(p.devices), moment_text(p.ordered), moment_text(p.serves),
               show(p.retires), show(p.price), show(p.power), p.ports ? grouped(*p.ports) : "not counted",
               p.failures ? show_share(p.useful) : "unknown", show_many(p.tokens_per_second),
               "$" + fixed(p.per_million_tokens.si(), 4)});
  return table.html();
}

std::string ways_table(const OwnershipAnswer& a) {
  PageTable table{{"way"},
                  number_column("training is through"),
                  number_column("tokens"),
                  number_column("paid"),
                  number_column("energy"),
                  number_column("upkeep"),
                  number_column("cost"),
                  number_column("today"),
                  number_column("a million tokens, levelized")};
  const auto add = [&](const Ownership& o) {
    table.row({o.name, trained_text(o), show_many(o.tokens), show(o.paid), show(o.energy), show(o.upkeep),
               show(o.cost), show(o.present_value), tokens_price_text(o.per_million_tokens_levelized)});
  };
  add(a.asked);
  for (const Ownership& way : a.others) add(way);
  return table.html();
}

std::string watches_table(const OwnershipAnswer& a) {
  if (!a.ports) return page_facts({{"not watched", no_watches_words(a)}});
  PageTable table{number_column("every"), number_column("bytes a second"), number_column("kept"),
                  number_column("to detect"), number_column("useful time")};
  for (const Watch& w : a.watches)
    table.row({show(w.interval), show(w.rate), show(w.kept), show(w.detection),
               w.useful ? show_share(*w.useful) : "unknown"});
  const std::string words = watched_words(a);
  return table.html() + (words.empty() ? words : page_facts({{"watched", words}}));
}

}  // namespace

std::string ownership_page(const Scenario& scenario, const OwnershipAnswer& a) {
  return page("ownership",
              {.kind = "years",
               .title = page_title(scenario),
               .subject = fmt::format("{}, {}{}", counted(a.phases.size(), "phase"), show(a.settings.horizon),
                                      words_after("; ", failures_of_years_words(scenario, a))),
               .cards = ownership_facts(a),
               .footer = page_footer(scenario)},
              {{"phases", owned_phases_table(a)},
               {"ways", ways_table(a)},
               {"ports", a.ports ? grouped(*a.ports) : "no"},
               {"watches", watches_table(a)},
               {"settings", page_facts(page_settings(scenario, {"ownership.", "phase."}, LeftOut::shown))}},
              ownership_charts(a));
}

}  // namespace trainyard
