// Networks one step beside another: one setting more or less, and what gets worse by it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "search/network_requirements.h"
#include "trainyard/network_search.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {

/// Finds neighbours among the networks of a search.
class NetworkNeighbours {
 public:
  /// `domain`: devices of an HB domain; `choices` by price; `lost`: the largest share of a step that the
  /// best network may expose. All but the numbers have to outlive this.
  NetworkNeighbours(const OptimizeInput& limits, std::int64_t domain, double lost,
                    const NetworkRequirements& requirements, std::vector<NetworkChoice>& choices,
                    const std::vector<FrontMember>& front);

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

  /// Of the same switch, the cheapest that carries what is required and exposes no more than `from` or the
  /// best may; else the one that loses least and carries it, else the one that loses least.
  template <class Wanted>
  NetworkNeighbour cheapest(const NetworkChoice& from, const std::string& change, const Wanted& wanted) const;
  NetworkNeighbour exactly(const NetworkChoice& from, const std::string& change,
                           const Settings& wanted) const;
  NetworkNeighbour beside(const NetworkChoice& from, const std::string& change, NetworkChoice* other) const;

  const OptimizeInput& limits_;
  std::vector<std::int64_t> rails_;  // that were tried
  double lost_;
  const NetworkRequirements& requirements_;
  std::vector<NetworkChoice>& choices_;
  const std::vector<FrontMember>& front_;
  std::map<Settings, std::size_t> by_settings_;
};

}  // namespace trainyard
