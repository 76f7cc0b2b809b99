#include "goodput/crew_queue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "trainyard/units.h"

namespace trainyard {
namespace {

constexpr double kSpreads = 8;  // standard deviations beyond which nothing counts

/// Repairs that are never passed within the period: neither by all that breaks, nor by drift and spread.
double bound_of(const CrewWork& work, double period_s) {
  constexpr double kTail = 40;  // exp(-40) of a geometric tail is nothing
  const double crews = real(work.crews);
  const double arrivals = work.rate_per_s * period_s;
  const double all = arrivals + kSpreads * std::sqrt(arrivals) + kTail;
  const double load = std::min(crews, work.rate_per_s * work.repair_s);
  const double busy = load + kSpreads * std::sqrt(load) + kTail;
  const double drift = std::max(0.0, arrivals - crews * period_s / work.repair_s);
  const double queue = drift + kSpreads * std::sqrt(2 * arrivals);
  const double used = work.utilisation();
  const double geometric = used < 1 ? kTail / -std::log(used) : queue;
  return std::min(all, busy + std::min(queue, geometric));
}

/// Repairs that a settled queue never passes.
double settled_bound(const CrewWork& work) {
  constexpr double kTail = 40;
  const double load = work.rate_per_s * work.repair_s;
  return load + kSpreads * std::sqrt(load) + kTail + kTail / -std::log(work.utilisation());
}

/// Rates of leaving a state, upwards and downwards.
struct Leaving {
  std::vector<double> up;
  std::vector<double> down;
};

/// By counts of repairs that grow from state to state by 1 or more: drift and spread are those of the queue.
Leaving leaving(const CrewWork& work, std::span<const double> count) {
  Leaving out;
  const std::size_t n = count.size();
  out.up.reserve(n);
  out.down.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double served = std::min(count[i], real(work.crews)) / work.repair_s;
    const double below = i > 0 ? count[i] - count[i - 1] : 1;
    const double above = i + 1 < n ? count[i + 1] - count[i] : below;
    const double drift = work.rate_per_s - served;
    const double spread = work.rate_per_s + served;
    double up = (spread + drift * below) / (above * (above + below));
    double down = (spread - drift * above) / (below * (above + below));
    // A grid too coarse for the drift: only that is kept.
    if (up < 0 || down < 0) {
      up = std::max(0.0, drift) / above;
      down = std::max(0.0, -drift) / below;
    }
    out.up.push_back(i + 1 < n ? up : 0);
    out.down.push_back(i > 0 ? down : 0);
  }
  return out;
}

/// Solves x = right + time * (change of x a second) by elimination, whose factors many right sides share.
class Elimination {
 public:
  Elimination(const Leaving& rates, double time) : rates_(rates), time_(time) {
    const std::size_t n = rates.up.size();
    factors_.reserve(n);
    double above = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double pivot = 1 + time * (rates.up[i] + rates.down[i]);
      if (i > 0) pivot -= time * rates.up[i - 1] * above;
      above = i + 1 < n ? time * rates.down[i + 1] / pivot : 0;
      factors_.push_back(
          {.below = i > 0 ? time * rates.up[i - 1] / pivot : 0, .above = above, .own = 1 / pivot});
    }
  }

  void solve(std::vector<double>& right) const {
    const std::size_t n = right.size();
    right[0] *= factors_[0].own;
    for (std::size_t i = 1; i < n; ++i)
      right[i] = right[i] * factors_[i].own + factors_[i].below * right[i - 1];
    for (std::size_t i = n - 1; i-- > 0;) right[i] += factors_[i].above * right[i + 1];
  }

  const Leaving& rates() const { return rates_; }
  double time() const { return time_; }

 private:
  struct Factors {
    double below = 0;
    double above = 0;
    double own = 1;
  };
  const Leaving& rates_;
  double time_;
  std::vector<Factors> factors_;
};

/// Adds time * (change of x a second).
void add_change(const Leaving& rates, double time, const std::vector<double>& x, std::vector<double>& out) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    double change = -(rates.up[i] + rates.down[i]) * x[i];
    if (i > 0) change += rates.up[i - 1] * x[i - 1];
    if (i + 1 < x.size()) change += rates.down[i + 1] * x[i + 1];
    out[i] += time * change;
  }
}

constexpr double kFirst = 2 - 1.4142135623730951;  // of a step of TR-BDF2, its first stage

/// Both stages of a step.
Elimination stages_of(const Leaving& rates, double step_s) { return {rates, kFirst / 2 * step_s}; }

/// A step of TR-BDF2, whose two stages have the same matrix where the first is 2 - sqrt(2) of the step. Of
/// chances of the states, and behind them of the first moments of what grows at the rate `grows` in each:
/// moment k grows by k times the one before.
void step_on(const Elimination& stages, std::span<std::vector<double>> moments,
             const std::vector<double>& grows = {}) {
  constexpr double kMiddle = 1 / (kFirst * (2 - kFirst));
  constexpr double kOld = (1 - kFirst) * (1 - kFirst) * kMiddle;
  const double stage = stages.time();
  std::vector<double> old_before;
  std::vector<double> middle_before;
  for (std::size_t k = 0; k < moments.size(); ++k) {
    std::vector<double> old(moments[k]);
    std::vector<double> middle(old);
    std::vector<double>& now = moments[k];
    const double of_before = stage * static_cast<double>(k);
    add_change(stages.rates(), stage, old, middle);
    for (std::size_t i = 0; k > 0 && i < now.size(); ++i)
      middle[i] += of_before * grows[i] * (old_before[i] + middle_before[i]);
    stages.solve(middle);
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = kMiddle * middle[i] - kOld * old[i];
    for (std::size_t i = 0; k > 0 && i < now.size(); ++i) now[i] += of_before * grows[i] * moments[k - 1][i];
    stages.solve(now);
    old_before = std::move(old);
    middle_before = std::move(middle);
  }
}

/// States from one on and before another.
struct Window {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Those whose chance is not next to nothing.
Window likely_states(const std::vector<double>& chance) {
  constexpr double kNegligible = 1e-18;
  const auto counts = [](double share) { return std::abs(share) > kNegligible; };
  const auto first = std::find_if(chance.begin(), chance.end(), counts);
  if (first == chance.end()) return {0, chance.size()};
  const auto last = std::find_if(chance.rbegin(), chance.rend(), counts).base();
  return {static_cast<std::size_t>(first - chance.begin()), static_cast<std::size_t>(last - chance.begin())};
}

/// States that it may be in after this time.
Window states_within(const CrewWork& work, const std::vector<double>& count, double time_s, double step_s,
                     const Window& now) {
  // An implicit step has a geometric tail as long as the arrivals within its stages.
  constexpr double kSmeared = 12;
  constexpr double kTail = 40;
  const auto reach = [&](double rate) {
    const double mean = rate * time_s;
    return mean + kSpreads * std::sqrt(mean) + kSmeared * rate * step_s + kTail;
  };
  const double lowest = count[now.first];
  const double highest = count[now.last - 1];
  const double busy = std::min(highest + work.rate_per_s * time_s, real(work.crews));
  const auto from = std::lower_bound(count.begin(), count.end(), lowest - reach(busy / work.repair_s));
  const auto to = std::upper_bound(count.begin(), count.end(), highest + reach(work.rate_per_s));
  return {static_cast<std::size_t>(from - count.begin()), static_cast<std::size_t>(to - count.begin())};
}

/// How the queue moves.
struct Motion {
  double spread = 1;  // standard deviation, at least 1
  double drift = 0;   // up or down, a second
};

Motion motion_of(const CrewWork& work, const std::vector<double>& count, const std::vector<double>& chance,
                 const Window& now) {
  double sum = 0;
  double mean = 0;
  double square = 0;
  double served = 0;
  for (std::size_t i = now.first; i < now.last; ++i) {
    sum += chance[i];
    mean += chance[i] * count[i];
    square += chance[i] * count[i] * count[i];
    served += chance[i] * std::min(count[i], real(work.crews));
  }
  if (sum <= 0) return {};
  mean /= sum;
  return {.spread = std::sqrt(std::max(1.0, square / sum - mean * mean)),
          .drift = std::abs(work.rate_per_s - served / sum / work.repair_s)};
}

double most_per_s(const Leaving& rates) {
  double out = 0;
  for (std::size_t i = 0; i < rates.up.size(); ++i) out = std::max(out, rates.up[i] + rates.down[i]);
  return out;
}

/// Follows the events one by one, as many as a Poisson process at the highest rate has in the time (Jensen
/// 1953): exact, at the cost of the events.
void follow_events(const Leaving& rates, double time_s, std::vector<double>& chance) {
  const std::size_t n = chance.size();
  const double most = most_per_s(rates);
  if (most * time_s <= 0) return;  // nothing happens
  std::vector<double> stay(n);
  std::vector<double> up(n);    // from the state below
  std::vector<double> down(n);  // from the state above
  for (std::size_t i = 0; i < n; ++i) {
    stay[i] = 1 - (rates.up[i] + rates.down[i]) / most;
    up[i] = i > 0 ? rates.up[i - 1] / most : 0;
    down[i] = i + 1 < n ? rates.down[i + 1] / most : 0;
  }
  const double mean = most * time_s;
  constexpr double kTail = 20;
  const double last = mean + kSpreads * std::sqrt(mean) + kTail;
  // With an empty state at either end.
  std::vector<double> now(n + 2, 0);
  std::copy(chance.begin(), chance.end(), now.begin() + 1);
  std::vector<double> next(n + 2, 0);
  std::fill(chance.begin(), chance.end(), 0);
  for (int events = 0; events <= last; ++events) {
    const double weight = std::exp(events * std::log(mean) - mean - std::lgamma(events + 1.0));
    constexpr double kNegligible = 1e-20;
    if (weight > kNegligible)
      for (std::size_t i = 0; i < n; ++i) chance[i] += weight * now[i + 1];
    for (std::size_t i = 0; i < n; ++i)
      next[i + 1] = stay[i] * now[i + 1] + up[i] * now[i] + down[i] * now[i + 2];
    now.swap(next);
  }
}

/// Adds so many that a Poisson process of this mean counts, or takes them away: `by` is 1 or -1.
void move_all(std::vector<double>& chance, const Window& now, double mean, std::ptrdiff_t by) {
  constexpr double kTail = 40;
  constexpr double kNegligible = 1e-20;
  const std::vector<double> old(chance.begin() + static_cast<std::ptrdiff_t>(now.first),
                                chance.begin() + static_cast<std::ptrdiff_t>(now.last));
  std::fill_n(chance.begin() + static_cast<std::ptrdiff_t>(now.first), old.size(), 0);
  const double far = kSpreads * std::sqrt(mean) + kTail;
  for (double n = std::max(0.0, std::floor(mean - far)); n <= mean + far; ++n) {
    const double weight = std::exp(n * std::log(mean) - mean - std::lgamma(n + 1));
    if (weight < kNegligible) continue;
    const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(now.first) + by * static_cast<std::ptrdiff_t>(n);
    const std::ptrdiff_t from = std::max<std::ptrdiff_t>(0, -to);
    const auto size = static_cast<std::ptrdiff_t>(chance.size());
    const auto until = std::min(static_cast<std::ptrdiff_t>(old.size()), size - to);
    for (std::ptrdiff_t i = from; i < until; ++i)
      chance[static_cast<std::size_t>(to + i)] += weight * old[static_cast<std::size_t>(i)];
  }
}

/// How to go on for a while.
struct Leg {
  enum class Way { events, implicit, all_busy } way = Way::events;
  double time_s = 0;
};

/// For so long all crews have work and the queue stays within the exact states: both what fails and what is
/// repaired is a Poisson count.
double all_busy_s(const CrewWork& work, std::int64_t most, double lowest, double highest) {
  const double ends_per_s = real(work.crews) / work.repair_s;
  const double waiting = lowest - real(work.crews);
  const double room = real(most) - highest;
  if (waiting <= 0 || room <= 0 || ends_per_s > work.rate_per_s) return 0;
  const double back = waiting / (2 * kSpreads);
  const double root = (std::sqrt(kSpreads * kSpreads + 4 * room) - kSpreads) / 2;
  return std::min(back * back / (work.rate_per_s + ends_per_s), root * root / work.rate_per_s);
}

/// By events while the queue is carried along, by implicit steps where it hardly moves and much happens. How
/// it moves beyond `most` is of no account.
Leg next_leg(const CrewWork& work, const std::vector<double>& count, std::int64_t most, double longest_s,
             const std::vector<double>& chance, const Window& now) {
  constexpr double kOfSpread = 0.1;      // a longer implicit step swings below zero
  constexpr double kEventsOfStep = 100;  // that take as long
  constexpr double kFewEvents = 32;      // at a time
  constexpr double kManySpreads = 4;
  const double lowest = count[now.first];
  const double highest = count[now.last - 1];
  if (lowest > real(most)) return {Leg::Way::implicit, longest_s};
  const Motion motion = motion_of(work, count, chance, now);
  const double step_s = std::min(longest_s, kOfSpread * motion.spread / motion.drift);
  const double events_per_s = work.rate_per_s + std::min(highest, real(work.crews)) / work.repair_s;
  if (events_per_s * step_s > kEventsOfStep) return {Leg::Way::implicit, step_s};
  const double events_s = std::max(kFewEvents, kManySpreads * motion.spread) / events_per_s;
  const double busy_s = all_busy_s(work, most, lowest, highest);
  if (busy_s > events_s) return {Leg::Way::all_busy, busy_s};
  return {Leg::Way::events, events_s};
}

double change_of(std::span<const double> now, std::span<const double> before) {
  double sum = 0;
  for (std::size_t i = 0; i < now.size(); ++i) sum += std::abs(now[i] - before[i]);
  return sum;
}

void go_on(const CrewWork& work, const std::vector<double>& count, std::int64_t most, double time_s,
           std::vector<double>& chance) {
  constexpr int kLeastSteps = 4;
  constexpr double kSettled = 1e-12;
  constexpr double kSettles =
      1e9;  // repairs, after which no queue moves; legs stay above the rounding of what is left
  double left_s = time_s = std::min(time_s, kSettles * work.repair_s);
  while (left_s > 0) {
    const Window now = likely_states(chance);
    if (work.rate_per_s <= 0 && count[now.last - 1] <= 0) return;  // nothing fails, and all is repaired
    Leg leg = next_leg(work, count, most, time_s / kLeastSteps, chance, now);
    leg.time_s = std::min(leg.time_s, left_s);
    left_s -= leg.time_s;
    if (leg.way == Leg::Way::all_busy) {
      move_all(chance, now, work.rate_per_s * leg.time_s, 1);
      move_all(chance, likely_states(chance), real(work.crews) / work.repair_s * leg.time_s, -1);
      continue;
    }
    const bool implicit = leg.way == Leg::Way::implicit;
    const Window window = states_within(work, count, leg.time_s, implicit ? leg.time_s : 0, now);
    const Leaving rates = leaving(work, std::span(count).subspan(window.first, window.last - window.first));
    const auto at = [&](std::size_t state) { return chance.begin() + static_cast<std::ptrdiff_t>(state); };
    std::vector<double> inside(at(window.first), at(window.last));
    if (implicit)
      step_on(stages_of(rates, leg.time_s), {&inside, 1});
    else
      follow_events(rates, leg.time_s, inside);
    // As many events as move a queue, or a step by what it moves, and nothing has moved: it is settled,
    // however much time is left.
    if (change_of(inside, std::span(chance).subspan(window.first)) < kSettled) return;
    std::fill(at(now.first), at(now.last), 0);
    std::copy(inside.begin(), inside.end(), at(window.first));
  }
}

/// Whether so many repairs all end within a time in which nothing fails.
bool all_end(const CrewWork& work, double repairs, double time_s) {
  constexpr double kTail = 40;  // exp(-40) is nothing
  const double crews = std::clamp(repairs, 1.0, real(work.crews));
  const double rounds = (repairs + kSpreads * std::sqrt(repairs)) / crews + std::log1p(crews) + kTail;
  return rounds * work.repair_s < time_s;
}

void be_quiet(CrewWork work, const std::vector<double>& count, std::int64_t most, double quiet_s,
              std::vector<double>& chance) {
  const Window now = likely_states(chance);
  if (now.last > 0 && all_end(work, count[now.last - 1], quiet_s)) {
    const double all = std::accumulate(chance.begin(), chance.end(), 0.0);
    std::fill(chance.begin(), chance.end(), 0);
    chance[0] = all;
    return;
  }
  work.rate_per_s = 0;
  go_on(work, count, most, quiet_s, chance);
}

/// Weights of an M/M/c queue over all of them, from that of the likeliest count; beyond `crews` they fall as
/// a geometric series.
std::vector<double> settled(const CrewWork& work, std::int64_t most) {
  std::vector<double> out(static_cast<std::size_t>(most) + 1, 0);
  const double load = work.rate_per_s * work.repair_s;
  const double used = work.utilisation();
  const auto peak = static_cast<std::int64_t>(load);
  const auto put = [&](std::int64_t n, double weight) {
    if (n <= most) out[static_cast<std::size_t>(n)] = weight;
    return weight;
  };
  double sum = put(peak, 1);
  double weight = 1;
  for (std::int64_t n = peak; n > 0 && weight > 0; --n) sum += put(n - 1, weight *= real(n) / load);
  weight = 1;
  for (std::int64_t n = peak + 1; n <= work.crews && weight > 0; ++n) sum += put(n, weight *= load / real(n));
  sum += weight * used / (1 - used);
  for (std::int64_t n = work.crews + 1; n <= most && weight > 0; ++n) put(n, weight *= used);
  for (double& chance : out) chance /= sum;
  return out;
}

}  // namespace

std::vector<double> settled_repairs(const CrewWork& work, std::int64_t most, double quiet_s) {
  std::vector<double> out(static_cast<std::size_t>(most) + 1, 0);
  if (work.utilisation() >= 1) return out;
  // Those that crews may end while it is quiet come from above.
  const double ended = real(work.crews) * quiet_s / work.repair_s;
  constexpr double kMost = 20000;
  const double above = std::max(0.0, std::ceil(settled_bound(work)) - real(most));
  const auto margin =
      static_cast<std::int64_t>(std::min({kMost, above, ended + kSpreads * std::sqrt(ended)}));
  std::vector<double> chance = settled(work, most + margin);
  std::vector<double> count(chance.size());
  std::iota(count.begin(), count.end(), 0.0);
  be_quiet(work, count, most + margin, quiet_s, chance);
  std::transform(chance.begin(), chance.begin() + most + 1, out.begin(),
                 [](double share) { return std::max(0.0, share); });
  return out;
}

CrewQueue::CrewQueue(const CrewWork& work, std::int64_t most, double period_s) : work_(work), most_(most) {
  constexpr double kCoarser = 0.02;  // growth of the grid's steps
  const double bound = std::ceil(bound_of(work, period_s));
  double step = 1;
  for (double n = 0; n <= bound; n += step) {
    count_.push_back(n);
    if (n > real(most)) step = std::floor(1 + (n - real(most)) * kCoarser);
  }
  chance_.assign(count_.size(), 0);
  chance_[0] = 1;
}

void CrewQueue::advance_to(double since_s, double rate_per_s) {
  work_.rate_per_s = rate_per_s;
  go_on(work_, count_, most_, since_s - now_s_, chance_);
  now_s_ = since_s;
}

void CrewQueue::carry_on(std::vector<std::vector<double>>& weights, double time_s) const {
  constexpr int kSteps = 4;  // shorter ones where it begins
  const Leaving rates = leaving(work_, count_);
  const auto at = [&](double place) { return time_s * (place / kSteps) * (place / kSteps); };
  for (int i = 0; i < kSteps; ++i) {
    const Elimination stages = stages_of(rates, at(i + 1) - at(i));
    for (std::vector<double>& one : weights) step_on(stages, {&one, 1});
  }
}

std::vector<double> CrewQueue::repairs_after_quiet(double quiet_s) const {
  std::vector<double> chance = chance_;
  be_quiet(work_, count_, most_, quiet_s, chance);
  return up_to_most(chance);
}

TimeOfWork CrewQueue::time_to(const std::vector<double>& served, double work_s) const {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  if (work_.utilisation() >= 1) return {kForever, kForever};
  constexpr double kNothing = 1e-7;  // what a state that serves nothing is taken to serve
  Leaving rates = leaving(work_, count_);
  std::vector<double> slower(count_.size(), 1 / kNothing);  // time over work
  for (std::size_t i = 0; i < count_.size() && count_[i] <= real(most_); ++i)
    slower[i] = 1 / std::max(kNothing, served[static_cast<std::size_t>(count_[i])]);
  for (std::size_t i = 0; i < count_.size(); ++i) {
    rates.up[i] *= slower[i];
    rates.down[i] *= slower[i];
  }
  constexpr int kSteps = 96;  // shorter ones where it begins
  const std::vector<double> none(count_.size(), 0);
  std::array<std::vector<double>, 3> moments = {chance_, none, none};
  const auto at = [&](double place) { return work_s * (place / kSteps) * (place / kSteps); };
  for (int i = 0; i < kSteps; ++i) step_on(stages_of(rates, at(i + 1) - at(i)), moments, slower);
  const auto sum = [](const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
  const double mean = sum(moments[1]);
  return {mean, std::sqrt(std::max(0.0, sum(moments[2]) - mean * mean))};
}

std::vector<double> CrewQueue::up_to_most(const std::vector<double>& chance) const {
  std::vector<double> out(static_cast<std::size_t>(most_) + 1, 0);
  for (std::size_t i = 0; i < chance.size() && count_[i] <= real(most_); ++i)
    out[static_cast<std::size_t>(count_[i])] = std::max(0.0, chance[i]);
  return out;
}

}  // namespace trainyard
