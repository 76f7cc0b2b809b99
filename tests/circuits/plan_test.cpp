// A plan's step over circuits.
#include "trainyard/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "circuit_cases.h"
#include "circuits/rails.h"
#include "trainyard/catalog.h"
#include "trainyard/circuits.h"
#include "trainyard/errors.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

const CircuitChoice& choice_of(const std::vector<CircuitChoice>& rows, const std::string& name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const CircuitChoice& row) { return row.name == name; });
  if (found == rows.end()) throw std::runtime_error("no choice " + name);
  return *found;
}

/// One ring, the whole job long: what an electrical rail does, whatever a change takes.
TEST(CircuitStep, DataAloneIsTheElectricalStep) {
  const Plan plan = circuit_plan({"mapping.pipeline=1", "mapping.zero_stage=3", "mapping.recompute=full",
                                  "circuits.electrical_below=0 B"});
  const CircuitsAnswer answer = study_circuits(plan);
  EXPECT_EQ(answer.electrical, simulate_step(plan).timeline.step);
  for (const CircuitChoice& time : answer.times) {
    EXPECT_TRUE(time.step->changes > 0 || time.step->step == answer.electrical);
    EXPECT_EQ(time.step->at_once, answer.electrical);
  }
}

TEST(CircuitStep, LongerChangesNeverMakeItShorter) {
  for (const char* rule : {"phases", "transfers"}) {
    const Plan plan = circuit_plan({"circuits.reconfigure=" + std::string(rule)});
    const CircuitsAnswer answer = study_circuits(plan);
    Seconds before = answer.electrical;
    for (const CircuitChoice& time : answer.times) {
      EXPECT_GE(time.step->step, before) << rule << " " << time.name;
      before = time.step->step;
    }
    const CircuitChoice& ahead = choice_of(answer.rules, rule);
    const CircuitChoice& asked = choice_of(answer.rules, std::string(rule) + ", on demand");
    EXPECT_LE(ahead.step->step, asked.step->step) << rule;
    EXPECT_GT(ahead.step->changes, 0) << rule;
  }
}

TEST(CircuitStep, ExpertsMeetTheirPeersInTurnsOrAroundARing) {
  constexpr std::int64_t kPorts = 2;
  const Plan plan = circuit_plan({}, "deepseek-v3-h800");
  const StepModel model = build_step(plan);
  const auto use_of = [&](CircuitAllToAll way, StepTime change) {
    CircuitsInput settings;
    settings.all_to_all = way;
    const circuits::Demands demands(model, plan, settings, {kPorts, kPorts, 1}, change);
    const std::vector<CircuitUse> uses = uses_of(demands, model.graph);
    return *std::find_if(uses.begin(), uses.end(), [](const CircuitUse& u) { return u.kind == "expert"; });
  };
  const CircuitUse turning = use_of(CircuitAllToAll::rotate, 0);
  EXPECT_EQ(turning.members, 8);  // 64 experts' ranks in servers of eight
  EXPECT_EQ(turning.neighbours, 7);
  EXPECT_EQ(turning.turns, 4);
  EXPECT_DOUBLE_EQ(turning.detour, 4 * 2 / 7.0);
  const CircuitUse handed = use_of(CircuitAllToAll::forward, 0);
  EXPECT_EQ(handed.neighbours, 2);
  EXPECT_EQ(handed.turns, 1);
  EXPECT_DOUBLE_EQ(handed.detour, 64 / 28.0);
  EXPECT_EQ(use_of(CircuitAllToAll::best, 0).turns, 4);
  EXPECT_EQ(use_of(CircuitAllToAll::best, microseconds(25'000)).turns, 1);
}

TEST(CircuitRails, SwitchesArePortsOfEveryDevice) {
  const Plan plan = circuit_plan({});
  CircuitsInput settings = *plan.scenario.circuits;
  CircuitRails rails = circuit_rails(plan, settings);
  EXPECT_EQ(rails.rails, 8);
  EXPECT_EQ(rails.hosts, 256);
  EXPECT_EQ(rails.switches, 16);  // 320 ports hold one port of each of 256 devices
  EXPECT_EQ(rails.spare_servers, 0);
  settings.spare_ports = 64;
  EXPECT_EQ(circuit_rails(plan, settings).spare_servers, 64);
  settings.spare_ports = 65;
  try {
    circuit_rails(plan, settings);
    FAIL() << "256 devices on 255 ports";
  } catch (const Infeasible& answer) {
    EXPECT_EQ(answer.remedy, "it would hold with at most 64 circuits.spare_ports");
  }
  settings.spare_ports = 0;
  settings.circuit_switch = "palomar";
  EXPECT_THROW(circuit_rails(plan, settings), Infeasible);
}

TEST(CircuitRails, SmallRailsShareASwitch) {
  const Plan plan = circuit_plan({"facility.devices=256", "training.batch_tokens=524288"});
  const CircuitRails rails = circuit_rails(plan, *plan.scenario.circuits);
  EXPECT_EQ(rails.hosts, 32);
  EXPECT_EQ(rails.rails_on_switch, 5);  // of 64 ports each
  EXPECT_EQ(rails.switches, 2);
  EXPECT_EQ(rails.ports_on_switch, 2);
}

/// 256 HB domains over three datacenters: as networks have them, 85 in each, and one in none.
TEST(CircuitRails, DatacentersAreAlike) {
  Plan plan = circuit_plan({});
  plan.facility.datacenters = 3;
  EXPECT_EQ(circuit_rails(plan, *plan.scenario.circuits).hosts, 85);
  plan.facility.datacenters = 257;
  EXPECT_THROW(circuit_rails(plan, *plan.scenario.circuits), InputError);
}

TEST(CircuitRails, PriceAndPowerAreThoseOfTheirParts) {
  const Plan plan = circuit_plan({});
  const CircuitsAnswer answer = study_circuits(plan);
  const CircuitNetwork& own = answer.networks.front();
  EXPECT_EQ(own.switches, 16);
  EXPECT_EQ(own.transceivers, 4096);
  const Catalog& catalog = *plan.scenario.catalog;
  const CircuitSwitch& part = catalog.circuit_switches.at("calient-s320");
  EXPECT_DOUBLE_EQ((own.price - own.price_at_devices).si(), (*part.price * 16.0).si());
  EXPECT_DOUBLE_EQ((*own.power - own.power_at_devices).si(), (*part.power * 16.0).si());
  EXPECT_GE(answer.networks.size(), 4U);
}

/// Neighbours meet on one switch and then on the other: the last one of an odd ring meets the first on the
/// wrong one.
TEST(CircuitRails, OddRingsNeedTwoPortsOnASwitch) {
  CircuitRails rails;
  for (const std::int64_t members : {3, 4, 5, 6, 255, 256}) {
    rails.ports_on_switch = 1;
    if (members % 2 == 0)
      EXPECT_NO_THROW(circuits::check_ring(rails, members)) << members;
    else
      EXPECT_THROW(circuits::check_ring(rails, members), Infeasible) << members;
    rails.ports_on_switch = 2;
    EXPECT_NO_THROW(circuits::check_ring(rails, members)) << members;
  }
}

TEST(CircuitFailures, APortLessIsHalfTheRateOrTheEnd) {
  const auto first = [](const std::vector<std::string>& changes) {
    return study_circuits(circuit_plan(changes)).failures.front();
  };
  const CircuitFailure two = first({});  // no ring of single ports: the seven other rails
  EXPECT_DOUBLE_EQ(two.kept, 1 - 1.0 / 8);
  const CircuitFailure four = first({"circuits.ports=4"});
  EXPECT_DOUBLE_EQ(four.kept, 0.75);
  ASSERT_TRUE(four.step);
}

}  // namespace
}  // namespace trainyard
