#include "network/flow/max_min.h"

#include <algorithm>
#include <cmath>

#include "network/flow/network.h"

namespace trainyard::flow {
namespace {

constexpr double kOpen = -1;            // a flow without a rate
constexpr double kNothing = 1e-12;      // of a capacity: left by rounding alone
constexpr double kWorthless = 1. / 16;  // a difference that small has lost digits

bool whole_numbers(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
}

/// A heap of four children a node: fewer cache lines than two.
template <class T, class Less>
void sift_down(std::vector<T>& heap, std::size_t at, const Less& less) {
  constexpr std::size_t kChildren = 4;
  const T moved = heap[at];
  while (true) {
    const std::size_t begin = kChildren * at + 1;
    if (begin >= heap.size()) break;
    const std::size_t end = std::min(begin + kChildren, heap.size());
    std::size_t least = begin;
    for (std::size_t child = begin + 1; child < end; ++child) {
      if (less(heap[child], heap[least])) least = child;
    }
    if (!less(heap[least], moved)) break;
    heap[at] = heap[least];
    at = least;
  }
  heap[at] = moved;
}

}  // namespace

void MaxMinProblem::add(std::span<const LinkShare> route, double flow_weight, std::uint8_t flow_priority) {
  for (const LinkShare& use : route) {
    link.push_back(use.link);
    share.push_back(use.share);
  }
  first.push_back(link.size());
  weight.push_back(flow_weight);
  priority.push_back(flow_priority);
}

void MaxMinProblem::clear() {
  capacity.clear();
  first.assign(1, 0);
  link.clear();
  share.clear();
  weight.clear();
  priority.clear();
}

void MaxMinSolver::solve(const MaxMinProblem& problem, MaxMinRates& out) {
  const std::size_t flows = problem.flows();
  out.rate.assign(flows, kOpen);
  out.bottleneck.assign(flows, kNoLink);
  links_.assign(problem.capacity.size(), {});
  for (std::size_t l = 0; l < links_.size(); ++l) links_[l].left = problem.capacity[l];
  exact_ = whole_numbers(problem.share) && whole_numbers(problem.weight);
  for (std::size_t f = 0; f < flows; ++f) {
    if (problem.first[f] == problem.first[f + 1]) out.rate[f] = std::numeric_limits<double>::infinity();
  }
  std::vector<std::uint8_t> classes = problem.priority;
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (classes.empty()) classes.push_back(0);
  for (const std::uint8_t priority : classes) {
    solve_class(problem, priority, out);
    for (std::size_t l = 0; l < links_.size(); ++l) {
      if (links_[l].left <= kNothing * problem.capacity[l]) links_[l].left = 0;
    }
  }
}

/// The flows of every link, as lists one behind the other.
void MaxMinSolver::list_flows(const MaxMinProblem& problem, std::uint8_t priority) {
  const auto each_entry = [&](const auto& visit) {
    for (std::size_t f = 0; f < problem.flows(); ++f) {
      if (!problem.priority.empty() && problem.priority[f] != priority) continue;
      const double weight = problem.weight.empty() ? 1 : problem.weight[f];
      for (std::size_t e = problem.first[f]; e < problem.first[f + 1]; ++e)
        visit(static_cast<std::uint32_t>(f), problem.link[e],
              problem.share.empty() ? weight : weight * problem.share[e]);
    }
  };
  for (LinkState& link : links_) link.weight = link.open = 0;
  each_entry([&](std::uint32_t, std::uint32_t l, double weight) {
    ++links_[l].open;
    links_[l].weight += weight;
  });
  first_of_link_.resize(links_.size() + 1);
  std::uint32_t sum = 0;
  for (std::size_t l = 0; l < links_.size(); ++l) {
    first_of_link_[l] = sum;
    sum += links_[l].open;
  }
  first_of_link_[links_.size()] = sum;
  entries_.resize(sum);
  next_of_link_.assign(first_of_link_.begin(), first_of_link_.end() - 1);
  each_entry([&](std::uint32_t f, std::uint32_t l, double) { entries_[next_of_link_[l]++] = f; });
}

void MaxMinSolver::solve_class(const MaxMinProblem& problem, std::uint8_t priority, MaxMinRates& out) {
  list_flows(problem, priority);
  const auto level_of = [&](std::uint32_t l) { return std::max(links_[l].left, 0.0) / links_[l].weight; };
  const auto less = [](const Candidate& a, const Candidate& b) {
    return a.level != b.level ? a.level < b.level : a.link < b.link;
  };
  heap_.clear();
  for (std::uint32_t l = 0; l < links_.size(); ++l) {
    if (links_[l].open == 0) continue;
    links_[l].summed_weight = links_[l].weight;
    heap_.push_back({level_of(l), l});
  }
  for (std::size_t i = heap_.size(); i-- > 0;) sift_down(heap_, i, less);
  while (!heap_.empty()) {
    const Candidate top = heap_.front();
    if (links_[top.link].open > 0) {
      if (!exact_) sum_weight(problem, top.link, out);
      const double level = level_of(top.link);
      if (level > top.level) {
        heap_.front().level = level;
        sift_down(heap_, 0, less);
        continue;
      }
      fill(problem, top.link, level, out);
    }
    heap_.front() = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(heap_, 0, less);
  }
}

/// Gives all flows of a link that have no rate the level.
void MaxMinSolver::fill(const MaxMinProblem& problem, std::uint32_t link, double level, MaxMinRates& out) {
  for (std::uint32_t i = first_of_link_[link]; i < first_of_link_[link + 1]; ++i) {
    const std::uint32_t f = entries_[i];
    if (out.rate[f] != kOpen) continue;
    const double weight = problem.weight.empty() ? 1 : problem.weight[f];
    const double rate = level * weight;
    out.rate[f] = rate;
    out.bottleneck[f] = link;
    for (std::size_t e = problem.first[f]; e < problem.first[f + 1]; ++e) {
      LinkState& state = links_[problem.link[e]];
      const double share = problem.share.empty() ? 1 : problem.share[e];
      state.left -= rate * share;
      state.weight -= weight * share;
      --state.open;
    }
  }
  links_[link].left = 0;
}

/// Sums a weight anew when most of it has been taken away, so that rounding stays small beside what is left.
void MaxMinSolver::sum_weight(const MaxMinProblem& problem, std::uint32_t link, const MaxMinRates& out) {
  LinkState& state = links_[link];
  if (state.weight > kWorthless * state.summed_weight) return;
  state.weight = 0;
  std::uint32_t before = kNoLink;
  for (std::uint32_t i = first_of_link_[link]; i < first_of_link_[link + 1]; ++i) {
    const std::uint32_t f = entries_[i];
    if (out.rate[f] != kOpen || f == before) continue;
    before = f;  // a flow that crosses the link twice stands there twice, one behind the other
    const double weight = problem.weight.empty() ? 1 : problem.weight[f];
    for (std::size_t e = problem.first[f]; e < problem.first[f + 1]; ++e) {
      if (problem.link[e] == link) state.weight += problem.share.empty() ? weight : weight * problem.share[e];
    }
  }
  state.summed_weight = state.weight;
}

MaxMinRates max_min(const MaxMinProblem& problem) {
  MaxMinRates out;
  MaxMinSolver().solve(problem, out);
  return out;
}

}  // namespace trainyard::flow
