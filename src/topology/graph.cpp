#include "topology/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.h"

namespace trainyard {
namespace {

template <class Run>
const Run& run_holding(const std::vector<Run>& runs, std::uint32_t index) {
  const auto after = std::upper_bound(runs.begin(), runs.end(), index,
                                      [](std::uint32_t at, const Run& run) { return at < run.end; });
  TY_ASSERT(after != runs.end(), "an index within the graph");
  return *after;
}

}  // namespace

const NodeRun& Graph::run_of_node(std::uint32_t node) const { return run_holding(node_runs, node); }

const LinkRun& Graph::run_of_link(std::uint32_t link) const { return run_holding(link_runs, link); }

std::string Graph::name_of(std::uint32_t node) const {
  const NodeRun& run = run_of_node(node);
  std::string name = fmt::format("{} {}", run.name, node - run.begin);
  if (run.network >= 0) name += fmt::format(" of network {}", run.network);
  if (run.plane >= 0) name += fmt::format(", plane {}", run.plane);
  if (run.datacenter >= 0) name += fmt::format(", datacenter {}", run.datacenter);
  return name;
}

Adjacency::Adjacency(const Graph& graph) : first_(graph.nodes + 1U), hops_(2 * graph.links.size()) {
  for (const Link& link : graph.links) {
    ++first_[link.a + 1U];
    ++first_[link.b + 1U];
  }
  for (std::uint32_t node = 0; node < graph.nodes; ++node) first_[node + 1U] += first_[node];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    const Link& link = graph.links[i];
    hops_[next[link.a]++] = {link.b, i};
    hops_[next[link.b]++] = {link.a, i};
  }
}

std::uint32_t GraphBuilder::add_nodes(NodeRun run, std::int64_t count) {
  TY_ASSERT(count >= 0 && graph_.nodes + count <= std::numeric_limits<std::int32_t>::max(), run.name);
  run.begin = graph_.nodes;
  graph_.nodes += static_cast<std::uint32_t>(count);
  run.end = graph_.nodes;
  const std::uint32_t begin = run.begin;
  if (counts_) degrees_.resize(graph_.nodes, 0);
  if (count > 0) graph_.node_runs.push_back(std::move(run));
  return begin;
}

void GraphBuilder::begin_links(std::string name, BitRate rate) {
  end_links();
  graph_.link_runs.push_back({std::move(name), links_, links_, rate});
}

void GraphBuilder::end_links() {
  if (graph_.link_runs.empty()) return;
  LinkRun& last = graph_.link_runs.back();
  last.end = links_;
  if (last.begin == last.end) return graph_.link_runs.pop_back();
  if (counts_) lower_ends_.push_back(graph_.run_of_node(std::exchange(lower_end_, kNoNode)).kind);
}

Graph GraphBuilder::finish() && {
  end_links();
  return std::move(graph_);
}

GraphCounts GraphBuilder::finish_counts() && {
  end_links();
  return {std::move(graph_.node_runs), std::move(graph_.link_runs), std::move(lower_ends_),
          std::move(degrees_)};
}

}  // namespace trainyard
