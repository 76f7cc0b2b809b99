// Marks of sites, splits and authorities on a map.
#pragma once

#include <string>

namespace trainyard {

struct Grid;
class MapFrame;
class MapRoom;
struct Site;
struct SplitLayer;

/// The circle within which a site takes its power.
std::string radius_markup(const MapFrame& frame, const Site& site);

/// What of a split lies below all marks: circles and fibre.
std::string split_lines(const SplitLayer& layer, const MapFrame& frame);

/// Its sites with names and shares, its pairs with length and delay. Takes the room they need.
std::string split_marks(const SplitLayer& layer, const MapFrame& frame, MapRoom& room);

/// A numbered pin, at its place or on a ring around it.
std::string single_pin(const Site& site, std::size_t rank, const MapFrame& frame, MapRoom& room);

/// The names of the authorities that find room.
std::string authority_pins(const Grid& grid, const MapFrame& frame, MapRoom& room);

}  // namespace trainyard
