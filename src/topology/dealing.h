// How the devices of a datacenter are dealt to the endpoints of its networks.
#pragma once

#include <cstdint>

namespace trainyard {

struct EndpointPlace;
struct NetworkDesign;

/// One order of devices. Every question has an answer: what networks serve, and which devices of an HB domain
/// stand together, decide counts, cables, loads and what a failure takes.
class Dealing {
 public:
  virtual ~Dealing() = default;

  /// Whether a network joins the devices of one HB domain, in place of HB domains.
  virtual bool inside_domains() const = 0;
  /// Whether the ranks of an HB domain are dealt to `rails` of the design.
  virtual bool over_rails() const = 0;
  /// Whether one network's switches may serve several rails.
  virtual bool rails_share_switches() const = 0;
  /// Whether hosts are rounded up to whole HB domains.
  virtual bool whole_domains() const = 0;

  /// Independent networks of a plane.
  virtual std::int64_t networks(const NetworkDesign& design) const = 0;
  /// Endpoints of one network, gateways not counted.
  virtual std::int64_t endpoints(const NetworkDesign& design) const = 0;
  virtual EndpointPlace place_of(const NetworkDesign& design, std::int64_t device) const = 0;
  /// The HB domain of an endpoint of a network; beyond the last one for gateways.
  virtual std::int64_t domain_of(const NetworkDesign& design, std::int64_t endpoint) const = 0;
  /// Its rank there, in the first network; may be beyond the last one for gateways.
  virtual std::int64_t rank_of(const NetworkDesign& design, std::int64_t endpoint) const = 0;

  /// Consecutive endpoints that are devices of the same HB domain.
  virtual std::int64_t together(const NetworkDesign& design) const = 0;
  /// The most devices of one HB domain among so many consecutive endpoints.
  virtual double most_of_domain(const NetworkDesign& design, double endpoints) const = 0;
  /// Groups of ranks that have leaf switches of their own; 0 where leaves serve all ranks.
  virtual std::int64_t lanes(const NetworkDesign& design) const = 0;
};

namespace dealings {

/// One network for all, HB domain by HB domain.
const Dealing& in_order();
/// One network for all: the first devices of all HB domains, then the second ones, ...
const Dealing& by_rank();
/// A network for each rail, or for several rails that share switches.
const Dealing& over_rails();
/// A network for each rail.
const Dealing& over_separate_rails();
/// A network for each HB domain.
const Dealing& inside_domains();

}  // namespace dealings

}  // namespace trainyard
