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

Workload FlowCollector::finish() {
  if (out_.flows.empty()) fail_input(text_.whole_text(), "no flows", "a line for each flow");
  check_dependencies(out_, text_.whole_text());
  return std::move(out_);
}

}  // namespace trainyard::workload
