#include "cost/host_link.h"

#include <algorithm>
#include <utility>

#include "base/whole_numbers.h"

namespace trainyard {
namespace {

// Where they are compared with places in lists.
constexpr auto kKept = static_cast<std::size_t>(offloading::kKept);
constexpr auto kAhead = static_cast<std::size_t>(offloading::kAhead);
constexpr auto kWorthIt = static_cast<std::size_t>(offloading::kWorthIt);

}  // namespace

HostLink::HostLink(const ScheduleOrder& order, std::vector<Seconds> to_host)
    : depths_(order.depths), to_host_(std::move(to_host)), lanes_(order.stages.size()) {
  const auto goes = [](Seconds chunk) { return chunk.si() > 0; };
  if (std::none_of(to_host_.begin(), to_host_.end(), goes)) return;
  for (const std::vector<ChunkPass>& stage : order.stages) note_away(stage);
}

void HostLink::note_away(const std::vector<ChunkPass>& passes) {
  std::map<std::int64_t, std::size_t> forward_at;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (passes[i].work == ChunkWork::forward) forward_at[key(passes[i])] = i;
    if (!is_backward(passes[i])) continue;
    const auto forward = forward_at.find(key(passes[i]));
    if (forward != forward_at.end() && i >= forward->second + kWorthIt) on_host_[key(passes[i])] = {};
  }
}

Seconds HostLink::ready(std::size_t stage, std::size_t position, const ChunkPass& pass) {
  Lane& lane = lanes_[stage];
  if (pass.work == ChunkWork::forward)
    return lane.left.size() < kKept ? Seconds(0) : lane.left[lane.left.size() - kKept];
  const auto away = is_backward(pass) ? on_host_.find(key(pass)) : on_host_.end();
  if (away == on_host_.end()) return Seconds(0);
  const Seconds room = position < kAhead ? Seconds(0) : lane.ends[position - kAhead];
  lane.back = std::max({lane.back, room, away->second}) + to_host_[index(pass.depth)];
  return lane.back;
}

void HostLink::note_end(std::size_t stage, const ChunkPass& pass, Seconds end) {
  Lane& lane = lanes_[stage];
  lane.ends.push_back(end);
  const auto away = pass.work == ChunkWork::forward ? on_host_.find(key(pass)) : on_host_.end();
  if (away == on_host_.end()) return;
  const Seconds begin = lane.left.empty() ? end : std::max(lane.left.back(), end);
  lane.left.push_back(begin + to_host_[index(pass.depth)]);
  away->second = lane.left.back();
}

}  // namespace trainyard
