#include "workload/connections.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace trainyard::workload {
namespace {

constexpr const char* kSetting = "simulation.connections_per_flow";
constexpr double kMostWaits = 1e8;  // 1.2 GB

std::uint32_t parts_of(const Flow& flow, std::uint32_t count) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(flow.bytes, 1, count));
}

}  // namespace

Connections::Connections(Workload& workload, std::uint32_t count, std::uint32_t planes) {
  if (count == 1) return;
  if (!workload.lineups.empty())
    fail_input(whole(kSetting), "multishot triggers begin flows of one connection", "1");
  if (!workload.connections.empty())
    fail_input(whole(kSetting), "the file of flows says which connections there are", "1");
  double parts = 0;
  for (const Flow& flow : workload.flows) parts += parts_of(flow, count);
  check_flow_count(parts, kSetting);
  cut_flows(workload, count, planes);
  cut_dependencies(workload);
}

void Connections::cut_flows(Workload& workload, std::uint32_t count, std::uint32_t planes) {
  std::vector<Flow> parts;
  first_.reserve(workload.flows.size() + 1);
  for (const Flow& flow : workload.flows) {
    const auto number = static_cast<std::uint32_t>(first_.size());
    first_.push_back(static_cast<std::uint32_t>(parts.size()));
    const std::uint32_t pieces = parts_of(flow, count);
    for (std::uint32_t p = 0; p < pieces; ++p) {
      Flow& part = parts.emplace_back(flow);
      part.bytes = flow.bytes / pieces + (p < flow.bytes % pieces ? 1 : 0);
      part.plane = static_cast<std::uint16_t>((number + p) % planes);
    }
  }
  first_.push_back(static_cast<std::uint32_t>(parts.size()));
  workload.flows = std::move(parts);
  if (!workload.place) return;
  workload.place = [place = std::move(workload.place), first = first_](std::uint32_t part) {
    const auto next = std::upper_bound(first.begin(), first.end(), part);
    return place(static_cast<std::uint32_t>(next - first.begin() - 1));
  };
}

void Connections::cut_dependencies(Workload& workload) const {
  const auto parts = [&](std::uint32_t flow) { return first_[flow + 1] - first_[flow]; };
  double all = 0;
  for (const Dependency& d : workload.dependencies)
    all += static_cast<double>(parts(d.before)) * static_cast<double>(parts(d.after));
  if (all > kMostWaits)
    fail_input(whole(kSetting),
               fmt::format("{:.0f} parts that wait for others; a simulation takes {:.0f}", all, kMostWaits),
               "fewer connections");
  std::vector<Dependency> out;
  out.reserve(static_cast<std::size_t>(all));
  for (const Dependency& d : workload.dependencies) {
    for (std::uint32_t before = first_[d.before]; before < first_[d.before + 1]; ++before) {
      for (std::uint32_t after = first_[d.after]; after < first_[d.after + 1]; ++after)
        out.push_back({before, after, d.on_receipt});
    }
  }
  workload.dependencies = std::move(out);
}

std::vector<std::uint32_t> Connections::flow_of_parts() const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t flow = 0; flow + 1 < first_.size(); ++flow) out.resize(first_[flow + 1], flow);
  return out;
}

std::vector<std::uint64_t> Connections::summed(std::vector<std::uint64_t> parts) const {
  if (!cut() || parts.empty()) return parts;
  std::vector<std::uint64_t> out(first_.size() - 1, 0);
  for (std::uint32_t flow = 0; flow + 1 < first_.size(); ++flow) {
    for (std::uint32_t p = first_[flow]; p < first_[flow + 1]; ++p) out[flow] += parts[p];
  }
  return out;
}

std::vector<Flow> Connections::joined(std::vector<Flow> parts) const {
  if (!cut()) return parts;
  for (std::uint32_t flow = 0; flow + 1 < first_.size(); ++flow) {
    Flow whole = parts[first_[flow]];
    for (std::uint32_t p = first_[flow] + 1; p < first_[flow + 1]; ++p) {
      whole.bytes += parts[p].bytes;
      whole.began = std::min(whole.began, parts[p].began);
      whole.received = std::max(whole.received, parts[p].received);
      whole.finished = std::max(whole.finished, parts[p].finished);
    }
    whole.plane = Flow::kPlaneOfHash;
    parts[flow] = whole;  // no part before it is read again
  }
  parts.resize(first_.size() - 1);
  return parts;
}

}  // namespace trainyard::workload
