// What of a page on sites refers to places of its map.
#pragma once

#include <string>

#include "trainyard/power_grid.h"

namespace trainyard {

struct SitingPicture;
struct SplitLayer;
struct WebMap;

/// The picture and the map have to outlive it.
class PagePlaces {
 public:
  PagePlaces(const SitingPicture& picture, const WebMap& map) : picture_(picture), map_(map) {}

  /// The table of single sites.
  std::string singles() const;

  /// One panel for every layer of the map.
  std::string split_panels() const;

  /// A button for every layer.
  std::string layer_buttons() const;

 private:
  std::string attributes(GeoPoint place) const;
  std::string panel(const SplitLayer& layer, std::size_t index) const;
  std::string panel_sites(const SplitLayer& layer, std::size_t index) const;

  const SitingPicture& picture_;
  const WebMap& map_;
};

}  // namespace trainyard
