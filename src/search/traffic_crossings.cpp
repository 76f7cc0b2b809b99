#include "search/traffic_crossings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainyard/network_design.h"
#include "trainyard/traffic_shares.h"

namespace trainyard {

DeviceOrder order_of(const NetworkDesign& d) { return {&d.dealing(), d.rails, d.rails_per_network}; }

TrafficShape shape_of(const TrafficMatrix& matrix) {
  constexpr double kRounding = 1e9;
  TrafficShape out = {real(matrix.devices), real(matrix.domain_devices)};
  for (const TrafficKind kind : kKinds) {
    Bytes most;
    for (const TrafficClass& c : matrix.classes) {
      if (c.kind == kind) most = std::max(most, c.pair);
    }
    for (const TrafficClass& c : matrix.classes) {
      if (c.kind != kind) continue;
      out.push_back(static_cast<double>(kind));
      out.push_back(static_cast<double>(c.pattern));
      out.push_back(std::round(c.pair / most * kRounding));
      for (const Digit& digit : c.digits) {
        out.push_back(real(digit.stride));
        out.push_back(real(digit.size));
      }
      out.push_back(-1);
    }
  }
  return out;
}

TrafficCrossings::TrafficCrossings(const NetworkDesign& any, TrafficMatrix matrix, bool keep)
    : any_(any), matrix_(std::move(matrix)), keep_(keep) {}

TrafficShares TrafficCrossings::shares(const NetworkDesign& design) {
  const DeviceOrder order = order_of(design);
  forget_other_orders(crossings_, order);
  auto known = crossings_.find(order);
  if (known == crossings_.end()) known = crossings_.emplace(order, crossings(design)).first;
  return known->second.shares(design);
}

Crossings TrafficCrossings::crossings(const NetworkDesign& design) {
  if (flows_) return {design, *flows_};
  DeviceFlows flows = device_flows(any_, matrix_);
  none_ = flows.flows.empty();
  Crossings out(design, flows);
  if (keep_) flows_ = std::move(flows);
  return out;
}

}  // namespace trainyard
