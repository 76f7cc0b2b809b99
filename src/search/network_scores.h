// Networks scored for one plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "search/crossings.h"
#include "search/uniform_crossings.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"
#include "trainyard/units.h"

namespace trainyard {

class Dealing;
struct NetworkChoice;

/// Price, power, exposed time and fault tolerance of networks for the cluster and the traffic of a scenario's
/// plan.
class NetworkScores {
 public:
  explicit NetworkScores(const Scenario& scenario);

  /// Devices of an HB domain.
  std::int64_t domain() const { return domain_; }

  /// Appends the mix, and the same with fewer and with more rails in a network; nothing when it cannot be
  /// built or has more tiers than it needs. Throws InputError for parts without a price or a known power.
  void add(const DesignInput& mix, std::vector<NetworkChoice>& out);

  /// The share of a host's rate that a network leaves to a random permutation of all hosts, the same as
  /// `network --traffic permutation` follows flow by flow; of more than kMostFollowedHosts its mean.
  double permutation_share(const NetworkChoice& choice);

 private:
  /// Orders of devices in the networks, which decide what crosses which blocks.
  using Order = std::tuple<const Dealing*, std::int64_t, std::int64_t>;
  static Order order_of(const NetworkDesign& d) { return {&d.dealing(), d.rails, d.rails_per_network}; }

  /// What crosses blocks in one order of devices.
  struct Crossed {
    Crossings plan;
    Crossings shifted;
    UniformCrossings all_to_all;
  };
  /// A step of the plan on a network.
  struct StepOn {
    double exposed_share = 0;
    Seconds step;
  };

  bool worth_trying(const DesignInput& input) const;
  std::int64_t ports_of(const DesignInput& input) const;
  std::int64_t endpoints_of(const DesignInput& input) const;
  std::optional<NetworkDesign> cabled(const DesignInput& input) const;
  void score(const NetworkDesign& design, std::vector<NetworkChoice>& out);
  Crossed& crossed(const NetworkDesign& design);
  const StepOn& step_on(const TrafficShares& shares);
  double speed_left(const TrafficShares& shares, double kept);

  const Scenario& s_;
  Plan plan_;
  BitRate host_rate_;
  std::int64_t domain_ = 1;
  std::int64_t gateways_ = 0;  // of the datacenter
  DeviceFlows flows_;
  DeviceFlows shifted_;
  std::map<Order, Crossed> crossed_;
  std::map<std::tuple<double, double, double, double>, StepOn> steps_;
  std::optional<TrafficMatrix> permutation_;
};

}  // namespace trainyard
