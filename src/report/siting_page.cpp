#include <fmt/core.h>

#include <algorithm>

#include "report/grouped.h"
#include "report/page.h"
#include "report/siting_map.h"
#include "report/siting_text.h"
#include "report/svg.h"
#include "scenario/choices.h"

namespace trainyard {
namespace {

using Cards = std::vector<std::pair<std::string, std::string>>;

std::string list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += "<li>" + escape_markup(item) + "</li>\n";
  return out.empty() ? "<p class=\"soft\">Nothing was noted.</p>\n" : "<ul>" + out + "</ul>\n";
}

/// A table whose rows are cells; numbers stand to the right.
class PageTable {
 public:
  explicit PageTable(const std::vector<std::string>& head) {
    for (const std::string& h : head) {
      const bool number = h.starts_with('>');
      right_.push_back(number);
      head_ += fmt::format("<th{}>{}</th>", number ? " class=\"value\"" : "",
                           escape_markup(h.substr(number ? 1 : 0)));
    }
  }
  /// `place`: attributes that lead to a place of the map.
  void row(const std::vector<std::string>& cells, const std::string& place = {}) {
    rows_ += "<tr" + place + ">";
    for (std::size_t c = 0; c < cells.size(); ++c)
      rows_ += fmt::format("<td{}>{}</td>", right_[c] ? " class=\"value\"" : "", escape_markup(cells[c]));
    rows_ += "</tr>\n";
  }
  std::string html() const {
    return "<div class=\"scroll\"><table><thead><tr>" + head_ + "</tr></thead><tbody>\n" + rows_ +
           "</tbody></table></div>\n";
  }

 private:
  std::vector<bool> right_;
  std::string head_;
  std::string rows_;
};

std::string section(const std::string& id, const std::string& title, const std::string& lead,
                    const std::string& body) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>{}{}</section>\n", id, escape_markup(title),
                     lead.empty() ? "" : "<p class=\"soft\">" + escape_markup(lead) + "</p>", body);
}

std::string place_words(GeoPoint p) { return fmt::format("{:.3f}, {:.3f}", p.lat_deg, p.lon_deg); }

std::string cost_words(const Split& s) {
  std::string out = fmt::format("${}M a year", grouped(s.usd_per_year / 1e6));
  if (!s.price_known) out += " (usual price where unknown)";
  if (s.co2_known) out += fmt::format(", {:.2f} Mt CO2 a year", s.co2_t_per_year / 1e6);
  return out;
}

/// Writes what refers to places of the map.
class PagePlaces {
 public:
  PagePlaces(const SitingPicture& picture, const WebMap& map) : picture_(picture), map_(map) {}

  std::string attributes(GeoPoint place) const {
    const MapPoint at = map_.at(place);
    return fmt::format(" data-x=\"{:.1f}\" data-y=\"{:.1f}\"", at.x, at.y);
  }

  std::string singles() const {
    PageTable table({">", "site", "place", "authority", ">gives, MW", ">spare, MW", ">usable, MW",
                     ">deliverable, MW", ">without largest producer", ">USD/MWh", ">kg CO2/MWh"});
    for (std::size_t i = 0; i < picture_.singles.size(); ++i) {
      const Site& s = picture_.singles[i];
      table.row({std::to_string(i + 1), s.name, place_words(s.node.at), s.node.authority,
                 grouped(s.available_mw), grouped(s.spare_mw, "any"), grouped(s.usable_mw),
                 s.deliverable ? grouped(s.deliverable->intact_mw) : "-",
                 s.deliverable ? grouped(s.deliverable->producer_lost_mw) : "-",
                 s.price_usd_per_mwh ? fmt::format("{:.2f}", *s.price_usd_per_mwh) : "-",
                 grouped(s.co2_kg_per_mwh)},
                attributes(s.node.at));
    }
    return table.html();
  }

  /// One panel for every layer of the map.
  std::string split_panels() const {
    std::string out;
    for (std::size_t l = 0; l < picture_.splits.size(); ++l) out += panel(picture_.splits[l], l);
    if (out.empty())
      out =
          "<div class=\"panel\"><h3>No split</h3><p class=\"soft\">No set of places can take the power "
          "together.</p></div>\n";
    return out;
  }

  std::string layer_buttons() const {
    std::string out;
    for (std::size_t l = 0; l < picture_.splits.size(); ++l)
      out += fmt::format("<button type=\"button\" data-layer=\"{}\" aria-pressed=\"false\">{}</button>", l,
                         escape_markup(picture_.splits[l].name));
    return out;
  }

 private:
  std::string panel(const SplitLayer& layer, std::size_t index) const {
    const Split& split = layer.split;
    const bool powered = split.rtt_ms > 0;
    std::string out = fmt::format("<div class=\"panel\"><h3>Over {}{}</h3>\n", escape_markup(layer.name),
                                  powered ? fmt::format(": {:.2f} ms", split.rtt_ms) : "");
    if (powered) {
      out += fmt::format("<p class=\"soft\">{}<br><span class=\"{}\">{}</span></p>\n",
                         escape_markup(cost_words(split)), layer.fed ? "good" : "bad",
                         escape_markup(joint_words(split.joint)));
      out += training_table(split.training);
    } else {
      out += "<p class=\"bad\">Together they cannot take the power.</p>\n";
    }
    out += "<table>";
    for (const SplitSite& part : split.sites) {
      const Site& s = layer.places[part.site];
      out += fmt::format(
          "<tr{} data-layer=\"{}\"><td>{}<br><span class=\"soft\">{}{}</span></td><td "
          "class=\"value\">{}</td></tr>\n",
          attributes(s.node.at), index, escape_markup(s.name), escape_markup(s.node.authority),
          part.domains > 0 ? fmt::format(", {} HB domains", grouped(static_cast<double>(part.domains))) : "",
          part.power_mw > 0 ? fmt::format("{} MW<br>{:.1f}%", grouped(part.power_mw), 100 * part.share) : "");
    }
    out += "</table><ul>";
    for (const SitePair& pair : split.pairs) {
      out += fmt::format("<li>{} - {}: {} km, round trip {:.2f} ms</li>\n",
                         escape_markup(layer.places[split.sites[pair.a].site].name),
                         escape_markup(layer.places[split.sites[pair.b].site].name), grouped(pair.km),
                         pair.rtt_ms);
    }
    return out + "</ul></div>\n";
  }

  static std::string training_table(const std::optional<TrainingRun>& run) {
    if (!run) return {};
    if (!run->infeasible.empty())
      return "<p class=\"bad\">" + escape_markup("Training: " + training_brief(*run)) + "</p>\n";
    std::string out = "<table class=\"training\">";
    const auto row = [&](const std::string& name, const std::string& value) {
      out += "<tr><td>" + escape_markup(name) + "</td><td class=\"value\">" + escape_markup(value) +
             "</td></tr>\n";
    };
    row("training", fmt::format("{:.1f} days", run->days));
    row("added by the distance",
        fmt::format("{:.2f}%, {:.1f} days", 100 * run->added_share, run->days_added));
    row("exchange of a layer, " + run->exchange,
        fmt::format("{:.1f} ms of {:.1f}", run->exchange_ms, run->backward_ms));
    row("capacity that hides it, a device",
        run->hiding_gbps ? fmt::format("{:.3g} of {:g} Gbps", *run->hiding_gbps, run->rate_gbps)
                         : "none does");
    row("cost of the run", fmt::format("${:.2f}B", run->usd() / 1e9));
    return out + "</table>\n";
  }

  const SitingPicture& picture_;
  const WebMap& map_;
};

std::string radii_table(const SitingPlan& plan) {
  PageTable table({">radius, km", ">places", ">leave the power", ">and authority", "the best place",
                   "its authority", ">it gives, MW"});
  for (const RadiusResult& r : plan.radii) {
    table.row({grouped(r.radius_km), grouped(static_cast<double>(r.places)),
               grouped(static_cast<double>(r.by_rule)), grouped(static_cast<double>(r.by_spare)),
               r.best ? r.best->name : "-", r.best ? r.best->node.authority : "-",
               r.best ? grouped(r.best->available_mw) : "-"});
  }
  return table.html();
}

std::string other_splits(const SitingPlan& plan) {
  PageTable table({">sites", ">rank", "where, MW", ">round trip, ms", ">million USD a year", ">Mt CO2 a year",
                   ">days of training", ">added by distance", ">million USD a run", "network",
                   "Pareto front"});
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
                             grouped(part.power_mw));
      table.row(
          {std::to_string(result.sites), std::to_string(i + 1) + (result.chosen == i ? " (chosen)" : ""),
           where, fmt::format("{:.2f}", split.rtt_ms), fmt::format("{:.1f}", split.usd_per_year / 1e6),
           split.co2_known ? fmt::format("{:.2f}", split.co2_t_per_year / 1e6) : "-",
           training(split, [](const TrainingRun& r) { return fmt::format("{:.1f}", r.days); }),
           training(split, [](const TrainingRun& r) { return fmt::format("{:.2f}%", 100 * r.added_share); }),
           training(split, [](const TrainingRun& r) { return grouped(r.usd() / 1e6); }),
           joint_words(split.joint), split.pareto ? "yes" : ""});
    }
  }
  return table.html();
}

std::string authorities_table(const SitingPlan& plan) {
  std::vector<SparePower> listed;
  for (const SparePower& a : plan.authorities) {
    if (!a.used_mw || *a.used_mw > 0) listed.push_back(a);
  }
  std::stable_sort(listed.begin(), listed.end(), [](const SparePower& a, const SparePower& b) {
    return a.used_mw.value_or(0) > b.used_mw.value_or(0);
  });
  PageTable table({"code", "name", ">peak demand", ">published", ">installed less peak", ">firm less peak",
                   ">used", "why"});
  for (const SparePower& a : listed)
    table.row({a.code, a.name, grouped(a.peak_demand_mw), grouped(a.published_mw),
               grouped(a.installed_less_peak_mw), grouped(a.firm_less_peak_mw), grouped(a.used_mw, "any"),
               a.origin});
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

Cards split_cards(const SitingPicture& picture) {
  Cards out;
  for (const SplitLayer& layer : picture.splits) {
    if (layer.split.rtt_ms > 0)
      out.emplace_back("round trip over " + layer.name, fmt::format("{:.2f} ms", layer.split.rtt_ms));
    if (layer.split.training && layer.split.training->infeasible.empty())
      out.emplace_back("training over " + layer.name,
                       fmt::format("{:.1f} days, +{:.2f}%", layer.split.training->days,
                                   100 * layer.split.training->added_share));
  }
  return out;
}

std::string finished(const SitingPicture& picture, const Grid& grid, const Scenario& scenario,
                     const SiteInput& input, const Cards& cards, const std::string& warnings,
                     const std::vector<std::string>& unknown, const std::string& more) {
  const WebMap map = siting_map_web(picture, grid);
  const PagePlaces places(picture, map);
  return valid_utf8(page("siting.html",
                         {{"title", escape_markup(scenario.title.empty() ? picture.title : scenario.title)},
                          {"subject", escape_markup(picture.title + ". " + rule_words(input) + ".")},
                          {"headline", page_cards(cards)},
                          {"warnings", warnings},
                          {"map", map.svg},
                          {"legend", map.legend},
                          {"layers", places.layer_buttons()},
                          {"splits_beside", places.split_panels()},
                          {"projection", escape_markup(map.projection)},
                          {"tables", section("sites", "Sites", "", places.singles()) + more},
                          {"unknown", list(unknown)},
                          {"siting_script", page_file("siting.js")},
                          {"footer", page_footer(scenario)}},
                         {}));
}

}  // namespace

std::string siting_page(const SitingPlan& plan, const Grid& grid, const Scenario& scenario) {
  const SitingPicture picture = siting_picture(plan);
  Cards cards = {
      {"power", grouped(plan.power_mw) + " MW"},
      {"HB domains / racks", grouped(static_cast<double>(plan.domains)) + " / " + grouped(plan.racks)},
      {"plants / nodes / lines",
       fmt::format("{} / {} / {}", grouped(static_cast<double>(plan.plants)),
                   grouped(static_cast<double>(plan.nodes)), grouped(static_cast<double>(plan.lines)))},
      {fmt::format("single sites at {} km", grouped(plan.input.radius.si() / 1e3)),
       grouped(static_cast<double>(plan.single_count))}};
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
  Cards cards = {{"places", std::to_string(picture.singles.size())}};
  if (plan.power_mw > 0) cards.emplace_back("power", grouped(plan.power_mw) + " MW");
  for (auto& card : split_cards(picture)) cards.push_back(std::move(card));
  PageTable nodes({"place", ">radius, km", ">plants", ">nodes", ">generation, MW", ">firm, MW", ">coal, MW",
                   ">largest, MW", ">interfaces, MW", ">local load, MW", ">paper, MW", ">autonomous, MW",
                   ">strict, MW", "ruled out"});
  for (const PlaceResult& place : plan.places) {
    const PowerNode& n = place.site.node;
    nodes.row({place.site.name, grouped(n.radius_km), grouped(static_cast<double>(n.plants.size())),
               grouped(static_cast<double>(n.nodes.size())), grouped(n.generation_mw), grouped(n.firm_mw),
               grouped(n.coal_mw), grouped(n.largest_mw), grouped(n.import_mw), grouped(n.local_load_mw),
               grouped(n.paper_mw), grouped(n.autonomous_mw), grouped(n.strict_mw), n.rule_ok ? "" : "yes"});
  }
  return finished(picture, grid, scenario, plan.input, cards, warning_list(plan.warnings, plan.unmet),
                  plan.unknown,
                  section("nodes", "Power nodes", "What lies within the radius, and what each rule leaves.",
                          nodes.html()));
}

}  // namespace trainyard
