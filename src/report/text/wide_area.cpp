#include "trainyard/report/wide_area.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "report/data/hiding_words.h"
#include "report/data/show.h"
#include "scenario/choices/wide_area.h"
#include "trainyard/scenario.h"
#include "trainyard/wide_area.h"

namespace trainyard {
namespace {

std::string show_time(Seconds time) { return std::isinf(time.si()) ? "never" : show(time); }

std::string show_repeats(double rounds) {
  return std::isinf(rounds) ? "endless" : fmt::format("{:.2f}", rounds);
}

std::string header() {
  return fmt::format("   {:>5} {:>11} {:>9} {:>10} {:>8} {:>10} {:>10} {:>10} {:>9} {:>10} {:>9}  {}\n",
                     "sites", "exchange", "RTT", "sent", "repeats", "exchange", "exposed", "added", "exposed",
                     "step", "added to", "capacity that") +
         fmt::format("   {:>5} {:>11} {:>9} {:>10} {:>8} {:>10} {:>10} {:>10} {:>9} {:>10} {:>9}  {}\n", "",
                     "", "", "a device", "", "a layer", "a layer", "a layer", "share", "", "the step",
                     "hides it, a device");
}

std::string row(const SitesPoint& p, BitRate nic_rate) {
  if (!p.infeasible.empty()) return fmt::format("   {:>5} {}\n", p.sites, p.infeasible);
  return fmt::format("   {:>5} {:>11} {:>9} {:>10} {:>8} {:>10} {:>10} {:>10} {:>9} {:>10} {:>9}  {}\n",
                     p.sites, p.sites == 1 ? "" : std::string(choice_name(p.exchange.kind)),
                     show_time(p.longest_rtt), show(p.sent), show_repeats(p.repeats), show_time(p.time),
                     show_time(p.exposed), show_time(p.added), show_share(p.exposed_share), show_time(p.step),
                     show_share(p.added_share), p.sites == 1 ? "" : hiding_words(p.hiding_rate, nic_rate));
}

std::string conclusion(const Scenario& scenario, const WideAreaAnswer& answer) {
  const std::string most = show_share(scenario.wide_area.largest_exposed_share);
  if (answer.too_many)
    return fmt::format("{} sites are too many: the wide area adds more than {} to the step.\n",
                       *answer.too_many, most);
  const auto last = std::find_if(answer.points.rbegin(), answer.points.rend(),
                                 [](const SitesPoint& p) { return p.infeasible.empty(); });
  return fmt::format("No number of sites up to {} adds more than {} to the step.\n", last->sites, most);
}

}  // namespace

std::string wide_area_text(const Scenario& scenario, const WideAreaAnswer& answer) {
  const WideAreaInput& w = scenario.wide_area;
  std::string out = fmt::format("{}\n\nOne cluster over several sites, {} between sites for each device\n",
                                scenario.title, show(scenario.network.wide_area_rate));
  if (w.sync_every > 1)
    out +=
        fmt::format("   sites exchange every {} batches; times of a layer and shares are means over them\n",
                    w.sync_every);
  out += header();
  for (const SitesPoint& p : answer.points) out += row(p, answer.nic_rate);
  for (const SitesPoint& p : answer.points) {
    for (const std::string& note : p.notes) out += fmt::format("   {}: {}\n", counted(p.sites, "site"), note);
  }
  out += "\n" + conclusion(scenario, answer);
  if (answer.curves.empty()) return out;
  out += "\nExposed share against capacity for each device\n   capacity ";
  for (const auto& curve : answer.curves) out += fmt::format(" {:>9}", counted(curve.front().sites, "site"));
  out += "\n";
  for (std::size_t r = 0; r < answer.rates.size(); ++r) {
    out += fmt::format("   {:>9}", show(answer.rates[r]));
    for (const auto& curve : answer.curves) out += fmt::format(" {:>9}", show_share(curve[r].exposed_share));
    out += "\n";
  }
  return out;
}

}  // namespace trainyard
