#include "search/space/answers.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainyard {

Answers::Answers(const std::vector<FreeSetting>& space, const SearchQuestion& question)
    : question_(question), losses_(question.limits.size()) {
  for (const FreeSetting& setting : space) worth_.emplace_back(setting.values.size());
}

bool Answers::better(double a, double b) const { return question_.objectives[0].largest ? a > b : a < b; }

double Answers::cost(const SearchPoint& point, std::size_t objective) const {
  const double value = point.objectives[objective];
  return question_.objectives[objective].largest ? -value : value;
}

bool Answers::before(const SearchPoint& a, const SearchPoint& b) const {
  const double first = cost(a, 0);
  const double second = cost(b, 0);
  return first != second ? first < second : a.choice < b.choice;
}

bool Answers::dominates(const SearchPoint& a, const SearchPoint& b) const {
  bool better = false;
  for (std::size_t i = 0; i < question_.objectives.size(); ++i) {
    if (cost(a, i) > cost(b, i)) return false;
    better |= cost(a, i) < cost(b, i);
  }
  return better;
}

bool Answers::add(SearchPoint point) {
  bool changes = add_to_worth(point);
  if (question_.objectives.size() > 1) changes |= add_to_front(point);
  changes |= add_to_ranked(std::move(point));
  return changes;
}

bool Answers::add_to_worth(const SearchPoint& point) {
  bool changes = false;
  for (std::size_t s = 0; s < worth_.size(); ++s) {
    ValueWorth& best = worth_[s][point.choice[s]];
    if (best.objective && !better(point.objectives[0], *best.objective)) continue;
    best = {point.objectives[0], point.index};
    changes = true;
  }
  return changes;
}

bool Answers::add_to_ranked(SearchPoint point) {
  const auto at =
      std::lower_bound(ranked_.begin(), ranked_.end(), point,
                       [this](const SearchPoint& a, const SearchPoint& b) { return before(a, b); });
  if (at == ranked_.end() && ranked_.size() >= question_.ranked) return false;
  const bool listed = !learned_last_ || !better(*learned_last_, point.objectives[0]);
  ranked_.insert(at, std::move(point));
  if (ranked_.size() > question_.ranked) ranked_.pop_back();
  return listed;
}

bool Answers::add_to_front(const SearchPoint& point) {
  for (const SearchPoint& other : front_) {
    if (dominates(other, point)) return false;
  }
  std::erase_if(front_, [&](const SearchPoint& other) { return dominates(point, other); });
  front_.push_back(point);
  return true;
}

void Answers::add(const LostPoint& lost) { losses_.add(lost, question_.limits); }

void Answers::add(const CountedLosses& losses) { losses_.add(losses, question_.limits); }

bool KnownBests::settles(std::span<const std::size_t> choice, double first_objective, bool largest) const {
  const auto is_better = [&](const std::optional<double>& known) {
    return known && (largest ? *known > first_objective : *known < first_objective);
  };
  if (!is_better(last_ranked)) return false;
  for (std::size_t s = 0; s < worth.size(); ++s) {
    if (!is_better(worth[s][choice[s]].objective)) return false;
  }
  return true;
}

bool KnownBests::rules_out(std::span<const std::size_t> choice, std::span<const double> objectives,
                           const SearchQuestion& question) const {
  if (!settles(choice, objectives[0], question.objectives[0].largest)) return false;
  if (objectives.size() == 1) return true;
  const auto dominates = [&](const std::vector<double>& other) {
    bool better = false;
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      const bool largest = question.objectives[i].largest;
      if (largest ? other[i] < objectives[i] : other[i] > objectives[i]) return false;
      better |= other[i] != objectives[i];
    }
    return better;
  };
  return std::any_of(front.begin(), front.end(), dominates);
}

KnownBests Answers::bests() const {
  KnownBests out{learned_last_, worth_};
  for (const SearchPoint& point : front_) out.front.push_back(point.objectives);
  if (ranked_.size() < question_.ranked) return out;
  const double last = ranked_.back().objectives[0];
  if (!out.last_ranked || better(last, *out.last_ranked)) out.last_ranked = last;
  return out;
}

void Answers::learn(const KnownBests& bests) {
  learned_last_ = bests.last_ranked;
  for (std::size_t s = 0; s < worth_.size(); ++s) {
    for (std::size_t v = 0; v < worth_[s].size(); ++v) {
      std::optional<double>& best = worth_[s][v].objective;
      const std::optional<double>& other = bests.worth[s][v].objective;
      if (other && (!best || better(*other, *best))) best = other;
    }
  }
}

std::optional<double> Answers::best() const {
  if (ranked_.empty()) return std::nullopt;
  return ranked_.front().objectives[0];
}

std::optional<std::uint64_t> Answers::first_infeasible() const {
  return ranked_.empty() ? losses_.first_infeasible : std::nullopt;
}

void Answers::fill(SearchResult& result) && {
  std::sort(front_.begin(), front_.end(),
            [this](const SearchPoint& a, const SearchPoint& b) { return before(a, b); });
  result.ranked = std::move(ranked_);
  result.front = std::move(front_);
  result.worth = std::move(worth_);
  result.losses = std::move(losses_.counts);
}

}  // namespace trainyard
