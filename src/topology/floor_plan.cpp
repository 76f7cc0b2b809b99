#include "topology/floor_plan.h"

#include <algorithm>
#include <cmath>

#include "topology/dealing.h"
#include "topology/fabric.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {
namespace {

/// A group's centre is the mean of so many of its endpoints at most.
constexpr std::int64_t kSamples = 8;

}  // namespace

FloorPlan::FloorPlan(const NetworkDesign& design, const FloorInput& floor) : design_(design), floor_(floor) {
  const double racks = std::ceil(static_cast<double>(design.domains) * design.racks_per_domain);
  const double square = std::ceil(std::sqrt(racks * (floor.row_pitch / floor.rack_pitch)));
  racks_per_row_ = floor.racks_per_row.value_or(std::max<std::int64_t>(1, static_cast<std::int64_t>(square)));
  const std::int64_t together = design.dealing().together(design);
  per_rack_ = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(static_cast<double>(together) / design.racks_per_domain + 1e-9));
}

std::int64_t FloorPlan::rack_of(std::int64_t endpoint) const {
  const auto domain = static_cast<double>(design_.domain_of(endpoint));
  if (design_.racks_per_domain <= 1)
    return static_cast<std::int64_t>(domain * design_.racks_per_domain + 1e-9);
  // A domain of several racks: its devices fill them in order of rank.
  const double within = static_cast<double>(design_.rank_of(endpoint)) / static_cast<double>(design_.domain);
  return static_cast<std::int64_t>((domain + within) * design_.racks_per_domain + 1e-9);
}

FloorPlan::Place FloorPlan::place(const EndpointRange& range) const {
  const std::int64_t count = range.end - range.begin;
  const std::int64_t samples = std::clamp<std::int64_t>(count, 1, kSamples);
  Place out;
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t at = samples > 1 ? range.begin + (count - 1) * i / (samples - 1) : range.begin;
    const std::int64_t rack = rack_of(at);
    const std::int64_t row = rack / racks_per_row_;
    out.x += static_cast<double>(rack % racks_per_row_) * floor_.rack_pitch.si();
    out.y += static_cast<double>(row) * floor_.row_pitch.si();
    lowest = i == 0 ? rack : std::min(lowest, rack);
    highest = i == 0 ? rack : std::max(highest, rack);
  }
  out.x /= static_cast<double>(samples);
  out.y /= static_cast<double>(samples);
  out.racks = highest - lowest + 1;
  return out;
}

Metres FloorPlan::length(const EndpointRange& a, const EndpointRange& b) {
  if (b.begin != last_b_.begin || b.end != last_b_.end) {
    last_b_ = b;
    last_place_ = place(b);
  }
  const Place from = place(a);
  const Place& to = last_place_;
  const double way = std::abs(from.x - to.x) + std::abs(from.y - to.y);
  if (from.racks == 1 && to.racks == 1 && way < floor_.rack_pitch.si() / 2) return floor_.in_rack;
  return Metres(way) + floor_.slack;
}

}  // namespace trainyard
