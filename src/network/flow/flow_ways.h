// The links of flows: their own, or those that the network gives them as its links are now.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "network/flow/network.h"

namespace trainyard::flow {

class FlowWays {
 public:
  /// The network is kept by reference.
  explicit FlowWays(const Network& network) : network_(network) {}

  /// These links in place of the network's, whatever fails; until the flow is forgotten.
  void set_own(std::uint32_t flow, std::span<const LinkShare> links) {
    own_.emplace(flow, Route(links.begin(), links.end()));
  }
  bool has_own(std::uint32_t flow) const { return own_.contains(flow); }
  void forget(std::uint32_t flow) { own_.erase(flow); }

  void set_link(std::uint32_t link, bool down) { down_.set(link, down); }

  /// The links of a flow, valid until the next call; nullptr: no way is left.
  const Route* find(std::uint32_t flow, const RouteQuery& query) {
    const auto own = own_.find(flow);
    if (own != own_.end()) return &own->second;
    found_.clear();
    return network_.route(query, down_, found_) ? &found_ : nullptr;
  }

 private:
  const Network& network_;
  std::unordered_map<std::uint32_t, Route> own_;
  DownLinks down_;
  Route found_;
};

}  // namespace trainyard::flow
