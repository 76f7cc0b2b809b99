// What of a mapping's traffic crosses the blocks of the networks of its cluster.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "search/crossings.h"
#include "trainyard/traffic.h"

namespace trainyard {

class Dealing;
struct NetworkDesign;
struct TrafficShares;

/// Orders of devices in the networks, which decide what crosses which blocks.
using DeviceOrder = std::tuple<const Dealing*, std::int64_t, std::int64_t>;
DeviceOrder order_of(const NetworkDesign& design);

/// Mixes come order by order: what was computed for another dealing or count of rails is not needed again.
template <class Value>
void forget_other_orders(std::map<DeviceOrder, Value>& known, const DeviceOrder& order) {
  std::erase_if(known, [&](const auto& item) {
    return std::get<0>(item.first) != std::get<0>(order) || std::get<1>(item.first) != std::get<1>(order);
  });
}

/// The shape of traffic: who sends to whom, and how much more than others of the same kind. Mappings of one
/// shape are left the same shares of the rate by every network.
using TrafficShape = std::vector<double>;
TrafficShape shape_of(const TrafficMatrix& matrix);

/// Shares that networks of one cluster leave to traffic of one shape.
class TrafficCrossings {
 public:
  /// `any`: a design of the cluster, which has to outlive this. `keep`: flows are kept for other orders of
  /// devices, some 24 bytes for each; else they are listed again.
  TrafficCrossings(const NetworkDesign& any, TrafficMatrix matrix, bool keep);

  TrafficShares shares(const NetworkDesign& design);
  /// Whether nothing leaves HB domains. Known once shares were asked for.
  bool none() const { return none_; }

 private:
  Crossings crossings(const NetworkDesign& design);

  const NetworkDesign& any_;
  TrafficMatrix matrix_;
  bool keep_;
  bool none_ = true;
  std::optional<DeviceFlows> flows_;
  std::map<DeviceOrder, Crossings> crossings_;
};

}  // namespace trainyard
