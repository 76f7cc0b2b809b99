#include "topology/loads_by_domain.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/repeated_sum.h"
#include "base/whole_numbers.h"
#include "topology/clos_loads.h"
#include "topology/clos_shape.h"
#include "topology/dealing.h"
#include "topology/domain_runs.h"
#include "topology/endpoints.h"
#include "topology/fabric.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

/// Flows out of and into each part of something, of one class.
struct InOutFlows {
  std::vector<std::int64_t> out;
  std::vector<std::int64_t> in;

  explicit InOutFlows(std::int64_t parts) : out(index(parts), 0), in(index(parts), 0) {}

  /// Adds their bytes, and is empty again.
  void move_to(InOut& bytes, RepeatedSums& of_flow) {
    move(out, bytes.out, of_flow);
    move(in, bytes.in, of_flow);
  }

 private:
  static void move(std::vector<std::int64_t>& flows, std::vector<double>& bytes, RepeatedSums& of_flow) {
    for (std::size_t i = 0; i < flows.size(); ++i)
      bytes[i] = of_flow.with(bytes[i], std::exchange(flows[i], 0));
  }
};

/// Blocks of a tier as ranges of endpoints.
class Blocks {
 public:
  Blocks(const ClosShape& shape, std::size_t tier) {
    const std::int64_t blocks = shape.blocks(tier);
    const std::int64_t leaves = shape.leaves() / blocks;
    for (std::int64_t b = 0; b <= blocks; ++b)
      begins_.push_back(share_begin(shape.endpoints, shape.leaves(), b * leaves));
  }

  std::size_t of(std::int64_t endpoint) const {
    return index(std::upper_bound(begins_.begin(), begins_.end(), endpoint) - begins_.begin() - 1);
  }
  std::int64_t end(std::size_t block) const { return begins_[block + 1]; }

 private:
  std::vector<std::int64_t> begins_;
};

/// `count` endpoints in a row, and where the first of them sends.
struct EndpointRun {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t count = 0;
};

/// Blocks and gateways of one network.
class NetworkFlows {
 public:
  NetworkFlows(const ClosShape& shape, std::int64_t gateways)
      : first_gateway_(shape.endpoints - gateways),
        gateway_flows_(gateways),
        tier_bytes_(no_tier_loads(shape)),
        gateway_bytes_(gateways) {
    for (std::size_t t = 0; t < shape.top(); ++t) {
      blocks_.emplace_back(shape, t);
      tier_flows_.emplace_back(shape.blocks(t));
    }
  }

  /// Each endpoint of the run to the one as far beyond its `to`.
  void add(const EndpointRun& run) {
    for (std::size_t t = 0; t < blocks_.size(); ++t) {
      const Blocks& blocks = blocks_[t];
      std::size_t from = blocks.of(run.from);
      std::size_t to = blocks.of(run.to);
      for (std::int64_t done = 0; done < run.count;) {
        const std::int64_t from_left = blocks.end(from) - run.from - done;
        const std::int64_t to_left = blocks.end(to) - run.to - done;
        const std::int64_t now = std::min({run.count - done, from_left, to_left});
        cross(t, from, to, now);
        done += now;
        if (now == from_left) ++from;
        if (now == to_left) ++to;
      }
    }
  }

  /// `count` endpoints to a gateway, or from it.
  void add_wide_area(std::int64_t first, std::int64_t count, std::int64_t gateway, bool outwards) {
    (outwards ? gateway_flows_.in : gateway_flows_.out)[index(gateway)] += count;
    for (std::size_t t = 0; t < blocks_.size(); ++t) {
      const std::size_t behind = blocks_[t].of(first_gateway_ + gateway);
      std::size_t block = blocks_[t].of(first);
      for (std::int64_t done = 0; done < count; ++block) {
        const std::int64_t now = std::min(count - done, blocks_[t].end(block) - first - done);
        outwards ? cross(t, block, behind, now) : cross(t, behind, block, now);
        done += now;
      }
    }
  }

  void end_class(RepeatedSums& of_flow) {
    for (std::size_t t = 0; t < tier_flows_.size(); ++t) tier_flows_[t].move_to(tier_bytes_[t], of_flow);
    gateway_flows_.move_to(gateway_bytes_, of_flow);
  }

  const TierLoads& tiers() const { return tier_bytes_; }
  const InOut& gateways() const { return gateway_bytes_; }

 private:
  void cross(std::size_t tier, std::size_t from, std::size_t to, std::int64_t flows) {
    if (from == to) return;
    tier_flows_[tier].out[from] += flows;
    tier_flows_[tier].in[to] += flows;
  }

  std::int64_t first_gateway_;
  std::vector<Blocks> blocks_;  // of each tier
  std::vector<InOutFlows> tier_flows_;
  InOutFlows gateway_flows_;
  TierLoads tier_bytes_;
  InOut gateway_bytes_;
};

/// The links of hosts, in order.
class HostLinks {
 public:
  explicit HostLinks(double planes) : planes_(planes) {}

  void add(double out, double in, std::int64_t hosts) {
    if (out == 0 && in == 0) return;
    const double bytes = std::max(out, in) / planes_;
    sum_ = with_repeated(sum_, bytes * planes_, hosts);
    worst_ = std::max(worst_, bytes);
    busy_ += static_cast<double>(hosts) * planes_;
  }

  LinkLoad load(const LinkCount& count) const {
    LinkLoad out = idle_load(count);
    out.idle = out.links - busy_;
    out.worst = Bytes(worst_);
    out.mean = Bytes(sum_ / out.links);
    return out;
  }

 private:
  double planes_;
  double sum_ = 0;
  double worst_ = 0;
  double busy_ = 0;
};

/// A network's endpoints stand lane by lane, in a lane HB domain by HB domain, and of a domain the ranks that
/// are dealt to the lane.
class DomainLoads {
 public:
  DomainLoads(const NetworkDesign& design, const TrafficMatrix& matrix)
      : d_(design),
        matrix_(matrix),
        domains_(devices_here(design, matrix) / matrix.domain_devices),
        together_(design.dealing().together(design)),
        lanes_(design.domain / together_),
        device_flows_(domains_),
        link_flows_(domains_),
        device_bytes_(domains_),
        link_bytes_(domains_) {
    const bool are_alike = matrix.domain_devices % lanes_ == 0;
    networks_.assign(index(are_alike ? 1 : design.networks), {*design.fabric->clos(), design.gateways});
  }

  NetworkLoad load() {
    for (const TrafficClass& c : matrix_.classes) {
      if (!stays_in_domains(matrix_, c)) add(c);
    }
    check_sums(d_, offered_, 0);
    std::vector<const TierLoads*> tiers;
    for (std::int64_t n = 0; n < d_.networks; ++n) tiers.push_back(&network(n).tiers());
    std::vector<LinkLoad> links;
    for (const LinkCount& of : count(d_).links)
      links.push_back(links.empty() ? host_load(of) : tier_load(d_, of, links.size() - 1, tiers));
    NetworkLoad out = bound_by(d_, std::move(links));
    out.offered = Bytes(offered_);
    out.host_bound = Bytes(busiest()) / byte_rate(d_.host_rate);
    return out;
  }

 private:
  const NetworkFlows& network(std::int64_t n) const { return networks_[networks_.size() > 1 ? index(n) : 0]; }

  void add(const TrafficClass& c) {
    std::int64_t pairs = 0;
    visit_domain_runs(matrix_, c, [&](const DomainRun& run) { pairs += add(run); });
    offered_ = with_repeated(offered_, c.pair.si(), pairs * matrix_.domain_devices);
    RepeatedSums of_flow(c.pair.si());
    device_flows_.move_to(device_bytes_, of_flow);
    link_flows_.move_to(link_bytes_, of_flow);
    for (NetworkFlows& network : networks_) network.end_class(of_flow);
  }

  /// How many of its pairs have an end in this datacenter, whose domains are the first ones.
  std::int64_t add(const DomainRun& run) {
    const std::int64_t sent = std::clamp<std::int64_t>(domains_ - run.from, 0, run.count);
    const std::int64_t received = std::clamp<std::int64_t>(domains_ - run.to, 0, run.count);
    const std::int64_t inside = std::min(sent, received);
    for (std::int64_t i = 0; i < sent; ++i) ++device_flows_.out[index(run.from + i)];
    for (std::int64_t i = 0; i < received; ++i) ++device_flows_.in[index(run.to + i)];
    const bool has_gateways = d_.gateways > 0;
    for (std::int64_t i = 0; i < (has_gateways ? sent : inside); ++i) ++link_flows_.out[index(run.from + i)];
    for (std::int64_t i = 0; i < (has_gateways ? received : inside); ++i) ++link_flows_.in[index(run.to + i)];
    if (inside > 0) add_inside({run.from, run.to, inside});
    for (std::int64_t i = inside; has_gateways && i < sent; ++i) add_wide_area(run.from + i, true);
    for (std::int64_t i = inside; has_gateways && i < received; ++i) add_wide_area(run.to + i, false);
    return std::max(sent, received);
  }

  void add_inside(const DomainRun& run) {
    visit_lanes([&](NetworkFlows& network, std::int64_t begin, std::int64_t used) {
      const std::int64_t from = begin + run.from * together_;
      const std::int64_t to = begin + run.to * together_;
      if (used == together_) return network.add({from, to, run.count * together_});
      for (std::int64_t i = 0; i < run.count; ++i)
        network.add({from + i * together_, to + i * together_, used});
    });
  }

  void add_wide_area(std::int64_t domain, bool outwards) {
    visit_lanes([&](NetworkFlows& network, std::int64_t begin, std::int64_t used) {
      network.add_wide_area(begin + domain * together_, used, domain % d_.gateways, outwards);
    });
  }

  /// Calls with each lane of the networks at hand: where it begins, and its ranks that have traffic.
  template <class Visit>
  void visit_lanes(const Visit& visit) {
    const std::int64_t of_network = lanes_ / d_.networks;
    for (std::int64_t n = 0; n < static_cast<std::int64_t>(networks_.size()); ++n) {
      for (std::int64_t l = 0; l < of_network; ++l) {
        const std::int64_t used = used_of(n * of_network + l);
        if (used > 0) visit(networks_[index(n)], l * d_.domains * together_, used);
      }
    }
  }

  /// Ranks of a lane that the traffic's HB domains have: they may be smaller than the design's.
  std::int64_t used_of(std::int64_t lane) const {
    return std::max<std::int64_t>(0, ceil_div(matrix_.domain_devices - lane, lanes_));
  }

  LinkLoad host_load(const LinkCount& count) const {
    HostLinks links(static_cast<double>(d_.planes));
    const std::int64_t of_network = lanes_ / d_.networks;
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      add_lane(links, used_of(lane));
      if ((lane + 1) % of_network != 0) continue;
      const InOut& gateways = network(lane / of_network).gateways();
      for (std::size_t g = 0; g < gateways.out.size(); ++g) links.add(gateways.out[g], gateways.in[g], 1);
    }
    return links.load(count);
  }

  void add_lane(HostLinks& links, std::int64_t used) const {
    const auto& [out, in] = link_bytes_;
    for (std::size_t d = 0; d < out.size();) {
      const std::size_t begin = d;
      while (d < out.size() && out[d] == out[begin] && in[d] == in[begin]) ++d;
      links.add(out[begin], in[begin], static_cast<std::int64_t>(d - begin) * used);
    }
  }

  double busiest() const {
    double most = 0;
    for (const double bytes : device_bytes_.out) most = std::max(most, bytes);
    for (const double bytes : device_bytes_.in) most = std::max(most, bytes);
    return most;
  }

  const NetworkDesign& d_;
  const TrafficMatrix& matrix_;
  std::int64_t domains_;     // of the traffic, in this datacenter
  std::int64_t together_;    // ranks of a domain in a lane
  std::int64_t lanes_;       // of all networks
  InOutFlows device_flows_;  // of a device of each domain
  InOutFlows link_flows_;    // those of them that have a way
  InOut device_bytes_;
  InOut link_bytes_;
  std::vector<NetworkFlows> networks_;  // one where all are alike
  double offered_ = 0;
};

}  // namespace

std::optional<NetworkLoad> load_by_domain(const NetworkDesign& design, const TrafficMatrix& matrix) {
  const bool suits = !design.inside_domains() && matrix.flows.empty() &&
                     devices_here(design, matrix) % matrix.domain_devices == 0 &&
                     std::all_of(matrix.classes.begin(), matrix.classes.end(), [&](const TrafficClass& c) {
                       return stays_in_domains(matrix, c) || joins_equal_ranks(matrix, c);
                     });
  if (!suits) return std::nullopt;
  return DomainLoads(design, matrix).load();
}

}  // namespace trainyard
