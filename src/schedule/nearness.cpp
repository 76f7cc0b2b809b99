#include "schedule/nearness.h"

#include "schedule/cluster.h"

namespace trainyard::schedule {

Nearness::Nearness(const Cluster& cluster, const std::vector<std::int32_t>& free) {
  for (const Level& level : cluster.levels)
    for (const RankClass& ranks : level.classes) {
      Tree& tree = trees_.emplace_back(Tree{&ranks, {}, {}});
      tree.free.assign(level.rate_up.size(), 0);
      tree.held.assign(level.rate_up.size(), 0);
      for (const std::int32_t domain : free)
        ++tree.free[static_cast<std::size_t>(ranks.link_of_domain[static_cast<std::size_t>(domain)])];
    }
}

void Nearness::change(std::int32_t domain, std::int32_t by) {
  for (Tree& tree : trees_) {
    const auto link = static_cast<std::size_t>(tree.ranks->link_of_domain[static_cast<std::size_t>(domain)]);
    const double before = tree.held[link];
    tree.held[link] += by;
    const double after = tree.held[link];
    merit_.together += tree.ranks->ranks * (after * after - before * before);
    if (before == 0 || after == 0) merit_.opened += by * tree.ranks->ranks * tree.free[link];
  }
}

std::vector<std::int32_t> nearest_domains(const Cluster& cluster, const std::vector<std::int32_t>& free,
                                          std::size_t wanted,
                                          const std::vector<std::vector<std::int32_t>>& others) {
  Nearness run(cluster, free);
  Nearness::Merit best;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < free.size(); ++i) {
    run.add(free[i]);
    if (i >= wanted) run.remove(free[i - wanted]);
    if (i + 1 < wanted || (i + 1 > wanted && !(best < run.merit()))) continue;
    best = run.merit();
    begin = i + 1 - wanted;
  }
  const auto first = free.begin() + static_cast<std::ptrdiff_t>(begin);
  std::vector<std::int32_t> out(first, first + static_cast<std::ptrdiff_t>(wanted));
  for (const std::vector<std::int32_t>& other : others) {
    Nearness set(cluster, free);
    for (const std::int32_t domain : other) set.add(domain);
    if (!(best < set.merit())) continue;
    best = set.merit();
    out = other;
  }
  return out;
}

}  // namespace trainyard::schedule
