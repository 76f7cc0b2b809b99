// The front of the search for networks against every network that can be built.
#include "trainyard/network_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "scenario/choices/designs.h"
#include "search/divisors.h"
#include "search/network_mixes.h"
#include "topology/fabric.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Scenario cluster(const std::string& devices, const std::string& optimize) {
  const std::string text = "[facility]\ndevices = " + devices +
                           "\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"
                           "[network]\nscale_out_rate = \"400 Gbps\"\n[optimize]\n" +
                           optimize;
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", text})).resolve();
}

/// Every mix, with every count of rails on a switch, priced and loaded in full.
std::vector<NetworkChoice> all_of(const Scenario& scenario) {
  const Plan plan = make_plan(scenario);
  std::vector<NetworkChoice> out;
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
        choice.score = {a.bill.price, *a.bill.power(), std::round(a.effect->exposed_share * 1e4) / 1e4,
                        a.counts.domain_kept};
        out.push_back(std::move(choice));
      } catch (const InputError&) {
        continue;  // cannot be cabled
      }
    }
  }
  return out;
}

bool alike(const NetworkScore& a, const NetworkScore& b) {
  return std::abs(a.price / b.price - 1) < 1e-6 && std::abs(a.power / b.power - 1) < 1e-6 &&
         std::abs(a.exposed_share - b.exposed_share) < 1e-9 && std::abs(a.kept - b.kept) < 1e-9;
}

/// Better by more than what sums in another order make.
bool clearly_dominates(const NetworkScore& a, const NetworkScore& b) {
  return a.dominates(b) && !alike(a, b);
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
                                 << c.score.exposed_share << ", " << c.score.kept;
  }
  for (const FrontMember& m : search.front) {
    for (const NetworkChoice& c : all)
      EXPECT_FALSE(clearly_dominates(c.score, m.choice.score)) << m.choice.input.name;
  }
}

TEST(NetworkSearch, TheFrontIsThatOfEveryNetworkThatCanBeBuilt) {
  const std::string three =
      "switches = [\"tomahawk3\"]\nplanes = [1, 2, 4]\n"
      "oversubscription = [1, 2, 4]\nmost_tiers = 3\n";
  for (const char* devices : {"64", "200", "512", "1000"}) expect_whole_front(cluster(devices, three));
  const std::string four =
      "switches = [\"tomahawk3\", \"tomahawk4\"]\nplanes = [1, 2, 4]\n"
      "oversubscription = [1, 1.5, 3]\nmost_tiers = 4\n";
  for (const char* devices : {"24", "72", "136", "264", "600", "1200"})
    expect_whole_front(cluster(devices, four));
}

}  // namespace
}  // namespace trainyard
