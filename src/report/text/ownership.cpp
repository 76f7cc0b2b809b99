#include "trainyard/ownership.h"

#include <fmt/core.h>

#include "base/counted.h"
#include "report/data/goodput_words.h"
#include "report/data/show.h"
#include "trainyard/report/ownership.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

std::string phases_part(const OwnershipAnswer& a) {
  std::string out = fmt::format("\n{:<15} {:<12} {:>7} {:>8} {:>8} {:>8} {:>7} {:>8} {:>7}\n", "Phases", "",
                                "devices", "year", "to year", "price", "useful", "tokens/s", "$/Mtok");
  for (const OwnedPhase& p : a.phases)
    out += fmt::format("   {:<12} {:<12} {:>7} {:>8} {:>8} {:>8} {:>7} {:>8} {:>7}\n", p.name, p.hb_domain,
                       grouped(p.devices), fixed(as<Years>(p.serves).count(), 3),
                       fixed(as<Years>(p.retires).count(), 3), show(p.price),
                       p.failures ? show_share(p.useful) : "unknown", show_many(p.tokens_per_second),
                       fixed(p.per_million_tokens.si(), 4));
  return out;
}

std::string tokens_price(const std::optional<Usd>& price) { return price ? fixed(price->si(), 4) : "none"; }

std::string ways_row(const Ownership& o) {
  return fmt::format("   {:<20} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9}\n", o.name,
                     o.trained ? show(*o.trained) : "not yet", show_many(o.tokens), show(o.paid),
                     show(o.cost), show(o.present_value), tokens_price(o.per_million_tokens_levelized));
}

std::string ways_part(const OwnershipAnswer& a) {
  std::string out = fmt::format("\n{:<23} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9}\n", "Ways to build", "trained",
                                "tokens", "paid", "cost", "today", "$/Mtok");
  out += ways_row(a.asked);
  for (const Ownership& way : a.others) out += ways_row(way);
  return out;
}

/// A row for each year.
std::string years_part(const OwnershipAnswer& a) {
  std::string out = fmt::format("\n{:<8} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "Years", "devices",
                                "paid", "energy", "upkeep", "book", "tokens");
  OwnedMonth sum;
  double seconds = 0;
  int year = 1;
  for (std::size_t i = 0; i < a.asked.months.size(); ++i) {
    const OwnedMonth& m = a.asked.months[i];
    const double width = (m.to - m.from).si();
    sum.devices += m.devices * width;
    seconds += width;
    sum.paid += m.paid;
    sum.energy += m.energy;
    sum.upkeep += m.upkeep;
    sum.tokens += m.tokens;
    if (as<Years>(m.to).count() < year - 1e-4 && i + 1 < a.asked.months.size()) continue;
    out += fmt::format("   {:<5} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}\n", year,
                       grouped(sum.devices / seconds), show(sum.paid), show(sum.energy), show(sum.upkeep),
                       show(m.book), show_many(sum.tokens));
    sum = {};
    seconds = 0;
    ++year;
  }
  return out;
}

std::string watches_part(const OwnershipAnswer& a) {
  if (!a.ports) return "\n" + no_watches_words(a) + "\n";
  std::string out = fmt::format("\n{:<26} {:>12} {:>10} {:>12} {:>12}\n",
                                fmt::format("Watching {}", counted(grouped(*a.ports), "port")), "bytes a s",
                                "kept", "to detect", "useful time");
  for (const Watch& w : a.watches)
    out += fmt::format("   every {:<17} {:>12} {:>10} {:>12} {:>12}\n", show(w.interval), show(w.rate),
                       show(w.kept), show(w.detection), w.useful ? show_share(*w.useful) : "unknown");
  if (const std::string words = watched_words(a); !words.empty()) out += "   " + words + "\n";
  return out;
}

}  // namespace

std::string ownership_text(const Scenario& scenario, const OwnershipAnswer& a) {
  const Ownership& o = a.asked;
  std::string out = fmt::format("{}\n\nTraining on {} is {}; {} in {}\n", scenario.title,
                                counted(show_many(a.target_tokens), "token"),
                                o.trained ? "through after " + show(*o.trained) : "not through by then",
                                counted(show_many(o.tokens), "token"), show(a.settings.horizon));
  out += fmt::format("   {} paid, {} energy, {} upkeep, {} still in the books: {}, {} of it today\n",
                     show(o.paid), show(o.energy), show(o.upkeep), show(o.book), show(o.cost),
                     show(o.present_value));
  if (o.per_million_tokens && o.per_million_tokens_levelized)
    out += fmt::format("   ${} for a million tokens, ${} levelized\n", fixed(o.per_million_tokens->si(), 4),
                       fixed(o.per_million_tokens_levelized->si(), 4));
  if (const std::string words = failures_of_years_words(scenario, a); !words.empty())
    out += "   " + words + "\n";
  return out + phases_part(a) + ways_part(a) + years_part(a) + watches_part(a);
}

}  // namespace trainyard
