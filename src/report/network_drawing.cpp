#include "report/network_drawing.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/quantity_text.h"
#include "report/svg.h"

namespace trainyard {
namespace {

constexpr double kPanelWidth = 480;
constexpr double kPanelHeight = 400;
constexpr double kMargin = 26;
constexpr std::size_t kPanelsInRow = 2;
constexpr std::size_t kShownDomains = 3;
constexpr std::size_t kShownRanks = 4;
constexpr std::int64_t kShownPlanes = 4;
constexpr double kPlaneStep = 4;
constexpr std::int64_t kElided = -1;
constexpr std::string_view kGrey = "#7b8794";

struct Point {
  double x = 0;
  double y = 0;
};

/// 0, 1, ..., n-1: the first ones, and the last after a gap.
std::vector<std::int64_t> shown(std::int64_t n, std::size_t most) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < n && out.size() < most; ++i) out.push_back(i);
  if (static_cast<std::int64_t>(out.size()) < n) {
    out.back() = n - 1;
    out.insert(out.end() - 1, kElided);
  }
  return out;
}

std::string count_text(std::int64_t count) {
  return format_quantity(static_cast<double>(count), Unit::count);
}

/// The switches of one tier, drawn as a row; planes stand behind each other.
class Panel {
 public:
  Panel(Svg& svg, const NetworkDesign& design, Point origin) : svg_(svg), d_(design), o_(origin) {}

  void draw() {
    svg_.rect(o_.x, o_.y, kPanelWidth, kPanelHeight, "class=\"frame\"", "rx=\"8\"");
    const std::string& title = d_.input.title.empty() ? d_.input.name : d_.input.title;
    svg_.text(o_.x + kMargin, o_.y + 28, title, {.size = 15, .bold = true});
    svg_.text(o_.x + kMargin, o_.y + 48, subtitle(), {.size = 11, .css = "soft"});
    if (d_.fabric->clos()) return draw_tree();
    if (d_.input.topology == TopologyKind::optical_rails) return draw_tree();
    if (d_.input.topology == TopologyKind::dragonfly || d_.input.topology == TopologyKind::dragonfly_plus)
      return draw_groups();
    draw_grid();
  }

 private:
  struct Device {
    Point at;
    std::int64_t domain;
    std::int64_t rank;
  };

  std::string subtitle() const {
    const DesignCounts counts = count(d_);
    std::string out = fmt::format("{} hosts", count_text(d_.hosts));
    if (counts.chips > 0)
      out += fmt::format(", {} chips of {} ports", count_text(counts.chips), d_.part.ports);
    if (d_.planes > 1) out += fmt::format(", {} planes", d_.planes);
    if (d_.networks > 1) out += fmt::format(", {} networks", d_.networks);
    return out;
  }

  bool by_rank() const { return d_.by_rank() || d_.input.topology == TopologyKind::rail_optimized; }

  /// Columns of switches by rank.
  std::int64_t lanes() const { return d_.by_rank() ? d_.rails : d_.domain; }

  std::string_view colour(std::int64_t rank) const {
    return by_rank() ? series_colour(static_cast<std::size_t>(rank % lanes())) : kGrey;
  }

  /// A switch, with its planes behind it.
  void draw_switch(Point at, double width, std::string_view fill, const std::string& name) {
    const bool apart =
        d_.input.topology == TopologyKind::scale_up;  // there each plane is a switch of its own
    const std::int64_t planes = apart ? 1 : std::min(d_.planes, kShownPlanes);
    for (std::int64_t p = planes - 1; p >= 0; --p) {
      const double shift = kPlaneStep * static_cast<double>(p);
      svg_.rect(at.x - width / 2 + shift, at.y - 11 - shift, width, 22, fill, "rx=\"3\" stroke=\"#fff\"");
    }
    svg_.text(at.x, at.y + 4, name, {.size = 10, .anchor = "middle", .css = "white"});
  }

  void draw_dots(Point at) {
    for (const double step : {-7.0, 0.0, 7.0}) svg_.circle(at.x + step, at.y, 1.6, kGrey);
  }

  // Trees.

  /// Domains side by side, each with some of its devices.
  void draw_domains() {
    const auto domains = shown(d_.input.topology == TopologyKind::scale_up ? 1 : d_.domains, kShownDomains);
    const double room = (kPanelWidth - 2 * kMargin) / static_cast<double>(domains.size());
    const double top = o_.y + kPanelHeight - 86;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      const double left = o_.x + kMargin + room * static_cast<double>(i);
      if (domains[i] == kElided) {
        draw_dots({left + room / 2, top + 24});
        continue;
      }
      svg_.rect(left + 4, top, room - 8, 62, "class=\"frame\"", "rx=\"5\"");
      svg_.text(left + room / 2, top + 55, fmt::format("HB domain {}", domains[i] + 1),
                {.size = 10, .anchor = "middle", .css = "soft"});
      draw_devices(domains[i], left + 8, top, room - 16);
    }
  }

  void draw_devices(std::int64_t domain, double left, double top, double width) {
    const auto ranks = shown(d_.domain, kShownRanks);
    const double room = width / static_cast<double>(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const Point at{left + room * (static_cast<double>(i) + 0.5), top + 24};
      if (ranks[i] == kElided) {
        draw_dots(at);
        continue;
      }
      svg_.rect(at.x - 9, at.y - 10, 18, 22, colour(ranks[i]), "rx=\"3\"");
      svg_.text(at.x, at.y + 4, std::to_string(ranks[i] + 1),
                {.size = 9, .anchor = "middle", .css = "white"});
      devices_.push_back({{at.x, at.y - 10}, domain, ranks[i]});
    }
    svg_.line(left, top + 40, left + width, top + 40, "class=\"axis\"", 3);  // the HB domain's own network
  }

  /// Columns of switches: one for each shown rank, or for each shown domain.
  void draw_tree() {
    draw_domains();
    const bool ranked = by_rank();
    const bool scale_up = d_.input.topology == TopologyKind::scale_up;
    const auto columns = ranked     ? shown(lanes(), kShownRanks)
                         : scale_up ? shown(d_.planes, kShownRanks)
                                    : shown(leaves(), kShownDomains);
    const double room = (kPanelWidth - 2 * kMargin) / static_cast<double>(columns.size());
    const double leaf_y = o_.y + kPanelHeight - 150;
    std::vector<Point> leaves;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Point at{o_.x + kMargin + room * (static_cast<double>(i) + 0.5), leaf_y};
      if (columns[i] == kElided) {
        draw_dots(at);
        continue;
      }
      join_devices(at, i, columns, columns[i]);
      leaves.push_back(at);
    }
    draw_tiers_above(leaves, columns);
    std::size_t next = 0;
    for (const std::int64_t column : columns) {
      if (column == kElided) continue;
      draw_switch(leaves[next++], std::min(room - 12, 92.0), ranked ? colour(column) : kGrey,
                  leaf_name(column));
    }
  }

  std::int64_t leaves() const { return d_.fabric->clos() ? d_.fabric->clos()->leaves() : 1; }

  std::string leaf_name(std::int64_t column) const {
    if (d_.input.topology == TopologyKind::optical_rails) return fmt::format("OCS {}", column + 1);
    if (d_.input.topology == TopologyKind::scale_up) return fmt::format("plane {}", column + 1);
    if (by_rank()) return fmt::format("rail {}", column + 1);
    return fmt::format("leaf {}", column + 1);
  }

  void join_devices(Point leaf, std::size_t index, const std::vector<std::int64_t>& columns,
                    std::int64_t column) {
    for (const Device& device : devices_) {
      const bool scale_up = d_.input.topology == TopologyKind::scale_up;
      const bool joined =
          by_rank() ? device.rank % lanes() == column : scale_up || nearest_leaf(device, columns) == index;
      if (joined) svg_.line(device.at.x, device.at.y, leaf.x, leaf.y + 11, colour(device.rank), 1.2);
    }
  }

  /// Racks stand under their own leaf: as many leaves are shown as domains.
  std::size_t nearest_leaf(const Device& device, const std::vector<std::int64_t>& columns) const {
    const auto domains = shown(d_.domains, kShownDomains);
    const auto at =
        static_cast<std::size_t>(std::find(domains.begin(), domains.end(), device.domain) - domains.begin());
    return at * columns.size() / domains.size();
  }

  /// The tiers above the leaves: one network for all, or one for each rail.
  void draw_tiers_above(const std::vector<Point>& leaves, const std::vector<std::int64_t>& columns) {
    const ClosShape* clos = d_.fabric->clos();
    if (!clos || clos->top() == 0) return;
    std::vector<std::int64_t> ranks;
    for (const std::int64_t column : columns) {
      if (column != kElided) ranks.push_back(column);
    }
    if (!d_.by_rank()) return draw_rows(leaves, kGrey, o_.x + kMargin, kPanelWidth - 2 * kMargin, 3);
    const double room = (kPanelWidth - 2 * kMargin) / static_cast<double>(columns.size());
    for (std::size_t i = 0; i < leaves.size(); ++i)
      draw_rows({leaves[i]}, colour(ranks[i]), leaves[i].x - room / 2, room, 2);
  }

  void draw_rows(std::vector<Point> below, std::string_view fill, double left, double width, int across) {
    const ClosShape& clos = *d_.fabric->clos();
    const double rise = std::min(64.0, 162.0 / static_cast<double>(clos.top()));
    for (std::size_t t = 1; t <= clos.top(); ++t) {
      std::vector<Point> row;
      for (int i = 0; i < across; ++i)
        row.push_back({left + width * (i + 0.5) / across, below.front().y - rise});
      for (const Point& low : below) {
        for (const Point& high : row)
          svg_.line(low.x, low.y - 11, high.x, high.y + 11, fill, 0.9, "stroke-opacity=\"0.6\"");
      }
      const double box = std::min(width / across - 10, 84.0);
      for (const Point& at : row) draw_switch(at, box, fill, box > 40 ? tier_name(t) : "");
      below = row;
    }
  }

  std::string tier_name(std::size_t tier) const {
    const auto tiers = d_.fabric->counts().tiers;
    return tiers[tier].name;
  }

  // Other topologies.

  void draw_groups() {
    const FabricCounts counts = d_.fabric->counts();
    const std::int64_t groups = 6;
    const Point centre{o_.x + kPanelWidth / 2, o_.y + 216};
    std::vector<Point> at;
    for (std::int64_t g = 0; g < groups; ++g) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(g) / static_cast<double>(groups);
      at.push_back({centre.x + 140 * std::sin(angle), centre.y - 116 * std::cos(angle)});
    }
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t j = i + 1; j < at.size(); ++j) svg_.line(at[i].x, at[i].y, at[j].x, at[j].y, kGrey, 1);
    }
    for (std::size_t i = 0; i < at.size(); ++i) draw_group(at[i], i);
    svg_.text(centre.x, o_.y + kPanelHeight - 14,
              fmt::format("some of its groups; {} links between groups, {} inside",
                          count_text(counts.links.back().links), count_text(counts.links[1].links)),
              {.size = 10, .anchor = "middle", .css = "soft"});
  }

  /// Four switches, all joined, or two leaves under two spines.
  void draw_group(Point centre, std::size_t index) {
    const Point corners[] = {{centre.x - 18, centre.y - 14},
                             {centre.x + 18, centre.y - 14},
                             {centre.x - 18, centre.y + 14},
                             {centre.x + 18, centre.y + 14}};
    svg_.rect(centre.x - 38, centre.y - 30, 76, 60, "#ffffff", "rx=\"8\" stroke=\"#7b8794\"");
    const bool tree = d_.input.topology == TopologyKind::dragonfly_plus;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = i + 1; j < 4; ++j) {
        if (!tree || (i < 2 && j >= 2))
          svg_.line(corners[i].x, corners[i].y, corners[j].x, corners[j].y, kGrey, 1);
      }
    }
    for (const Point& c : corners) svg_.rect(c.x - 9, c.y - 7, 18, 14, series_colour(index), "rx=\"2\"");
  }

  void draw_grid() {
    constexpr int kSide = 4;
    const bool torus = d_.input.topology == TopologyKind::torus;
    const auto at = [&](int row, int column) {
      return Point{o_.x + 96 + 96.0 * column, o_.y + 96 + 78.0 * row};
    };
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        for (int other = 0; other < column; ++other)
          join_in_grid(at(row, other), at(row, column), column - other, torus, true);
        for (int other = 0; other < row; ++other)
          join_in_grid(at(other, column), at(row, column), row - other, torus, false);
      }
    }
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        const Point p = at(row, column);
        svg_.rect(p.x - 12, p.y - 10, 24, 20, series_colour(torus ? 0 : 2), "rx=\"3\"");
      }
    }
    svg_.text(
        o_.x + kPanelWidth / 2, o_.y + kPanelHeight - 14,
        torus ? "some of its hosts, two of its dimensions" : "some of its switches, two of its dimensions",
        {.size = 10, .anchor = "middle", .css = "soft"});
  }

  /// Neighbours by lines; farther ones by arcs (all of them in a HyperX, the ends of a ring in a torus).
  void join_in_grid(Point a, Point b, int steps, bool torus, bool along_row) {
    if (steps == 1) return svg_.line(a.x, a.y, b.x, b.y, kGrey, 1.2);
    if (torus && steps != 3) return;
    const double bow = 9.0 + 6 * steps;
    std::string points;
    for (int i = 0; i <= 12; ++i) {
      const double t = i / 12.0;
      const double lift = bow * std::sin(std::numbers::pi * t);
      points += coordinate(a.x + (b.x - a.x) * t + (along_row ? 0 : -lift)) + "," +
                coordinate(a.y + (b.y - a.y) * t - (along_row ? lift : 0)) + " ";
    }
    svg_.polyline(points, kGrey, 1, "stroke-opacity=\"0.7\"");
  }

  Svg& svg_;
  const NetworkDesign& d_;
  Point o_;
  std::vector<Device> devices_;
};

}  // namespace

std::string networks_svg(const std::vector<NetworkDesign>& designs) {
  const std::size_t columns = std::min(kPanelsInRow, std::max<std::size_t>(1, designs.size()));
  const std::size_t rows = (designs.size() + columns - 1) / columns;
  const double gap = 16;
  Svg svg(gap + static_cast<double>(columns) * (kPanelWidth + gap),
          gap + static_cast<double>(rows) * (kPanelHeight + gap), "Network designs");
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const std::size_t row = i / columns;
    const Point origin{gap + static_cast<double>(i % columns) * (kPanelWidth + gap),
                       gap + static_cast<double>(row) * (kPanelHeight + gap)};
    Panel(svg, designs[i], origin).draw();
  }
  return std::move(svg).finish();
}

std::string network_dot(const NetworkDesign& design) {
  constexpr std::size_t kMostLinksDrawn = 20'000;
  const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
  if (graph.links.size() > kMostLinksDrawn) {
    fail_design(design.input, "hosts",
                fmt::format("{} links of one plane and network are too many to lay out", graph.links.size()),
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
