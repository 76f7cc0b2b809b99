#include "network/flow/routed_flows.h"

namespace trainyard::flow {

/// A run of so many entries, a used one if there is any.
std::size_t RoutedFlows::room_for(std::uint32_t count) {
  if (free_entries_.size() > count && !free_entries_[count].empty()) {
    const std::size_t first = free_entries_[count].back();
    free_entries_[count].pop_back();
    return first;
  }
  entries_.resize(entries_.size() + count);
  return entries_.size() - count;
}

std::uint32_t RoutedFlows::add(std::span<const LinkShare> route, double weight) {
  std::uint32_t flow = size();
  if (free_flows_.empty()) {
    flows_.emplace_back();
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  RoutedFlow& state = flows_[flow];
  state = {};
  state.count = static_cast<std::uint32_t>(route.size());
  state.first = room_for(state.count);
  state.weight = weight;
  state.alive = true;
  for (std::uint32_t i = 0; i < state.count; ++i) {
    std::vector<std::size_t>& at = at_[route[i].link];
    entries_[state.first + i] = {route[i].link, flow, static_cast<std::uint32_t>(at.size()), route[i].share};
    at.push_back(state.first + i);
  }
  ++alive_;
  return flow;
}

bool RoutedFlows::take_off(std::size_t e) {
  const RouteEntry& entry = entries_[e];
  std::vector<std::size_t>& at = at_[entry.link];
  at[entry.at] = at.back();
  entries_[at[entry.at]].at = entry.at;
  at.pop_back();
  return at.empty();
}

void RoutedFlows::release(std::uint32_t flow) {
  RoutedFlow& state = flows_[flow];
  if (free_entries_.size() <= state.count) free_entries_.resize(state.count + 1);
  free_entries_[state.count].push_back(state.first);
  free_flows_.push_back(flow);
  state.alive = false;
  --alive_;
}

void RoutedFlows::route(std::uint32_t flow, Route& out) const {
  out.clear();
  for (const RouteEntry& entry : entries_of(flows_[flow])) out.push_back({entry.link, entry.share});
}

double RoutedFlows::load(std::uint32_t link) const {
  double sum = 0;
  for (const std::size_t e : at_[link]) sum += flows_[entries_[e].flow].rate * entries_[e].share;
  return sum;
}

}  // namespace trainyard::flow
