// What HB domains share and lose together: switches, planes, power of racks and feeds, cooling, the site.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
struct FailureSet;
struct ResilienceInput;
}  // namespace trainyard

namespace trainyard::schedule {

struct Cluster;

/// What a failed part takes until it is repaired.
struct Damage {
  std::vector<std::int32_t> gone;  // HB domains
  std::vector<std::pair<std::int32_t, double>>
      slower;  // HB domains, and the share of their rate that is lost
  std::vector<std::pair<std::uint32_t, double>>
      links;  // links of levels (numbered as Contention does), the same
};

/// Parts that fail alike.
struct PartKind {
  std::string name;  // "leaf"
  std::int64_t parts = 0;
  double rate_per_s = 0;  // of all of them
  double repair_s = 0;
};

class SharedParts {
 public:
  /// Kinds that never fail, or of which there is none, are left out. Racks, feeds and loops hold neighbouring
  /// servers, as [resilience] says.
  SharedParts(const Cluster& cluster, const FailureSet& set, const ResilienceInput& racks);

  std::size_t size() const { return kinds_.size(); }
  const PartKind& kind(std::size_t at) const { return kinds_[at].facts; }
  Damage damage(std::size_t kind, std::int64_t part) const;

 private:
  enum class Reach { device_link, leaf, upper_switch, plane, domains };
  struct Kind {
    PartKind facts;
    Reach reach = Reach::domains;
    std::size_t tier = 0;      // of a switch above the leaves
    double share = 0;          // of the rate up that one of them carries
    std::int64_t domains = 0;  // of a rack, a feed, a site
  };
  void add(Kind kind, double per_year);
  void add_switches(const FailureSet& set);
  Damage of_device_link(std::int64_t part) const;
  Damage of_leaf(std::int64_t part) const;
  Damage of_upper_switch(const Kind& kind, std::int64_t part) const;
  Damage of_plane() const;
  void lose(Damage& damage, std::int64_t domain, double share) const;

  const Cluster& cluster_;
  std::vector<Kind> kinds_;
};

}  // namespace trainyard::schedule
