// A network as the flow-level model sees it: links with capacities, and the links that a flow crosses.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/mixing.h"
#include "trainyard/units.h"

namespace trainyard::flow {

/// A link, one direction of it, and how much of a flow's bytes crosses it: 1 on a single path, 1/k where a
/// flow is sprayed over k links.
struct LinkShare {
  std::uint32_t link = 0;
  double share = 1;

  bool operator==(const LinkShare&) const = default;
};
using Route = std::vector<LinkShare>;

struct RouteQuery {
  static constexpr std::uint16_t kPlaneOfHash = 0xFFFF;

  std::uint32_t from = 0;  // host
  std::uint32_t to = 0;
  std::uint64_t hash = 0;  // chooses among equal paths, where one path is chosen
  std::uint16_t plane = kPlaneOfHash;

  /// Where one path is chosen, by its own hash.
  std::uint32_t plane_of(std::uint64_t hash_of_path, std::uint32_t planes) const {
    return plane != kPlaneOfHash ? plane : below(hash_of_path, planes);
  }
};

/// Which links are down.
class DownLinks {
 public:
  bool is_down(std::uint32_t link) const { return link < down_.size() && down_[link] != 0; }
  bool none() const { return count_ == 0; }
  void set(std::uint32_t link, bool down);
  /// The same for the same links.
  std::uint64_t hash() const { return hash_; }

 private:
  std::vector<char> down_;
  std::size_t count_ = 0;
  std::uint64_t hash_ = 0;
};

/// Not to be used by several threads at once: routes may be remembered.
class Network {
 public:
  virtual ~Network() = default;

  std::uint32_t hosts() const { return hosts_; }
  /// Bytes a second of every link.
  const std::vector<double>& capacities() const { return capacities_; }

  /// Replaces `out` by the links of a flow between different hosts, at least one. False: no way is left.
  virtual bool route(const RouteQuery& query, const DownLinks& down, Route& out) const = 0;

  /// From the moment when a flow's last byte left its host at the flow's rate until the receiver has it:
  /// delays of links, and the last packet stored and forwarded.
  virtual Seconds latency(std::uint32_t from, std::uint32_t to, Bytes bytes) const = 0;

 protected:
  Network(std::uint32_t hosts, std::vector<double> capacities)
      : hosts_(hosts), capacities_(std::move(capacities)) {}
  Network(const Network&) = default;
  Network& operator=(const Network&) = default;
  Network(Network&&) = default;
  Network& operator=(Network&&) = default;

 private:
  std::uint32_t hosts_;
  std::vector<double> capacities_;
};

}  // namespace trainyard::flow
