// One network: the switches and links that join its endpoints, counted in closed form and built as a graph.
//
// A design holds planes x networks equal fabrics; its topology (topologies.h) says which.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct ClosShape;
struct DesignInput;
struct FabricCounts;  // trainyard/design_counts.h
class GraphBuilder;

/// Endpoints [begin, end), in the fabric's order.
struct EndpointRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Cables of one class between the places of two groups of endpoints (a switch stands amid its endpoints).
struct CableRun {
  std::size_t link_class = 0;  // index into FabricCounts::links
  EndpointRange a;
  EndpointRange b;
  double links = 0;
};
using CableVisitor = std::function<void(const CableRun&)>;

/// Where a fabric's parts go in a graph.
struct FabricPlace {
  std::int64_t network = 0;
  std::int64_t plane = 0;
  std::int64_t datacenter = 0;
  BitRate rate;                      // of a link
  std::int64_t ports = 0;            // of a switch
  std::vector<std::uint32_t> hosts;  // node of each endpoint
};

/// The failed part that hosts feel most: their switch, or where hosts have none, one way out of a host.
struct NearestFailure {
  std::int64_t endpoints = 1;  // consecutive ones, which it touches
  std::int64_t ways = 1;       // of a host in one plane, of which it takes one
};

/// The parts of one network. What has no default here has to be answered by every topology.
class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual FabricCounts counts() const = 0;
  virtual std::int64_t endpoints() const = 0;
  /// The most endpoints that the same tiers, switches and rules can join.
  virtual std::int64_t largest() const = 0;
  /// Adds switches and links to a graph.
  virtual void build(GraphBuilder& graph, const FabricPlace& place) const = 0;
  /// Every cable, in runs; host cables in runs of at most `per_rack` endpoints. With `most` > 0, a tree shows
  /// about so many switches' cables of each kind, and they stand for all.
  virtual void visit_cables(std::int64_t per_rack, std::int64_t most, const CableVisitor& visit) const = 0;
  /// The tree that loads follow by symmetry, where there is one.
  virtual const ClosShape* clos() const { return nullptr; }
  /// The sides of a grid of hosts, in order, without switches, that looks the same from every host.
  virtual const std::vector<std::int64_t>* wrapped_grid() const { return nullptr; }
  /// Links of one host.
  virtual std::int64_t host_links() const = 0;
  virtual NearestFailure nearest_failure() const = 0;
  /// Tiers of switches; 0 without switches.
  virtual std::int64_t tiers() const = 0;
};

/// What a fabric is asked to join, with what.
struct FabricCase {
  const DesignInput* input = nullptr;
  std::int64_t endpoints = 0;
  std::int64_t ports = 0;  // of a switch
};

/// Complains about a key of a design.
[[noreturn]] void fail_design(const DesignInput& design, const std::string& key, const std::string& message,
                              const std::string& help = {});

/// Endpoints dealt evenly to `parts`: where part `index` begins.
constexpr std::int64_t share_begin(std::int64_t endpoints, std::int64_t parts, std::int64_t index) {
  return endpoints / parts * index + (index < endpoints % parts ? index : endpoints % parts);
}

/// The part that holds an endpoint.
constexpr std::int64_t share_of(std::int64_t endpoints, std::int64_t parts, std::int64_t endpoint) {
  const std::int64_t small = endpoints / parts;
  const std::int64_t in_large = endpoints % parts * (small + 1);
  if (endpoint < in_large) return endpoint / (small + 1);
  return endpoints % parts + (endpoint - in_large) / small;
}

/// Runs of at most `per_rack` endpoints from each part of `parts` to its switch.
void visit_host_cables(std::int64_t endpoints, std::int64_t parts, std::int64_t per_rack, std::int64_t most,
                       const CableVisitor& visit);

}  // namespace trainyard
