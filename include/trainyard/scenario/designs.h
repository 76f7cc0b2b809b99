// [[design]], [floor] and [optimize]: the networks of a datacenter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct SectionPlaces;  // trainyard/errors.h

enum class TopologyKind;  // trainyard/topology_kind.h

/// [[design]]: one network of a datacenter, to be counted, priced and compared. Absent counts are chosen by
/// the program.
struct DesignInput {
  std::string name;
  std::string title;
  TopologyKind topology{};             // the first: a fat tree
  std::optional<std::int64_t> hosts;   // devices with a NIC, of one datacenter
  std::optional<std::int64_t> domain;  // devices of an HB domain (K)
  std::string switch_name = "tomahawk5";
  std::optional<std::int64_t> radix;  // of a hypothetical switch
  std::optional<BitRate> rate;        // of a host, all planes together, one direction
  std::int64_t planes = 1;
  bool bundle_planes = true;
  std::optional<std::int64_t> rails;
  std::optional<std::int64_t> rails_per_switch;
  std::optional<std::int64_t> tiers;
  std::vector<double> oversubscription;  // of each tier, from the leaf up
  std::optional<std::int64_t> hosts_per_switch;
  std::optional<std::int64_t> group_switches;
  std::optional<std::int64_t> group_spines;
  std::optional<std::int64_t> global_ports;
  std::vector<std::int64_t> dimensions;
  std::int64_t circuits = 2;  // optical circuits of a host and plane
  std::optional<std::int64_t> gateways;
  std::string prices = "catalog";
  std::string baseline;

  std::shared_ptr<const SectionPlaces> places = {};  // in the text
};

/// [floor]: where racks stand, for the lengths of cables.
struct FloorInput {
  std::optional<std::int64_t> racks_per_row;
  Metres rack_pitch{0.6};
  Metres row_pitch{3.0};
  Metres slack{4.0};
  Metres in_rack{1.5};
  Usd fibre_price{1.0};
  Usd circuit_port_price{350.0};
  Watts circuit_port_power{0.2};
};

/// [optimize]: what the search for networks may try.
struct OptimizeInput {
  std::vector<std::string> switches = {"tomahawk5"};
  std::vector<std::int64_t> planes = {1, 2, 4, 8};
  std::vector<std::int64_t> rails;  // empty: all divisors of the HB domain
  std::vector<double> oversubscription = {1, 1.5, 2, 3, 4, 8, 16};
  std::int64_t most_tiers = 4;
  double tolerance = 0.001;  // of a step
  // What a network must carry beside the plan's own traffic: shares of the hosts' rate, and of the step's
  // speed.
  double require_all_to_all = 0.125;
  double require_permutation = 0.1;
  double require_shifted = 0.125;
  double require_failed = 0.9;
  std::string prices = "catalog";
};

}  // namespace trainyard
