// Networks scored for one plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "search/crossings.h"
#include "search/joint_mappings.h"
#include "search/uniform_crossings.h"
#include "trainyard/network_design.h"
#include "trainyard/units.h"

namespace trainyard {

struct NetworkChoice;

/// Price, power, exposed time and fault tolerance of networks for the cluster and the traffic of a scenario's
/// plan. What the scenario leaves open of its mapping is chosen for each network: the mapping whose step is
/// fastest there.
class NetworkScores {
 public:
  explicit NetworkScores(const Scenario& scenario);

  /// Devices of an HB domain.
  std::int64_t domain() const { return domain_; }

  /// Appends the mix, and the same with fewer and with more rails in a network; nothing when it cannot be
  /// built or has more tiers than it needs. Throws InputError for parts without a price or a known power.
  void add(const DesignInput& mix, std::vector<NetworkChoice>& out);

  /// What each of the choices loses; after all have been added.
  void find_losses(std::vector<NetworkChoice>& choices) const;

  /// The share of a host's rate that a network leaves to a random permutation of all hosts, the same as
  /// `network --traffic permutation` follows flow by flow; of more than kMostFollowedHosts its mean.
  double permutation_share(const NetworkChoice& choice);

 private:
  /// What crosses blocks in one order of devices, whatever the mapping.
  struct Crossed {
    Crossings shifted;
    UniformCrossings all_to_all;
  };

  bool worth_trying(const DesignInput& input) const;
  std::int64_t ports_of(const DesignInput& input) const;
  std::int64_t endpoints_of(const DesignInput& input) const;
  std::optional<NetworkDesign> cabled(const DesignInput& input) const;
  void score(const NetworkDesign& design, std::vector<NetworkChoice>& out);
  Crossed& crossed(const NetworkDesign& design);
  void score_step(const NetworkDesign& design, NetworkChoice& choice);

  const Scenario& s_;
  BitRate host_rate_;
  std::int64_t domain_ = 1;
  std::int64_t gateways_ = 0;  // of the datacenter
  std::optional<JointMappings> mappings_;
  DeviceFlows shifted_;
  std::map<DeviceOrder, Crossed> crossed_;
  std::optional<TrafficMatrix> permutation_;
};

}  // namespace trainyard
