// A network design of a scenario: exact counts, a graph, cables with lengths, price and power.
//
//   for (const NetworkDesign& design : designs_of(scenario)) {
//     const DesignCounts counts = count(design);  // closed form; count_graph() walks the graph
//     const Bill bill = price(design, scenario);
//   }
//
// A design is planes x networks equal fabrics. Hosts are the devices that have a port each; the
// devices of an HB domain have ranks 0 to K-1, and device d is rank d % K of domain d / K. Everything is of
// one datacenter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/scenario/designs.h"
#include "trainyard/units.h"

namespace trainyard {

struct DesignCounts;  // trainyard/design_counts.h
struct Scenario;

class Dealing;
class Fabric;
struct Graph;
struct Topology;

/// Where a host stands in the networks.
struct EndpointPlace {
  std::int64_t network = 0;
  std::int64_t endpoint = 0;
};

/// The switch of a design, divided into ports.
struct SwitchPart {
  std::string key;  // of the catalog; empty for a hypothetical one
  std::string name;
  std::int64_t ports = 0;
  BitRate port_rate;
  std::optional<Usd> price;
  std::optional<Watts> power;
};

/// A design with every count decided.
struct NetworkDesign {
  DesignInput input;
  const Topology* topology = nullptr;  // src/topology/topologies.h
  std::int64_t hosts = 0;
  std::int64_t domain = 1;   // K
  std::int64_t domains = 1;  // HB domains of the datacenter
  std::int64_t datacenters = 1;
  BitRate host_rate;  // all planes together
  BitRate link_rate;  // of one link of one plane
  std::int64_t planes = 1;
  std::int64_t rails = 1;  // over which ranks are dealt
  std::int64_t rails_per_network = 1;
  std::int64_t networks = 1;  // independent fabrics of a plane
  std::int64_t gateways = 0;  // ports of one network and plane for the wide area
  double racks_per_domain = 1;
  SwitchPart part;
  std::shared_ptr<const Fabric> fabric;  // src/topology/fabric.h

  std::int64_t fabrics() const { return planes * networks; }
  std::int64_t ranks_per_rail() const { return domain / rails; }
  const Dealing& dealing() const;
  /// Whether its networks join the devices of one HB domain.
  bool inside_domains() const;
  /// Whether hosts are joined by optical circuits, which are set for a job.
  bool by_circuits() const;
  /// Whether several networks serve different ranks of the same HB domain.
  bool by_rank() const;
  EndpointPlace place_of(std::int64_t device) const;
  /// The HB domain of an endpoint of a network; gateways: the last one.
  std::int64_t domain_of(std::int64_t endpoint) const;
  /// Its rank there, in the first network.
  std::int64_t rank_of(std::int64_t endpoint) const;
};

/// The designs of a scenario in its order, or, when it has none, the usual four for its cluster. Throws
/// InputError with the key of [[design]].
/// With a name, that one alone: others may not suit the scenario; errors say that `asked_by` names it.
std::vector<NetworkDesign> designs_of(const Scenario& scenario, const std::string& name = {},
                                      const std::string& asked_by = "--design");
NetworkDesign resolve_design(const Scenario& scenario, const DesignInput& input);

/// Closed form.
DesignCounts count(const NetworkDesign& design);
/// Tiers, links and ports counted on the graph of one fabric, the rest as above.
DesignCounts count_graph(const NetworkDesign& design);

/// Cables by kind and length.
struct CableLine {
  std::string product;  // key of the catalog, or "transceiver"
  double cables = 0;
  double ends = 0;  // transceivers
  double metres = 0;
  Metres longest;
  Usd price;
  std::optional<Watts> power;  // nothing: the catalog does not say
  bool of_hosts = false;
};

/// Cables no longer than so many metres, and longer than the class before.
struct LengthClass {
  Metres up_to;
  double cables = 0;
};

struct BillLine {
  std::string item;
  double count = 0;
  std::optional<Usd> each;
  Usd price;
  std::optional<Watts> power;  // nothing: unknown
  std::string source;
};

/// What a datacenter's network costs, and its power.
struct Bill {
  std::vector<BillLine> lines;
  std::vector<CableLine> cables;
  std::vector<LengthClass> lengths;
  double transceivers = 0;
  double switch_transceivers = 0;  // of links between switches
  Usd price;
  Usd price_switches;
  Usd price_switch_cables;  // of links between switches
  Watts power_known;        // of the lines whose power is known
  /// Items without a known power.
  std::vector<std::string> power_unknown() const;
  /// Of the whole network; nothing while a line's is unknown.
  std::optional<Watts> power() const;
};

/// Prices a design as its `prices` says. Throws InputError for parts without a price or cables that nothing
/// reaches. With `most_runs` > 0 the lengths of about so many switches' cables of each tier stand for all.
Bill price(const NetworkDesign& design, const Scenario& scenario, std::int64_t most_runs = 0);

/// Every link of a datacenter as CSV, with the ports of both ends; of optical rails the fibres to circuit
/// switches, whose circuits are set for a job. Throws InputError when there are more than kMostLinks.
std::string cable_list(const NetworkDesign& design);

}  // namespace trainyard
