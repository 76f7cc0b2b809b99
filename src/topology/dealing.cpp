#include "topology/dealing.h"

#include <algorithm>
#include <cmath>

#include "trainyard/network_design.h"

namespace trainyard {
namespace {

double domain_devices(const NetworkDesign& d) { return static_cast<double>(d.domain); }

class InOrder final : public Dealing {
 public:
  bool inside_domains() const override { return false; }
  bool over_rails() const override { return false; }
  bool rails_share_switches() const override { return false; }
  bool whole_domains() const override { return false; }
  std::int64_t networks(const NetworkDesign&) const override { return 1; }
  std::int64_t endpoints(const NetworkDesign& d) const override { return d.hosts; }
  EndpointPlace place_of(const NetworkDesign&, std::int64_t device) const override { return {0, device}; }
  std::int64_t domain_of(const NetworkDesign& d, std::int64_t endpoint) const override {
    return endpoint / d.domain;
  }
  std::int64_t rank_of(const NetworkDesign& d, std::int64_t endpoint) const override {
    return endpoint % d.domain;
  }
  std::int64_t together(const NetworkDesign& d) const override { return d.domain; }
  double most_of_domain(const NetworkDesign& d, double endpoints) const override {
    return std::min(endpoints, domain_devices(d));
  }
  std::int64_t lanes(const NetworkDesign&) const override { return 0; }
};

class ByRank final : public Dealing {
 public:
  bool inside_domains() const override { return false; }
  bool over_rails() const override { return false; }
  bool rails_share_switches() const override { return false; }
  bool whole_domains() const override { return true; }
  std::int64_t networks(const NetworkDesign&) const override { return 1; }
  std::int64_t endpoints(const NetworkDesign& d) const override { return d.hosts; }
  EndpointPlace place_of(const NetworkDesign& d, std::int64_t device) const override {
    return {0, device % d.domain * d.domains + device / d.domain};
  }
  std::int64_t domain_of(const NetworkDesign& d, std::int64_t endpoint) const override {
    return endpoint % d.domains;
  }
  std::int64_t rank_of(const NetworkDesign& d, std::int64_t endpoint) const override {
    return endpoint / d.domains;
  }
  std::int64_t together(const NetworkDesign&) const override { return 1; }
  double most_of_domain(const NetworkDesign& d, double endpoints) const override {
    return std::min(domain_devices(d), std::ceil(endpoints / static_cast<double>(d.domains)));
  }
  std::int64_t lanes(const NetworkDesign& d) const override { return d.domain; }
};

class OverRails final : public Dealing {
 public:
  explicit OverRails(bool share_switches) : share_switches_(share_switches) {}

  bool inside_domains() const override { return false; }
  bool over_rails() const override { return true; }
  bool rails_share_switches() const override { return share_switches_; }
  bool whole_domains() const override { return true; }
  std::int64_t networks(const NetworkDesign& d) const override { return d.rails / d.rails_per_network; }
  std::int64_t endpoints(const NetworkDesign& d) const override {
    return rail_hosts(d) * d.rails_per_network;
  }
  EndpointPlace place_of(const NetworkDesign& d, std::int64_t device) const override {
    const std::int64_t rank = device % d.domain;
    const std::int64_t rail = rank % d.rails;
    return {rail / d.rails_per_network, rail % d.rails_per_network * rail_hosts(d) +
                                            device / d.domain * d.ranks_per_rail() + rank / d.rails};
  }
  std::int64_t domain_of(const NetworkDesign& d, std::int64_t endpoint) const override {
    return endpoint % rail_hosts(d) / d.ranks_per_rail();
  }
  std::int64_t rank_of(const NetworkDesign& d, std::int64_t endpoint) const override {
    return endpoint % d.ranks_per_rail() * d.rails + endpoint / rail_hosts(d);
  }
  std::int64_t together(const NetworkDesign& d) const override { return d.ranks_per_rail(); }
  double most_of_domain(const NetworkDesign& d, double endpoints) const override {
    const double rails = std::min(static_cast<double>(d.rails_per_network),
                                  std::ceil(endpoints / static_cast<double>(rail_hosts(d))));
    return std::min(endpoints, static_cast<double>(d.ranks_per_rail()) * rails);
  }
  std::int64_t lanes(const NetworkDesign& d) const override { return d.rails > 1 ? d.rails : 0; }

 private:
  static std::int64_t rail_hosts(const NetworkDesign& d) { return d.domains * d.ranks_per_rail(); }

  bool share_switches_;
};

class InsideDomains final : public Dealing {
 public:
  bool inside_domains() const override { return true; }
  bool over_rails() const override { return false; }
  bool rails_share_switches() const override { return false; }
  bool whole_domains() const override { return true; }
  std::int64_t networks(const NetworkDesign& d) const override { return d.domains; }
  std::int64_t endpoints(const NetworkDesign& d) const override { return d.domain; }
  EndpointPlace place_of(const NetworkDesign& d, std::int64_t device) const override {
    return {device / d.domain, device % d.domain};
  }
  std::int64_t domain_of(const NetworkDesign&, std::int64_t) const override { return 0; }
  std::int64_t rank_of(const NetworkDesign& d, std::int64_t endpoint) const override {
    return endpoint % d.domain;
  }
  std::int64_t together(const NetworkDesign& d) const override { return d.domain; }
  double most_of_domain(const NetworkDesign& d, double endpoints) const override {
    return std::min(endpoints, domain_devices(d));
  }
  std::int64_t lanes(const NetworkDesign&) const override { return 0; }
};

}  // namespace

namespace dealings {

const Dealing& in_order() {
  static const InOrder dealing;
  return dealing;
}

const Dealing& by_rank() {
  static const ByRank dealing;
  return dealing;
}

const Dealing& over_rails() {
  static const OverRails dealing(true);
  return dealing;
}

const Dealing& over_separate_rails() {
  static const OverRails dealing(false);
  return dealing;
}

const Dealing& inside_domains() {
  static const InsideDomains dealing;
  return dealing;
}

}  // namespace dealings

}  // namespace trainyard
