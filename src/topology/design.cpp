// A [[design]] of a scenario into a network with every count decided.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/divisors.h"
#include "base/errors.h"
#include "base/whole_numbers.h"
#include "facility/networks.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/topologies.h"
#include "topology/topology.h"
#include "trainyard/catalog.h"
#include "trainyard/facility.h"
#include "trainyard/network_design.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Fills a design in, step by step.
class Resolver {
 public:
  Resolver(const Scenario& scenario, const DesignInput& input, const Topology& topology)
      : s_(scenario),
        topology_(topology),
        dealing_(topology.dealing),
        hb_(scenario.catalog->hb_domains.at(scenario.facility.hb_domain)) {
    d_.input = input;
    d_.topology = &topology;
  }

  NetworkDesign resolve() {
    d_.datacenters = s_.facility.datacenters;
    d_.planes = d_.input.planes;
    set_hosts();
    set_rails();
    set_rate();
    set_gateways();
    set_part();
    set_networks();
    make_fabric();
    d_.link_rate = d_.host_rate / static_cast<double>(d_.planes * d_.fabric->host_links());
    return std::move(d_);
  }

 private:
  void set_hosts() {
    d_.domain = d_.input.domain.value_or(hb_.devices);
    d_.racks_per_domain = hb_.racks;
    const bool own_domain = d_.input.domain && *d_.input.domain != hb_.devices;
    if (own_domain) {
      d_.racks_per_domain =
          std::max(hb_.racks * static_cast<double>(d_.domain) / static_cast<double>(hb_.devices),
                   1.0 / static_cast<double>(d_.domain));
    }
    d_.hosts = d_.input.hosts ? *d_.input.hosts : facility_hosts();
    d_.domains = ceil_div(d_.hosts, d_.domain);
    if (dealing_.whole_domains()) d_.hosts = d_.domains * d_.domain;
  }

  /// Of one datacenter.
  std::int64_t facility_hosts() const { return domains_of_datacenter(plan_facility(s_)) * hb_.devices; }

  void set_rails() {
    const DesignInput& in = d_.input;
    if (!dealing_.over_rails()) return;
    d_.rails = in.rails.value_or(d_.domain);
    if (d_.rails > d_.domain) {
      fail_design(
          in, "rails",
          fmt::format("{}, and an HB domain has {}", counted(d_.rails, "rail"), counted(d_.domain, "device")),
          "allowed: a divisor of the devices of an HB domain: " + divisors_text(d_.domain));
    }
    if (d_.domain % d_.rails != 0) {
      fail_design(in, "rails",
                  fmt::format("{} of an HB domain do not divide by {}", counted(d_.domain, "device"),
                              counted(d_.rails, "rail")),
                  "allowed: " + divisors_text(d_.domain));
    }
  }

  void set_rate() {
    if (d_.input.rate) {
      d_.host_rate = *d_.input.rate;
      return;
    }
    const PortRates ports = port_rates_of(s_);
    d_.host_rate = dealing_.inside_domains() ? ports.scale_up : ports.scale_out;
  }

  /// Enough ports for the wide-area rate of every host, dealt to the networks.
  void set_gateways() {
    if (dealing_.inside_domains()) return;
    const bool none = !topology_.joins_gateways;
    std::int64_t wanted = d_.input.gateways.value_or(0);
    if (none && wanted > 0) {
      fail_design(d_.input, "gateways",
                  "hosts of this topology have no switch to which a gateway could be joined", "leave it out");
    }
    if (!d_.input.gateways && !none && d_.datacenters > 1) {
      const double ratio = s_.network.wide_area_rate / d_.host_rate;
      if (ratio > 1) {
        fail_design(d_.input, "gateways",
                    fmt::format("network.wide_area_rate = {} is more than a host's {}",
                                format_quantity(s_.network.wide_area_rate.si(), Unit::bits_per_second),
                                format_quantity(d_.host_rate.si(), Unit::bits_per_second)),
                    "a wide-area rate of at most a host's, or gateways given as a count");
      }
      wanted = static_cast<std::int64_t>(std::ceil(static_cast<double>(d_.hosts) * ratio - 1e-9));
    }
    if (wanted > d_.hosts) {
      fail_design(d_.input, "gateways",
                  fmt::format("{} for {}", counted(wanted, "gateway"), counted(d_.hosts, "host")),
                  fmt::format("allowed: 0 to {}", d_.hosts));
    }
    wanted_gateways_ = wanted;
  }

  void set_part() {
    const DesignInput& in = d_.input;
    const std::int64_t host_links = d_.by_circuits() ? in.circuits : 1;
    const BitRate rate = d_.host_rate / static_cast<double>(d_.planes * host_links);
    d_.part.port_rate = rate;
    if (in.radix) {
      d_.part.name = fmt::format("switch of {} ports", *in.radix);
      d_.part.ports = *in.radix;
      return;
    }
    if (topology_.switches == SwitchType::none) return;
    const Switch& chip = s_.catalog->switches.at(in.switch_name);
    d_.part.key = in.switch_name;
    d_.part.name = chip.info.name;
    d_.part.price = chip.price;
    d_.part.power = chip.power;
    if (d_.by_circuits()) {
      fail_design(in, "radix", "an optical circuit switch has no packet switch's ports",
                  "give the ports of a circuit switch: radix = 320");
    }
    for (const PortSplit& split : chip.radix) {
      if (std::abs(split.rate / rate - 1) < 1e-9) d_.part.ports = split.ports;
    }
    if (d_.part.ports == 0) fail_split(chip, rate);
  }

  [[noreturn]] void fail_split(const Switch& chip, BitRate rate) const {
    std::string splits;
    const PortSplit* nearest = nullptr;
    const auto apart = [&](const PortSplit& split) { return std::abs(std::log(split.rate / rate)); };
    for (const PortSplit& split : chip.radix) {
      if (nearest == nullptr || apart(split) < apart(*nearest)) nearest = &split;
      splits += fmt::format("{}{} x {}", splits.empty() ? "" : ", ", split.ports,
                            format_quantity(split.rate.si(), Unit::bits_per_second));
    }
    fail_design(
        d_.input, "planes",
        fmt::format("{} of a host over {} are links of {}, and {} has no such ports",
                    format_quantity(d_.host_rate.si(), Unit::bits_per_second), counted(d_.planes, "plane"),
                    format_quantity(rate.si(), Unit::bits_per_second), chip.info.name),
        fmt::format("its ports: {}; nearest: {} = \"{}\"; a [[design]] may name another switch, radix, "
                    "rate or planes",
                    splits, d_.input.rate ? "rate" : "network.scale_out_rate",
                    format_quantity((d_.host_rate * (nearest->rate / rate)).si(), Unit::bits_per_second)));
  }

  void set_networks() {
    if (dealing_.over_rails()) set_rails_per_network();
    d_.networks = dealing_.networks(d_);
  }

  void set_rails_per_network() {
    const DesignInput& in = d_.input;
    const std::int64_t rail_hosts = d_.domains * d_.ranks_per_rail();
    const std::int64_t per_rail = rail_hosts + ceil_div(wanted_gateways_, d_.rails);
    std::int64_t fit = std::max<std::int64_t>(1, std::min(d_.part.ports / per_rail, d_.rails));
    while (d_.rails % fit != 0) --fit;
    d_.rails_per_network = dealing_.rails_share_switches() ? in.rails_per_switch.value_or(fit) : 1;
    if (d_.rails % d_.rails_per_network != 0) {
      fail_design(in, "rails_per_switch",
                  fmt::format("{} {} not divide by {}", counted(d_.rails, "rail"),
                              agreeing(d_.rails, "does", "do"), d_.rails_per_network),
                  "allowed: " + divisors_text(d_.rails));
    }
  }

  void make_fabric() {
    d_.gateways = ceil_div(wanted_gateways_, d_.networks);
    d_.fabric = topology_.make({&d_.input, dealing_.endpoints(d_) + d_.gateways, d_.part.ports});
    TY_ASSERT(d_.fabric != nullptr, "a topology makes a fabric or complains");
  }

  const Scenario& s_;
  const Topology& topology_;
  const Dealing& dealing_;
  const HbDomain& hb_;
  NetworkDesign d_;
  std::int64_t wanted_gateways_ = 0;
};

}  // namespace

const Dealing& NetworkDesign::dealing() const { return topology->dealing; }

bool NetworkDesign::inside_domains() const { return dealing().inside_domains(); }

bool NetworkDesign::by_circuits() const { return topology->switches == SwitchType::circuit; }

bool NetworkDesign::by_rank() const { return dealing().over_rails() && rails > 1; }

EndpointPlace NetworkDesign::place_of(std::int64_t device) const { return dealing().place_of(*this, device); }

std::int64_t NetworkDesign::domain_of(std::int64_t endpoint) const {
  return std::min(dealing().domain_of(*this, endpoint), domains - 1);
}

std::int64_t NetworkDesign::rank_of(std::int64_t endpoint) const {
  return std::min(dealing().rank_of(*this, endpoint), domain - 1);
}

NetworkDesign resolve_design(const Scenario& scenario, const DesignInput& input, const Topology& topology) {
  return Resolver(scenario, input, topology).resolve();
}

NetworkDesign resolve_design(const Scenario& scenario, const DesignInput& input) {
  return resolve_design(scenario, input, topology_of(input.topology));
}

}  // namespace trainyard
