#include "network/flow/fair_shares.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"

namespace trainyard::flow {
namespace {

constexpr double kFull = 1e-11;       // of a capacity: free by rounding alone
constexpr double kSameLevel = 1e-11;  // beside each other
constexpr double kSameRate = 1e-13;   // a rate that changed less has not changed
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kMostRounds = 32;  // of flows that push each other, before all are solved

bool above(double a, double b) { return a > b * (1 + kSameLevel); }

}  // namespace

FairClass::FairClass(std::vector<double> capacities, bool resolve_all)
    : capacity_(std::move(capacities)),
      load_(capacity_.size(), 0),
      level_(capacity_.size(), kInfinite),
      age_(capacity_.size(), 0),
      flows_(capacity_.size()),
      resolve_all_(resolve_all),
      is_dirty_(capacity_.size(), 0),
      local_of_(capacity_.size(), kNoLink) {}

std::uint32_t FairClass::add(std::span<const LinkShare> route, double weight) {
  const std::uint32_t flow = flows_.add(route, weight);
  for (const LinkShare& link : route) mark(link.link);
  added_.push_back(flow);
  return flow;
}

void FairClass::remove(std::uint32_t flow) {
  const RoutedFlow& state = flows_[flow];
  for (std::size_t e = state.first; e < state.first + state.count; ++e) {
    const bool empty = flows_.take_off(e);
    const RouteEntry& entry = flows_.entry(e);
    load_[entry.link] = empty ? 0 : load_[entry.link] - state.rate * entry.share;
    ++age_[entry.link];
    mark(entry.link);
  }
  flows_.release(flow);
}

void FairClass::set_capacity(std::uint32_t link, double capacity) {
  if (capacity == capacity_[link]) return;
  capacity_[link] = capacity;
  mark(link);
}

void FairClass::mark(std::uint32_t link) {
  if (is_dirty_[link] != 0) return;
  is_dirty_[link] = 1;
  dirty_.push_back(link);
}

void FairClass::update() {
  changed_.clear();
  for (const std::uint32_t link : touched_) local_of_[link] = kNoLink;
  touched_.clear();
  locals_.clear();
  chosen_.clear();
  problem_.clear();
  choose_first();
  for (int round = 1; !chosen_.empty(); ++round) {
    if (2 * chosen_.size() > flows_.alive() || round > kMostRounds) choose_all();
    solve();
    if (chosen_.size() == flows_.alive() || !check()) break;
  }
  commit();
}

/// The flows that a change may have left without a fair rate.
void FairClass::choose_first() {
  for (const std::uint32_t flow : added_) {
    if (flows_[flow].alive) choose(flow);
  }
  added_.clear();
  for (const std::uint32_t link : dirty_) {
    const bool overloaded = load_[link] > capacity_[link] * (1 + kFull);
    if (!overloaded && level_[link] == kInfinite) continue;
    for (const std::size_t e : flows_.at(link)) {
      const std::uint32_t flow = flows_.entry(e).flow;
      if (overloaded || flows_[flow].bottleneck == link) choose(flow);
    }
  }
  if (resolve_all_) choose_all();
}

void FairClass::choose_all() {
  for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
    if (flows_[flow].alive) choose(flow);
  }
}

void FairClass::choose(std::uint32_t flow) {
  RoutedFlow& state = flows_[flow];
  if (state.chosen) return;
  state.chosen = true;
  chosen_.push_back(flow);
  for (const RouteEntry& entry : flows_.entries_of(state)) {
    std::uint32_t& local = local_of_[entry.link];
    if (local == kNoLink) {
      local = static_cast<std::uint32_t>(touched_.size());
      touched_.push_back(entry.link);
      locals_.emplace_back();
    }
    ++locals_[local].chosen;
    locals_[local].before += state.rate * entry.share;
    problem_.link.push_back(local);
    problem_.share.push_back(entry.share);
  }
  problem_.first.push_back(problem_.link.size());
  problem_.weight.push_back(state.weight);
}

/// Load of the flows of a link that are not chosen.
double FairClass::rest_of(std::uint32_t local) const {
  const std::uint32_t link = touched_[local];
  if (locals_[local].chosen == flows_.at(link).size()) return 0;
  return std::max(0.0, load_[link] - locals_[local].before);
}

bool FairClass::is_full(std::uint32_t link, double load) const {
  return capacity_[link] - load <= kFull * capacity_[link];
}

/// Rates of the chosen flows on what all others leave.
void FairClass::solve() {
  problem_.capacity.resize(touched_.size());
  for (std::uint32_t l = 0; l < touched_.size(); ++l) {
    locals_[l].rest = rest_of(l);
    problem_.capacity[l] = std::max(0.0, capacity_[touched_[l]] - locals_[l].rest);
    locals_[l].load = locals_[l].most = 0;
    locals_[l].full_at = -1;
  }
  solver_.solve(problem_, fair_);
  solved_ += chosen_.size();
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const double level = fair_.rate[i] / problem_.weight[i];
    for (std::size_t e = problem_.first[i]; e < problem_.first[i + 1]; ++e) {
      Local& local = locals_[problem_.link[e]];
      local.load += fair_.rate[i] * problem_.share[e];
      local.most = std::max(local.most, level);
    }
    locals_[fair_.bottleneck[i]].full_at = level;
  }
}

/// Chooses flows that are no longer at a bottleneck, or have more than others at theirs. Whether there are
/// any.
bool FairClass::check() {
  const std::size_t before = chosen_.size();
  const auto links = static_cast<std::uint32_t>(touched_.size());
  for (std::uint32_t l = 0; l < links; ++l) check_link(l);
  return chosen_.size() > before;
}

void FairClass::check_link(std::uint32_t l) {
  const std::uint32_t link = touched_[l];
  if (locals_[l].chosen == flows_.at(link).size()) return;
  const Local local = locals_[l];
  const double old_level = level_[link];
  const bool was_bottleneck = old_level != kInfinite;
  const bool is_bottleneck = local.full_at >= 0;
  const bool full = is_bottleneck || is_full(link, local.rest + local.load);
  const bool lost = was_bottleneck && (!full || above(local.most, old_level));
  const bool lower = is_bottleneck && above(old_level, local.full_at);
  if (!lost && !lower) return;
  for (const std::size_t e : flows_.at(link)) {
    const std::uint32_t flow = flows_.entry(e).flow;
    const RoutedFlow& state = flows_[flow];
    if ((lost && state.bottleneck == link) || (lower && above(state.level(), local.full_at))) choose(flow);
  }
}

void FairClass::commit() {
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    RoutedFlow& state = flows_[chosen_[i]];
    state.chosen = false;
    state.bottleneck = touched_[fair_.bottleneck[i]];
    if (std::abs(fair_.rate[i] - state.rate) <= kSameRate * state.rate) fair_.rate[i] = state.rate;
    if (fair_.rate[i] != state.rate) changed_.push_back(chosen_[i]);
    state.rate = fair_.rate[i];
  }
  for (const std::uint32_t link : dirty_) {
    is_dirty_[link] = 0;
    if (local_of_[link] != kNoLink) continue;
    level_[link] = kInfinite;  // none of its flows has its bottleneck here, else it were chosen
    local_of_[link] = static_cast<std::uint32_t>(touched_.size());
    touched_.push_back(link);
  }
  dirty_.clear();
  for (std::uint32_t l = 0; l < locals_.size(); ++l) commit_link(l);
}

void FairClass::commit_link(std::uint32_t l) {
  const std::uint32_t link = touched_[l];
  const double load = locals_[l].rest + locals_[l].load;
  if (locals_[l].full_at >= 0) {
    level_[link] = locals_[l].full_at;
  } else if (!is_full(link, load) || locals_[l].chosen == flows_.at(link).size()) {
    level_[link] = kInfinite;
  }
  load_[link] = load;
  age_[link] += 1;
  if (locals_[l].chosen == flows_.at(link).size()) {
    age_[link] = 0;
  } else if (age_[link] > flows_.at(link).size()) {
    sum_load(link);
  }
}

/// Sums a load anew: differences of loads gather rounding.
void FairClass::sum_load(std::uint32_t link) {
  age_[link] = 0;
  load_[link] = flows_.load(link);
}

FairShares::FairShares(std::vector<double> capacities, bool resolve_all)
    : capacity_(std::move(capacities)), resolve_all_(resolve_all) {}

FairClass& FairShares::class_of(std::uint8_t priority) {
  TY_ASSERT(priority < kMostPriorities, fmt::format("priority {}", priority));
  while (classes_.size() <= priority) {
    std::vector<double> left = capacity_;
    if (!classes_.empty()) {
      for (std::uint32_t l = 0; l < left.size(); ++l) left[l] = classes_.back()->leftover(l);
    }
    classes_.push_back(std::make_unique<FairClass>(std::move(left), resolve_all_));
  }
  return *classes_[priority];
}

std::uint32_t FairShares::add(std::span<const LinkShare> route, double weight, std::uint8_t priority) {
  TY_ASSERT(!route.empty() && weight > 0, fmt::format("{} links, weight {}", route.size(), weight));
  return class_of(priority).add(route, weight) * kMostPriorities + priority;
}

void FairShares::remove(std::uint32_t flow) {
  classes_[flow % kMostPriorities]->remove(flow / kMostPriorities);
}

void FairShares::set_capacity(std::uint32_t link, double capacity) {
  capacity_[link] = capacity;
  if (!classes_.empty()) classes_.front()->set_capacity(link, capacity);
}

const std::vector<std::uint32_t>& FairShares::update() {
  changed_.clear();
  for (std::uint32_t p = 0; p < classes_.size(); ++p) {
    FairClass& here = *classes_[p];
    here.update();
    for (const std::uint32_t flow : here.changed()) changed_.push_back(flow * kMostPriorities + p);
    if (p + 1 == classes_.size()) break;
    for (const std::uint32_t link : here.touched()) classes_[p + 1]->set_capacity(link, here.leftover(link));
  }
  return changed_;
}

double FairShares::rate(std::uint32_t flow) const {
  return classes_[flow % kMostPriorities]->rate(flow / kMostPriorities);
}

void FairShares::route(std::uint32_t flow, Route& out) const {
  classes_[flow % kMostPriorities]->route(flow / kMostPriorities, out);
}

std::uint64_t FairShares::solved() const {
  std::uint64_t sum = 0;
  for (const auto& c : classes_) sum += c->solved();
  return sum;
}

}  // namespace trainyard::flow
