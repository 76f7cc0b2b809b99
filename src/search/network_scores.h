// Networks scored for one plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "search/crossings.h"
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

 private:
  /// Orders of devices in the networks, which decide what crosses which blocks.
  using Order = std::tuple<const Dealing*, std::int64_t, std::int64_t>;
  static Order order_of(const NetworkDesign& d) { return {&d.dealing(), d.rails, d.rails_per_network}; }

  bool worth_trying(const DesignInput& input) const;
  std::int64_t ports_of(const DesignInput& input) const;
  std::int64_t endpoints_of(const DesignInput& input) const;
  std::optional<NetworkDesign> cabled(const DesignInput& input) const;
  void score(const NetworkDesign& design, std::vector<NetworkChoice>& out);
  Crossings& crossings(const NetworkDesign& design);
  double exposed(const TrafficShares& shares);

  const Scenario& s_;
  Plan plan_;
  BitRate host_rate_;
  std::int64_t domain_ = 1;
  std::int64_t gateways_ = 0;  // of the datacenter
  DeviceFlows flows_;
  std::map<Order, Crossings> crossings_;
  std::map<std::tuple<double, double, double, double>, double> exposed_;
};

}  // namespace trainyard
