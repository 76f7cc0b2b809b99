// Traffic between devices as traffic between endpoints of networks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace trainyard {

struct NetworkDesign;
struct TrafficClass;
struct TrafficMatrix;

/// Devices of a matrix that stand in the design's datacenter, the first ones. Throws InputError where the
/// design cannot hold them, or traffic of so many hosts is not followed.
std::int64_t devices_here(const NetworkDesign& design, const TrafficMatrix& matrix);

/// Whether all members of a class's groups talk to all, and are too many to be followed pair by pair.
bool is_bundled(const TrafficClass& c);
/// Whether every group of a class lies in one HB domain.
bool stays_in_domains(const TrafficMatrix& matrix, const TrafficClass& c);

/// Throws InputError where sums of loads, a few times the bytes of all hosts, would be too large.
void check_sums(const NetworkDesign& design, double offered, double forwarded);

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
