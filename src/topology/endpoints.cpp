#include "topology/endpoints.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/counted.h"
#include "base/whole_numbers.h"
#include "topology/fabric.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

/// Groups up to this size are enumerated pair by pair.
constexpr std::int64_t kSmallGroup = 64;
constexpr std::int64_t kMostHosts = 100'000'000;

/// A device of this datacenter, as the design numbers it.
std::int64_t local_device(const NetworkDesign& design, const TrafficMatrix& matrix, std::int64_t device) {
  return device / matrix.domain_devices * design.domain + device % matrix.domain_devices;
}

class Visitor {
 public:
  Visitor(const NetworkDesign& design, const TrafficMatrix& matrix,
          const std::function<void(const EndpointFlow&)>& on_flow,
          const std::function<void(const EndpointBundle&)>& on_bundle)
      : d_(design),
        matrix_(matrix),
        on_flow_(on_flow),
        on_bundle_(on_bundle),
        here_(devices_here(design, matrix)) {
    totals_.sent.assign(static_cast<std::size_t>(design.hosts), 0);
    totals_.received.assign(static_cast<std::size_t>(design.hosts), 0);
  }

  TrafficTotals visit() {
    for (const TrafficClass& c : matrix_.classes) add_class(c);
    for (const TrafficFlow& flow : matrix_.flows) add_flow(flow.from, flow.to, flow.bytes.si());
    check_sums(d_, totals_.offered, totals_.forwarded);
    return std::move(totals_);
  }

 private:
  /// A device of the matrix as one of the design; negative when it stands in another datacenter.
  std::int64_t local(std::int64_t device) const {
    if (device >= here_) return -1;
    return local_device(d_, matrix_, device);
  }

  void add_class(const TrafficClass& c) {
    if (!d_.inside_domains() && stays_in_domains(matrix_, c))
      return;  // most pairs of a large plan, none on its links
    visit_groups(matrix_, c, [&](const std::vector<std::int64_t>& members) {
      if (members.front() >= here_) return;  // members stand in ascending order of datacenters
      const bool all_here = members.back() < here_;
      const auto size = static_cast<std::int64_t>(members.size());
      if (is_bundled(c) && all_here && !d_.inside_domains() && on_bundle_)
        return add_bundles(members, c.pair.si());
      visit_pairs(c.pattern, size, [&](std::int64_t from, std::int64_t to) {
        add_flow(members[static_cast<std::size_t>(from)], members[static_cast<std::size_t>(to)], c.pair.si());
      });
    });
  }

  void add_flow(std::int64_t from_device, std::int64_t to_device, double bytes) {
    const std::int64_t from = local(from_device);
    const std::int64_t to = local(to_device);
    if (from < 0 && to < 0) return;
    if (from < 0 || to < 0) return add_wide_area(from, to, bytes);
    if (from == to) return;
    const bool inside = from / d_.domain == to / d_.domain;
    if (inside != d_.inside_domains()) return;
    count(from, to, bytes);
    const EndpointPlace target = d_.place_of(to);
    EndpointPlace source = d_.place_of(from);
    if (source.network != target.network) {
      source = d_.place_of(proxy(from, to));
      totals_.forwarded += bytes;
    }
    on_flow_({target.network, source.endpoint, target.endpoint, bytes});
  }

  /// The device of the sender's HB domain that has the receiver's rank.
  std::int64_t proxy(std::int64_t from, std::int64_t to) const {
    return from / d_.domain * d_.domain + to % d_.domain;
  }

  void count(std::int64_t from, std::int64_t to, double bytes) {
    totals_.offered += bytes;
    totals_.sent[static_cast<std::size_t>(from)] += bytes;
    totals_.received[static_cast<std::size_t>(to)] += bytes;
  }

  /// To or from a gateway of the device's own network, dealt by HB domain.
  void add_wide_area(std::int64_t from, std::int64_t to, double bytes) {
    const std::int64_t device = std::max(from, to);
    const EndpointPlace place = d_.place_of(device);
    totals_.offered += bytes;
    if (from >= 0) totals_.sent[static_cast<std::size_t>(from)] += bytes;
    if (to >= 0) totals_.received[static_cast<std::size_t>(to)] += bytes;
    if (d_.gateways == 0) return;
    const std::int64_t gateway = d_.fabric->endpoints() - d_.gateways + device / d_.domain % d_.gateways;
    if (from >= 0) return on_flow_({place.network, place.endpoint, gateway, bytes});
    on_flow_({place.network, gateway, place.endpoint, bytes});
  }

  void add_bundles(const std::vector<std::int64_t>& members, double bytes) {
    std::map<std::int64_t, std::vector<std::int64_t>> by_rank;  // destinations
    for (const std::int64_t member : members) {
      const std::int64_t device = local(member);
      by_rank[d_.by_rank() ? device % d_.domain : 0].push_back(device);
    }
    for (const auto& [rank, destinations] : by_rank) add_bundle(members, destinations, bytes);
  }

  void add_bundle(const std::vector<std::int64_t>& members, const std::vector<std::int64_t>& destinations,
                  double bytes) {
    EndpointBundle bundle;
    bundle.bytes = bytes;
    bundle.network = d_.place_of(destinations.front()).network;
    std::map<std::int64_t, std::int64_t> in_domain;  // destinations
    for (const std::int64_t to : destinations) {
      bundle.destinations.push_back({d_.place_of(to).endpoint, to / d_.domain});
      ++in_domain[to / d_.domain];
    }
    std::map<std::int64_t, std::int64_t> senders;  // of an HB domain
    for (const std::int64_t member : members) {
      const std::int64_t from = local(member);
      EndpointPlace place = d_.place_of(from);
      ++senders[from / d_.domain];
      const auto same = in_domain.find(from / d_.domain);
      const double others = static_cast<double>(destinations.size()) -
                            static_cast<double>(same == in_domain.end() ? 0 : same->second);
      if (place.network != bundle.network) {
        place = d_.place_of(proxy(from, destinations.front()));
        totals_.forwarded += bytes * others;
      }
      totals_.offered += bytes * others;
      totals_.sent[static_cast<std::size_t>(from)] += bytes * others;
      bundle.sources.push_back({place.endpoint, from / d_.domain});
    }
    for (const std::int64_t to : destinations) {
      const double others =
          static_cast<double>(members.size()) - static_cast<double>(senders[to / d_.domain]);
      totals_.received[static_cast<std::size_t>(to)] += bytes * others;
    }
    on_bundle_(bundle);
  }

  const NetworkDesign& d_;
  const TrafficMatrix& matrix_;
  const std::function<void(const EndpointFlow&)>& on_flow_;
  const std::function<void(const EndpointBundle&)>& on_bundle_;
  std::int64_t here_;  // devices of the matrix in this datacenter
  TrafficTotals totals_;
};

}  // namespace

std::int64_t devices_here(const NetworkDesign& design, const TrafficMatrix& matrix) {
  if (design.hosts > kMostHosts) {
    fail_design(
        design.input, "hosts",
        fmt::format("traffic of {} hosts is more than the {} that are followed", design.hosts, kMostHosts));
  }
  const std::int64_t datacenters = matrix.devices > design.hosts ? design.datacenters : 1;
  const std::int64_t here = matrix.devices / std::max<std::int64_t>(1, datacenters);
  const std::int64_t domains = ceil_div(here, matrix.domain_devices);
  const bool fits = domains <= design.domains && matrix.domain_devices <= design.domain;
  if (fits && (here == 0 || local_device(design, matrix, here - 1) < design.hosts)) return here;
  fail_design(design.input, "hosts",
              fmt::format("the traffic is of {} in {} of a datacenter, and the design has {} in {} of {}",
                          counted(here, "device"), counted(domains, "HB domain"),
                          counted(design.hosts, "host"), design.domains, design.domain),
              "leave hosts and domain out, to design for the plan's own cluster");
}

bool is_bundled(const TrafficClass& c) {
  return c.pattern == TrafficPattern::all && group_size(c) > kSmallGroup;
}

bool stays_in_domains(const TrafficMatrix& matrix, const TrafficClass& c) {
  return std::all_of(c.digits.begin(), c.digits.end(), [&](const Digit& digit) {
    return matrix.domain_devices % (digit.stride * digit.size) == 0;
  });
}

void check_sums(const NetworkDesign& design, double offered, double forwarded) {
  constexpr double kMostBytes = 1e300;
  if (offered <= kMostBytes && forwarded <= kMostBytes) return;
  fail_input(whole("traffic of " + design.input.name), "the bytes of all hosts are too many to be summed",
             fmt::format("less than {:g} bytes together", kMostBytes));
}

double TrafficTotals::busiest() const {
  double most = 0;
  for (const double bytes : sent) most = std::max(most, bytes);
  for (const double bytes : received) most = std::max(most, bytes);
  return most;
}

TrafficTotals visit_traffic(const NetworkDesign& design, const TrafficMatrix& matrix,
                            const std::function<void(const EndpointFlow&)>& on_flow,
                            const std::function<void(const EndpointBundle&)>& on_bundle) {
  return Visitor(design, matrix, on_flow, on_bundle).visit();
}

}  // namespace trainyard
