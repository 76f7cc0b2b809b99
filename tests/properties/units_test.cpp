// Units do not matter: "400 Gbps" is "0.4 Tbps" is "50 GB/s".
//
// Sizes, money, powers and lengths are read as the decimals that they are. Rates, times and prices of energy
// are a number times the factor of its unit, each rounded: spellings are within two units in the last place
// of each other. Where numbers are the same, answers are the same bytes; else they agree to 1e-12, and whole
// bytes and picoseconds are the same.
#include <gtest/gtest.h>

#include <cmath>

#include "drawn_simulation.h"
#include "drawn_training.h"
#include "draws.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/quantities.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/plan.h"
#include "trainyard/simulation.h"
#include "trainyard/step.h"

namespace trainyard::properties {
namespace {

constexpr double kSame = 1e-12;

Amount draw_amount(Dice& dice) {
  const auto unit = dice.pick({Unit::bits_per_second, Unit::bytes_per_second, Unit::flop_per_second,
                               Unit::seconds, Unit::bytes, Unit::watts, Unit::usd, Unit::usd_per_joule});
  const bool small = unit == Unit::seconds || unit == Unit::usd_per_joule;
  const auto exponent = static_cast<int>(dice.between(0, 9));
  return {dice.between(1, 9999), small ? -exponent : exponent, unit};
}

bool is_counted(Unit unit) { return unit == Unit::bytes || unit == Unit::usd || unit == Unit::watts; }

TEST(Units, ReadTheSameAmountWithinTwoUnitsInTheLastPlace) {
  constexpr double kUnitInTheLastPlace = 2.3e-16;
  const int count = draws(2000);
  for (int n = 1; n <= count; ++n) {
    Dice dice(static_cast<std::uint64_t>(n));
    const Amount amount = draw_amount(dice);
    const std::vector<std::string> all = spellings(amount);
    const double first = parse_quantity(all.front(), amount.unit).si;
    for (const std::string& text : all) {
      const ParsedQuantity other = parse_quantity(text, amount.unit);
      EXPECT_TRUE(other.error.empty()) << text;
      const double near = is_counted(amount.unit) ? 0 : 2 * kUnitInTheLastPlace * first;
      EXPECT_NEAR(other.si, first, near) << all.front() << " as " << text;
    }
  }
}

bool same_numbers(const Scenario& a, const Scenario& b) { return scenario_hash(a) == scenario_hash(b); }

void expect_same(const Plan& a, const Plan& b) {
  const auto left = plan_quantities(a);
  const auto right = plan_quantities(b);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t q = 0; q < left.size(); ++q) {
    EXPECT_EQ(left[q].key, right[q].key);
    EXPECT_EQ(left[q].text, right[q].text);
    EXPECT_NEAR(left[q].value, right[q].value, kSame * std::abs(left[q].value)) << left[q].key;
  }
}

TEST(Units, OfAScenarioDoNotChangeItsPlanOrStep) {
  int equal = 0;
  for_all({60}, draw_training, make_plan, [&](const Draft& draft, const Plan& plan, Dice& dice) {
    const Plan other = make_plan(Draft::parsed(draft.respelled(dice)).resolve());
    if (same_numbers(other.scenario, plan.scenario)) {
      ++equal;
      EXPECT_TRUE(plan_json(other) == plan_json(plan));
    }
    expect_same(plan, other);
    EXPECT_NEAR(simulate_step(other).timeline.step / simulate_step(plan).timeline.step, 1, 1e-9);
  });
  RecordProperty("equal", equal);
}

TEST(Units, OfASimulationDoNotChangeAPicosecond) {
  for (const char* transport : {"ndp", "dctcp", "swift"}) {
    const auto draw = [&](Dice& dice) { return draw_packets(dice, transport); };
    const auto packets = [](const Scenario& s) { return simulate(s); };
    for_all({20}, draw, packets, [&](const Draft& draft, const SimulationResult& result, Dice& dice) {
      const std::string text = draft.respelled(dice);
      SCOPED_TRACE(text);
      const SimulationResult other = simulate(Draft::parsed(text).resolve());
      ASSERT_EQ(other.flows.size(), result.flows.size());
      for (std::size_t f = 0; f < result.flows.size(); ++f) {
        EXPECT_EQ(other.flows[f].bytes, result.flows[f].bytes);
        EXPECT_EQ(other.flows[f].finished, result.flows[f].finished);
      }
    });
  }
}

}  // namespace
}  // namespace trainyard::properties
