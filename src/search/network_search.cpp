#include "trainyard/network_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "base/counted.h"
#include "search/network_mixes.h"
#include "search/network_neighbours.h"
#include "search/network_requirements.h"
#include "search/network_scores.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

constexpr double kSamePrice = 1e-9;

using NetworkChoices = std::vector<NetworkChoice>;

bool same(const NetworkScore& a, const NetworkScore& b) {
  return std::abs(a.price / b.price - 1) < kSamePrice && std::abs(a.power / b.power - 1) < kSamePrice &&
         a.lost_share == b.lost_share && a.kept == b.kept;
}

double least_lost(const std::vector<FrontMember>& front) {
  double least = 1;
  for (const FrontMember& m : front) least = std::min(least, m.choice.score.lost_share);
  return least;
}

/// Of choices by price that carry what is required those that no other one is better than; one of those that
/// are the same.
std::vector<FrontMember> front_of(NetworkChoices& choices, const NetworkRequirements& requirements) {
  std::vector<FrontMember> front;
  for (NetworkChoice& c : choices) {
    const bool needless = std::any_of(front.begin(), front.end(), [&](const FrontMember& m) {
      return m.choice.score.dominates(c.score) ||
             (!c.score.dominates(m.choice.score) && same(m.choice.score, c.score));
    });
    if (needless || !requirements.met(c)) continue;
    // Only one of the same price can be worse than a later one.
    std::erase_if(front, [&](const FrontMember& m) { return c.score.dominates(m.choice.score); });
    front.push_back({c, {}});
  }
  return front;
}

/// Whether a network loses at most so much of a step beyond the least of all.
bool within(const NetworkChoice& c, const NetworkSearch& search, double beyond) {
  constexpr double kRounding = 1e-9;
  return c.score.lost_share <= search.least_lost + beyond + kRounding;
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
NetworkChoice* cheapest(NetworkChoices& choices, const std::function<bool(NetworkChoice&)>& wanted) {
  for (NetworkChoice& c : choices) {
    if (wanted(c)) return &c;
  }
  return nullptr;
}

std::optional<NetworkChoice> copied(const NetworkChoice* choice) {
  return choice ? std::optional(*choice) : std::nullopt;
}

/// What each requirement is, what the best network makes of it and what it costs.
void weigh(NetworkChoices& choices, const NetworkRequirements& requirements, NetworkSearch& out) {
  NetworkChoice& best = out.front[out.best].choice;
  requirements.complete(best);
  const auto cheaper = [&](const std::function<bool(NetworkChoice&)>& wanted) {
    return copied(cheapest(choices, [&](NetworkChoice& c) {
      return c.score.price < best.score.price * (1 - kSamePrice) && within(c, out, out.tolerance) &&
             wanted(c);
    }));
  };
  const std::vector<RequirementKind>& kinds = NetworkRequirements::kinds();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    out.requirements.push_back({kinds[k].key, kinds[k].title, requirements.least(kinds[k]),
                                kinds[k].carried(best),
                                cheaper([&](NetworkChoice& c) { return requirements.met(c, k); })});
  }
  out.without_any = cheaper([](NetworkChoice&) { return true; });
}

/// Fewer rails at the same planes and switch as the best: which still need no more tiers, and which is the
/// next count of rails that needs one more? The cheapest of each count.
void find_fewer_rails(const NetworkChoice& best, NetworkChoices& choices,
                      const NetworkRequirements& requirements, NetworkSearch& out) {
  std::map<std::int64_t, NetworkChoice> one_tier_more;  // by rails
  for (NetworkChoice& c : choices) {
    const bool alike = full(c) && c.input.planes == best.input.planes &&
                       c.input.switch_name == best.input.switch_name && c.input.rails;
    if (!alike || !requirements.met(c)) continue;
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

void answer_questions(NetworkChoices& choices, const NetworkRequirements& requirements, NetworkSearch& out) {
  const auto unslowed = [&](NetworkChoice& c) {
    return full(c) && within(c, out, out.tolerance) && requirements.met(c);
  };
  out.best_full = copied(cheapest(choices, unslowed));
  if (!out.best_full) return;
  out.best_any = copied(cheapest(choices, [&](NetworkChoice& c) { return !c.input.rails && unslowed(c); }));
  find_fewer_rails(*out.best_full, choices, requirements, out);
}

/// What no network carries, and how far the best of each is from it.
[[noreturn]] void fail_requirements(const NetworkChoices& choices, const NetworkRequirements& requirements) {
  std::string shortfall;
  std::string keys;
  for (const RequirementKind& kind : NetworkRequirements::kinds()) {
    double most = 0;
    for (const NetworkChoice& c : choices) most = std::max(most, kind.carried(c));
    if (requirements.least(kind) == 0) continue;
    shortfall += fmt::format("{}{}: at most {:.3g} of {:.3g}", shortfall.empty() ? "" : ", ", kind.title,
                             most, requirements.least(kind));
    keys += fmt::format("{}optimize.{}", keys.empty() ? "" : ", ", kind.key);
  }
  throw Infeasible("optimize",
                   fmt::format("none of {} carries all that is required ({})",
                               counted(choices.size(), "network"), shortfall),
                   "more planes or rails to try, or a smaller " + keys);
}

}  // namespace

bool NetworkScore::dominates(const NetworkScore& other) const {
  const bool no_worse =
      price <= other.price && power <= other.power && lost_share <= other.lost_share && kept >= other.kept;
  const bool better =
      price < other.price || power < other.power || lost_share < other.lost_share || kept > other.kept;
  return no_worse && better;
}

NetworkSearch search_networks(const Scenario& scenario, const Progress& progress) {
  NetworkScores scores(scenario);
  const std::vector<DesignInput> mixes = network_mixes(scenario.optimize, scores.domain());
  NetworkChoices choices;
  std::int64_t possible = 0;
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    const std::size_t before = choices.size();
    scores.add(mixes[i], choices);  // a choice for each mapping that is tried on it
    possible += choices.size() > before ? 1 : 0;
    if (progress) progress(i + 1, mixes.size());
  }
  if (choices.empty()) {
    throw Infeasible("optimize", fmt::format("none of {} mixes can be built", mixes.size()),
                     "other switches, planes that divide the rate into their ports, or more tiers");
  }
  scores.find_losses(choices);
  std::stable_sort(choices.begin(), choices.end(), [](const NetworkChoice& a, const NetworkChoice& b) {
    return a.score.price < b.score.price;
  });
  const NetworkRequirements requirements(scenario.optimize, scores);
  NetworkSearch out;
  out.tried = static_cast<std::int64_t>(mixes.size());
  out.possible = possible;
  out.front = front_of(choices, requirements);
  if (out.front.empty()) fail_requirements(choices, requirements);
  out.least_lost = least_lost(out.front);
  out.tolerance = scenario.optimize.tolerance;
  out.best = cheapest_within(out, out.tolerance);
  const NetworkNeighbours neighbours(scenario.optimize, scores.domain(), out.least_lost + out.tolerance,
                                     requirements, choices, out.front);
  for (FrontMember& member : out.front) member.neighbours = neighbours.of(member.choice);
  out.tolerated = tolerated(out);
  weigh(choices, requirements, out);
  answer_questions(choices, requirements, out);
  return out;
}

}  // namespace trainyard
