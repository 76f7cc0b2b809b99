// What a map shows of sites and splits.
#pragma once

#include <string>
#include <vector>

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

/// A site's line of a few words: what it gives, and its authority.
std::string site_tooltip(const Site& site);

}  // namespace trainyard
