// A [[design]] of a scenario into a network with every count decided.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "base/nearest.h"
#include "base/quantity_text.h"
#include "facility/facility.h"
#include "scenario/scenario.h"
#include "topology/topology.h"

namespace trainyard {
namespace {

bool inside_domains(TopologyKind kind) { return kind == TopologyKind::scale_up; }

bool has_rails(TopologyKind kind) {
  return kind == TopologyKind::rail_only || kind == TopologyKind::optical_rails;
}

bool by_domain(TopologyKind kind) { return has_rails(kind) || kind == TopologyKind::rail_optimized; }

std::string divisors_text(std::int64_t n) {
  std::string out;
  for (std::int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) out += (out.empty() ? "" : ", ") + std::to_string(d);
    if (out.size() > 160) return out + ", ...";
  }
  return out;
}

/// Fills a design in, step by step.
class Resolver {
 public:
  Resolver(const Scenario& scenario, const DesignInput& input)
      : s_(scenario),
        hb_(scenario.catalog->hb_domains.at(scenario.facility.hb_domain)),
        accelerator_(scenario.catalog->accelerators.at(hb_.accelerator)) {
    d_.input = input;
  }

  NetworkDesign resolve() {
    d_.datacenters = s_.facility.datacenters;
    d_.planes = d_.input.planes;
    set_hosts();
    set_rails();
    set_rate();
    set_gateways();
    const std::int64_t host_links = declared_host_links();
    set_part(host_links);
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
    const bool whole_domains = by_domain(d_.input.topology) || inside_domains(d_.input.topology);
    if (whole_domains) d_.hosts = d_.domains * d_.domain;
  }

  std::int64_t facility_hosts() const {
    return plan_facility(s_).domains / s_.facility.datacenters * hb_.devices;
  }

  void set_rails() {
    const DesignInput& in = d_.input;
    if (!has_rails(in.topology)) return;
    d_.rails = in.rails.value_or(d_.domain);
    if (d_.rails > d_.domain) {
      fail_design(in, "rails", fmt::format("{} rails, and an HB domain has {} devices", d_.rails, d_.domain),
                  "allowed: a divisor of the devices of an HB domain: " + divisors_text(d_.domain));
    }
    if (d_.domain % d_.rails != 0) {
      fail_design(in, "rails",
                  fmt::format("{} devices of an HB domain do not divide by {} rails", d_.domain, d_.rails),
                  "allowed: " + divisors_text(d_.domain));
    }
  }

  void set_rate() {
    if (d_.input.rate) {
      d_.host_rate = *d_.input.rate;
    } else if (inside_domains(d_.input.topology)) {
      d_.host_rate = s_.network.scale_up_rate.value_or(accelerator_.scale_up_rate);
    } else {
      const Nic& nic = s_.catalog->nics.at(hb_.nic);
      d_.host_rate = s_.network.scale_out_rate.value_or(nic.rate * hb_.nics_per_device);
    }
  }

  /// Enough ports for the wide-area rate of every host, dealt to the networks.
  void set_gateways() {
    if (inside_domains(d_.input.topology)) return;
    const bool none =
        d_.input.topology == TopologyKind::torus || d_.input.topology == TopologyKind::optical_rails;
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
      fail_design(d_.input, "gateways", fmt::format("{} gateways for {} hosts", wanted, d_.hosts),
                  fmt::format("allowed: 0 to {}", d_.hosts));
    }
    wanted_gateways_ = wanted;
  }

  std::int64_t declared_host_links() const {
    if (d_.input.topology == TopologyKind::optical_rails) return d_.input.circuits;
    return 1;
  }

  void set_part(std::int64_t host_links) {
    const DesignInput& in = d_.input;
    const BitRate rate = d_.host_rate / static_cast<double>(d_.planes * host_links);
    d_.part.port_rate = rate;
    if (in.radix) {
      d_.part.name = fmt::format("switch of {} ports", *in.radix);
      d_.part.ports = *in.radix;
      return;
    }
    if (in.topology == TopologyKind::torus) return;
    const Switch& chip = s_.catalog->switches.at(in.switch_name);
    d_.part.key = in.switch_name;
    d_.part.name = chip.info.name;
    d_.part.price = chip.price;
    d_.part.power = chip.power;
    if (in.topology == TopologyKind::optical_rails) {
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
    for (const PortSplit& split : chip.radix) {
      splits += fmt::format("{}{} x {}", splits.empty() ? "" : ", ", split.ports,
                            format_quantity(split.rate.si(), Unit::bits_per_second));
    }
    fail_design(d_.input, "planes",
                fmt::format("{} of a host over {} plane{} are links of {}, and {} has no such ports",
                            format_quantity(d_.host_rate.si(), Unit::bits_per_second), d_.planes,
                            d_.planes == 1 ? "" : "s", format_quantity(rate.si(), Unit::bits_per_second),
                            chip.info.name),
                "its ports: " + splits + "; a [[design]] may name another switch, radix, rate or planes");
  }

  void set_networks() {
    const DesignInput& in = d_.input;
    if (inside_domains(in.topology)) {
      d_.networks = d_.domains;
      return;
    }
    if (!has_rails(in.topology)) return;
    const std::int64_t rail_hosts = d_.domains * d_.ranks_per_rail();
    const std::int64_t per_rail = rail_hosts + ceil_div(wanted_gateways_, d_.rails);
    std::int64_t fit = std::max<std::int64_t>(1, std::min(d_.part.ports / per_rail, d_.rails));
    while (d_.rails % fit != 0) --fit;
    const bool share = in.topology == TopologyKind::rail_only;
    d_.rails_per_network = share ? in.rails_per_switch.value_or(fit) : 1;
    if (d_.rails % d_.rails_per_network != 0) {
      fail_design(in, "rails_per_switch",
                  fmt::format("{} rails do not divide by {}", d_.rails, d_.rails_per_network),
                  "allowed: " + divisors_text(d_.rails));
    }
    d_.networks = d_.rails / d_.rails_per_network;
  }

  void make_fabric() {
    d_.gateways = ceil_div(wanted_gateways_, d_.networks);
    FabricCase wanted{&d_.input, endpoints_of_network() + d_.gateways, d_.part.ports};
    for (const Topology& topology : topologies()) {
      if (topology.kind == d_.input.topology) d_.fabric = topology.make(wanted);
    }
    TY_ASSERT(d_.fabric != nullptr, "a topology of the registry");
  }

  std::int64_t endpoints_of_network() const {
    if (inside_domains(d_.input.topology)) return d_.domain;
    if (!has_rails(d_.input.topology)) return d_.hosts;
    return d_.domains * d_.ranks_per_rail() * d_.rails_per_network;
  }

  const Scenario& s_;
  const HbDomain& hb_;
  const Accelerator& accelerator_;
  NetworkDesign d_;
  std::int64_t wanted_gateways_ = 0;
};

DesignInput usual(const char* name, const char* title, TopologyKind kind, std::int64_t planes) {
  DesignInput input;
  input.name = name;
  input.title = title;
  input.topology = kind;
  input.planes = planes;
  return input;
}

/// The most planes, up to four, into which the usual switch divides the scenario's rate.
std::int64_t usual_planes(const Scenario& scenario) {
  for (const std::int64_t planes : {4, 2}) {
    try {
      resolve_design(scenario, usual("planes", "", TopologyKind::rail_optimized, planes));
      return planes;
    } catch (const InputError&) {
      continue;
    }
  }
  return 1;
}

}  // namespace

bool NetworkDesign::by_rank() const { return has_rails(input.topology) && rails > 1; }

EndpointPlace NetworkDesign::place_of(std::int64_t device) const {
  const std::int64_t at = device / domain;
  const std::int64_t rank = device % domain;
  if (inside_domains(input.topology)) return {at, rank};
  if (input.topology == TopologyKind::rail_optimized) return {0, rank * domains + at};
  if (!has_rails(input.topology)) return {0, device};
  const std::int64_t rail = rank % rails;
  const std::int64_t rail_hosts = domains * ranks_per_rail();
  return {rail / rails_per_network,
          rail % rails_per_network * rail_hosts + at * ranks_per_rail() + rank / rails};
}

std::int64_t NetworkDesign::domain_of(std::int64_t endpoint) const {
  std::int64_t at = endpoint / domain;
  if (inside_domains(input.topology)) at = 0;
  if (input.topology == TopologyKind::rail_optimized) at = endpoint % domains;
  if (has_rails(input.topology)) at = endpoint % (domains * ranks_per_rail()) / ranks_per_rail();
  return std::min(at, domains - 1);
}

std::int64_t NetworkDesign::rank_of(std::int64_t endpoint) const {
  if (input.topology == TopologyKind::rail_optimized) return std::min(endpoint / domains, domain - 1);
  if (!has_rails(input.topology)) return endpoint % domain;
  const std::int64_t rail = endpoint / (domains * ranks_per_rail());
  return std::min(endpoint % ranks_per_rail() * rails + rail, domain - 1);
}

NetworkDesign resolve_design(const Scenario& scenario, const DesignInput& input) {
  return Resolver(scenario, input).resolve();
}

std::vector<NetworkDesign> designs_of(const Scenario& scenario, const std::string& name) {
  std::vector<DesignInput> inputs = scenario.designs;
  if (inputs.empty()) {
    const std::int64_t planes = usual_planes(scenario);
    inputs = {usual("fat-tree", "Fat tree", TopologyKind::fat_tree, 1),
              usual("rail-optimized", "Rail-optimized Clos", TopologyKind::rail_optimized, 1),
              usual("rail-only", "Rail-only", TopologyKind::rail_only, 1)};
    if (planes > 1)
      inputs.push_back(
          usual("rail-only-planes", "Rail-only, several planes", TopologyKind::rail_only, planes));
  }
  std::vector<NetworkDesign> out;
  std::vector<std::string> names;
  for (const DesignInput& input : inputs) {
    names.push_back(input.name);
    if (name.empty() || input.name == name) out.push_back(resolve_design(scenario, input));
  }
  if (out.empty()) {
    fail_input(whole(scenario.source_name), "the scenario has no design '" + name + "'",
               suggestion(name, names));
  }
  return out;
}

}  // namespace trainyard
