#include "search/space/losses.h"

#include <cmath>

namespace trainyard {
namespace {

void note_first(std::optional<std::uint64_t>& first, std::optional<std::uint64_t> index) {
  if (index && (!first || *index < *first)) first = index;
}

void keep_closest(std::optional<double>& closest, const std::optional<double>& value,
                  const SearchLimit& limit) {
  if (!value) return;
  if (!closest || (limit.at_most ? *value < *closest : *value > *closest)) closest = value;
}

}  // namespace

CountedLosses::CountedLosses(std::size_t limits) {
  counts.beyond.resize(limits);
  counts.closest.resize(limits);
}

void CountedLosses::add(const LostPoint& lost, std::span<const SearchLimit> limits) {
  switch (lost.why) {
    case LostPoint::Why::refused:
      ++counts.refused;
      note_first(first_refused, lost.index);
      return;
    case LostPoint::Why::infeasible:
      ++counts.infeasible;
      note_first(first_infeasible, lost.index);
      return;
    case LostPoint::Why::beyond_limits:
      break;
  }
  ++counts.beyond_limits;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const double value = lost.limited[i];
    const double bound = limits[i].bound;
    if (std::isnan(value) || !(limits[i].at_most ? value > bound : value < bound)) continue;
    ++counts.beyond[i];
    keep_closest(counts.closest[i], value, limits[i]);
  }
}

void CountedLosses::add(const CountedLosses& other, std::span<const SearchLimit> limits) {
  counts.refused += other.counts.refused;
  counts.infeasible += other.counts.infeasible;
  counts.beyond_limits += other.counts.beyond_limits;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    counts.beyond[i] += other.counts.beyond[i];
    keep_closest(counts.closest[i], other.counts.closest[i], limits[i]);
  }
  note_first(first_refused, other.first_refused);
  note_first(first_infeasible, other.first_infeasible);
}

}  // namespace trainyard
