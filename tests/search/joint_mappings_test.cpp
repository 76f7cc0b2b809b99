// The mapping that each network of a search is judged with against every mapping of the space.
#include "search/joint_mappings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "parallel/batch.h"
#include "parallel/memory.h"
#include "parallel/parallel.h"
#include "parallel/program_rules.h"
#include "search/mapping_space.h"
#include "small_clusters.h"
#include "trainyard/network_search.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/planning.h"

namespace trainyard {
namespace {

/// Every mapping of the usual space that fits and that programs run, whatever its speed.
class EveryMapping {
 public:
  explicit EveryMapping(const Scenario& scenario) : plan_(make_plan(scenario)), trial_(scenario) {
    const MappingSpace space(scenario, plan_.facility, plan_.model, SpaceWidth::usual);
    MappingInput& m = trial_.mapping;
    for (const std::int64_t tensor : space.tensors()) {
      for (const std::int64_t pipeline : space.pipelines()) {
        for (const std::int64_t context : space.contexts()) {
          for (const std::int64_t expert : space.experts()) {
            m.context = context;
            m.expert = expert;
            for (const auto cut_over : space.expert_tensors(tensor)) {
              m.expert_tensor = cut_over;
              add_cut(space, {tensor, pipeline});
            }
          }
        }
      }
    }
  }

  const std::vector<Plan>& plans() const { return plans_; }

 private:
  void add_cut(const MappingSpace& space, Cut cut) {
    MappingInput& m = trial_.mapping;
    for (const std::int64_t microbatch : space.microbatches()) {
      for (const std::int64_t chunks : space.virtual_stages(cut.pipeline)) {
        for (const std::int64_t zero : space.zero_stages(cut.pipeline)) {
          for (const Recompute recompute : space.recomputes()) {
            m.microbatch = microbatch;
            m.virtual_stages = chunks;
            m.zero_stage = zero;
            m.recompute = recompute;
            for (const Placement p : placements(trial_)) add(cut, p);
          }
        }
      }
    }
  }

  static std::vector<Placement> placements(const Scenario& scenario) {
    if (!scenario.mapping.placement_absent) return {scenario.mapping.placement};
    return {Placement::same_layer, Placement::consecutive_layers};
  }

  void add(Cut cut, Placement placement) {
    trial_.mapping.placement = placement;
    auto mapping = cut_model(trial_, plan_.facility, plan_.model, cut, placement);
    if (mapping && mapping->tensor * mapping->context > plan_.facility.domain_devices) return;
    if (!mapping || !fits(*mapping) || !in_whole_rounds(*mapping) || !in_whole_replicas(*mapping)) return;
    Plan plan = plan_;
    plan.scenario.mapping = trial_.mapping;
    Candidate candidate = evaluate(trial_, plan.model, std::move(*mapping));
    plan.mapping = std::move(candidate.mapping);
    plan.communication = std::move(candidate.communication);
    plan.step = candidate.step;
    plans_.push_back(std::move(plan));
  }

  Plan plan_;
  Scenario trial_;
  std::vector<Plan> plans_;
};

/// The speed of a plan's mapping on a design, its traffic put on it flow by flow.
double speed_on(const NetworkDesign& design, const Plan& plan, std::map<TrafficShape, TrafficShares>& known) {
  const TrafficMatrix matrix = traffic_of(plan);
  const TrafficShape shape = shape_of(matrix);
  auto at = known.find(shape);
  if (at == known.end()) at = known.emplace(shape, shares_on(design, matrix)).first;
  const auto batch = wanted_batch(plan.scenario.mapping, plan.scenario.training, plan.model.shape);
  const Merit merit = merit_of(plan.mapping, batch, with_shares(plan, at->second).step.tokens_per_second,
                               chance_of_room(plan.mapping, plan.step.memory_interval));
  return merit.keeps_batch ? merit.speed : 0;
}

/// A scenario with a choice's mapping stated.
Scenario stated(Scenario scenario, const MappingInput& mapping) {
  scenario.mapping = mapping;
  scenario.mapping.open = {};
  scenario.mapping.data.reset();
  return scenario;
}

constexpr const char* kSpace =
    "switches = [\"tomahawk3\"]\nplanes = [1, 2]\noversubscription = [1, 2, 4, 16]\nmost_tiers = 3\n"
    "require_all_to_all = 0\nrequire_permutation = 0\nrequire_shifted = 0\nrequire_failed = 0\n"
    "[training]\nbatch_tokens = 1048576\n";

void expect_fastest(const Scenario& scenario, const std::string& what) {
  const EveryMapping every(scenario);
  ASSERT_GT(every.plans().size(), 50U) << what;
  for (const FrontMember& m : search_networks(scenario).front) {
    const NetworkDesign design = resolve_design(scenario, m.choice.input);
    std::map<TrafficShape, TrafficShares> known;
    double best = 0;
    for (const Plan& plan : every.plans()) best = std::max(best, speed_on(design, plan, known));
    ASSERT_TRUE(m.choice.mapping) << m.choice.input.name;
    const double chosen = speed_on(design, make_plan(stated(scenario, *m.choice.mapping)), known);
    EXPECT_NEAR(chosen / best, 1, 2e-6) << what << ": " << m.choice.input.name;
  }
}

TEST(JointMappings, EveryNetworkOfTheFrontHasTheFastestMappingOfAll) {
  for (const char* rate : {"100 Gbps", "400 Gbps"}) {
    for (const char* devices : {"64", "256"})
      expect_fastest(cluster(devices, kSpace, "", rate), devices + std::string(" at ") + rate);
  }
}

/// Exposed is what the mapping waits there, as `network` says of it; lost orders as the speeds do.
TEST(JointMappings, SharesAreThoseOfTheMappingStated) {
  const Scenario scenario = cluster("256", kSpace, "", "100 Gbps");
  const NetworkSearch search = search_networks(scenario);
  double fastest = 0;
  for (const FrontMember& m : search.front) fastest = std::max(fastest, m.choice.tokens_per_second);
  for (const FrontMember& m : search.front) {
    const Scenario alone = stated(scenario, *m.choice.mapping);
    const Plan plan = make_plan(alone);
    const NetworkAnswer answer = answer_network(alone, resolve_design(alone, m.choice.input), &plan);
    EXPECT_NEAR(answer.effect->exposed_share, m.choice.exposed_share, 1e-4) << m.choice.input.name;
    const double slower = 1 - m.choice.tokens_per_second / fastest;
    EXPECT_NEAR(m.choice.score.lost_share, search.least_lost + (1 - search.least_lost) * slower, 2e-4)
        << m.choice.input.name;
  }
}

/// The scenario's own network is full; the less of it there is, the more another mapping gains, and it may
/// take the HB domain whole.
TEST(JointMappings, ThinNetworksAreFasterWithOtherMappingsThatFillTheDomain) {
  const Scenario scenario = cluster("64", "[training]\nbatch_tokens = 262144\n", "", "25 Gbps");
  const EveryMapping every(scenario);
  const auto network = [&](int radix, std::vector<double> oversubscription) {
    DesignInput input;
    input.name = "thin";
    input.radix = radix;
    input.tiers = static_cast<int>(oversubscription.size()) + 1;
    input.oversubscription = std::move(oversubscription);
    return resolve_design(scenario, input);
  };
  const NetworkDesign any = network(1 << 30, {});
  JointMappings mappings(scenario, any);
  EXPECT_EQ(mappings.fastest_on(any, 0).plan, &mappings.own());
  for (const double oversubscription : {4.0, 8.0, 16.0}) {
    const NetworkDesign thin = network(16, {oversubscription});
    const Plan& fastest = *mappings.fastest_on(thin, 0).plan;
    std::map<TrafficShape, TrafficShares> known;
    double best = 0;
    for (const Plan& plan : every.plans()) best = std::max(best, speed_on(thin, plan, known));
    EXPECT_NEAR(speed_on(thin, fastest, known) / best, 1, 2e-6) << oversubscription;
    EXPECT_LT(speed_on(thin, mappings.own(), known), 0.999 * best) << oversubscription;
    EXPECT_EQ(traffic_of(fastest).domain_devices, any.domain) << oversubscription;
  }
}

TEST(JointMappings, ExpertsAreDealtForTheNetworkToo) {
  expect_fastest(cluster("64", kSpace, "", "100 Gbps", "mixtral-8x7b"), "mixtral-8x7b");
}

TEST(JointMappings, AStatedPlacementStays) {
  const Scenario scenario = cluster("256", kSpace, "placement = \"consecutive_layers\"\n", "100 Gbps");
  expect_fastest(scenario, "stated placement");
  for (const FrontMember& m : search_networks(scenario).front)
    EXPECT_EQ(m.choice.mapping->placement, Placement::consecutive_layers) << m.choice.input.name;
}

TEST(JointMappings, AStatedMappingIsTheOnlyOne) {
  for (const FrontMember& m : search_networks(cluster("256", kSpace)).front)
    EXPECT_FALSE(m.choice.mapping) << m.choice.input.name;
}

/// What loads on a network are left depends on who sends to whom, not on how much all send.
TEST(JointMappings, MappingsOfOneShapeAreLeftTheSameShares) {
  const Scenario scenario = cluster("64", kSpace, "", "100 Gbps");
  const NetworkDesign design = resolve_design(scenario, search_networks(scenario).front.front().choice.input);
  std::map<TrafficShape, TrafficShares> known;
  const EveryMapping every(scenario);
  for (const Plan& plan : every.plans()) {
    const TrafficMatrix matrix = traffic_of(plan);
    const TrafficShares shares = shares_on(design, matrix);
    const TrafficShares& first = known.emplace(shape_of(matrix), shares).first->second;
    ASSERT_NEAR(first.pipeline, shares.pipeline, 1e-9);
    ASSERT_NEAR(first.gradient, shares.gradient, 1e-9);
  }
  EXPECT_GT(known.size(), 5U);
}

}  // namespace
}  // namespace trainyard
