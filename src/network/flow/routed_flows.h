// Flows and the links of their routes, each found from the other; what flows leave is used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "network/flow/max_min.h"
#include "network/flow/network.h"

namespace trainyard::flow {

struct RoutedFlow {
  std::size_t first = 0;  // of its entries
  std::uint32_t count = 0;
  std::uint32_t bottleneck = kNoLink;
  double weight = 1;
  double rate = 0;
  bool chosen = false;  // to be solved
  bool alive = false;

  double level() const { return rate / weight; }
};

/// A link on a flow's route.
struct RouteEntry {
  std::uint32_t link = 0;
  std::uint32_t flow = 0;
  std::uint32_t at = 0;  // in at(link)
  double share = 1;
};

class RoutedFlows {
 public:
  explicit RoutedFlows(std::size_t links) : at_(links) {}

  std::uint32_t add(std::span<const LinkShare> route, double weight);
  /// Takes an entry off its link; true: the link has none left.
  bool take_off(std::size_t entry);
  /// All entries of the flow are off their links.
  void release(std::uint32_t flow);

  RoutedFlow& operator[](std::uint32_t flow) { return flows_[flow]; }
  const RoutedFlow& operator[](std::uint32_t flow) const { return flows_[flow]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(flows_.size()); }
  std::size_t alive() const { return alive_; }
  const RouteEntry& entry(std::size_t entry) const { return entries_[entry]; }
  std::span<const RouteEntry> entries_of(const RoutedFlow& flow) const {
    return {entries_.data() + flow.first, flow.count};
  }
  /// Entries of a link.
  const std::vector<std::size_t>& at(std::uint32_t link) const { return at_[link]; }
  /// In the order of the route.
  void route(std::uint32_t flow, Route& out) const;
  /// Sum of the rates on a link.
  double load(std::uint32_t link) const;

 private:
  std::size_t room_for(std::uint32_t count);

  std::vector<std::vector<std::size_t>> at_;
  std::vector<RouteEntry> entries_;
  std::vector<std::vector<std::size_t>> free_entries_;  // by count
  std::vector<RoutedFlow> flows_;
  std::vector<std::uint32_t> free_flows_;
  std::size_t alive_ = 0;
};

}  // namespace trainyard::flow
