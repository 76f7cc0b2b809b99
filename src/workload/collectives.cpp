#include "workload/collectives.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "base/counted.h"
#include "base/errors.h"
#include "collective/all_reduces.h"
#include "collective/library_schedules.h"
#include "trainyard/errors.h"

namespace trainyard::workload {
namespace {

void check_hosts(const Collective& c) {
  if (c.hosts.size() < 2)
    fail_input(whole("simulation.active"), "one host has nobody to talk to", "at least two active hosts");
}

void check_pieces(const Collective& c, std::uint64_t pieces) {
  if (c.bytes >= pieces) return;
  fail_input(whole("simulation.bytes"),
             fmt::format("{} cannot be cut into {}", counted(c.bytes, "byte"), counted(pieces, "flow")),
             "more bytes, fewer hosts or fewer chunks");
}

/// The flows of a collective, chunk by chunk and step by step; every chunk makes the same ones.
class ByChunks final : public TransferSink {
 public:
  /// A chunk makes so many flows, of at least a byte when it has one for each of `pieces`.
  ByChunks(const Collective& c, std::uint64_t flows, std::uint64_t pieces)
      : c_(c), chunks_{c.bytes, c.chunks}, flows_of_chunk_(flows) {
    check_hosts(c);
    check_pieces(c, c.chunks * pieces);
    check_flow_count(static_cast<double>(flows) * static_cast<double>(c.chunks), "simulation.traffic");
    received_[0].resize(hosts());
    received_[1].resize(hosts());
  }

  std::uint32_t hosts() const { return static_cast<std::uint32_t>(c_.hosts.size()); }

  /// `send_chunk(bytes)` makes the steps of a chunk by send() and end_step().
  template <class SendChunk>
  Workload build(const SendChunk& send_chunk) {
    for (std::uint64_t chunk = 0; chunk < c_.chunks; ++chunk) {
      end_step();  // a step of nothing: the new chunk's first has received nothing
      send_chunk(chunks_.of(chunk));
    }
    TY_ASSERT(out_.flows.size() == flows_of_chunk_ * c_.chunks, "a collective makes the flows that it says");
    return std::move(out_);
  }

  void send(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) override {
    const auto flow = static_cast<std::uint32_t>(out_.flows.size());
    Flow made;
    made.from = c_.hosts[from];
    made.to = c_.hosts[to];
    made.bytes = bytes;
    out_.flows.push_back(made);
    const Received& last = received_[(step_ + 1) % 2][from];
    if (last.step + 1 == step_) out_.dependencies.push_back({last.flow, flow, true});
    if (flow >= flows_of_chunk_) {
      out_.dependencies.push_back({flow - static_cast<std::uint32_t>(flows_of_chunk_), flow, false});
    }
    received_[step_ % 2][to] = {flow, step_};
  }
  void end_step() override { ++step_; }

 private:
  struct Received {
    std::uint32_t flow = 0;
    std::uint64_t step = kNoStep;
  };
  static constexpr std::uint64_t kNoStep = ~std::uint64_t{0} - 1;

  const Collective& c_;
  Pieces chunks_;
  std::uint64_t flows_of_chunk_;
  Workload out_;
  std::uint64_t step_ = 0;             // counted through all chunks
  std::vector<Received> received_[2];  // by rank, of even and odd steps
};

/// "; or NAME", an all-reduce that takes any number of ranks.
std::string or_any_number() {
  for (const RegisteredAllReduce& entry : all_reduces()) {
    for (const CollectiveSchedule& schedule : entry.algorithm->schedules) {
      if (!schedule.power_of_two) return fmt::format("; or {}", schedule.traffic);
    }
  }
  return {};
}

void check_power_of_two(const Collective& c, const CollectiveSchedule& schedule) {
  const std::uint64_t n = c.hosts.size();
  if (!schedule.power_of_two || std::has_single_bit(n)) return;
  fail_input(whole("simulation.traffic"),
             fmt::format("{} needs a power of two of hosts, not {}", schedule.traffic, n),
             fmt::format("{} or {}: another simulation.active, or hosts of the design{}", std::bit_floor(n),
                         std::bit_ceil(n), or_any_number()));
}

std::uint32_t checked_group(const Collective& c) {
  const std::uint64_t n = c.hosts.size();
  if (c.group > 0 && n % c.group == 0) return static_cast<std::uint32_t>(c.group);
  std::uint64_t near = std::min(c.group, n);
  while (near > 1 && n % near != 0) --near;
  fail_input(
      whole("simulation.group"),
      fmt::format("{} {} not form groups of {}", counted(n, "host"), agreeing(n, "does", "do"), c.group),
      fmt::format("a divisor of {}, such as {}", n, near));
}

/// `pieces` of each host's buffer have a byte each at least.
Workload in_pieces(const Collective& collective, const CollectiveSchedule& schedule, std::uint64_t pieces) {
  check_power_of_two(collective, schedule);
  const auto n = static_cast<std::uint32_t>(collective.hosts.size());
  ByChunks out(collective, schedule.transfers(n), pieces);
  return out.build([&](std::uint64_t bytes) { schedule.run(n, bytes, out); });
}

}  // namespace

Workload scheduled(const Collective& collective, const CollectiveSchedule& schedule) {
  return in_pieces(collective, schedule, collective.hosts.size());
}

Workload hierarchical_all_reduce(const Collective& collective) {
  const std::uint32_t group = checked_group(collective);
  const auto n = static_cast<std::uint32_t>(collective.hosts.size());
  const std::uint32_t groups = n / group;
  ByChunks out(collective, 2ULL * (group - 1 + groups - 1) * n, n);
  return out.build([&](std::uint64_t bytes) {
    const std::vector<Ring> inside = rings_of(groups, group, 1, group, bytes);
    std::vector<Ring> across = rings_of(group, groups, group, 1, 0);
    const Pieces pieces{bytes, group};
    for (std::uint32_t r = 0; r < group; ++r) across[r].bytes = pieces.of((r + 1) % group);
    reduce_scatter(out, inside);
    reduce_scatter(out, across);
    all_gather(out, across);
    all_gather(out, inside);
  });
}

namespace {

/// One tree's flows, chunk by chunk: up from every rank but the root, then down to it.
class TreeFlows {
 public:
  TreeFlows(const Collective& c, std::vector<TreeRank> tree, Workload& out)
      : c_(c), tree_(std::move(tree)), up_(tree_.size()), down_(tree_.size()), out_(out) {}

  void add_chunk(std::uint64_t bytes, bool first) {
    first_ = first;
    root_ = 0;
    while (tree_[root_].parent != TreeRank::kNone) ++root_;
    send_up(root_, bytes);
    send_down(root_, bytes);
  }

 private:
  void send_up(std::uint32_t rank, std::uint64_t bytes) {
    for (const std::uint32_t child : tree_[rank].children) send_up(child, bytes);
    if (rank == root_) return;
    const std::uint32_t flow = add(rank, tree_[rank].parent, bytes, up_[rank]);
    for (const std::uint32_t child : tree_[rank].children)
      out_.dependencies.push_back({up_[child], flow, true});
    up_[rank] = flow;
  }

  void send_down(std::uint32_t rank, std::uint64_t bytes) {
    for (const std::uint32_t child : tree_[rank].children) {
      const std::uint32_t flow = add(rank, child, bytes, down_[child]);
      if (rank == root_) {
        for (const std::uint32_t other : tree_[rank].children)
          out_.dependencies.push_back({up_[other], flow, true});
      } else {
        out_.dependencies.push_back({down_[rank], flow, true});
      }
      down_[child] = flow;
      send_down(child, bytes);
    }
  }

  std::uint32_t add(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint32_t before) {
    const auto flow = static_cast<std::uint32_t>(out_.flows.size());
    Flow made;
    made.from = c_.hosts[from];
    made.to = c_.hosts[to];
    made.bytes = bytes;
    out_.flows.push_back(made);
    if (!first_) out_.dependencies.push_back({before, flow, false});
    return flow;
  }

  const Collective& c_;
  std::vector<TreeRank> tree_;
  std::vector<std::uint32_t> up_, down_;  // of each rank, the last flow to its parent and from it
  Workload& out_;
  std::uint32_t root_ = 0;
  bool first_ = true;
};

}  // namespace

Workload tree_all_reduce(const Collective& c) {
  constexpr std::uint64_t kTrees = 2;
  check_hosts(c);
  check_pieces(c, kTrees * c.chunks);
  const auto n = static_cast<std::uint32_t>(c.hosts.size());
  check_flow_count(4.0 * (n - 1) * static_cast<double>(c.chunks), "simulation.traffic");
  Workload out;
  TreeFlows first(c, first_tree(n), out);
  TreeFlows second(c, second_tree(n), out);
  const Pieces pieces{c.bytes, kTrees * c.chunks};
  for (std::uint64_t chunk = 0; chunk < c.chunks; ++chunk) {
    first.add_chunk(pieces.of(kTrees * chunk), chunk == 0);
    second.add_chunk(pieces.of(kTrees * chunk + 1), chunk == 0);
  }
  return out;
}

Workload in_network(const Collective& c, Reduction::Kind kind) {
  const std::uint32_t group = checked_group(c);
  if (group < 2)
    fail_input(whole("simulation.group"), "groups of one host have nothing to sum", "at least two hosts");
  const std::uint64_t pieces = kind == Reduction::Kind::all_reduce ? 1 : group;
  Workload out;
  for (std::size_t begin = 0; begin < c.hosts.size(); begin += group) {
    Collective part = c;
    const auto at = c.hosts.begin() + static_cast<std::ptrdiff_t>(begin);
    part.hosts.assign(at, at + group);
    const Workload made = in_pieces(part, trainyard::in_network(), pieces);
    const auto first = static_cast<std::uint32_t>(out.flows.size());
    check_flow_count(static_cast<double>(first) + static_cast<double>(made.flows.size()), "simulation.group");
    out.flows.insert(out.flows.end(), made.flows.begin(), made.flows.end());
    for (const Dependency& d : made.dependencies)
      out.dependencies.push_back({first + d.before, first + d.after, d.on_receipt});
    for (std::uint32_t flow = first; flow < out.flows.size(); flow += group)
      out.reductions.push_back({flow, group, kind});
  }
  return out;
}

Workload all_to_all_windowed(const Collective& c) {
  check_hosts(c);
  const auto n = static_cast<std::uint32_t>(c.hosts.size());
  check_pieces(c, n - 1);
  check_flow_count(static_cast<double>(n) * (n - 1), "simulation.traffic");
  const Pieces pieces{c.bytes, n - 1};
  Workload out;
  for (std::uint32_t from = 0; from < n; ++from) {
    for (std::uint32_t r = 1; r < n; ++r) {
      const auto flow = static_cast<std::uint32_t>(out.flows.size());
      Flow made;
      made.from = c.hosts[from];
      made.to = c.hosts[(from + r) % n];
      made.bytes = pieces.of(r - 1);
      out.flows.push_back(made);
      if (r > c.group) out.dependencies.push_back({flow - static_cast<std::uint32_t>(c.group), flow, false});
    }
  }
  return out;
}

Workload pipeline_transfers(const Collective& collective) {
  ByChunks out(collective, collective.hosts.size() - 1, 1);
  return out.build([&](std::uint64_t bytes) {
    for (std::uint32_t stage = 0; stage + 1 < out.hosts(); ++stage) {
      out.send(stage, stage + 1, bytes);
      out.end_step();
    }
  });
}

}  // namespace trainyard::workload
