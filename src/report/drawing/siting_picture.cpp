#include "report/drawing/siting_picture.h"

#include <fmt/core.h>

#include <utility>

#include "base/counted.h"
#include "report/data/siting_numbers.h"

namespace trainyard {

std::string site_tooltip(const Site& s) {
  std::string out = s.name;
  out += fmt::format(": usable {} MW (gives {} MW, authority {} spares {})", grouped(s.usable),
                     grouped(s.available), s.node.authority.empty() ? "unknown" : s.node.authority,
                     s.spare ? grouped(*s.spare) + " MW" : "any");
  if (s.deliverable)
    out += fmt::format("; deliverable {} MW, {} MW without the largest producer",
                       grouped(s.deliverable->intact), grouped(s.deliverable->producer_lost));
  return out;
}

SitingPicture siting_picture(const SitingPlan& plan) {
  SitingPicture out{fmt::format("{} MW on {}", grouped(plan.power), plan.grid), plan.singles, {}};
  for (const SplitResult& result : plan.splits) {
    if (result.splits.empty()) continue;
    const Split& split = result.splits[result.chosen.value_or(0)];
    SplitLayer layer{counted(result.sites, "site"), split, {}, result.chosen.has_value()};
    for (SplitSite& part : layer.split.sites) {
      layer.places.push_back(plan.places[part.site]);
      part.site = layer.places.size() - 1;
    }
    out.splits.push_back(std::move(layer));
  }
  return out;
}

SitingPicture siting_picture(const PlacesPlan& plan) {
  SitingPicture out{plan.power > Megawatts() ? fmt::format("{} MW on {}", grouped(plan.power), plan.grid)
                                             : "Places on " + plan.grid,
                    {},
                    {}};
  for (const PlaceResult& place : plan.places) {
    // A place that was asked for at several radii is one mark.
    const bool repeated = !out.singles.empty() &&
                          out.singles.back().node.at.lat_deg == place.site.node.at.lat_deg &&
                          out.singles.back().node.at.lon_deg == place.site.node.at.lon_deg;
    if (!repeated) out.singles.push_back(place.site);
  }
  if (plan.split) {
    out.splits.push_back({counted(plan.sites.size(), "site"), *plan.split, plan.sites,
                          plan.split->joint && plan.split->joint->holds()});
  } else if (!plan.pairs.empty()) {
    SplitLayer layer{fmt::format("{} places", plan.sites.size()), {}, plan.sites, false};
    for (std::size_t s = 0; s < plan.sites.size(); ++s)
      layer.split.sites.push_back({s, Megawatts(), 0, 0, 0});
    layer.split.pairs = plan.pairs;
    out.splits.push_back(std::move(layer));
  }
  return out;
}

}  // namespace trainyard
