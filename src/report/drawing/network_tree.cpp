#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "report/drawing/elided.h"
#include "report/drawing/network_panel.h"
#include "report/drawing/svg.h"
#include "topology/clos_shape.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

constexpr std::int64_t kShownDomains = 3;
constexpr std::int64_t kShownRanks = 4;
constexpr std::int64_t kShownPlanes = 4;
constexpr double kPlaneStep = 4;

/// The switches of each tier as a row; planes stand behind each other.
class Tree {
 public:
  Tree(Svg& svg, const NetworkDesign& design, PanelPoint origin) : svg_(svg), d_(design), o_(origin) {}

  /// Columns of switches: one for each shown rank, or for each shown domain.
  void draw() {
    draw_domains();
    const bool ranked = by_rank();
    const bool scale_up = d_.inside_domains();
    const auto columns = ranked     ? shown(lanes(), kShownRanks, kShownRanks)
                         : scale_up ? shown(d_.planes, kShownRanks, kShownRanks)
                                    : shown(leaves(), kShownDomains, kShownDomains);
    const double room = (kPanelWidth - 2 * kPanelMargin) / static_cast<double>(columns.size());
    const double leaf_y = o_.y + kPanelHeight - 150;
    std::vector<PanelPoint> leaves;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const PanelPoint at{o_.x + kPanelMargin + room * (static_cast<double>(i) + 0.5), leaf_y};
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
      draw_switch(leaves[next++], std::min(room - 12, 92.0), ranked ? colour(column) : kPanelGrey,
                  leaf_name(column));
    }
  }

 private:
  struct Device {
    PanelPoint at;
    std::int64_t domain;
    std::int64_t rank;
  };

  bool by_rank() const { return lanes() > 0; }

  /// Columns of switches by rank; 0 where ranks share them.
  std::int64_t lanes() const { return d_.dealing().lanes(d_); }

  std::string_view colour(std::int64_t rank) const {
    return by_rank() ? series_colour(static_cast<std::size_t>(rank % lanes())) : kPanelGrey;
  }

  /// A switch, with its planes behind it.
  void draw_switch(PanelPoint at, double width, std::string_view fill, const std::string& name) {
    const bool apart = d_.inside_domains();  // there each plane is a switch of its own
    const std::int64_t planes = apart ? 1 : std::min(d_.planes, kShownPlanes);
    for (std::int64_t p = planes - 1; p >= 0; --p) {
      const double shift = kPlaneStep * static_cast<double>(p);
      svg_.rect(at.x - width / 2 + shift, at.y - 11 - shift, width, 22, fill, "rx=\"3\" stroke=\"#fff\"");
    }
    svg_.text(at.x, at.y + 4, name, {.size = 10, .anchor = "middle", .css = "white"});
  }

  void draw_dots(PanelPoint at) {
    for (const double step : {-7.0, 0.0, 7.0}) svg_.circle(at.x + step, at.y, 1.6, kPanelGrey);
  }

  /// Domains side by side, each with some of its devices.
  void draw_domains() {
    const auto domains = shown(d_.inside_domains() ? 1 : d_.domains, kShownDomains, kShownDomains);
    const double room = (kPanelWidth - 2 * kPanelMargin) / static_cast<double>(domains.size());
    const double top = o_.y + kPanelHeight - 86;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      const double left = o_.x + kPanelMargin + room * static_cast<double>(i);
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
    const auto ranks = shown(d_.domain, kShownRanks, kShownRanks);
    const double room = width / static_cast<double>(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const PanelPoint at{left + room * (static_cast<double>(i) + 0.5), top + 24};
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

  std::int64_t leaves() const { return d_.fabric->clos() ? d_.fabric->clos()->leaves() : 1; }

  std::string leaf_name(std::int64_t column) const {
    if (d_.by_circuits()) return fmt::format("OCS {}", column + 1);
    if (d_.inside_domains()) return fmt::format("plane {}", column + 1);
    if (by_rank()) return fmt::format("rail {}", column + 1);
    return fmt::format("leaf {}", column + 1);
  }

  void join_devices(PanelPoint leaf, std::size_t index, const std::vector<std::int64_t>& columns,
                    std::int64_t column) {
    for (const Device& device : devices_) {
      const bool scale_up = d_.inside_domains();
      const bool joined =
          by_rank() ? device.rank % lanes() == column : scale_up || nearest_leaf(device, columns) == index;
      if (joined) svg_.line(device.at.x, device.at.y, leaf.x, leaf.y + 11, colour(device.rank), 1.2);
    }
  }

  /// Racks stand under their own leaf: as many leaves are shown as domains.
  std::size_t nearest_leaf(const Device& device, const std::vector<std::int64_t>& columns) const {
    const auto domains = shown(d_.domains, kShownDomains, kShownDomains);
    const auto at =
        static_cast<std::size_t>(std::find(domains.begin(), domains.end(), device.domain) - domains.begin());
    return at * columns.size() / domains.size();
  }

  /// The tiers above the leaves: one network for all, or one for each rail.
  void draw_tiers_above(const std::vector<PanelPoint>& leaves, const std::vector<std::int64_t>& columns) {
    const ClosShape* clos = d_.fabric->clos();
    if (!clos || clos->top() == 0) return;
    std::vector<std::int64_t> ranks;
    for (const std::int64_t column : columns) {
      if (column != kElided) ranks.push_back(column);
    }
    if (!d_.by_rank())
      return draw_rows(leaves, kPanelGrey, o_.x + kPanelMargin, kPanelWidth - 2 * kPanelMargin, 3);
    const double room = (kPanelWidth - 2 * kPanelMargin) / static_cast<double>(columns.size());
    for (std::size_t i = 0; i < leaves.size(); ++i)
      draw_rows({leaves[i]}, colour(ranks[i]), leaves[i].x - room / 2, room, 2);
  }

  void draw_rows(std::vector<PanelPoint> below, std::string_view fill, double left, double width,
                 int across) {
    const ClosShape& clos = *d_.fabric->clos();
    const double rise = std::min(64.0, 162.0 / static_cast<double>(clos.top()));
    for (std::size_t t = 1; t <= clos.top(); ++t) {
      std::vector<PanelPoint> row;
      for (int i = 0; i < across; ++i)
        row.push_back({left + width * (i + 0.5) / across, below.front().y - rise});
      for (const PanelPoint& low : below) {
        for (const PanelPoint& high : row)
          svg_.line(low.x, low.y - 11, high.x, high.y + 11, fill, 0.9, "stroke-opacity=\"0.6\"");
      }
      const double box = std::min(width / across - 10, 84.0);
      for (const PanelPoint& at : row) draw_switch(at, box, fill, box > 40 ? tier_name(t) : "");
      below = row;
    }
  }

  std::string tier_name(std::size_t tier) const {
    const auto tiers = d_.fabric->counts().tiers;
    return tiers[tier].name;
  }

  Svg& svg_;
  const NetworkDesign& d_;
  PanelPoint o_;
  std::vector<Device> devices_;
};

}  // namespace

void draw_tree(Svg& svg, const NetworkDesign& design, PanelPoint origin) { Tree(svg, design, origin).draw(); }

}  // namespace trainyard
