#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "report/data/show.h"
#include "report/drawing/network_panel.h"
#include "report/drawing/svg.h"
#include "topology/fabric.h"
#include "topology/graph.h"
#include "topology/topologies.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"
#include "trainyard/report/networks.h"

namespace trainyard {
namespace {

constexpr std::size_t kPanelsInRow = 2;

std::string subtitle(const NetworkDesign& design) {
  const DesignCounts counts = count(design);
  std::string out = counted(show_count(design.hosts), "host");
  if (counts.chips > 0)
    out += fmt::format(", {} of {}", counted(show_count(counts.chips), "chip"),
                       counted(design.part.ports, "port"));
  if (design.planes > 1) out += fmt::format(", {}", counted(design.planes, "plane"));
  if (design.networks > 1) out += fmt::format(", {}", counted(design.networks, "network"));
  return out;
}

void draw_panel(Svg& svg, const NetworkDesign& design, PanelPoint origin) {
  svg.rect(origin.x, origin.y, kPanelWidth, kPanelHeight, "class=\"frame\"", "rx=\"8\"");
  const std::string& title = design.input.title.empty() ? design.input.name : design.input.title;
  svg.text(origin.x + kPanelMargin, origin.y + 28, title, {.size = 15, .bold = true});
  svg.text(origin.x + kPanelMargin, origin.y + 48, subtitle(design), {.size = 11, .css = "soft"});
  switch (design.topology->outline) {
    case Outline::tree:
      return draw_tree(svg, design, origin);
    case Outline::groups:
    case Outline::groups_of_trees:
      return draw_groups(svg, design, origin);
    case Outline::switch_grid:
    case Outline::host_grid:
      return draw_grid(svg, design, origin);
  }
}

}  // namespace

std::string networks_svg(const std::vector<NetworkDesign>& designs) {
  const std::size_t columns = std::min(kPanelsInRow, std::max<std::size_t>(1, designs.size()));
  const std::size_t rows = (designs.size() + columns - 1) / columns;
  const double gap = 16;
  Svg svg(gap + static_cast<double>(columns) * (kPanelWidth + gap),
          gap + static_cast<double>(rows) * (kPanelHeight + gap), "Network designs");
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const std::size_t row = i / columns;
    const PanelPoint origin{gap + static_cast<double>(i % columns) * (kPanelWidth + gap),
                            gap + static_cast<double>(row) * (kPanelHeight + gap)};
    draw_panel(svg, designs[i], origin);
  }
  return std::move(svg).finish();
}

std::string network_dot(const NetworkDesign& design) {
  constexpr std::size_t kMostLinksDrawn = 20'000;
  const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
  if (graph.links.size() > kMostLinksDrawn) {
    fail_design(design.input, "hosts",
                fmt::format("{} of one plane and network are too many to lay out",
                            counted(graph.links.size(), "link")),
                fmt::format("--dot draws up to {}; --svg draws any design in outline", kMostLinksDrawn));
  }
  std::string out = "graph \"" + design.input.name + "\" {\n  rankdir=BT;\n  node [shape=box];\n";
  for (const NodeRun& run : graph.node_runs) {
    out += fmt::format("  {{ rank=same; /* {} */", run.name);
    for (std::uint32_t node = run.begin; node < run.end; ++node)
      out += fmt::format(" n{} [label=\"{} {}\"];", node, run.name, node - run.begin);
    out += " }\n";
  }
  for (const Link& link : graph.links) out += fmt::format("  n{} -- n{};\n", link.a, link.b);
  return out + "}\n";
}

}  // namespace trainyard
