// Max-min fair rates kept up to date while flows come and go: only flows that a change reaches are solved
// again.
//
// Rates are max-min fair when no link is overloaded and every flow has a full link on which no flow has more
// for its weight (its bottleneck). That can be checked link by link. After a change, the flows that lost
// their bottleneck are solved among what all others leave, flows whose own condition this breaks join them,
// and so on until the condition holds everywhere: the rates are those of all flows solved together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "network/flow/max_min.h"
#include "network/flow/network.h"
#include "network/flow/routed_flows.h"

namespace trainyard::flow {

/// The flows of one priority on the capacity that higher ones leave.
class FairClass {
 public:
  FairClass(std::vector<double> capacities, bool resolve_all);

  /// `route` is not empty; weight more than 0. Its rate is 0 until update().
  std::uint32_t add(std::span<const LinkShare> route, double weight);
  void remove(std::uint32_t flow);
  void set_capacity(std::uint32_t link, double capacity);
  /// Brings all rates up to date. Then changed() are the flows whose rate did, touched() links whose load may
  /// have.
  void update();

  const std::vector<std::uint32_t>& changed() const { return changed_; }
  const std::vector<std::uint32_t>& touched() const { return touched_; }
  double rate(std::uint32_t flow) const { return flows_[flow].rate; }
  /// Of a link's capacity: what its flows leave.
  double leftover(std::uint32_t link) const {
    return is_full(link, load_[link]) ? 0 : capacity_[link] - load_[link];
  }
  /// Of a flow, in the order of its route.
  void route(std::uint32_t flow, Route& out) const { flows_.route(flow, out); }
  std::uint64_t solved() const { return solved_; }

 private:
  /// A link with chosen flows.
  struct Local {
    std::uint32_t chosen = 0;  // entries
    double before = 0;         // load of the chosen ones before
    double rest = 0;           // load of the others
    double load = 0;           // of the chosen ones as solved
    double most = 0;           // their largest level
    double full_at = 0;        // level of those whose bottleneck it is; negative: none
  };

  void mark(std::uint32_t link);
  void choose(std::uint32_t flow);
  void choose_first();
  void choose_all();
  void solve();
  bool check();
  void check_link(std::uint32_t local);
  void commit();
  void commit_link(std::uint32_t local);
  double rest_of(std::uint32_t local) const;
  bool is_full(std::uint32_t link, double load) const;
  void sum_load(std::uint32_t link);

  std::vector<double> capacity_;
  std::vector<double> load_;
  std::vector<double> level_;       // of full links that are bottlenecks, else infinite
  std::vector<std::uint32_t> age_;  // changes of load_ since it was last summed
  RoutedFlows flows_;
  bool resolve_all_;

  std::vector<std::uint32_t> added_;
  std::vector<std::uint32_t> dirty_;  // links
  std::vector<char> is_dirty_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint32_t> local_of_;  // of each link, kNoLink outside update()
  std::vector<Local> locals_;            // beside touched_
  MaxMinProblem problem_;
  MaxMinSolver solver_;
  MaxMinRates fair_;
  std::vector<std::uint32_t> changed_;
  std::uint64_t solved_ = 0;
};

/// All priorities.
class FairShares {
 public:
  static constexpr std::uint8_t kMostPriorities = 8;

  /// Capacities in bytes a second, finite. With `resolve_all`, every update solves all rates.
  explicit FairShares(std::vector<double> capacities, bool resolve_all = false);

  /// `route` is not empty; its links, shares and the weight are more than 0; priority below kMostPriorities.
  std::uint32_t add(std::span<const LinkShare> route, double weight, std::uint8_t priority);
  void remove(std::uint32_t flow);
  void set_capacity(std::uint32_t link, double capacity);
  /// Flows whose rate changed.
  const std::vector<std::uint32_t>& update();
  double rate(std::uint32_t flow) const;
  void route(std::uint32_t flow, Route& out) const;
  std::uint64_t solved() const;

 private:
  FairClass& class_of(std::uint8_t priority);

  std::vector<double> capacity_;
  bool resolve_all_;
  std::vector<std::unique_ptr<FairClass>> classes_;
  std::vector<std::uint32_t> changed_;
};

}  // namespace trainyard::flow
