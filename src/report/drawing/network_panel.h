// The panel that shows one network design, by its kind of topology.
#pragma once

#include <string_view>

namespace trainyard {

struct NetworkDesign;
class Svg;

inline constexpr double kPanelWidth = 480;
inline constexpr double kPanelHeight = 400;
inline constexpr double kPanelMargin = 26;
inline constexpr std::string_view kPanelGrey = "#7b8794";

struct PanelPoint {
  double x = 0;
  double y = 0;
};

/// A folded Clos network, optical rails or a scale-up network over HB domains with some of their devices.
void draw_tree(Svg& svg, const NetworkDesign& design, PanelPoint origin);

/// Groups of switches that are all joined: Dragonfly and Dragonfly+.
void draw_groups(Svg& svg, const NetworkDesign& design, PanelPoint origin);

/// Two dimensions of a torus or a HyperX.
void draw_grid(Svg& svg, const NetworkDesign& design, PanelPoint origin);

}  // namespace trainyard
