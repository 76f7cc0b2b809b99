// Max-min fair rates: no flow can have more without taking from one that has no more than it.
//
//   MaxMinProblem problem;                   // capacities of links; flows by their links
//   problem.capacity = {100, 100, 40};
//   problem.add({{0}, {2}});                 // a flow over links 0 and 2
//   problem.add({{0}, {1}});
//   const MaxMinRates fair = max_min(problem);   // 40, 60
//
// A flow of weight w grows w times as fast as one of weight 1: n equal flows are one flow of weight n, whose
// rate is that of all of them. A flow loads a link with rate x share. Priorities are strict: a class gets
// what the classes before it leave.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace trainyard::flow {

struct LinkShare;

constexpr std::uint32_t kNoLink = 0xFFFFFFFF;

/// Links with capacities and flows with their links, in compressed rows.
struct MaxMinProblem {
  std::vector<double> capacity;       // of each link, at least 0
  std::vector<std::size_t> first{0};  // of each flow in `link`, and the end
  std::vector<std::uint32_t> link;
  std::vector<double> share;           // beside `link`, more than 0; empty: 1 everywhere
  std::vector<double> weight;          // of each flow, more than 0; empty: 1
  std::vector<std::uint8_t> priority;  // of each flow, the lowest number first; empty: 0

  std::size_t flows() const { return first.size() - 1; }
  /// Appends a flow. Problems with shares, weights or priorities are filled with all of them.
  void add(std::span<const LinkShare> route, double flow_weight = 1, std::uint8_t flow_priority = 0);
  /// Takes flows and links out, and keeps the memory.
  void clear();
};

struct MaxMinRates {
  std::vector<double> rate;               // of each flow; infinite without links
  std::vector<std::uint32_t> bottleneck;  // a full link on which no flow has more for its weight; kNoLink
};

/// Water-filling (Bertsekas & Gallager 1992, section 6.5.2) from link to link in the order of their fair
/// shares, which only grow while others are served: O(entries + links log links).
class MaxMinSolver {
 public:
  void solve(const MaxMinProblem& problem, MaxMinRates& out);

 private:
  struct LinkState {
    double left = 0;    // capacity without the flows that have a rate
    double weight = 0;  // weight x share of those that have none
    double summed_weight = 0;
    std::uint32_t open = 0;  // entries of those that have none
  };
  struct Candidate {
    double level;
    std::uint32_t link;
  };

  void solve_class(const MaxMinProblem& problem, std::uint8_t priority, MaxMinRates& out);
  void list_flows(const MaxMinProblem& problem, std::uint8_t priority);
  void fill(const MaxMinProblem& problem, std::uint32_t link, double level, MaxMinRates& out);
  void sum_weight(const MaxMinProblem& problem, std::uint32_t link, const MaxMinRates& out);

  std::vector<LinkState> links_;
  std::vector<std::uint32_t> first_of_link_;  // in entries_
  std::vector<std::uint32_t> next_of_link_;
  std::vector<std::uint32_t> entries_;  // flows
  std::vector<Candidate> heap_;
  bool exact_ = true;  // weights and shares are whole numbers
};

MaxMinRates max_min(const MaxMinProblem& problem);

}  // namespace trainyard::flow
