#include "trainyard/network_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "search/network_mixes.h"
#include "search/network_neighbours.h"
#include "search/network_scores.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

constexpr double kSamePrice = 1e-9;

using NetworkChoices = std::vector<NetworkChoice>;

bool same(const NetworkScore& a, const NetworkScore& b) {
  return std::abs(a.price / b.price - 1) < kSamePrice && std::abs(a.power / b.power - 1) < kSamePrice &&
         a.exposed_share == b.exposed_share && a.kept == b.kept;
}

double least_exposed(const NetworkChoices& choices) {
  double least = 1;
  for (const NetworkChoice& c : choices) least = std::min(least, c.score.exposed_share);
  return least;
}

/// Of choices by price those that no other one is better than; one of those that are the same.
std::vector<FrontMember> front_of(const NetworkChoices& choices) {
  std::vector<FrontMember> front;
  for (const NetworkChoice& c : choices) {
    const bool needless = std::any_of(front.begin(), front.end(), [&](const FrontMember& m) {
      return m.choice.score.dominates(c.score) ||
             (!c.score.dominates(m.choice.score) && same(m.choice.score, c.score));
    });
    if (needless) continue;
    // Only one of the same price can be worse than a later one.
    std::erase_if(front, [&](const FrontMember& m) { return c.score.dominates(m.choice.score); });
    front.push_back({c, {}});
  }
  return front;
}

/// Whether a network exposes at most so much of a step beyond the least of all.
bool within(const NetworkChoice& c, const NetworkSearch& search, double beyond) {
  constexpr double kRounding = 1e-9;
  return c.score.exposed_share <= search.least_exposed + beyond + kRounding;
}

/// Of the front, by price.
std::size_t cheapest_within(const NetworkSearch& search, double beyond) {
  std::size_t i = 0;
  while (!within(search.front[i].choice, search, beyond)) ++i;
  return i;
}

/// What each tenth of a percent of a step saves.
std::vector<ToleratedNetwork> tolerated(const NetworkSearch& search) {
  constexpr double kTenth = 0.001;
  std::vector<ToleratedNetwork> out;
  std::size_t at = search.front.size();
  for (int tenths = 0; at > 0; ++tenths) {
    const std::size_t cheapest = cheapest_within(search, tenths * kTenth);
    if (cheapest < at) out.push_back({tenths * kTenth, search.front[cheapest].choice});
    at = cheapest;
  }
  return out;
}

/// Without oversubscription.
bool full(const NetworkChoice& c) {
  return std::all_of(c.input.oversubscription.begin(), c.input.oversubscription.end(),
                     [](double o) { return o == 1; });
}

/// The first that is wanted of choices by price.
const NetworkChoice* cheapest(const NetworkChoices& choices,
                              const std::function<bool(const NetworkChoice&)>& wanted) {
  for (const NetworkChoice& c : choices) {
    if (wanted(c)) return &c;
  }
  return nullptr;
}

/// Fewer rails at the same planes and switch as the best: which still need no more tiers, and which is the
/// next count of rails that needs one more?
void find_fewer_rails(const NetworkChoice& best, const NetworkChoices& choices, NetworkSearch& out) {
  std::map<std::int64_t, NetworkChoice> one_tier_more;  // by rails
  for (const NetworkChoice& c : choices) {
    const bool alike = full(c) && c.input.planes == best.input.planes &&
                       c.input.switch_name == best.input.switch_name && c.input.rails &&
                       !c.input.rails_per_switch;
    if (!alike) continue;
    if (c.tiers == best.tiers) {
      if (!out.fewest_rails || *c.input.rails < *out.fewest_rails->input.rails) out.fewest_rails = c;
    } else if (c.tiers == best.tiers + 1) {
      one_tier_more.emplace(*c.input.rails, c);
    }
  }
  if (!out.fewest_rails) return;
  const auto at = one_tier_more.lower_bound(*out.fewest_rails->input.rails);
  if (at != one_tier_more.begin()) out.fewer_rails = std::prev(at)->second;
}

void answer_questions(const NetworkChoices& choices, NetworkSearch& out) {
  const auto unslowed = [&](const NetworkChoice& c) { return full(c) && within(c, out, out.tolerance); };
  const NetworkChoice* best = cheapest(choices, unslowed);
  if (!best) return;
  out.best_full = *best;
  const NetworkChoice* any =
      cheapest(choices, [&](const NetworkChoice& c) { return unslowed(c) && !c.input.rails; });
  if (any) out.best_any = *any;
  find_fewer_rails(*best, choices, out);
}

}  // namespace

bool NetworkScore::dominates(const NetworkScore& other) const {
  const bool no_worse = price <= other.price && power <= other.power &&
                        exposed_share <= other.exposed_share && kept >= other.kept;
  const bool better =
      price < other.price || power < other.power || exposed_share < other.exposed_share || kept > other.kept;
  return no_worse && better;
}

NetworkSearch search_networks(const Scenario& scenario, const Progress& progress) {
  NetworkScores scores(scenario);
  const std::vector<DesignInput> mixes = network_mixes(scenario.optimize, scores.domain());
  NetworkChoices choices;
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    scores.add(mixes[i], choices);
    if (progress) progress(i + 1, mixes.size());
  }
  if (choices.empty()) {
    throw Infeasible("optimize", fmt::format("none of {} mixes can be built", mixes.size()),
                     "other switches, planes that divide the rate into their ports, or more tiers");
  }
  std::stable_sort(choices.begin(), choices.end(), [](const NetworkChoice& a, const NetworkChoice& b) {
    return a.score.price < b.score.price;
  });
  NetworkSearch out;
  out.tried = static_cast<std::int64_t>(mixes.size());
  out.possible = static_cast<std::int64_t>(choices.size());
  out.least_exposed = least_exposed(choices);
  out.front = front_of(choices);
  const NetworkNeighbours neighbours(scenario.optimize, scores.domain(), choices);
  for (FrontMember& member : out.front) member.neighbours = neighbours.of(member.choice);
  out.tolerance = scenario.optimize.tolerance;
  out.best = cheapest_within(out, out.tolerance);
  out.tolerated = tolerated(out);
  answer_questions(choices, out);
  return out;
}

}  // namespace trainyard
