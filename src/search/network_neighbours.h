// Networks one step beside another: one setting more or less, and what gets worse by it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "trainyard/network_search.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {

/// Finds neighbours among the networks of a search.
class NetworkNeighbours {
 public:
  /// `domain`: devices of an HB domain. The choices have to outlive this.
  NetworkNeighbours(const OptimizeInput& limits, std::int64_t domain,
                    const std::vector<NetworkChoice>& choices);

  std::vector<NetworkNeighbour> of(const NetworkChoice& choice) const;

 private:
  /// A mix's settings without its name.
  struct Settings {
    std::string part;
    TopologyKind topology;
    std::int64_t planes = 1;
    std::int64_t rails = 1;
    std::int64_t tiers = 1;
    std::int64_t rails_per_switch = 0;  // 0: chosen by the program
    std::vector<double> oversubscription;

    auto key() const {
      return std::tie(part, topology, planes, rails, tiers, rails_per_switch, oversubscription);
    }
    bool operator<(const Settings& other) const { return key() < other.key(); }
  };
  static Settings settings_of(const NetworkChoice& choice);

  NetworkNeighbour neighbour(const NetworkChoice& from, const std::string& change, Settings wanted) const;

  const OptimizeInput& limits_;
  std::vector<std::int64_t> rails_;  // that were tried
  const std::vector<NetworkChoice>& choices_;
  std::map<Settings, std::size_t> by_settings_;
};

}  // namespace trainyard
