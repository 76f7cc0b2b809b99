#include "trainyard/rail.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "collective/counted_traffic.h"
#include "cost/cost_case.h"
#include "cost/exchange_times.h"
#include "parallel/stages.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

RailCase rail(const std::string& name) { return rail_case(ScenarioText::load(name).resolve()); }

TEST(Rail, BestDivisorBeatsEveryOther) {
  for (const char* name : {"railonly23-gpt3", "railonly23-opt", "railonly23-palm"}) {
    const RailCase r = rail(name);
    const RailIteration best = best_iteration(r);
    for (int group = 1; group <= 256; group *= 2)
      EXPECT_LE(best.total(), iteration_time(r, group).total()) << name << group;
  }
}

// errata.md, rail-only row 1: the derivative of equation 1 vanishes there, not at equation 2.
TEST(Rail, TheStationaryGroupIsTheMinimumOverRealNumbers) {
  const RailCase r = rail("railonly23-opt");
  const double at = stationary_model_group(r);
  EXPECT_LT(iteration_time(r, at).total(), iteration_time(r, at * 1.05).total());
  EXPECT_LT(iteration_time(r, at).total(), iteration_time(r, at / 1.05).total());
  EXPECT_NEAR(at / printed_model_group(r), 2 * std::sqrt(2.0), 1e-12);
  EXPECT_LT(iteration_time(r, at).total(), iteration_time(r, printed_model_group(r)).total());
}

// With K = N and one network, equation 1 becomes equation 3.
TEST(Rail, ADomainOfAllGpusIsTheIdealNetwork) {
  RailCase r = rail("railonly23-gpt3");
  r.domain = r.gpus;
  for (const double group : {1.0, 4.0, 64.0}) {
    EXPECT_NEAR(iteration_time(r, group).total() / ideal_iteration_time(r, group), 1, 1e-12);
  }
}

// What a GPU sends by the traffic matrix takes as long as the terms of equation 1 say.
TEST(RailTraffic, AgreesWithEquation1) {
  const RailCase r = rail("railonly23-gpt3");
  const RailIteration best = best_iteration(r);
  const TrafficSummary s = summarize(traffic_of(r, best.model_group));
  ASSERT_EQ(s.classes.size(), 3u);
  const auto per_gpu = [&](int i) { return s.classes[i].volume / r.gpus; };
  EXPECT_NEAR((per_gpu(0) / r.domain_rate) / best.model, 1, 1e-12);
  EXPECT_NEAR((per_gpu(1) / r.domain_rate) / best.inside, 1, 1e-12);
  EXPECT_NEAR((per_gpu(2) / r.network_rate) / best.across, 1, 1e-12);
}

// Fig. 3 and section 2.2, "consistent across all models": over 99% of the pairs silent, under 0.25% with
// traffic inside HB domains, over 90% of the bytes there.
TEST(RailTraffic, StaysInHbDomainsForEveryModelOfThePaper) {
  for (const char* name : {"railonly23-gpt3", "railonly23-opt", "railonly23-palm"}) {
    const RailCase r = rail(name);
    const TrafficSummary s = summarize(traffic_of(r, best_iteration(r).model_group));
    EXPECT_GE(s.silent_pair_share, 0.99) << name;
    EXPECT_LE(s.domain_pair_share, 0.0025) << name;
    EXPECT_GE(s.domain_volume_share, 0.90) << name;
  }
}

// The best divisor of K costs at most the next power of two over the real minimum; with d = N_M over the
// stationary group, the two terms that depend on N_M grow as (d + 1/d) / 2 (equation 1).
TEST(Rail, ADivisorNextToTheStationaryGroupIsNearlyAsGood) {
  for (const char* name : {"railonly23-gpt3", "railonly23-opt", "railonly23-palm"}) {
    const RailCase r = rail(name);
    const double at = stationary_model_group(r);
    EXPECT_GE(best_iteration(r).model_group, at / 2) << name;
    EXPECT_LE(best_iteration(r).model_group, at * 2) << name;
    EXPECT_LT(best_iteration(r).total() / iteration_time(r, at).total(), (std::sqrt(2) + std::sqrt(0.5)) / 2)
        << name;
  }
}

RC_GTEST_PROP(RailTraffic, SummaryIsTheSumOverAllPairs, ()) {
  RailCase r = rail("railonly23-opt");
  const int group = *rc::gen::inRange(1, 5);
  const int inside = *rc::gen::inRange(1, 5);
  const int domains = *rc::gen::inRange(1, 6);
  r.domain = group * inside;
  r.gpus = r.domain * domains;
  const TrafficMatrix m = traffic_of(r, group);
  const TrafficSummary s = summarize(m);
  const CountedTraffic counted = count_traffic(m);
  RC_ASSERT(std::abs(counted.bytes - s.volume.si()) <= 1e-9 * s.volume.si());
  RC_ASSERT(std::abs(counted.silent - s.silent_pair_share * s.pairs) < 0.5);
}

Plan small_plan(const std::vector<std::string>& changes) {
  ScenarioText text = ScenarioText::load("deepseek-v3");
  for (const char* change : {"facility.devices=144", "mapping.tensor=2", "mapping.pipeline=2",
                             "mapping.expert=4", "mapping.zero_stage=3", "mapping.recompute=full",
                             "assumptions.compute_model=roofline", "training.software=none"})
    text.set(change);
  for (const std::string& change : changes) text.set(change);
  return make_plan(text.resolve());
}

void expect_summary_is_count(const TrafficMatrix& m) {
  const TrafficSummary s = summarize(m);
  const CountedTraffic counted = count_traffic(m);
  RC_ASSERT(std::abs(counted.bytes - s.volume.si()) <= 1e-9 * s.volume.si());
  RC_ASSERT(std::abs(counted.bytes_inside - s.domain_volume_share * s.volume.si()) <= 1e-9 * s.volume.si());
  RC_ASSERT(std::abs(counted.silent - s.silent_pair_share * s.pairs) < 0.5);
  RC_ASSERT(std::abs(counted.pairs_inside - s.domain_pair_share * s.pairs) < 0.5);
}

// What the devices send by the communication plan (without ZeRO-3).
double planned_bytes(const Plan& p) {
  const CommunicationPlan& c = p.communication;
  const MappingPlan& m = p.mapping;
  const double stage_passes = static_cast<double>(m.layers_per_stage * m.microbatches);
  const double tensor = static_cast<double>(m.tensor);
  double device = stage_passes * 2 * (tensor - 1) / tensor *
                  (3 * c.tensor_volume.si() + c.router_gradient.si());  // full recomputation: three passes
  const auto layers = static_cast<double>(m.layers_per_stage);
  const auto with_experts = static_cast<double>(most_sparse_layers(p.model.shape, stage_cut(m)));
  device += stage_passes * (3 * c.context_volume.si() + 4 * c.expert_volume.si() * with_experts / layers);
  const double exchanged = exchanged_layers(CostCase(p.scenario, p.model), m);
  for (const GradientStage& s : c.gradient.stages) {
    const bool apart = s.sent_of_experts.si() > 0;
    device += (apart ? layers : exchanged) * (s.sent - s.sent_of_experts).si() +
              with_experts * s.sent_of_experts.si();
  }
  // Every microbatch passes the boundaries between virtual stages once forward and once backward.
  const double boundaries = static_cast<double>(m.pipeline * m.virtual_stages - 1);
  const double column = 2 * boundaries * static_cast<double>(m.microbatches) * c.pipeline_volume.si();
  return static_cast<double>(m.devices_used) * (device + column / static_cast<double>(m.pipeline));
}

std::string among(const char* key, const std::vector<std::string>& values) {
  return key + ("=" + *rc::gen::elementOf(values));
}

// A few layers of little width: every cut fits the memory.
TrafficMatrix random_plan_traffic(double* planned) {
  const std::vector<std::string> changes = {
      "model.layers=12",
      "model.hidden=512",
      "model.experts=144",
      "model.expert_ffn=64",
      "mapping.zero_stage=1",
      among("facility.devices", {"72", "144", "216", "288"}),
      among("facility.datacenters", {"1", "2", "3"}),
      among("mapping.tensor", {"1", "2", "4", "8"}),
      among("mapping.pipeline", {"1", "2", "3", "6"}),
      among("mapping.expert", {"1", "2", "4", "6", "9", "16"}),
      among("mapping.context", {"1", "2", "3"}),
      among("mapping.virtual_stages", {"1", "2"}),
      among("mapping.placement", {"same_layer", "consecutive_layers"}),
      among("assumptions.gradient_exchange",
            {"flat", "hierarchical_all_reduce", "hierarchical_reduce_scatter"})};
  try {
    const Plan p = small_plan(changes);
    TrafficMatrix m = traffic_of(p);
    *planned = planned_bytes(p);
    if (m.devices == p.mapping.devices_used) return m;  // else domains do not divide over datacenters
  } catch (const InputError&) {
  } catch (const Infeasible&) {
  }
  RC_DISCARD("no such mapping");
}

RC_GTEST_PROP(PlanTraffic, SummaryIsTheSumOverAllPairsAndThePlansBytes, ()) {
  double planned = 0;
  const TrafficMatrix m = random_plan_traffic(&planned);
  expect_summary_is_count(m);
  RC_ASSERT(std::abs(summarize(m).volume.si() - planned) <= 1e-9 * planned);
}

TEST(PlanTraffic, SummaryIsTheSumOverAllPairsWithZeroThree) {
  for (const std::vector<std::string>& changes : {std::vector<std::string>{},
                                                  {"mapping.placement=consecutive_layers"},
                                                  {"assumptions.gradient_exchange=flat"},
                                                  {"facility.datacenters=2", "mapping.pipeline=1"}}) {
    expect_summary_is_count(traffic_of(small_plan(changes)));
  }
}

// Experts spread over more replicas than an HB domain holds still exchange their tokens.
TEST(PlanTraffic, ExpertsBeyondADomainKeepTheirTraffic) {
  for (const char* expert : {"4", "16", "64"}) {
    const Plan p = small_plan({"facility.hb_domain=dgx-h200", "facility.devices=2048", "mapping.tensor=1",
                               "mapping.pipeline=16", "precision.compute=bf16",
                               std::string("mapping.expert=") + expert});
    double bytes = 0;
    for (const TrafficShare& c : summarize(traffic_of(p)).classes) {
      if (c.name == "expert all-to-all") bytes = c.volume.si();
    }
    const MappingPlan& m = p.mapping;
    const double passes = static_cast<double>(4 * m.layers_per_stage * m.microbatches * m.devices_used);
    EXPECT_NEAR(bytes / (passes * p.communication.expert_volume.si()), 1, 1e-9) << expert;
  }
}

// Whole experts on two tensor ranks of four replicas: each device sends to the seven others of its set.
TEST(PlanTraffic, WholeExpertsMeetOverTensorRanksToo) {
  const Plan p = small_plan({"facility.hb_domain=dgx-h200", "facility.devices=2048", "mapping.tensor=4",
                             "mapping.pipeline=16", "precision.compute=bf16", "mapping.expert=16",
                             "mapping.expert_tensor=2"});
  const TrafficMatrix traffic = traffic_of(p);
  double bytes = 0;
  for (const TrafficShare& c : summarize(traffic).classes) {
    if (c.name == "expert all-to-all") bytes = c.volume.si();
  }
  const MappingPlan& m = p.mapping;
  EXPECT_EQ(m.expert_replicas(), 8);
  const double passes = static_cast<double>(4 * m.layers_per_stage * m.microbatches * m.devices_used);
  EXPECT_NEAR(bytes / (passes * p.communication.expert_volume.si()), 1, 1e-9);
  expect_summary_is_count(traffic);
}

/// Mixtral on H100: eight tensor ranks, two of which share a set of experts, so that a replica has four.
Plan four_sets(const char* devices, const char* compute_model) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  for (const std::string& change :
       {std::string("model.name=mixtral-8x7b"), std::string("facility.devices=") + devices,
        std::string("facility.hb_domain=dgx-h100"), std::string("model.layers=8"),
        std::string("mapping.tensor=8"), std::string("mapping.pipeline=1"),
        std::string("mapping.virtual_stages=1"), std::string("mapping.context=1"),
        std::string("mapping.expert=2"), std::string("mapping.expert_tensor=1"),
        std::string("training.batch_tokens=1048576"), std::string("mapping.zero_stage=1"),
        std::string("assumptions.compute_model=") + compute_model})
    text.set(change);
  return make_plan(text.resolve());
}

// Sets of experts on the tensor ranks of one replica sum their gradients too.
TEST(PlanTraffic, ExpertsOfOneReplicaSumTheirGradients) {
  for (const char* devices : {"8", "64"}) {
    for (const char* compute_model : {"calibrated", "roofline"}) {
      const Plan p = four_sets(devices, compute_model);
      EXPECT_EQ(p.mapping.expert_sets(), 4);
      const TrafficSummary traffic = summarize(traffic_of(p));
      double planned = 0;
      double carried = 0;
      for (const GradientStage& stage : p.communication.gradient.stages) {
        planned += stage.sent.si() * static_cast<double>(p.mapping.layers_per_stage * p.mapping.devices_used);
        for (const TrafficShare& c : traffic.classes) {
          if (c.name == stage.name || c.name == stage.name + ", experts") carried += c.volume.si();
        }
      }
      EXPECT_GT(planned, 0);
      EXPECT_NEAR(carried / planned, 1, 1e-9) << devices << " " << compute_model;
    }
  }
}

// The shipped scenario spreads a set of experts over 8 of the 36 replicas of a domain, which 8 does not
// divide.
TEST(PlanTraffic, OfDeepSeekIsMostlyItsExperts) {
  const TrafficSummary s = summarize(traffic_of(make_plan(ScenarioText::load("deepseek-v3").resolve())));
  const auto share = [&](const std::string& name) {
    double sum = 0;
    for (const TrafficShare& c : s.classes) sum += c.name == name ? c.volume_share : 0;
    return sum;
  };
  EXPECT_GT(share("expert all-to-all"), 0.5);
}

TEST(PlanTraffic, OfMillionsOfDevicesNeedsNoMatrix) {
  const TrafficMatrix m = traffic_of(make_plan(ScenarioText::load("hotnets24-dense").resolve()));
  EXPECT_EQ(m.devices, 2 * 87 * 134 * 72);
  EXPECT_GT(summarize(m).silent_pair_share, 0.999);
}

// Section 4.1: in the second stage a device exchanges with the device of its rank in another rack.
TEST(PlanTraffic, RacksWithTheSameLayerTalkRankToRank) {
  const Plan p = make_plan(ScenarioText::load("hotnets24-dense").resolve());
  const TrafficMatrix m = traffic_of(p);
  const std::int64_t next_peer = 134 * 72;
  EXPECT_GT(m.between(0, next_peer).si(), 0);
  EXPECT_EQ(m.between(0, next_peer + 1).si(), 0);
  EXPECT_GT(m.between(0, 72).si(), 0);  // the next layer's rack, same rank
  EXPECT_EQ(m.between(0, 73).si(), 0);
}

TEST(TrafficBlock, IsTheMatrixAndRefusesNonsense) {
  const TrafficMatrix m = traffic_of(small_plan({}));
  const auto block = traffic_block(m, 3, 20);
  for (std::int64_t a = 0; a < 20; ++a) {
    for (std::int64_t b = 0; b < 20; ++b)
      EXPECT_EQ(block[static_cast<std::size_t>(a * 20 + b)], m.between(a + 3, b + 3).si());
  }
  EXPECT_THROW(traffic_block(m, -1, 5), InputError);
  EXPECT_THROW(traffic_block(m, m.devices, 5), InputError);
  EXPECT_THROW(traffic_block(m, 0, 0), InputError);
  EXPECT_THROW(traffic_block(m, 0, 5000), InputError);
}

}  // namespace
}  // namespace trainyard
