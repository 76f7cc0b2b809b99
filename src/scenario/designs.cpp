#include "scenario/designs.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/distinct.h"
#include "scenario/choices/designs.h"
#include "scenario/sections.h"
#include "scenario/table_lists.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {
namespace {

constexpr double kMostHosts = 1e9;
constexpr double kMostPorts = 1 << 20;
constexpr const char* kCatalogPrices = "catalog";

/// Keys that only some topologies take.
struct OwnKeys {
  TopologyKind kind;
  std::string_view keys;  // with a space between two

  bool has(std::string_view key) const {
    for (std::string_view rest = keys; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, end) == key) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
  }
};

constexpr OwnKeys kOwnKeys[] = {
#define TRAINYARD_TOPOLOGY(name, text, sentence, keys) {TopologyKind::name, keys},
#include "trainyard/registries/topologies.def"
};

/// Of a design's keys.
bool takes(TopologyKind kind, std::string_view key) {
  const auto has = [&](const OwnKeys& own) { return own.has(key); };
  return std::none_of(std::begin(kOwnKeys), std::end(kOwnKeys), has) ||
         std::any_of(std::begin(kOwnKeys), std::end(kOwnKeys),
                     [&](const OwnKeys& own) { return own.kind == kind && has(own); });
}

std::vector<std::string> keys_of(TopologyKind kind) {
  std::vector<std::string> names = field_names(design_fields());
  std::erase_if(names, [&](const std::string& name) { return !takes(kind, name); });
  return names;
}

void check_keys(const DesignInput& design, const Table& table, Findings& findings) {
  static const auto all = field_names(design_fields());
  for (const Member& member : table.members) {
    const bool known = std::find(all.begin(), all.end(), member.key) != all.end();
    if (!known || takes(design.topology, member.key)) continue;
    findings.add(member.where, fmt::format("a {} has no '{}'", choice_name(design.topology), member.key),
                 suggestion("", keys_of(design.topology)));
  }
}

void check_switch(const std::string& name, const Location& where, const Catalog& catalog,
                  Findings& findings) {
  if (catalog.switches.contains(name)) return;
  findings.add(where, fmt::format("the catalog has no switch '{}'", name),
               suggestion(name, catalog.switches.keys()));
}

void check_prices(const std::string& name, const Location& where, const Catalog& catalog,
                  Findings& findings) {
  if (name == kCatalogPrices) return;
  const auto serves = [&](const std::string& key) { return catalog.prices.at(key).transceiver.has_value(); };
  if (catalog.prices.contains(name) && serves(name)) return;
  auto names = catalog.prices.keys();
  std::erase_if(names, [&](const std::string& key) { return !serves(key); });
  names.insert(names.begin(), kCatalogPrices);
  const char* why = catalog.prices.contains(name) ? "has no price of a transceiver" : "is not in the catalog";
  findings.add(where, fmt::format("the price model '{}' {}", name, why), suggestion(name, names));
}

Location place_of(const Table& table, std::string_view key, const Location& otherwise) {
  const Value* value = table.find(key);
  return value ? value->where() : otherwise;
}

/// Names stand in keys, files and drawings.
bool plain_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

/// Whether two names are the same key: '-' and '_' count alike.
bool same_key(std::string a, std::string b) {
  std::replace(a.begin(), a.end(), '-', '_');
  std::replace(b.begin(), b.end(), '-', '_');
  return a == b;
}

void check_design(const DesignInput& design, const Table& table, const Location& where,
                  const Catalog& catalog, Findings& findings) {
  check_keys(design, table, findings);
  if (!plain_name(design.name) && table.find("name")) {
    findings.add(place_of(table, "name", where), "'" + design.name + "' is not a name for a design",
                 "allowed: letters, digits, '-' and '_'");
  }
  check_switch(design.switch_name, place_of(table, "switch", where), catalog, findings);
  // The usual prices hold, and need not be read here.
  if (table.find("prices")) check_prices(design.prices, place_of(table, "prices", where), catalog, findings);
  if (design.radix && table.find("switch")) {
    findings.add(place_of(table, "radix", where), "both switch and radix are given", "keep one of them");
  }
}

void check_baselines(const std::vector<DesignInput>& designs, Findings& findings) {
  std::vector<std::string> names;
  for (const DesignInput& design : designs) names.push_back(design.name);
  for (const DesignInput& design : designs) {
    if (!given_place(design.places, "baseline")) continue;
    if (std::find(names.begin(), names.end(), design.baseline) != names.end()) continue;
    findings.add(place_of(design.places, "baseline"), "no design '" + design.baseline + "'",
                 suggestion(design.baseline, names));
  }
}

}  // namespace

const FieldTable<DesignInput>& design_fields() {
  using D = DesignInput;
  const Range count = between(1, kMostHosts);
  static const FieldTable<D> table = {
      field("name", &D::name, "Short name, for tables, files and the command line.").required(),
      field("title", &D::title, "What it is, for people."),
      field("topology", &D::topology, "How switches and links are joined."),
      field("hosts", &D::hosts, count, "Devices of one datacenter that have a port each.")
          .otherwise("the facility's, divided over its datacenters"),
      field("domain", &D::domain, count, "Devices of an HB domain.").otherwise("the catalog's"),
      field("switch", &D::switch_name, "Catalog key of the switch chip."),
      field("radix", &D::radix, between(2, kMostPorts),
            "Ports of a hypothetical switch at the rate of a link, in place of `switch`.")
          .otherwise("the switch's, divided into ports of the rate of a link"),
      field("rate", &D::rate, positive(), "Rate of a host, all planes together, one direction.")
          .otherwise("network.scale_out_rate, else the catalog's NIC"),
      field("planes", &D::planes, between(1, 1024),
            "Independent copies of the network, each with a share of every host's rate.")
          .from("HotNets '24 section 6.1"),
      field("bundle_planes", &D::bundle_planes,
            "One cable carries a link of every plane (switch boxes hold a chip of each).")
          .from("HotNets '24 section 6.1"),
      field("rails", &D::rails, count, "Independent networks over which the ranks of an HB domain are dealt.")
          .otherwise("one for each device of an HB domain"),
      field("rails_per_switch", &D::rails_per_switch, count, "Rails that share one network's switches.")
          .otherwise("as many as fit where a rail needs one switch, else 1")
          .from("rail-only '23 Table 2"),
      field("tiers", &D::tiers, between(1, 12), "Tiers of switches.").otherwise("the fewest that do"),
      field("oversubscription", &D::oversubscription, between(1, 1e6),
            "Ports down over ports up of each tier, from the leaf up; 1 where nothing is given."),
      field("hosts_per_switch", &D::hosts_per_switch, between(1, kMostPorts), "Hosts of a leaf switch.")
          .otherwise("balanced"),
      field("group_switches", &D::group_switches, between(1, kMostPorts), "Switches (leaves) of a group.")
          .otherwise("balanced"),
      field("group_spines", &D::group_spines, between(1, kMostPorts), "Spines of a group.")
          .otherwise("as many as leaves"),
      field("global_ports", &D::global_ports, between(1, kMostPorts),
            "Ports of a switch (spine) to other groups.")
          .otherwise("balanced"),
      field("dimensions", &D::dimensions, between(1, kMostHosts),
            "Switches (hosts of a torus) along each dimension."),
      field("circuits", &D::circuits, between(2, 1024),
            "Optical circuits of a host and plane; two make a ring."),
      field("gateways", &D::gateways, between(0, kMostHosts),
            "Ports of one datacenter for the wide area, beside the hosts'.")
          .otherwise("none with one datacenter, else enough for network.wide_area_rate"),
      field("prices", &D::prices,
            "\"catalog\": each chip and cable by its entry; or a price model with a price of a transceiver."),
      field("baseline", &D::baseline, "Name of the design that savings are counted against.")
          .otherwise("the first design"),
  };
  return table;
}

const FieldTable<FloorInput>& floor_fields() {
  using F = FloorInput;
  static const FieldTable<F> table = {
      field("racks_per_row", &F::racks_per_row, between(1, kMostHosts), "Racks of a row.")
          .otherwise("as many as make the floor square"),
      field("rack_pitch", &F::rack_pitch, positive(), "From one rack to the next in a row.")
          .from("600 mm racks (IEC 60297)"),
      field("row_pitch", &F::row_pitch, positive(), "From one row to the next, aisles included.")
          .from("two 1.2 m racks back to back and two aisles: 6 m for two rows"),
      field("slack", &F::slack, at_least(0), "Cable beyond the way across the floor: up, down and spare."),
      field("in_rack", &F::in_rack, positive(), "Length of a cable that stays in its rack."),
      field("fibre_price", &F::fibre_price, at_least(0), "Price of a metre of fibre trunk, for each cable.")
          .from("estimate: volume listings of 2024"),
      field("circuit_port_price", &F::circuit_port_price, at_least(0),
            "Price of a port of an optical circuit switch.")
          .from("estimate: list prices of commercial 320-port switches are about ten times higher"),
      field("circuit_port_power", &F::circuit_port_power, at_least(0),
            "Power of a port of an optical circuit switch.")
          .from("Polatis 7000 datasheet: 75 W for 384 ports"),
  };
  return table;
}

const FieldTable<OptimizeInput>& optimize_fields() {
  using O = OptimizeInput;
  static const FieldTable<O> table = {
      distinct_field("switches", &O::switches, "Catalog keys of the switch chips that may be used."),
      distinct_field("planes", &O::planes, between(1, 1024), "Counts of planes to try."),
      distinct_field("rails", &O::rails, between(1, kMostHosts), "Counts of rails to try.")
          .otherwise("every divisor of the HB domain's devices"),
      distinct_field("oversubscription", &O::oversubscription, between(1, 1e6),
                     "Ports down over ports up to try, on every tier."),
      field("most_tiers", &O::most_tiers, between(1, 8), "Most tiers to try."),
      field("tolerance", &O::tolerance, between(0, 1),
            "Share of a step that the recommended network may expose beyond the least of all."),
      field(
          "require_all_to_all", &O::require_all_to_all, between(0, 1),
          "Least share of a host's rate at which every host sends to every other one alike; 0: not required.")
          .from("about what Llama 3's network gives (The Llama 3 Herd of Models, section 3.3.1): 1:7 above "
                "pods"),
      field("require_permutation", &O::require_permutation, between(0, 1),
            "Least share of a host's rate in a random permutation of all hosts (network --traffic "
            "permutation); "
            "0: not required.")
          .from("rails alone, whose HB domains forward up to ten flows to one port, just reach it"),
      field("require_shifted", &O::require_shifted, between(0, 1),
            "Least share of a host's rate to the next HB domain of a ring when that stands half a datacenter "
            "away; 0: rings may rely on the order of devices.")
          .from("as require_all_to_all"),
      field("require_failed", &O::require_failed, between(0, 1),
            "Least share of a step's speed that is left while one switch next to the hosts is down; 0: "
            "training "
            "may stop.")
          .from("estimate: one failure of thousands should not cost more than a tenth"),
      field("prices", &O::prices, "As `prices` of a design."),
  };
  return table;
}

void read_designs(std::vector<DesignInput>& designs, const Table& document, const Catalog& catalog,
                  Findings& findings) {
  for (const Value* element : elements_of(document, "design", findings)) {
    DesignInput design = read_placed(*element, design_fields(), "design", findings);
    check_design(design, *element->as<Table>(), element->where(), catalog, findings);
    for (const DesignInput& earlier : designs) {
      if (same_key(earlier.name, design.name))
        findings.add(place_of(design.places, "name"), "two designs are named '" + design.name + "'",
                     "'-' and '_' count alike");
    }
    designs.push_back(std::move(design));
  }
  check_baselines(designs, findings);
}

void check_optimize(const OptimizeInput& optimize, const Table& document, const Catalog& catalog,
                    Findings& findings) {
  const Value* section = document.find("optimize");
  const Table* table = section ? section->as<Table>() : nullptr;
  if (!table) return;
  const Location where = section->where();
  for (const std::string& name : optimize.switches)
    check_switch(name, place_of(*table, "switches", where), catalog, findings);
  check_prices(optimize.prices, place_of(*table, "prices", where), catalog, findings);
  const std::pair<bool, const char*> lists[] = {{optimize.switches.empty(), "switches"},
                                                {optimize.planes.empty(), "planes"},
                                                {optimize.oversubscription.empty(), "oversubscription"}};
  for (const auto& [empty, key] : lists) {
    if (empty) findings.add(place_of(*table, key, where), fmt::format("'optimize.{}' is empty", key));
  }
}

}  // namespace trainyard
