// The front of the search for networks against every network that can be built.
#include "trainyard/network_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/divisors.h"
#include "scenario/choices/designs.h"
#include "search/network_mixes.h"
#include "small_clusters.h"
#include "topology/fabric.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/network_load.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

/// What a design carries, each kind of traffic put on it flow by flow.
bool carries_all(const Scenario& scenario, const NetworkAnswer& a, const Plan& plan) {
  constexpr double kRounding = 1e-9;
  const OptimizeInput& limits = scenario.optimize;
  const auto share = [&](const char* traffic) {
    return load_of(a.design, named_traffic(a.design, traffic, Bytes(1), 1)).share();
  };
  const double kept = a.counts.domain_kept;
  const auto step = [&](double left) {
    const TrafficShares& s = a.effect->shares;
    return with_shares(plan, {s.pipeline * left, s.gradient * left, s.expert * left, s.weights * left})
        .step.step;
  };
  const auto at_least = [](double required, const auto& carried) {
    return required == 0 || carried() >= required - kRounding;
  };
  return at_least(limits.require_failed, [&] { return kept > 0 ? step(1) / step(kept) : 0; }) &&
         at_least(limits.require_shifted,
                  [&] { return load_of(a.design, half_way_round(a.design)).share(); }) &&
         at_least(limits.require_all_to_all, [&] { return share("all_to_all"); }) &&
         at_least(limits.require_permutation, [&] { return share("permutation"); });
}

/// What each of `out` loses, by the fastest of all, whose own share is what it exposes.
void find_losses(std::vector<NetworkChoice>& out, const std::vector<NetworkChoice>& others) {
  NetworkChoice fastest;
  for (const std::vector<NetworkChoice>* choices :
       {static_cast<const std::vector<NetworkChoice>*>(&out), &others}) {
    for (const NetworkChoice& c : *choices) {
      if (c.tokens_per_second > fastest.tokens_per_second) fastest = c;
    }
  }
  const auto rounded = [](double share) { return std::round(share * 1e4) / 1e4; };
  for (NetworkChoice& c : out) {
    const double speed = c.tokens_per_second / fastest.tokens_per_second;
    c.score.lost_share = rounded(1 - (1 - rounded(fastest.exposed_share)) * speed);
  }
}

/// Every mix, with every count of rails on a switch, priced and loaded in full, that carries what is
/// required.
std::vector<NetworkChoice> all_of(const Scenario& scenario) {
  const Plan plan = make_plan(scenario);
  std::vector<NetworkChoice> out;
  std::vector<NetworkChoice> too_narrow;
  for (const DesignInput& mix : network_mixes(scenario.optimize, plan.facility.domain_devices)) {
    std::vector<std::optional<std::int64_t>> on_a_switch = {std::nullopt};
    if (mix.rails) {
      for (const std::int64_t n : divisors(*mix.rails)) on_a_switch.emplace_back(n);
    }
    for (const auto& n : on_a_switch) {
      NetworkChoice choice;
      choice.input = mix;
      choice.input.rails_per_switch = n;
      try {
        const NetworkAnswer a = answer_network(scenario, resolve_design(scenario, choice.input), &plan);
        choice.tiers = a.design.fabric->tiers();
        choice.chips = a.counts.chips;
        choice.score = {a.bill.price, *a.bill.power(), 0, a.counts.domain_kept};
        choice.exposed_share = a.effect->exposed_share;
        choice.tokens_per_second = a.effect->tokens_per_second;
        (carries_all(scenario, a, plan) ? out : too_narrow).push_back(std::move(choice));
      } catch (const InputError&) {
        continue;  // cannot be cabled
      }
    }
  }
  find_losses(out, too_narrow);
  return out;
}

bool alike(const NetworkScore& a, const NetworkScore& b) {
  return std::abs(a.price / b.price - 1) < 1e-6 && std::abs(a.power / b.power - 1) < 1e-6 &&
         std::abs(a.lost_share - b.lost_share) < 1e-9 && std::abs(a.kept - b.kept) < 1e-9;
}

/// Better by more than what sums in another order make.
bool clearly_dominates(const NetworkScore& a, const NetworkScore& b) {
  return a.dominates(b) && !alike(a, b);
}

/// Better in one thing at least and worse in none: of every pair of scores whose four numbers are one of two.
TEST(NetworkScore, DominatesWhatIsWorseSomewhereAndBetterNowhere) {
  const auto score = [](unsigned better) {
    const auto low = [&](unsigned bit) { return (better & bit) != 0 ? 1.0 : 2.0; };
    return NetworkScore{Usd(low(1)), Watts(low(2)), low(4), 3 - low(8)};
  };
  for (unsigned a = 0; a < 16; ++a)
    for (unsigned b = 0; b < 16; ++b)
      EXPECT_EQ(score(a).dominates(score(b)), a != b && (a & b) == b) << a << " " << b;
}

void expect_whole_front(const Scenario& scenario) {
  const NetworkSearch search = search_networks(scenario);
  const std::vector<NetworkChoice> all = all_of(scenario);
  for (const NetworkChoice& c : all) {
    const bool beaten = std::any_of(all.begin(), all.end(), [&](const NetworkChoice& other) {
      return clearly_dominates(other.score, c.score);
    });
    const bool found = std::any_of(search.front.begin(), search.front.end(),
                                   [&](const FrontMember& m) { return alike(m.choice.score, c.score); });
    EXPECT_TRUE(beaten || found) << scenario.facility.devices.value_or(0)
                                 << " devices: " << choice_name(c.input.topology) << ", " << c.input.planes
                                 << " planes, " << c.input.rails.value_or(0) << " rails, "
                                 << c.input.rails_per_switch.value_or(0) << " a switch, " << c.tiers
                                 << " tiers, over " << testing::PrintToString(c.input.oversubscription)
                                 << ": " << c.score.price.si() << " $, " << c.score.power.si() << " W, "
                                 << c.score.lost_share << ", " << c.score.kept;
  }
  for (const FrontMember& m : search.front) {
    for (const NetworkChoice& c : all)
      EXPECT_FALSE(clearly_dominates(c.score, m.choice.score)) << m.choice.input.name;
  }
}

constexpr const char* kNothingRequired =
    "require_all_to_all = 0\nrequire_permutation = 0\nrequire_shifted = 0\nrequire_failed = 0\n";

TEST(NetworkSearch, TheFrontIsThatOfEveryNetworkThatCanBeBuilt) {
  const std::string three =
      "switches = [\"tomahawk3\"]\nplanes = [1, 2, 4]\n"
      "oversubscription = [1, 2, 4]\nmost_tiers = 3\n";
  for (const char* devices : {"64", "200", "512"}) expect_whole_front(cluster(devices, three));
  const std::string four =
      "switches = [\"tomahawk3\", \"tomahawk4\"]\nplanes = [1, 2, 4]\n"
      "oversubscription = [1, 1.5, 3]\nmost_tiers = 4\n";
  for (const char* devices : {"24", "72", "136", "600"})
    expect_whole_front(cluster(devices, four + kNothingRequired));
}

TEST(NetworkSearch, TheFrontIsWholeForLargerClustersToo) {
  const std::string space = "switches = [\"tomahawk5\"]\nplanes = [1, 2]\noversubscription = [1, 2, 8]\n";
  expect_whole_front(cluster("4096", space + "most_tiers = 3\n" + kNothingRequired));
  expect_whole_front(cluster("4096", space + "most_tiers = 2\n"));
}

/// A cluster with requirements that bind.
const NetworkSearch& found() {
  static const NetworkSearch search = search_networks(cluster("4096", "switches = [\"tomahawk4\"]\n"));
  return search;
}

TEST(NetworkSearch, TheFrontCarriesWhatIsRequired) {
  const OptimizeInput usual;
  for (const FrontMember& m : found().front) {
    EXPECT_GE(m.choice.carries.all_to_all, usual.require_all_to_all - 1e-9) << m.choice.input.name;
    EXPECT_GE(m.choice.carries.shifted, usual.require_shifted - 1e-9) << m.choice.input.name;
    EXPECT_GE(m.choice.carries.failed, usual.require_failed - 1e-9) << m.choice.input.name;
    ASSERT_TRUE(m.choice.carries.permutation) << m.choice.input.name;
    EXPECT_GE(*m.choice.carries.permutation, usual.require_permutation - 1e-9) << m.choice.input.name;
  }
}

#if !defined(__SANITIZE_ADDRESS__)  // six whole searches: the other tests run their code under sanitizers
TEST(NetworkSearch, ARequirementThatBindsCostsWhatASearchWithoutItSaves) {
  const std::string part = "switches = [\"tomahawk4\"]\n";
  const Usd best = found().front[found().best].choice.score.price;
  for (const NetworkRequirement& r : found().requirements) {
    const NetworkSearch without = search_networks(cluster("4096", part + r.key + " = 0\n"));
    if (without.least_lost != found().least_lost) continue;  // the tolerance begins elsewhere
    const Usd price = without.front[without.best].choice.score.price;
    EXPECT_NEAR((r.without ? r.without->score.price : best).si(), price.si(), 1e-6 * best.si()) << r.key;
  }
  const NetworkSearch none = search_networks(cluster("4096", part + kNothingRequired));
  ASSERT_TRUE(found().without_any);
  EXPECT_LE(none.front[none.best].choice.score.price.si(), best.si());
  for (const NetworkRequirement& r : found().requirements) {
    if (r.without) {
      EXPECT_LE(found().without_any->score.price.si(), r.without->score.price.si()) << r.key;
    }
  }
}
#endif

/// "4 planes" of a neighbour that is priced at 12% more, while the front has one of 4 planes for less, would
/// be wrong.
TEST(NetworkSearch, NoNeighbourContradictsTheFront) {
  const double allowed = found().least_lost + found().tolerance + 1e-9;
  for (const FrontMember& from : found().front) {
    for (const NetworkNeighbour& n : from.neighbours) {
      if (n.choice.input.name.empty()) continue;  // cannot be built
      const bool planes = n.change.ends_with("planes");
      const bool rails = n.change.ends_with("rails");
      const bool order = n.change == "racks in order" || n.change == "leaves by rank";
      for (const FrontMember& m : found().front) {
        const DesignInput& input = m.choice.input;
        const DesignInput& other = n.choice.input;
        const bool same = (planes && input.planes == other.planes) || (rails && input.rails == other.rails) ||
                          (order && input.topology == other.topology);
        const double most = std::max(from.choice.score.lost_share + 1e-9, allowed);
        if (same && m.choice.score.lost_share <= most) {
          EXPECT_GE(m.choice.score.price.si(), n.choice.score.price.si() * (1 - 1e-9))
              << n.change << " of " << from.choice.input.name << ": " << input.name;
          EXPECT_LE(n.choice.score.lost_share, most) << n.change << " of " << from.choice.input.name;
        }
        if (n.on_front) {
          EXPECT_FALSE(m.choice.score.dominates(n.choice.score)) << n.choice.input.name;
        }
      }
      EXPECT_FALSE(n.verdict.starts_with("better")) << n.change << " of " << from.choice.input.name;
    }
  }
}

TEST(NetworkSearch, NoAnswerContradictsTheFront) {
  const NetworkSearch& search = found();
  const NetworkChoice& best = search.front[search.best].choice;
  ASSERT_TRUE(search.best_full);
  EXPECT_GE(search.best_full->score.price.si(), best.score.price.si());
  if (search.best_any) {
    EXPECT_GE(search.best_any->score.price.si(), search.best_full->score.price.si());
  }
  const auto full = [](const NetworkChoice& c) {
    return std::all_of(c.input.oversubscription.begin(), c.input.oversubscription.end(),
                       [](double o) { return o == 1; });
  };
  for (const FrontMember& m : search.front) {
    const NetworkChoice& c = m.choice;
    if (full(c) && c.score.lost_share <= search.least_lost + search.tolerance) {
      EXPECT_GE(c.score.price.si(), search.best_full->score.price.si()) << c.input.name;
    }
    if (search.fewer_rails && full(c) && c.input.planes == search.best_full->input.planes &&
        c.input.rails == search.fewer_rails->input.rails) {
      EXPECT_GE(c.score.price.si(), search.fewer_rails->score.price.si()) << c.input.name;
    }
  }
}

TEST(NetworkSearch, SaysWhichRequirementNothingMeets) {
  const std::string narrow =
      "switches = [\"tomahawk3\"]\nplanes = [1, 2]\nrails = [1]\noversubscription = [8]\n";
  try {
    search_networks(cluster("512", narrow + "require_all_to_all = 0.9\n"));
    FAIL() << "eight hosts share an uplink";
  } catch (const Infeasible& infeasible) {
    EXPECT_NE(infeasible.shortfall.find("all to all: at most 0.1"), std::string::npos)
        << infeasible.shortfall;
    EXPECT_NE(infeasible.remedy.find("optimize.require_all_to_all"), std::string::npos);
  }
}

}  // namespace
}  // namespace trainyard
