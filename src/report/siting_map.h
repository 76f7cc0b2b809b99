// Sites and splits on a map of their grid (docs/siting.md, "The map").
#pragma once

#include <string>
#include <vector>

#include "report/map_frame.h"
#include "trainyard/scenario.h"
#include "trainyard/siting.h"

namespace trainyard {

/// One division of the datacenter, as a layer of the map.
struct SplitLayer {
  std::string name;  // "2 sites"
  Split split;
  std::vector<Site> places;  // that split.sites refers to
  bool fed = true;           // false: the network cannot feed it, or nobody looked
};

/// What is drawn over a grid.
struct SitingPicture {
  std::string title;
  std::vector<Site> singles;  // in their order
  std::vector<SplitLayer> splits;
};

/// The ranked single sites, and of every number of sites the split that was chosen, else the best one.
SitingPicture siting_picture(const SitingPlan& plan);
/// The places that were asked for, and what lies between them.
SitingPicture siting_picture(const PlacesPlan& plan);

/// A map as a file of its own: the first split, a legend and a bar of scale.
std::string siting_map_svg(const SitingPicture& picture, const Grid& grid);

/// A map inside a page that zooms it.
struct WebMap {
  std::string svg;         // every split, each in groups of class "split s0", "split s1", ...
  std::string legend;      // HTML
  std::string projection;  // a sentence
  MapFrame frame;

  MapPoint at(GeoPoint place) const { return frame.at(place); }
};
WebMap siting_map_web(const SitingPicture& picture, const Grid& grid);

/// Pages that hold the map and what `trainyard site` says in text.
std::string siting_page(const SitingPlan& plan, const Grid& grid, const Scenario& scenario);
std::string siting_page(const PlacesPlan& plan, const Grid& grid, const Scenario& scenario);

/// A site's line of a few words: what it gives, and its authority.
std::string site_tooltip(const Site& site);

}  // namespace trainyard
