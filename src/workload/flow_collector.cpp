#include "workload/flow_collector.h"

#include <fmt/core.h>

#include <utility>

#include "base/foreign_text.h"
#include "trainyard/errors.h"

namespace trainyard::workload {
namespace {

/// 2^32 packets of the largest payload, 65,535 bytes: sequence numbers have 32 bits.
constexpr std::uint64_t kMostBytes = 280'000'000'000'000;
/// A barrier multiplies what it waits for by what waits: short files can ask for more than memory holds.
constexpr std::size_t kMostDependencies = 100'000'000;
/// Flows whose places are kept while they are simulated, with their file.
constexpr std::size_t kMostPlaces = 1'000'000;

}  // namespace

std::uint32_t FlowCollector::host(std::string_view piece) const {
  const auto last = static_cast<std::uint64_t>(hosts_ < 1 ? 0 : hosts_ - 1);
  return static_cast<std::uint32_t>(text_.whole(piece, "host of this network", 0, last));
}

std::uint64_t FlowCollector::bytes(std::string_view piece) const {
  return text_.whole(piece, "number of bytes", 1, kMostBytes);
}

std::uint32_t FlowCollector::add(const Flow& flow, std::string_view from) {
  if (flow.from == flow.to)
    text_.fail(from, fmt::format("a flow from host {} to itself", flow.from), "name two hosts");
  if (out_.flows.size() >= most_flows_)
    text_.fail(from, "too many flows", fmt::format("at most {} are simulated", most_flows_));
  out_.flows.push_back(flow);
  pieces_.push_back(from);
  return static_cast<std::uint32_t>(out_.flows.size() - 1);
}

void FlowCollector::depend(std::uint32_t before, std::uint32_t after, bool on_receipt,
                           std::string_view piece) {
  if (before == after) text_.fail(piece, "a flow that waits for itself", "it would never begin");
  if (out_.dependencies.size() >= kMostDependencies)
    text_.fail(piece, "too many flows wait for others",
               fmt::format("at most {} dependencies are simulated", kMostDependencies));
  out_.dependencies.push_back({before, after, on_receipt});
}

std::uint32_t FlowCollector::line_up(Lineup flows) {
  out_.lineups.push_back(std::move(flows));
  return static_cast<std::uint32_t>(out_.flows.size() + out_.lineups.size() - 1);
}

void FlowCollector::continue_connection(std::uint32_t first, std::uint32_t flow, std::string_view piece) {
  const Flow& begun = out_.flows[first];
  const Flow& next = out_.flows[flow];
  if (begun.from != next.from || begun.to != next.to)
    text_.fail(piece,
               fmt::format("a message from host {} to {} on a connection from host {} to {}", next.from,
                           next.to, begun.from, begun.to),
               "messages of a connection have the same ends");
  const auto [at, begins] = connection_of_.emplace(first, out_.connections.size());
  if (begins) out_.connections.push_back({first});
  out_.connections[at->second].push_back(flow);
}

void FlowCollector::check_connections() const {
  for (const Connection& messages : out_.connections) {
    std::uint64_t sum = 0;
    for (const std::uint32_t flow : messages) {
      sum += out_.flows[flow].bytes;
      if (sum > kMostBytes)
        fail_input(text_.whole_text(), fmt::format("the messages of flow {}'s connection are too long", flow),
                   fmt::format("a connection carries at most {} bytes", kMostBytes));
    }
  }
}

PlaceOfFlow FlowCollector::place() {
  if (pieces_.size() > kMostPlaces) {
    return [name = text_.whole_text().source->name](std::uint32_t) { return whole(name); };
  }
  return [text = text_, pieces = std::move(pieces_)](std::uint32_t flow) { return text.where(pieces[flow]); };
}

Workload FlowCollector::finish() {
  check_connections();
  if (out_.flows.empty()) fail_input(text_.whole_text(), "no flows", "a line for each flow");
  check_dependencies(out_, text_.whole_text(),
                     [this](std::uint32_t flow) { return text_.where(pieces_[flow]); });
  out_.place = place();
  return std::move(out_);
}

}  // namespace trainyard::workload
