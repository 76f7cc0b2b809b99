#include "search/space/answers.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainyard {

Answers::Answers(const std::vector<FreeSetting>& space, const SearchQuestion& question)
    : question_(question) {
  for (const FreeSetting& setting : space) worth_.emplace_back(setting.values.size());
  losses_.beyond.resize(question.limits.size());
  losses_.closest.resize(question.limits.size());
}

double Answers::cost(const SearchPoint& point, std::size_t objective) const {
  const double value = point.objectives[objective];
  return question_.objectives[objective].largest ? -value : value;
}

bool Answers::before(const SearchPoint& a, const SearchPoint& b) const {
  const double first = cost(a, 0);
  const double second = cost(b, 0);
  return first != second ? first < second : a.index < b.index;
}

bool Answers::dominates(const SearchPoint& a, const SearchPoint& b) const {
  bool better = false;
  for (std::size_t i = 0; i < question_.objectives.size(); ++i) {
    if (cost(a, i) > cost(b, i)) return false;
    better |= cost(a, i) < cost(b, i);
  }
  return better;
}

void Answers::add(SearchPoint point) {
  const bool largest = question_.objectives[0].largest;
  for (std::size_t s = 0; s < worth_.size(); ++s) {
    std::optional<double>& best = worth_[s][point.choice[s]].objective;
    const double value = point.objectives[0];
    if (!best || (largest ? value > *best : value < *best)) best = value;
  }
  if (question_.objectives.size() > 1) add_to_front(point);
  const auto at =
      std::lower_bound(ranked_.begin(), ranked_.end(), point,
                       [this](const SearchPoint& a, const SearchPoint& b) { return before(a, b); });
  if (at == ranked_.end() && ranked_.size() >= question_.ranked) return;
  ranked_.insert(at, std::move(point));
  if (ranked_.size() > question_.ranked) ranked_.pop_back();
}

void Answers::add_to_front(const SearchPoint& point) {
  for (const SearchPoint& other : front_) {
    if (dominates(other, point)) return;
  }
  std::erase_if(front_, [&](const SearchPoint& other) { return dominates(point, other); });
  front_.push_back(point);
}

void Answers::add(const LostPoint& lost) {
  const auto note_first = [&](std::optional<std::uint64_t>& at) {
    if (!at || lost.index < *at) at = lost.index;
  };
  switch (lost.why) {
    case LostPoint::Why::refused:
      ++losses_.refused;
      note_first(first_refused_);
      return;
    case LostPoint::Why::infeasible:
      ++losses_.infeasible;
      note_first(first_infeasible_);
      return;
    case LostPoint::Why::beyond_limits:
      break;
  }
  ++losses_.beyond_limits;
  for (std::size_t i = 0; i < question_.limits.size(); ++i) {
    const SearchLimit& limit = question_.limits[i];
    const double value = lost.limited[i];
    if (std::isnan(value) || !(limit.at_most ? value > limit.bound : value < limit.bound)) continue;
    ++losses_.beyond[i];
    std::optional<double>& closest = losses_.closest[i];
    if (!closest || (limit.at_most ? value < *closest : value > *closest)) closest = value;
  }
}

std::optional<double> Answers::best() const {
  if (ranked_.empty()) return std::nullopt;
  return ranked_.front().objectives[0];
}

bool Answers::settled(std::span<const std::size_t> choice, double bound) const {
  if (question_.objectives.size() > 1 || ranked_.size() < question_.ranked) return false;
  const bool largest = question_.objectives[0].largest;
  const auto worse = [&](double kept) { return largest ? bound < kept : bound > kept; };
  if (!worse(ranked_.back().objectives[0])) return false;
  for (std::size_t s = 0; s < worth_.size(); ++s) {
    const std::optional<double>& best = worth_[s][choice[s]].objective;
    if (!best || !worse(*best)) return false;
  }
  return true;
}

std::optional<std::uint64_t> Answers::first_infeasible() const {
  return ranked_.empty() ? first_infeasible_ : std::nullopt;
}

void Answers::fill(SearchResult& result) && {
  std::sort(front_.begin(), front_.end(),
            [this](const SearchPoint& a, const SearchPoint& b) { return before(a, b); });
  result.ranked = std::move(ranked_);
  result.front = std::move(front_);
  result.worth = std::move(worth_);
  result.losses = std::move(losses_);
}

}  // namespace trainyard
