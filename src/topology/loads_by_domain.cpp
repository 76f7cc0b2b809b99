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
#include "trainyard/design_counts.h"
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

  void add_to(InOut& bytes, RepeatedSums& of_flow) const {
    add(out, bytes.out, of_flow);
    add(in, bytes.in, of_flow);
  }
  void clear() {
    std::fill(out.begin(), out.end(), 0);
    std::fill(in.begin(), in.end(), 0);
  }

 private:
  /// Neighbours are often alike.
  static void add(const std::vector<std::int64_t>& flows, std::vector<double>& bytes, RepeatedSums& of_flow) {
    std::int64_t last_flows = 0;
    double last_bytes = 0;
    double last_sum = 0;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (flows[i] == 0) continue;
      if (flows[i] != last_flows || bytes[i] != last_bytes) {
        last_flows = flows[i];
        last_bytes = bytes[i];
        last_sum = of_flow.with(last_bytes, last_flows);
      }
      bytes[i] = last_sum;
    }
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

  /// Quick where it is the one that was asked for last.
  std::size_t of(std::int64_t endpoint) {
    if (begins_[last_] <= endpoint && endpoint < begins_[last_ + 1]) return last_;
    last_ = index(std::upper_bound(begins_.begin(), begins_.end(), endpoint) - begins_.begin() - 1);
    return last_;
  }
  std::int64_t end(std::size_t block) const { return begins_[block + 1]; }

 private:
  std::vector<std::int64_t> begins_;
  std::size_t last_ = 0;
};

/// `count` endpoints in a row, and where the first of them sends.
struct EndpointRun {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t count = 0;
};

/// What crosses the links of one network's blocks and gateways.
struct NetworkBytes {
  TierLoads tiers;
  InOut gateways;
};

/// Flows of a class over blocks and gateways of one network.
class NetworkFlows {
 public:
  NetworkFlows(const ClosShape& shape, std::int64_t gateways)
      : first_gateway_(shape.endpoints - gateways), gateways_(gateways) {
    for (std::size_t t = 0; t < shape.top(); ++t) {
      blocks_.emplace_back(shape, t);
      ends_.emplace_back(shape, t);
      tiers_.emplace_back(shape.blocks(t));
    }
  }

  /// Each endpoint of the run to the one as far beyond its `to`.
  void add(const EndpointRun& run) {
    for (std::size_t t = 0; t < blocks_.size(); ++t) {
      Blocks& blocks = blocks_[t];
      std::size_t from = blocks.of(run.from);
      std::size_t to = ends_[t].of(run.to);
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
    (outwards ? gateways_.in : gateways_.out)[index(gateway)] += count;
    for (std::size_t t = 0; t < blocks_.size(); ++t) {
      const std::size_t behind = ends_[t].of(first_gateway_ + gateway);
      std::size_t block = blocks_[t].of(first);
      for (std::int64_t done = 0; done < count; ++block) {
        const std::int64_t now = std::min(count - done, blocks_[t].end(block) - first - done);
        outwards ? cross(t, block, behind, now) : cross(t, behind, block, now);
        done += now;
      }
    }
  }

  void add_to(NetworkBytes& bytes, RepeatedSums& of_flow) const {
    for (std::size_t t = 0; t < tiers_.size(); ++t) tiers_[t].add_to(bytes.tiers[t], of_flow);
    gateways_.add_to(bytes.gateways, of_flow);
  }
  void clear() {
    for (InOutFlows& tier : tiers_) tier.clear();
    gateways_.clear();
  }

 private:
  void cross(std::size_t tier, std::size_t from, std::size_t to, std::int64_t flows) {
    if (from == to) return;
    tiers_[tier].out[from] += flows;
    tiers_[tier].in[to] += flows;
  }

  std::int64_t first_gateway_;
  std::vector<Blocks> blocks_;  // of each tier
  std::vector<Blocks> ends_;    // the same, asked for the other ends of runs
  std::vector<InOutFlows> tiers_;
  InOutFlows gateways_;
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

/// Bytes of a part of the traffic.
struct PartBytes {
  InOut devices;  // of a device of each HB domain
  InOut links;    // those that have a way
  std::vector<NetworkBytes> networks;
  double offered = 0;

  double busiest() const {
    double most = 0;
    for (const double bytes : devices.out) most = std::max(most, bytes);
    for (const double bytes : devices.in) most = std::max(most, bytes);
    return most;
  }
};

/// A network's endpoints stand lane by lane, in a lane HB domain by HB domain, and of a domain the ranks that
/// are dealt to the lane.
class DomainLoads {
 public:
  DomainLoads(const NetworkDesign& design, const TrafficMatrix& matrix, const std::vector<TrafficPart>& parts)
      : d_(design),
        matrix_(matrix),
        domains_(devices_here(design, matrix) / matrix.domain_devices),
        together_(design.dealing().together(design)),
        lanes_(design.domain / together_),
        parts_(parts),
        devices_(domains_),
        links_(domains_) {
    const ClosShape& shape = *design.fabric->clos();
    const bool are_alike = matrix.domain_devices % lanes_ == 0;
    const std::size_t followed = index(are_alike ? 1 : design.networks);
    networks_.assign(followed, {shape, design.gateways});
    const std::vector<NetworkBytes> none(followed, {no_tier_loads(shape), InOut(design.gateways)});
    bytes_.assign(parts.size(), {InOut(domains_), InOut(domains_), none});
  }

  std::vector<NetworkLoad> loads() {
    for (const TrafficClass& c : matrix_.classes) {
      if (!stays_in_domains(matrix_, c)) add(c);
    }
    std::vector<NetworkLoad> out;
    for (const PartBytes& bytes : bytes_) out.push_back(load(bytes));
    return out;
  }

 private:
  void add(const TrafficClass& c) {
    std::int64_t pairs = 0;
    visit_domain_runs(matrix_, c, [&](const DomainRun& run) { pairs += add(run); });
    RepeatedSums of_flow(c.pair.si());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p] && *parts_[p] != c.kind) continue;
      PartBytes& bytes = bytes_[p];
      bytes.offered = with_repeated(bytes.offered, c.pair.si(), pairs * matrix_.domain_devices);
      devices_.add_to(bytes.devices, of_flow);
      links_.add_to(bytes.links, of_flow);
      for (std::size_t n = 0; n < networks_.size(); ++n) networks_[n].add_to(bytes.networks[n], of_flow);
    }
    devices_.clear();
    links_.clear();
    for (NetworkFlows& network : networks_) network.clear();
  }

  /// How many of its pairs have an end in this datacenter, whose domains are the first ones.
  std::int64_t add(const DomainRun& run) {
    const std::int64_t sent = std::clamp<std::int64_t>(domains_ - run.from, 0, run.count);
    const std::int64_t received = std::clamp<std::int64_t>(domains_ - run.to, 0, run.count);
    const std::int64_t inside = std::min(sent, received);
    const bool has_gateways = d_.gateways > 0;
    for (std::int64_t i = 0; i < sent; ++i) ++devices_.out[index(run.from + i)];
    for (std::int64_t i = 0; i < received; ++i) ++devices_.in[index(run.to + i)];
    for (std::int64_t i = 0; i < (has_gateways ? sent : inside); ++i) ++links_.out[index(run.from + i)];
    for (std::int64_t i = 0; i < (has_gateways ? received : inside); ++i) ++links_.in[index(run.to + i)];
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
    const std::int64_t gateway = domain % d_.gateways;
    visit_lanes([&](NetworkFlows& network, std::int64_t begin, std::int64_t used) {
      network.add_wide_area(begin + domain * together_, used, gateway, outwards);
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

  /// The same one for all where they are alike.
  static const NetworkBytes& network(const PartBytes& part, std::int64_t n) {
    return part.networks[part.networks.size() > 1 ? index(n) : 0];
  }

  NetworkLoad load(const PartBytes& part) const {
    check_sums(d_, part.offered, 0);
    std::vector<const TierLoads*> tiers;
    for (std::int64_t n = 0; n < d_.networks; ++n) tiers.push_back(&network(part, n).tiers);
    std::vector<LinkLoad> links;
    for (const LinkCount& of : count(d_).links)
      links.push_back(links.empty() ? host_load(part, of) : tier_load(d_, of, links.size() - 1, tiers));
    NetworkLoad out = bound_by(d_, std::move(links));
    out.offered = Bytes(part.offered);
    out.host_bound = Bytes(part.busiest()) / byte_rate(d_.host_rate);
    return out;
  }

  LinkLoad host_load(const PartBytes& part, const LinkCount& count) const {
    HostLinks links(static_cast<double>(d_.planes));
    const std::int64_t of_network = lanes_ / d_.networks;
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      add_lane(links, part.links, used_of(lane));
      if ((lane + 1) % of_network != 0) continue;
      const InOut& gateways = network(part, lane / of_network).gateways;
      for (std::size_t g = 0; g < gateways.out.size(); ++g) links.add(gateways.out[g], gateways.in[g], 1);
    }
    return links.load(count);
  }

  static void add_lane(HostLinks& links, const InOut& bytes, std::int64_t used) {
    const auto& [out, in] = bytes;
    for (std::size_t d = 0; d < out.size();) {
      const std::size_t begin = d;
      while (d < out.size() && out[d] == out[begin] && in[d] == in[begin]) ++d;
      links.add(out[begin], in[begin], static_cast<std::int64_t>(d - begin) * used);
    }
  }

  const NetworkDesign& d_;
  const TrafficMatrix& matrix_;
  std::int64_t domains_;   // of the traffic, in this datacenter
  std::int64_t together_;  // ranks of a domain in a lane
  std::int64_t lanes_;     // of all networks
  const std::vector<TrafficPart>& parts_;
  std::vector<PartBytes> bytes_;  // of each part
  // Of the class at hand:
  InOutFlows devices_;
  InOutFlows links_;
  std::vector<NetworkFlows> networks_;  // one where all are alike
};

}  // namespace

bool follows_domains(const NetworkDesign& design, const TrafficMatrix& matrix) {
  return design.fabric->clos() != nullptr && !design.inside_domains() && matrix.flows.empty() &&
         devices_here(design, matrix) % matrix.domain_devices == 0 &&
         std::all_of(matrix.classes.begin(), matrix.classes.end(), [&](const TrafficClass& c) {
           return stays_in_domains(matrix, c) || joins_equal_ranks(matrix, c);
         });
}

std::vector<NetworkLoad> loads_by_domain(const NetworkDesign& design, const TrafficMatrix& matrix,
                                         const std::vector<TrafficPart>& parts) {
  if (!follows_domains(design, matrix)) return {};
  return DomainLoads(design, matrix, parts).loads();
}

}  // namespace trainyard
