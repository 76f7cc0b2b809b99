#include "schedule/outages.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mixing.h"
#include "schedule/shared_parts.h"

namespace trainyard::schedule {
namespace {

constexpr double kNever_s = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kDrawsOfFailure = 3;  // when, of which kind, which part

}  // namespace

Outages::Outages(const SharedParts& parts, std::int64_t seed)
    : parts_(parts), seed_(mixed(static_cast<std::uint64_t>(seed), 0x7061727473ULL)) {
  for (std::size_t kind = 0; kind < parts.size(); ++kind) rate_per_s_ += parts.kind(kind).rate_per_s;
  draw_next();
}

void Outages::draw_next() {
  if (rate_per_s_ <= 0) {
    next_failure_s_ = kNever_s;
    return;
  }
  ++draws_;
  next_failure_s_ -= std::log(uniform_share(mixed(seed_, kDrawsOfFailure * draws_))) / rate_per_s_;
}

double Outages::next_repair_s() const { return repairs_.empty() ? kNever_s : repairs_.begin()->first; }

PartNumber Outages::failing() {
  double left = uniform_share(mixed(seed_, kDrawsOfFailure * draws_ + 1)) * rate_per_s_;
  std::size_t kind = 0;
  for (; kind + 1 < parts_.size() && left > parts_.kind(kind).rate_per_s; ++kind)
    left -= parts_.kind(kind).rate_per_s;
  const auto parts = static_cast<double>(parts_.kind(kind).parts);
  const double at = (1 - uniform_share(mixed(seed_, kDrawsOfFailure * draws_ + 2))) * parts;
  const auto part = std::min(parts_.kind(kind).parts - 1, static_cast<std::int64_t>(at));
  draw_next();
  return {kind, part};
}

bool Outages::begin(const PartNumber& part, double now_s) {
  if (!down_.insert(part).second) return false;
  repairs_.emplace(now_s + parts_.kind(part.first).repair_s, part);
  return true;
}

PartNumber Outages::end() {
  const PartNumber part = repairs_.begin()->second;
  repairs_.erase(repairs_.begin());
  down_.erase(part);
  return part;
}

}  // namespace trainyard::schedule
