// A network as nodes and links, for everything that walks it: routing, loads, simulators, drawings.
//
// Nodes and links are numbered; runs of alike ones are described once (a tier of one fabric, the links
// between two tiers). A link joins two nodes, carries its rate in each direction, and may stand several times
// between the same two nodes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

enum class NodeKind { host, gateway, electrical_switch, domain };

/// Alike nodes: [begin, end).
struct NodeRun {
  NodeKind kind = NodeKind::host;
  std::string name;  // "leaf", "spine", "group 3"
  int tier = 0;      // 0: hosts; from the leaf up
  std::int64_t network = -1;
  std::int64_t plane = -1;
  std::int64_t datacenter = -1;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::int64_t ports = 0;  // of each node; 0: as many as it has links
};

/// Alike links: [begin, end).
struct LinkRun {
  std::string name;  // "host to leaf"
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  BitRate rate;  // of one link, one direction
};

struct Link {
  std::uint32_t a = 0;  // the lower one
  std::uint32_t b = 0;
};

struct Graph {
  std::vector<NodeRun> node_runs;
  std::vector<LinkRun> link_runs;
  std::vector<Link> links;
  std::uint32_t nodes = 0;

  const NodeRun& run_of_node(std::uint32_t node) const;
  const LinkRun& run_of_link(std::uint32_t link) const;
  /// "leaf 12 of network 3, plane 1".
  std::string name_of(std::uint32_t node) const;
};

/// A link as one of its ends sees it.
struct Hop {
  std::uint32_t node = 0;  // at the other end
  std::uint32_t link = 0;
};

/// The links of every node.
class Adjacency {
 public:
  explicit Adjacency(const Graph& graph);

  std::span<const Hop> of(std::uint32_t node) const {
    return {hops_.data() + first_[node], hops_.data() + first_[node + 1]};
  }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(first_.size() - 1); }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<Hop> hops_;
};

/// The largest graph that is built, in links.
constexpr std::int64_t kMostLinks = 100'000'000;

/// What is left of a graph whose links were counted, not kept.
struct GraphCounts {
  std::vector<NodeRun> node_runs;
  std::vector<LinkRun> link_runs;
  std::vector<NodeKind> lower_ends;    // of each run of links
  std::vector<std::uint32_t> degrees;  // of each node
};

/// Puts a graph together, run by run, or counts what it would be: the largest ones in some ms.
class GraphBuilder {
 public:
  enum class Keeps { links, counts };

  explicit GraphBuilder(Keeps keeps = Keeps::links) : counts_(keeps == Keeps::counts) {}

  /// Adds alike nodes and returns the first one's number.
  std::uint32_t add_nodes(NodeRun run, std::int64_t count);
  void begin_links(std::string name, BitRate rate);
  void link(std::uint32_t a, std::uint32_t b) {
    ++links_;
    if (!counts_) return graph_.links.push_back({a, b});
    ++degrees_[a];
    ++degrees_[b];
    if (lower_end_ == kNoNode) lower_end_ = a;
  }
  /// From one node to each of `count` in a row.
  void link_row(std::uint32_t a, std::uint32_t first, std::uint32_t count) {
    if (!counts_) {
      for (std::uint32_t i = 0; i < count; ++i) link(a, first + i);
      return;
    }
    if (count == 0) return;
    links_ += count;
    degrees_[a] += count;
    for (std::uint32_t i = 0; i < count; ++i) ++degrees_[first + i];
    if (lower_end_ == kNoNode) lower_end_ = a;
  }
  void reserve(std::int64_t links) {
    if (!counts_) graph_.links.reserve(static_cast<std::size_t>(links));
  }
  Graph finish() &&;
  /// Where counts are kept.
  GraphCounts finish_counts() &&;

 private:
  static constexpr std::uint32_t kNoNode = ~0U;

  void end_links();

  bool counts_;
  Graph graph_;
  std::uint32_t links_ = 0;
  std::vector<std::uint32_t> degrees_;
  std::vector<NodeKind> lower_ends_;
  std::uint32_t lower_end_ = kNoNode;  // of the run's first link
};

}  // namespace trainyard
