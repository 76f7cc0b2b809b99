// What is named where no place takes the power: each remedy is asked for, and each change that would help is
// named.
#include <gtest/gtest.h>

#include <algorithm>

#include "grids.h"
#include "siting/siting.h"
#include "trainyard/facility.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using Changes = std::vector<std::string>;

const std::string kSpare = "more spare power of authorities: site.available, or site.spare = unlimited";

/// More coal than gas in the west; two places of gas, 40 km apart, in the east; and in the middle more coal
/// than gas or wind, but less than both.
Grid yard() {
  GridTexts texts;
  texts["plants.csv"] =
      grid_text("plants.csv",
                "plant_id,name,lat_deg,lon_deg,capacity_mw,primary_fuel,ba_code,county_fips\n"
                "a1,A1,40,-100,1000,gas,XX,a\na2,A2,40,-100,800,coal,XX,a\na3,A3,40,-100,800,coal,XX,a\n"
                "b1,B1,44,-90,500,gas,YY,b\nb2,B2,44,-90,500,gas,YY,b\n"
                "c1,C1,44,-89.5,400,gas,YY,c\nc2,C2,44,-89.5,400,gas,YY,c\n"
                "d1,D1,42,-95,250,coal,ZZ,d\nd2,D2,42,-95,250,coal,ZZ,d\nd3,D3,42,-95,300,gas,ZZ,d\n"
                "d4,D4,42,-95,300,wind,ZZ,d\n");
  texts["substations.csv"] = grid_text("substations.csv",
                                       "node_id,state,lat_deg,lon_deg,peak_load_est_mw,interconnection\n"
                                       "a,P,40,-100,0,E\nb,Q,44,-90,0,E\nc,Q,44,-89.5,0,E\nd,R,42,-95,0,E\n");
  texts["lines.csv"] =
      grid_text("lines.csv", "from_node,to_node,capacity_fwd_mw\na,d,2000\nd,b,2000\nb,c,2000\n");
  texts["balancing_authorities.csv"] =
      grid_text("balancing_authorities.csv", "code,paper_available_mw\nXX,1300\nYY,700\nZZ,500\n");
  texts["states.csv"] = grid_text(
      "states.csv", "state,industrial_price_usd_per_mwh,co2_kg_per_mwh\nP,80,100\nQ,40,300\nR,60,200\n");
  return parse_grid("yard", texts);
}

SitingPlan siting(const Changes& changes) {
  ScenarioText text = ScenarioText::load("hotnets24-dense");
  for (const std::string& change : changes) text.set(change);
  const Scenario scenario = text.resolve();
  return plan_siting(scenario, plan_facility(scenario), yard());
}

bool answered(const Changes& question, const std::string& change) {
  Changes changes = question;
  changes.push_back(change);
  return !siting(changes).unmet.has_value();
}

/// As --set takes it: "site.radius = 50 km".
std::string assignment(const std::string& remedy) {
  std::string out = remedy;
  const auto at = out.find(" = ");
  return out.replace(at, 3, "=");
}

bool named(const SitingPlan& plan, const std::string& remedy) {
  const std::vector<std::string>& remedies = plan.unmet->remedies;
  return std::find(remedies.begin(), remedies.end(), remedy) != remedies.end();
}

std::string beginning(const SitingPlan& plan, const std::string& with) {
  for (const std::string& remedy : plan.unmet->remedies)
    if (remedy.starts_with(with)) return remedy;
  return {};
}

/// Questions about the yard's power, from what it nearly gives to far more.
std::vector<Changes> questions() {
  std::vector<Changes> out;
  for (const char* rule : {"paper", "autonomous"})
    for (const char* coal : {"largest", "majority", "allowed"})
      for (const char* spare : {"published", "unlimited"})
        for (const char* sites : {"1", "2"})
          for (const int power_mw : {450, 800, 1100, 1600, 2600, 6000})
            out.push_back({std::string("site.rule=") + rule, std::string("site.coal=") + coal,
                           std::string("site.spare=") + spare, std::string("site.sites=") + sites,
                           "site.power=" + std::to_string(power_mw) + " MW"});
  return out;
}

TEST(Remedies, OfEveryQuestionAreAllThatHelpAndNothingElse) {
  std::size_t unmet = 0, coal = 0, spare = 0, radius = 0, sites = 0;
  for (const Changes& question : questions()) {
    const SitingPlan plan = siting(question);
    if (!plan.unmet) continue;
    ++unmet;
    const std::string asked = testing::PrintToString(question);
    const SiteInput& input = plan.input;
    EXPECT_EQ(named(plan, "site.coal = allowed"),
              input.coal != CoalRule::allowed && answered(question, "site.coal=allowed"))
        << asked;
    EXPECT_EQ(named(plan, kSpare),
              input.spare != SpareRule::unlimited && answered(question, "site.spare=unlimited"))
        << asked;
    std::string first;  // of the radii to compare
    for (const Metres r : input.radii) {
      const std::string remedy = "site.radius = " + std::to_string(static_cast<int>(r.si() / 1e3)) + " km";
      if (first.empty() && r > input.radius && answered(question, assignment(remedy))) first = remedy;
    }
    std::string more;
    for (std::int64_t k = input.sites + 1; k <= 4 && more.empty(); ++k) {
      const std::string remedy = "site.sites = " + std::to_string(k);
      if (answered(question, assignment(remedy))) more = remedy;
    }
    const bool two_settings = beginning(plan, "site.radius = ").find(" and ") != std::string::npos;
    EXPECT_EQ(two_settings ? "" : beginning(plan, "site.radius = "), first) << asked;
    if (!more.empty()) {
      EXPECT_EQ(beginning(plan, "site.sites = "), more) << asked;
    }
    const std::string power = beginning(plan, "site.power = ");
    EXPECT_TRUE(power.empty() || answered(question, assignment(power))) << asked << ": " << power;
    if (!power.empty()) {
      const double more_mw = std::stod(power.substr(power.find('=') + 1)) + plan.power.count() / 64 + 1;
      EXPECT_FALSE(answered(question, "site.power=" + std::to_string(more_mw) + " MW")) << asked;
    }
    EXPECT_FALSE(two_settings && plan.unmet->remedies.size() > 1) << asked;
    coal += named(plan, "site.coal = allowed");
    spare += named(plan, kSpare);
    radius += !first.empty();
    sites += !more.empty();
  }
  EXPECT_GT(unmet, 50U);
  for (const std::size_t of_kind : {coal, spare, radius, sites}) EXPECT_GT(of_kind, 3U);
  EXPECT_LT(coal + spare, unmet);
}

}  // namespace
}  // namespace trainyard
