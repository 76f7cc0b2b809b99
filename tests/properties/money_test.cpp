// Money and energy scale with what they are of.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "drawn_hardware.h"
#include "drawn_simulation.h"
#include "drawn_training.h"
#include "draws.h"
#include "trainyard/catalog.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/simulation.h"

namespace trainyard::properties {
namespace {

constexpr double kRounding = 1e-12;

Draft doubled(const Draft& draft, Unit unit) {
  return draft.with([&](std::string_view, std::string_view, const Amount& amount) {
    return amount.unit == unit ? amount.doubled() : amount;
  });
}

Plan plan_of(const Draft& draft) { return make_plan(draft.scenario()); }

TEST(Money, OfHardwareDoublesWithItsPricesAndElectricityDoesNot) {
  for_all({30}, draw_training, make_plan, [](const Draft& draft, const Plan& plan, Dice&) {
    const Plan dear = plan_of(doubled(draft, Unit::usd));
    EXPECT_EQ(dear.facility.compute_cost, 2 * plan.facility.compute_cost);
    EXPECT_EQ(dear.facility.network_budget, 2 * plan.facility.network_budget);
    EXPECT_EQ(dear.facility.other_budget, 2 * plan.facility.other_budget);
    EXPECT_EQ(dear.cost.capital_cost, 2 * plan.cost.capital_cost);
    EXPECT_EQ(dear.cost.energy_cost, plan.cost.energy_cost);
    EXPECT_EQ(dear.cost.energy, plan.cost.energy);
    EXPECT_EQ(dear.step.step, plan.step.step);
    EXPECT_EQ(dear.facility.power_high, plan.facility.power_high);
  });
}

TEST(Money, OfElectricityDoublesWithItsPriceAndNothingElse) {
  for_all({30}, draw_training, make_plan, [](const Draft& draft, const Plan& plan, Dice&) {
    const Plan dear = plan_of(doubled(draft, Unit::usd_per_joule));
    EXPECT_EQ(dear.cost.energy_cost, 2 * plan.cost.energy_cost);
    EXPECT_EQ(dear.cost.capital_cost, plan.cost.capital_cost);
    EXPECT_NEAR((dear.cost.run_cost - plan.cost.run_cost) / plan.cost.energy_cost, 1, 1e-9);
    const Plan all = plan_of(doubled(doubled(draft, Unit::usd_per_joule), Unit::usd));
    EXPECT_EQ(all.cost.run_cost, 2 * plan.cost.run_cost);
    EXPECT_EQ(all.cost.per_million_tokens, 2 * plan.cost.per_million_tokens);
  });
}

TEST(Energy, IsPowerTimesTime) {
  for_all({30}, draw_training, make_plan, [](const Draft& draft, const Plan& plan, Dice&) {
    const Plan hot = plan_of(doubled(draft, Unit::watts));
    EXPECT_EQ(hot.facility.power_low, 2 * plan.facility.power_low);
    EXPECT_EQ(hot.facility.power_high, 2 * plan.facility.power_high);
    EXPECT_EQ(hot.cost.energy, 2 * plan.cost.energy);
    EXPECT_EQ(hot.cost.energy_cost, 2 * plan.cost.energy_cost);
    EXPECT_EQ(hot.cost.capital_cost, plan.cost.capital_cost);
    EXPECT_NEAR(plan.cost.energy / (plan.cost.mean_power * plan.step.days_to_train), 1, kRounding);
    Draft longer = draft;
    longer.section("training").set("tokens", "4e12");
    const Plan twice = plan_of(longer);
    longer.section("training").set("tokens", "2e12");
    EXPECT_EQ(twice.cost.energy, 2 * plan_of(longer).cost.energy);
  });
}

TEST(Money, OfDevicesDoublesWithThem) {
  const auto draw = [](Dice& dice) {
    Draft draft;
    draw_hardware(dice, draft, 32 * dice.between(1, 16));
    draft.section("model").text("name", "llama3-8b");
    return draft;
  };
  const auto facility = [](const Scenario& s) { return make_plan(s).facility; };
  for_all({30}, draw, facility, [&](const Draft& draft, const FacilityPlan& one, Dice&) {
    Draft twice = draft;
    twice.section("facility").set("devices", 2 * one.devices);
    const FacilityPlan two = facility(twice.scenario());
    EXPECT_EQ(two.devices, 2 * one.devices);
    EXPECT_EQ(two.domains, 2 * one.domains);
    EXPECT_EQ(two.racks, 2 * one.racks);
    EXPECT_EQ(two.compute_cost, 2 * one.compute_cost);
    EXPECT_EQ(two.power_compute, 2 * one.power_compute);
    EXPECT_NEAR(two.power_high / one.power_high, 2, kRounding);
  });
}

void twice(std::optional<Usd>& price) {
  if (price) price = 2 * *price;
}

/// Every price of a network's parts.
Scenario with_dear_networks(Scenario scenario) {
  auto catalog = std::make_shared<Catalog>(*scenario.catalog);
  for (auto& [key, part] : catalog->switches) twice(part.price);
  for (auto& [key, link] : catalog->links) twice(link.price);
  for (auto& [key, nic] : catalog->nics) twice(nic.price);
  for (auto& [key, prices] : catalog->prices) {
    twice(prices.transceiver);
    twice(prices.switch_port);
  }
  scenario.catalog = std::move(catalog);
  scenario.floor.fibre_price = 2 * scenario.floor.fibre_price;
  scenario.floor.circuit_port_price = 2 * scenario.floor.circuit_port_price;
  return scenario;
}

Draft draw_priced(Dice& dice) {
  Draft draft;
  const std::int64_t hosts = 256 * dice.between(1, 8);
  draft.section("facility").set("devices", hosts).text("hb_domain", "dgx-h100");
  draft.section("model").text("name", "llama3-8b");
  if (dice.one_in(3)) {
    draw_design(dice, draft, hosts, 8);
    return draft;
  }
  draft.element("design")
      .text("name", "drawn")
      .text("topology", dice.pick<std::string>({"fat_tree", "rail_optimized", "rail_only", "dragonfly",
                                                "dragonfly_plus", "hyperx"}))
      .text("switch", dice.pick<std::string>({"quantum-2", "tomahawk4", "tomahawk5"}))
      .set("rate", gbps(400))
      .set("planes", dice.pick<std::int64_t>({1, 2}));
  return draft;
}

TEST(Money, OfANetworkDoublesWithThePricesOfItsParts) {
  const auto bill = [](const Scenario& s) { return price(simulated_design(s), s); };
  for_all({40}, draw_priced, bill, [&](const Draft& draft, const Bill& cheap, Dice&) {
    const Bill dear = bill(with_dear_networks(draft.scenario()));
    // Of two cables that reach, the cheaper one is taken, and it stays the cheaper one.
    EXPECT_NEAR(dear.price / cheap.price, 2, kRounding);
    EXPECT_NEAR(dear.price_switches.si(), 2 * cheap.price_switches.si(), kRounding * cheap.price.si());
    EXPECT_NEAR(dear.price_switch_cables.si(), 2 * cheap.price_switch_cables.si(), 1e-9 * cheap.price.si());
    EXPECT_EQ(dear.power_known, cheap.power_known);
    EXPECT_EQ(dear.transceivers, cheap.transceivers);
    EXPECT_GT(cheap.price.si(), 0);
    Usd sum{0};
    for (const BillLine& line : cheap.lines) sum += line.price;
    EXPECT_NEAR(sum / cheap.price, 1, kRounding);
  });
}

TEST(Money, BuysTwiceAsMuchWithTwiceTheBudget) {
  const auto draw = [](Dice& dice) {
    Draft draft;
    draw_hardware(dice, draft, 64);
    const bool money = dice.one_in(2);
    draft.section("facility").settings.front() =
        money ? Setting{"budget", usd(1'000'000 * dice.between(20, 900))}
              : Setting{"power_limit", watts(1000 * dice.between(500, 90000))};
    draft.section("model").text("name", "llama3-8b");
    return draft;
  };
  const auto facility = [](const Scenario& s) { return make_plan(s).facility; };
  for_all({30}, draw, facility, [&](const Draft& draft, const FacilityPlan& one, Dice&) {
    const Draft twice = draft.with([](std::string_view, std::string_view key, const Amount& amount) {
      return key == "budget" || key == "power_limit" ? amount.doubled() : amount;
    });
    const FacilityPlan two = facility(twice.scenario());
    EXPECT_GE(two.domains, 2 * one.domains);
    EXPECT_LE(two.domains, 2 * one.domains + 1);
  });
}

}  // namespace
}  // namespace trainyard::properties
