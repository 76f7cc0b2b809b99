#include "network/wiring/routes.h"

#include <algorithm>
#include <utility>

#include "topology/joined_paths.h"

namespace trainyard::wiring {

Routes::Routes(std::uint32_t switches, std::vector<std::uint32_t> switch_of_leaf,
               std::vector<std::uint32_t> first_port_of_leaf)
    : switch_of_leaf_(std::move(switch_of_leaf)), first_port_of_leaf_(std::move(first_port_of_leaf)) {
  std::vector<std::uint32_t> target_of_switch(switches, kHere);
  for (const std::uint32_t at : switch_of_leaf_) {
    if (target_of_switch[at] == kHere) {
      target_of_switch[at] = targets();
      switch_of_target_.push_back(at);
    }
    target_of_leaf_.push_back(target_of_switch[at]);
  }
  set_of_.resize(std::size_t{switches} * targets());
  recent_.resize(kRecent);
}

void Routes::add(std::uint32_t at, const std::vector<Port>& ports, const std::vector<std::uint16_t>& ranks) {
  const std::uint16_t* here = ranks.data() + std::size_t{at} * targets();
  std::vector<std::uint16_t> least(here, here + targets());
  for (const Port& port : ports) {
    const std::uint16_t* there = ranks.data() + std::size_t{port.to} * targets();
    for (std::uint32_t t = 0; t < targets(); ++t) least[t] = std::min(least[t], there[t]);
  }
  // Sets are told apart by the sum of their ports' hashes and the links that are left.
  std::vector<std::uint64_t> hash(targets());
  for (std::uint32_t t = 0; t < targets(); ++t) hash[t] = JoinedPaths::links(here[t]);
  for (const Port& port : ports) {
    const std::uint16_t* there = ranks.data() + std::size_t{port.to} * targets();
    const std::uint64_t its = mixed(port.number);
    for (std::uint32_t t = 0; t < targets(); ++t)
      hash[t] += there[t] == least[t] && there[t] != here[t] ? its : 0;
  }
  for (std::uint32_t t = 0; t < targets(); ++t) {
    const std::uint32_t links = JoinedPaths::links(here[t]);
    if (links == 0) continue;
    const std::uint64_t key = mixed(hash[t], links);
    Recent& recent = recent_[key % kRecent];
    if (recent.key != key || recent.set == 0) {
      const auto [set, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(sets_.size()));
      if (is_new) add_set(at, t, ports, ranks);
      recent = {key, set->second};
    }
    set_of_[std::size_t{at} * targets() + t] = recent.set;
  }
}

void Routes::add_set(std::uint32_t at, std::uint32_t target, const std::vector<Port>& ports,
                     const std::vector<std::uint16_t>& ranks) {
  const auto rank_of = [&](std::uint32_t s) { return ranks[std::size_t{s} * targets() + target]; };
  std::uint16_t least = rank_of(at);
  for (const Port& port : ports) least = std::min(least, rank_of(port.to));
  Set set{static_cast<std::uint32_t>(ports_.size()), 0,
          static_cast<std::uint16_t>(JoinedPaths::links(rank_of(at)))};
  for (const Port& port : ports) {
    if (rank_of(port.to) == least && least != rank_of(at)) ports_.push_back(port.number);
  }
  set.count = static_cast<std::uint16_t>(ports_.size() - set.first);
  sets_.push_back(set);
  if (stride_.size() <= set.hops) stride_.resize(set.hops + 1U, 0);
}

void Routes::number_paths() {
  std::vector<std::uint32_t> most(stride_.size(), 1);  // ports, by the links that are left
  for (const Set& set : sets_) most[set.hops] = std::max<std::uint32_t>(most[set.hops], set.count);
  known_ = {};
  recent_ = {};
  paths_ = 1;
  for (std::size_t hops = stride_.size(); hops-- > 1;) {
    if (paths_ * most[hops] > kMostPaths) break;
    stride_[hops] = paths_;
    paths_ *= most[hops];
  }
}

}  // namespace trainyard::wiring
