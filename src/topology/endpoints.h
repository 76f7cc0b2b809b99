// Traffic between devices as traffic between endpoints of networks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace trainyard {

struct NetworkDesign;
struct TrafficMatrix;

/// Bytes from one endpoint of a network to another.
struct EndpointFlow {
  std::int64_t network = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  double bytes = 0;
};

/// The same bytes from every source to every destination, except inside an HB domain.
struct EndpointBundle {
  std::int64_t network = 0;
  struct Member {
    std::int64_t endpoint = 0;
    std::int64_t domain = 0;
  };
  std::vector<Member> sources;
  std::vector<Member> destinations;
  double bytes = 0;
};

/// Sums of what is handed out.
struct TrafficTotals {
  double offered = 0;
  double forwarded = 0;
  std::vector<double> sent;  // by each device of the design itself
  std::vector<double> received;

  /// The most bytes that one device itself sends or receives.
  double busiest() const;
};

/// Reads a matrix device by device and hands out flows, and bundles where groups are large and talk all to
/// all. Without `on_bundle`, everything comes as flows.
TrafficTotals visit_traffic(const NetworkDesign& design, const TrafficMatrix& matrix,
                            const std::function<void(const EndpointFlow&)>& on_flow,
                            const std::function<void(const EndpointBundle&)>& on_bundle = {});

}  // namespace trainyard
