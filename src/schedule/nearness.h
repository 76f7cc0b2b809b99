// Which free HB domains stand near each other where leaves begin at other domains for each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard::schedule {

struct Cluster;
struct RankClass;

/// Switches above a set of domains, of all ranks and levels.
class Nearness {
 public:
  /// `free`: whole domains that a job may take.
  Nearness(const Cluster& cluster, const std::vector<std::int32_t>& free);

  void add(std::int32_t domain) { change(domain, 1); }
  void remove(std::int32_t domain) { change(domain, -1); }

  struct Merit {
    double together = 0;  // pairs of domains below one switch, over ranks and levels
    double opened = 0;    // free domains below the set's switches: fewer leave more whole leaves to others
    bool operator<(const Merit& other) const {
      return together != other.together ? together < other.together : opened > other.opened;
    }
  };
  const Merit& merit() const { return merit_; }

 private:
  struct Tree {
    const RankClass* ranks;
    std::vector<std::int32_t> free;  // domains below each link
    std::vector<std::int32_t> held;  // of the set
  };
  void change(std::int32_t domain, std::int32_t by);

  std::vector<Tree> trees_;
  Merit merit_;
};

/// Of all runs of `wanted` free domains in their order, and of `others`, the nearest; the first of equals.
std::vector<std::int32_t> nearest_domains(const Cluster& cluster, const std::vector<std::int32_t>& free,
                                          std::size_t wanted,
                                          const std::vector<std::vector<std::int32_t>>& others);

}  // namespace trainyard::schedule
