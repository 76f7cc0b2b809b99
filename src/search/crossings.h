// How much traffic crosses the boundaries of blocks of endpoints, exactly and fast: loads for a search that
// looks at thousands of networks for one cluster.
//
// Flows of neighbouring endpoints mostly go the same distance (a ring, a pipeline), or to the same gateway.
// Such runs are kept in place of flows; a block's crossings follow by interval arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trainyard/traffic.h"

namespace trainyard {

struct ClosShape;
struct NetworkDesign;
struct TrafficShares;

/// Kinds of traffic with a share of their own.
constexpr std::size_t kSharedKinds = 4;
constexpr std::array<TrafficKind, kSharedKinds> kKinds = {TrafficKind::pipeline, TrafficKind::gradient,
                                                          TrafficKind::expert, TrafficKind::weights};
using PerKind = std::array<double, kSharedKinds>;

/// A flow of a plan between devices of one datacenter; gateways are numbered from `hosts` on.
struct DeviceFlow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t kind = 0;
  double bytes = 0;
};

struct DeviceFlows {
  std::vector<DeviceFlow> flows;
  PerKind busiest_host{};  // bytes that the busiest host itself sends or receives
};

/// The plan's flows between HB domains, as a design for its cluster sees them.
DeviceFlows device_flows(const NetworkDesign& any_design, const TrafficMatrix& matrix);

/// Crossings in the first network of designs that deal devices alike; the other networks look the same.
class Crossings {
 public:
  Crossings(const NetworkDesign& design, const DeviceFlows& flows);

  /// Shares of the scale-out rate that a design leaves to each kind of traffic.
  TrafficShares shares(const NetworkDesign& design);

 private:
  /// Endpoints [begin, end), each to the one `distance` on.
  struct Run {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t distance = 0;
    std::uint32_t kind = 0;
    double bytes = 0;
  };
  /// Endpoints [begin, end), each to or from one gateway.
  struct GatewayRun {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t gateway = 0;
    bool out = true;
    std::uint32_t kind = 0;
    double bytes = 0;
  };
  struct Blocks;

  void add_runs(std::vector<DeviceFlow> flows);
  void add_gateway_runs(std::vector<DeviceFlow> flows, bool out);
  void sum_hosts(std::int64_t endpoints);
  static void add_run(const Blocks& blocks, const Run& run, std::vector<double>& sums);
  static void add_gateway_run(Blocks& blocks, const GatewayRun& run);
  /// Most bytes of each kind that leave or enter a block of so many leaves.
  const PerKind& worst(const ClosShape& shape, std::int64_t leaves_of_block);

  std::vector<Run> runs_;
  std::vector<GatewayRun> gateway_runs_;
  PerKind host_{};  // bytes on the busiest host link
  PerKind own_{};
  std::map<std::pair<std::int64_t, std::int64_t>, PerKind> known_;
};

}  // namespace trainyard
