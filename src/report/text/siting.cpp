#include "trainyard/report/siting.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "report/data/siting_choices.h"
#include "report/data/siting_numbers.h"
#include "report/text/siting_words.h"

namespace trainyard {
namespace {

constexpr std::size_t kNameColumns = 34;

std::string header(const SiteInput& input, Megawatts power, const std::string& grid) {
  return fmt::format("{} MW on {}: what a place gives by the rule '{}' ({})\n", grouped(power), grid,
                     name_of(input.rule), sentence_of(input.rule));
}

std::string authorities_text(const SitingPlan& plan) {
  std::vector<SparePower> listed;
  for (const SparePower& a : plan.authorities) {
    if (!a.used || *a.used > Megawatts()) listed.push_back(a);
  }
  std::stable_sort(listed.begin(), listed.end(), [](const SparePower& a, const SparePower& b) {
    const auto size = [](const SparePower& s) {
      return s.used.value_or(s.installed_less_peak.value_or(Megawatts()));
    };
    return size(a) > size(b);
  });
  const std::size_t all = listed.size();
  listed.resize(std::min(all, static_cast<std::size_t>(plan.input.shown)));
  std::string out = "\nSpare power of balancing authorities, MW\n";
  out += fmt::format("  {:<6} {:<34} {:>9} {:>10} {:>15} {:>10} {:>9}\n", "code", "name", "peak", "published",
                     "installed-peak", "firm-peak", "used");
  for (const SparePower& a : listed) {
    out += fmt::format("  {:<6} {:<34} {:>9} {:>10} {:>15} {:>10} {:>9}  {}\n", shortened(a.code, 6),
                       shortened(a.name, kNameColumns), grouped(a.peak_demand), grouped(a.published),
                       grouped(a.installed_less_peak), grouped(a.firm_less_peak), grouped(a.used, "any"),
                       a.origin);
  }
  if (listed.size() < all) out += fmt::format("  and {} more\n", all - listed.size());
  if (all < plan.authorities.size())
    out += fmt::format("  {} {} none to spare ('{}'); site.available gives figures of your own\n",
                       counted(plan.authorities.size() - all, "other"),
                       agreeing(plan.authorities.size() - all, "has", "have"), name_of(plan.input.spare));
  return out;
}

std::string radii_text(const SitingPlan& plan) {
  if (plan.radii.empty()) return {};
  std::string out = fmt::format("\nOne site: how many of {} leave {} MW\n",
                                counted(grouped(plan.radii.front().places), "place"), grouped(plan.power));
  out += fmt::format("  {:>7}  {:>8}  {:>15}  {}\n", "radius", "by rule", "and authority", "the best place");
  for (const RadiusResult& r : plan.radii) {
    std::string best = "-";
    if (r.best) {
      best = fmt::format("{} ({}): {} MW, authority {}", shortened(r.best->name, kNameColumns),
                         r.best->node.authority, grouped(r.best->available),
                         grouped(r.best->spare, "not limited"));
    }
    out += fmt::format("  {:>4} km  {:>8}  {:>15}  {}\n", grouped(r.radius), grouped(r.by_rule),
                       grouped(r.by_spare), best);
    std::string split;
    for (std::size_t a = 0; a < std::min<std::size_t>(r.authorities.size(), 8); ++a)
      split += fmt::format("{}{} {}", a ? ", " : "", r.authorities[a].first, r.authorities[a].second);
    if (!split.empty()) out += fmt::format("  {:>7}  by authority: {}\n", "", split);
  }
  return out;
}

std::string singles_text(const SitingPlan& plan) {
  const auto radius = as<Kilometres>(plan.input.radius);
  std::string out = plan.single_count > 0
                        ? fmt::format("\nStrongest sites at {} km; {} can take everything\n", grouped(radius),
                                      counted(grouped(plan.single_count), "place"))
                        : fmt::format("\nStrongest sites at {} km; none can take {} MW\n", grouped(radius),
                                      grouped(plan.power));
  out += fmt::format("  {:<34} {:>18} {:>6} {:>8} {:>8} {:>8} {:>12} {:>10} {:>8} {:>7}\n", "site", "place",
                     "auth.", "gives", "spare", "usable", "deliverable", "N-1", "USD/MWh", "kg/MWh");
  for (const Site& s : plan.singles) {
    out += fmt::format("  {:<34} {:>18} {:>6} {:>8} {:>8} {:>8} {:>12} {:>10} {:>8} {:>7}\n",
                       shortened(s.name, kNameColumns),
                       fmt::format("{:.3f},{:.3f}", s.node.at.lat_deg, s.node.at.lon_deg),
                       shortened(s.node.authority, 6), grouped(s.available), grouped(s.spare, "any"),
                       grouped(s.usable), s.deliverable ? grouped(s.deliverable->intact) : "-",
                       s.deliverable ? grouped(s.deliverable->producer_lost) : "-",
                       s.price ? fmt::format("{:.2f}", s.price->count()) : "-", grouped(s.co2));
  }
  if (plan.singles.empty()) out += "  none: no place has power to give\n";
  return out;
}

std::string costs_text(const Split& s) {
  std::string out = fmt::format("{:.2f} ms, ${:.1f}M a year", s.rtt.count(), s.cost.count() / 1e6);
  if (!s.price_known) out += " (usual price where unknown)";
  if (s.co2_known) out += fmt::format(", {:.2f} Mt CO2 a year", s.co2.count() / 1e6);
  return out;
}

std::string one_site_text(const std::optional<TrainingRun>& run) {
  return run ? "\nTraining at one site: " + training_words(*run) + "\n" : std::string{};
}

std::string split_text(const std::vector<Site>& places, const Split& split) {
  std::string out;
  for (const SplitSite& part : split.sites) {
    const Site& s = places[part.site];
    const std::string domains = part.domains > 0 ? grouped(part.domains) + " HB domains" : std::string{};
    out += fmt::format("      {:<34} {:>18} {:>6} {:>8} MW {:>6.1f}%  {}\n", shortened(s.name, kNameColumns),
                       fmt::format("{:.3f},{:.3f}", s.node.at.lat_deg, s.node.at.lon_deg),
                       shortened(s.node.authority, 6), grouped(part.power), part.share * 100, domains);
  }
  for (const SitePair& pair : split.pairs) {
    out += fmt::format("      {} - {}: {} km ({} km on the ellipsoid), round trip {:.2f} ms\n",
                       shortened(places[split.sites[pair.a].site].name, kNameColumns),
                       shortened(places[split.sites[pair.b].site].name, kNameColumns), grouped(pair.distance),
                       grouped(pair.geodesic), pair.rtt.count());
  }
  if (split.training) out += fmt::format("      training: {}\n", training_words(*split.training));
  return out;
}

std::string splits_text(const SitingPlan& plan, const SplitResult& result) {
  std::string out = fmt::format(
      "\nOver {}: {} combined, {} with enough power{}\n", counted(result.sites, "site"),
      counted(grouped(result.kept), "place"), counted(grouped(result.feasible), "set"),
      result.compared < result.kept ? fmt::format(" among the {} strongest", result.compared) : "");
  if (!result.exact) out += "  the search was cut short: there may be better splits\n";
  if (result.splits.empty()) return out + "  none\n";
  if (result.chosen) {
    const Split& chosen = result.splits[*result.chosen];
    out += fmt::format("  chosen: {}; {}\n{}", costs_text(chosen), joint_words(chosen.joint),
                       split_text(plan.places, chosen));
  } else {
    out += "  of those that were put on the network it can feed none\n";
  }
  std::size_t shown = 0;
  for (std::size_t s = 0; s < result.splits.size(); ++s) {
    if (result.chosen == s || shown >= static_cast<std::size_t>(plan.input.shown)) continue;
    ++shown;
    const Split& split = result.splits[s];
    std::string sites;
    for (const SplitSite& part : split.sites) {
      sites += fmt::format("{}{} {} MW", sites.empty() ? "" : " + ",
                           shortened(plan.places[part.site].name, kNameColumns), grouped(part.power));
    }
    out += fmt::format("  {:>2}. {}; {}{}{}\n      {}\n", s + 1, costs_text(split), joint_words(split.joint),
                       split.training ? "; training " + training_brief(*split.training) : "",
                       split.pareto ? "; on the Pareto front" : "", sites);
  }
  return out;
}

std::string notes_text(const std::vector<std::string>& warnings, const std::vector<std::string>& unknown) {
  std::string out;
  if (!warnings.empty()) out += "\nWarnings\n";
  for (const std::string& w : warnings) out += "  - " + w + "\n";
  out += "\nWhat the data cannot say\n";
  for (const std::string& u : unknown) out += "  - " + u + "\n";
  return out;
}

std::string least_radius(const std::optional<int>& km) { return km ? fmt::format("{} km", *km) : "none"; }

}  // namespace

std::string siting_text(const SitingPlan& plan) {
  std::string out = header(plan.input, plan.power, plan.grid);
  out += fmt::format("  {}, {}, {}; {} in {}\n", counted(grouped(plan.plants), "plant"),
                     counted(grouped(plan.nodes), "node"), counted(grouped(plan.lines), "line"),
                     counted(grouped(plan.domains), "HB domain"), counted(grouped(plan.racks), "rack"));
  out += authorities_text(plan) + radii_text(plan) + singles_text(plan) + one_site_text(plan.one_site);
  for (const SplitResult& result : plan.splits) out += splits_text(plan, result);
  return out + notes_text(plan.warnings, plan.unknown);
}

std::string siting_summary(const SitingPlan& plan) {
  return header(plan.input, plan.power, plan.grid) + radii_text(plan);
}

std::string places_text(const PlacesPlan& plan, const Grid& grid) {
  std::string out = plan.power > Megawatts() ? header(plan.input, plan.power, plan.grid)
                                             : "Power nodes of " + plan.grid + "\n";
  for (const PlaceResult& place : plan.places) {
    const Site& s = place.site;
    const PowerNode& n = s.node;
    out += fmt::format("\n{} at {},{}, {} km\n", s.name, n.at.lat_deg, n.at.lon_deg, n.radius.count());
    out += fmt::format("  {} and {}, {} MW ({} firm, {} coal), mostly {}\n",
                       counted(grouped(n.plants.size()), "plant"), counted(grouped(n.nodes.size()), "node"),
                       grouped(n.generation), grouped(n.firm), grouped(n.coal), top_fuel(n, "nothing"));
    if (n.largest != kNowhere)
      out += fmt::format("  largest producer {} MW: {}\n", grouped(n.largest_power),
                         grid.plants[n.largest].name);
    out += fmt::format("  interfaces {} MW, without the largest {} MW; local load {} MW\n",
                       grouped(n.imports), grouped(n.imports_n1), grouped(n.local_load));
    out += fmt::format("  authority {}, spare {} MW\n", n.authority, grouped(s.spare, "any"));
    out += fmt::format(
        "  leaves {} MW (paper), {} MW (autonomous), {} MW (strict){}\n", grouped(n.paper),
        grouped(n.autonomous), grouped(n.strict),
        n.rule_ok ? "" : ": ruled out (no plant, coal first, or interfaces below the largest producer)");
    if (s.deliverable) {
      out += fmt::format(
          "  deliverable {} MW, {} MW without the largest producer, {} MW without the worst line\n",
          grouped(s.deliverable->intact), grouped(s.deliverable->producer_lost),
          grouped(s.deliverable->line_lost));
    }
    if (plan.power > Megawatts())
      out += fmt::format("  least radius for {} MW: {} (paper), {} (autonomous), {} (strict)\n",
                         grouped(plan.power), least_radius(place.least_paper_km),
                         least_radius(place.least_autonomous_km), least_radius(place.least_strict_km));
  }
  if (plan.split) {
    out += fmt::format("\nTogether: {}; {}\n{}", costs_text(*plan.split), joint_words(plan.split->joint),
                       split_text(plan.sites, *plan.split));
    out += one_site_text(plan.one_site);
  } else if (!plan.pairs.empty()) {
    out += "\nTogether they cannot take the power\n";
    for (const SitePair& pair : plan.pairs)
      out += fmt::format("  {} - {}: {} km, round trip {:.2f} ms\n", plan.sites[pair.a].name,
                         plan.sites[pair.b].name, grouped(pair.distance), pair.rtt.count());
  }
  return out + notes_text(plan.warnings, plan.unknown);
}

}  // namespace trainyard
