// Power that a network can bring to places, by maximum flow (docs/siting.md, "Deliverable power").
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "trainyard/siting.h"
#include "trainyard/units.h"

namespace trainyard {

/// What is out of order.
struct Outage {
  std::uint32_t plant = kNowhere;
  std::uint32_t line = kNowhere;
};

/// The nodes of a site, and the most that it draws; absent: all it can get.
struct Drain {
  std::vector<std::uint32_t> nodes;
  std::optional<Megawatts> wanted;
};

/// A grid as a flow network: firm generation into nodes, two directed limits for each line, loads out of
/// nodes. AC lines between interconnections carry nothing. Flows are exact in kW. The grid has to outlive it.
class DeliveryNetwork {
 public:
  explicit DeliveryNetwork(const Grid& grid);

  /// Load that can be served.
  Megawatts served_load(const Outage& outage = {}) const;

  /// What the sites can draw at once on top of the load that is served without them. Load that is served is
  /// never given up.
  Megawatts headroom(const std::vector<Drain>& sites, const Outage& outage = {}) const;

  /// Headroom of one power node: intact, without its largest plant and, if asked for, without the worst of
  /// the five largest lines at its boundary.
  Deliverable deliverable(const PowerNode& node, bool line_outages) const;

  /// All sites of a split at once, each at most its part. With `outages` also without any one of their
  /// largest plants, and without any one of the five largest lines at the boundary of each.
  JointFlow joint(const std::vector<Drain>& sites, const std::vector<const PowerNode*>& nodes,
                  bool outages) const;

  Megawatts load() const { return load_; }

 private:
  struct Arc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t limit_kw = 0;
  };
  /// Loads served as far as possible, and what each arc could still carry.
  struct Served {
    std::int64_t flow_kw = 0;
    std::vector<Arc> residual;
  };

  std::uint32_t source() const { return static_cast<std::uint32_t>(grid_.nodes.size()); }
  std::uint32_t sink() const { return source() + 1; }
  std::vector<Arc> arcs(const Outage& outage) const;
  Served serve(const Outage& outage) const;
  const Served& served(const Outage& outage) const;
  std::vector<std::uint32_t> largest_lines(const PowerNode& node) const;
  Megawatts headroom(const std::vector<Drain>& sites, const Served& served) const;

  const Grid& grid_;
  std::vector<Megawatts> firm_;  // of each node
  Megawatts load_;
  Served intact_;
  // By plant and line: splits share their places.
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, Served> after_loss_;
};

}  // namespace trainyard
