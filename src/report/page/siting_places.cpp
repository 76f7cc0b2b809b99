#include "report/page/siting_places.h"

#include <fmt/core.h>

#include "base/counted.h"
#include "report/data/hiding_words.h"
#include "report/data/show.h"
#include "report/data/siting_numbers.h"
#include "report/drawing/map_projection.h"
#include "report/drawing/siting_map.h"
#include "report/drawing/siting_picture.h"
#include "report/drawing/svg.h"
#include "report/page/page_table.h"
#include "report/text/siting_words.h"

namespace trainyard {
namespace {

std::string place_words(GeoPoint p) { return fmt::format("{:.3f}, {:.3f}", p.lat_deg, p.lon_deg); }

std::string cost_words(const Split& s) {
  std::string out = fmt::format("${}M a year", grouped(s.cost.count() / 1e6));
  if (!s.price_known) out += " (usual price where unknown)";
  if (s.co2_known) out += fmt::format(", {:.2f} Mt CO2 a year", s.co2.count() / 1e6);
  return out;
}

std::string training_table(const std::optional<TrainingRun>& run) {
  if (!run) return {};
  if (!run->infeasible.empty())
    return "<p class=\"bad\">" + escape_markup("Training: " + training_brief(*run)) + "</p>\n";
  std::string out = "<table class=\"training\">";
  const auto row = [&](const std::string& name, const std::string& value) {
    out += "<tr><td>" + escape_markup(name) + "</td><td class=\"value\">" + escape_markup(value) +
           "</td></tr>\n";
  };
  row("training", fmt::format("{:.1f} days", run->duration.count()));
  row("added by the distance",
      fmt::format("{:.2f}%, {:.1f} days", 100 * run->added_share, run->added_duration.count()));
  row("exchange of a layer, " + run->exchange,
      fmt::format("{:.1f} ms of {:.1f}", run->exchange_time.count(), run->backward.count()));
  row("capacity between sites, a device", show(as<BitRate>(run->rate)));
  row("capacity that hides it, a device", hiding_words(run->hiding_bit_rate(), as<BitRate>(run->nic_rate)));
  row("cost of the run", fmt::format("${:.2f}B", run->cost().si() / 1e9));
  return out + "</table>\n";
}

}  // namespace

std::string PagePlaces::attributes(GeoPoint place) const {
  const MapPoint at = map_.at(place);
  return fmt::format(" data-x=\"{:.1f}\" data-y=\"{:.1f}\"", at.x, at.y);
}

std::string PagePlaces::singles() const {
  PageTable table({number_column(""),
                   {"site"},
                   {"place"},
                   {"authority"},
                   number_column("gives, MW"),
                   number_column("spare, MW"),
                   number_column("usable, MW"),
                   number_column("deliverable, MW"),
                   number_column("without largest producer"),
                   number_column("USD/MWh"),
                   number_column("kg CO2/MWh")});
  for (std::size_t i = 0; i < picture_.singles.size(); ++i) {
    const Site& s = picture_.singles[i];
    table.row(
        {std::to_string(i + 1), s.name, place_words(s.node.at), s.node.authority, grouped(s.available),
         grouped(s.spare, "any"), grouped(s.usable), s.deliverable ? grouped(s.deliverable->intact) : "-",
         s.deliverable ? grouped(s.deliverable->producer_lost) : "-",
         s.price ? fmt::format("{:.2f}", s.price->count()) : "-", grouped(s.co2)},
        attributes(s.node.at));
  }
  return table.html();
}

std::string PagePlaces::split_panels() const {
  std::string out;
  for (std::size_t l = 0; l < picture_.splits.size(); ++l) out += panel(picture_.splits[l], l);
  if (out.empty())
    out =
        "<div class=\"panel\"><h3>No split</h3><p class=\"soft\">No set of places can take the power "
        "together.</p></div>\n";
  return out;
}

std::string PagePlaces::layer_buttons() const {
  std::string out;
  for (std::size_t l = 0; l < picture_.splits.size(); ++l)
    out += fmt::format("<button type=\"button\" data-layer=\"{}\" aria-pressed=\"false\">{}</button>", l,
                       escape_markup(picture_.splits[l].name));
  return out;
}

std::string PagePlaces::panel(const SplitLayer& layer, std::size_t index) const {
  const Split& split = layer.split;
  const bool powered = split.rtt > Milliseconds();
  std::string out = fmt::format("<div class=\"panel\"><h3>Over {}{}</h3>\n", escape_markup(layer.name),
                                powered ? fmt::format(": {:.2f} ms", split.rtt.count()) : "");
  if (powered) {
    out += fmt::format("<p class=\"soft\">{}<br><span class=\"{}\">{}</span></p>\n",
                       escape_markup(cost_words(split)), layer.fed ? "good" : "bad",
                       escape_markup(joint_words(split.joint)));
    out += training_table(split.training);
  } else {
    out += "<p class=\"bad\">Together they cannot take the power.</p>\n";
  }
  return out + panel_sites(layer, index) + "</div>\n";
}

std::string PagePlaces::panel_sites(const SplitLayer& layer, std::size_t index) const {
  const Split& split = layer.split;
  std::string out = "<table>";
  for (const SplitSite& part : split.sites) {
    const Site& s = layer.places[part.site];
    out += fmt::format(
        "<tr{} data-layer=\"{}\"><td>{}<br><span class=\"soft\">{}{}</span></td><td "
        "class=\"value\">{}</td></tr>\n",
        attributes(s.node.at), index, escape_markup(s.name), escape_markup(s.node.authority),
        part.domains > 0 ? fmt::format(", {}", counted(grouped(part.domains), "HB domain")) : "",
        part.power > Megawatts() ? fmt::format("{} MW<br>{:.1f}%", grouped(part.power), 100 * part.share)
                                 : "");
  }
  out += "</table><ul>";
  for (const SitePair& pair : split.pairs) {
    out += fmt::format("<li>{} - {}: {} km, round trip {:.2f} ms</li>\n",
                       escape_markup(layer.places[split.sites[pair.a].site].name),
                       escape_markup(layer.places[split.sites[pair.b].site].name), grouped(pair.distance),
                       pair.rtt.count());
  }
  return out + "</ul>";
}

}  // namespace trainyard
