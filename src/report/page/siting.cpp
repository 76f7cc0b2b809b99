#include "trainyard/report/siting.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "report/data/siting_numbers.h"
#include "report/drawing/siting_map.h"
#include "report/drawing/siting_picture.h"
#include "report/drawing/svg.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "report/page/siting_places.h"
#include "report/text/siting_words.h"
#include "scenario/choices/site.h"
#include "trainyard/report/chart.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

std::string list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += "<li>" + escape_markup(item) + "</li>\n";
  return out.empty() ? "<p class=\"soft\">Nothing was noted.</p>\n" : "<ul>" + out + "</ul>\n";
}

std::string section(const std::string& id, const std::string& title, const std::string& lead,
                    const std::string& body) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>{}{}</section>\n", id, escape_markup(title),
                     lead.empty() ? "" : "<p class=\"soft\">" + escape_markup(lead) + "</p>", body);
}

std::string radii_table(const SitingPlan& plan) {
  PageTable table({number_column("radius, km"),
                   number_column("places"),
                   number_column("leave the power"),
                   number_column("and authority"),
                   {"the best place"},
                   {"its authority"},
                   number_column("it gives, MW")});
  for (const RadiusResult& r : plan.radii) {
    table.row({grouped(r.radius), grouped(r.places), grouped(r.by_rule), grouped(r.by_spare),
               r.best ? r.best->name : "-", r.best ? r.best->node.authority : "-",
               r.best ? grouped(r.best->available) : "-"});
  }
  return table.html();
}

std::string other_splits(const SitingPlan& plan) {
  PageTable table({number_column("sites"),
                   number_column("rank"),
                   {"where, MW"},
                   number_column("round trip, ms"),
                   number_column("million USD a year"),
                   number_column("Mt CO2 a year"),
                   number_column("days of training"),
                   number_column("added by distance"),
                   number_column("million USD a run"),
                   {"network"},
                   {"Pareto front"}});
  const auto training = [](const Split& split, const auto& words) {
    return split.training && split.training->infeasible.empty() ? words(*split.training) : std::string("-");
  };
  for (const SplitResult& result : plan.splits) {
    const std::size_t shown = std::min(result.splits.size(), static_cast<std::size_t>(plan.input.shown));
    for (std::size_t i = 0; i < shown; ++i) {
      const Split& split = result.splits[i];
      std::string where;
      for (const SplitSite& part : split.sites)
        where += fmt::format("{}{} {}", where.empty() ? "" : " + ", plan.places[part.site].name,
                             grouped(part.power));
      table.row(
          {std::to_string(result.sites), std::to_string(i + 1) + (result.chosen == i ? " (chosen)" : ""),
           where, fmt::format("{:.2f}", split.rtt.count()), fmt::format("{:.1f}", split.cost.count() / 1e6),
           split.co2_known ? fmt::format("{:.2f}", split.co2.count() / 1e6) : "-",
           training(split, [](const TrainingRun& r) { return fmt::format("{:.1f}", r.duration.count()); }),
           training(split, [](const TrainingRun& r) { return fmt::format("{:.2f}%", 100 * r.added_share); }),
           training(split, [](const TrainingRun& r) { return grouped(r.cost().si() / 1e6); }),
           joint_words(split.joint), split.pareto ? "yes" : ""});
    }
  }
  return table.html();
}

std::string authorities_table(const SitingPlan& plan) {
  std::vector<SparePower> listed;
  for (const SparePower& a : plan.authorities) {
    if (!a.used || *a.used > Megawatts()) listed.push_back(a);
  }
  std::stable_sort(listed.begin(), listed.end(), [](const SparePower& a, const SparePower& b) {
    return a.used.value_or(Megawatts()) > b.used.value_or(Megawatts());
  });
  PageTable table({{"code"},
                   {"name"},
                   number_column("peak demand"),
                   number_column("published"),
                   number_column("installed less peak"),
                   number_column("firm less peak"),
                   number_column("used"),
                   {"why"}});
  for (const SparePower& a : listed)
    table.row({a.code, a.name, grouped(a.peak_demand), grouped(a.published), grouped(a.installed_less_peak),
               grouped(a.firm_less_peak), grouped(a.used, "any"), a.origin});
  return table.html();
}

std::string rule_words(const SiteInput& input) {
  for (const auto& choice : Choices<PowerRule>::kAll) {
    if (choice.value == input.rule)
      return fmt::format("What a place gives is judged by the rule '{}': {}", choice.name, choice.sentence);
  }
  return {};
}

/// What nothing can take, first.
std::string warning_list(const std::vector<std::string>& warnings, const std::optional<UnmetPower>& unmet) {
  std::string out;
  if (unmet) {
    out += "<p class=\"warning\">" + escape_markup("No answer: " + unmet->shortfall + ".");
    for (const std::string& remedy : unmet->remedies)
      out += "<br>" + escape_markup("It would hold with " + remedy + ".");
    out += "</p>\n";
  }
  for (const std::string& w : warnings) out += "<p class=\"warning\">" + escape_markup(w) + "</p>\n";
  return out;
}

PageFacts split_cards(const SitingPicture& picture) {
  PageFacts out;
  for (const SplitLayer& layer : picture.splits) {
    if (layer.split.rtt > Milliseconds())
      out.emplace_back("round trip over " + layer.name, fmt::format("{:.2f} ms", layer.split.rtt.count()));
    if (layer.split.training && layer.split.training->infeasible.empty())
      out.emplace_back("training over " + layer.name,
                       fmt::format("{:.1f} days, +{:.2f}%", layer.split.training->duration.count(),
                                   100 * layer.split.training->added_share));
  }
  return out;
}

std::string finished(const SitingPicture& picture, const Grid& grid, const Scenario& scenario,
                     const SiteInput& input, const PageFacts& cards, const std::string& warnings,
                     const std::vector<std::string>& unknown, const std::string& more) {
  const WebMap map = siting_map_web(picture, grid);
  const PagePlaces places(picture, map);
  return valid_utf8(page("siting",
                         {.kind = "siting",
                          .title = scenario.title.empty() ? picture.title : scenario.title,
                          .subject = picture.title + ". " + rule_words(input) + ".",
                          .cards = cards,
                          .footer = page_footer(scenario),
                          .charts = false},
                         {{"warnings", warnings},
                          {"map", map.svg},
                          {"legend", map.legend},
                          {"layers", places.layer_buttons()},
                          {"splits_beside", places.split_panels()},
                          {"projection", escape_markup(map.projection)},
                          {"tables", section("sites", "Sites", "", places.singles()) + more},
                          {"unknown", list(unknown)}},
                         {}));
}

}  // namespace

std::string siting_page(const SitingPlan& plan, const Grid& grid, const Scenario& scenario) {
  const SitingPicture picture = siting_picture(plan);
  PageFacts cards = {{"power", grouped(plan.power) + " MW"},
                     {"HB domains / racks", grouped(plan.domains) + " / " + grouped(plan.racks)},
                     {"plants / nodes / lines", fmt::format("{} / {} / {}", grouped(plan.plants),
                                                            grouped(plan.nodes), grouped(plan.lines))},
                     {fmt::format("single sites at {} km", grouped(as<Kilometres>(plan.input.radius))),
                      grouped(plan.single_count)}};
  for (auto& card : split_cards(picture)) cards.push_back(std::move(card));
  const std::string more =
      section("splits", "Splits", "Over each number of sites, the best first.", other_splits(plan)) +
      section("radii", "One site, by radius", "How many places leave all of the power.", radii_table(plan)) +
      section("authorities", "Balancing authorities", "Spare power in MW, of those that have any.",
              authorities_table(plan));
  return finished(picture, grid, scenario, plan.input, cards, warning_list(plan.warnings, plan.unmet),
                  plan.unknown, more);
}

std::string siting_page(const PlacesPlan& plan, const Grid& grid, const Scenario& scenario) {
  const SitingPicture picture = siting_picture(plan);
  PageFacts cards = {{"places", std::to_string(picture.singles.size())}};
  if (plan.power > Megawatts()) cards.emplace_back("power", grouped(plan.power) + " MW");
  for (auto& card : split_cards(picture)) cards.push_back(std::move(card));
  PageTable nodes({{"place"},
                   number_column("radius, km"),
                   number_column("plants"),
                   number_column("nodes"),
                   number_column("generation, MW"),
                   number_column("firm, MW"),
                   number_column("coal, MW"),
                   number_column("largest, MW"),
                   number_column("interfaces, MW"),
                   number_column("local load, MW"),
                   number_column("paper, MW"),
                   number_column("autonomous, MW"),
                   number_column("strict, MW"),
                   {"ruled out"}});
  for (const PlaceResult& place : plan.places) {
    const PowerNode& n = place.site.node;
    nodes.row({place.site.name, grouped(n.radius), grouped(n.plants.size()), grouped(n.nodes.size()),
               grouped(n.generation), grouped(n.firm), grouped(n.coal), grouped(n.largest_power),
               grouped(n.imports), grouped(n.local_load), grouped(n.paper), grouped(n.autonomous),
               grouped(n.strict), n.rule_ok ? "" : "yes"});
  }
  return finished(picture, grid, scenario, plan.input, cards, warning_list(plan.warnings, plan.unmet),
                  plan.unknown,
                  section("nodes", "Power nodes", "What lies within the radius, and what each rule leaves.",
                          nodes.html()));
}

}  // namespace trainyard
