// What training programs ask of a mapping.
#include "parallel/program_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainyard/plan/mapping.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

MappingPlan interleaved(std::int64_t pipeline, std::int64_t chunks, std::int64_t microbatches) {
  MappingPlan m;
  m.pipeline = pipeline;
  m.virtual_stages = chunks;
  m.microbatches = microbatches;
  return m;
}

MappingPlan experts(std::int64_t expert, std::int64_t local_replicas, std::int64_t data) {
  MappingPlan m;
  m.expert = expert;
  m.local_replicas = local_replicas;
  m.data = data;
  return m;
}

TEST(ProgramRules, InterleavingNeedsWholeRounds) {
  EXPECT_TRUE(in_whole_rounds(interleaved(4, 1, 3)));
  EXPECT_TRUE(in_whole_rounds(interleaved(4, 2, 8)));
  EXPECT_FALSE(in_whole_rounds(interleaved(4, 2, 6)));
  EXPECT_FALSE(in_whole_rounds(interleaved(4, 2, 1)));
}

TEST(ProgramRules, ExpertsAreSpreadOverWholeReplicas) {
  EXPECT_TRUE(in_whole_replicas(experts(1, 3, 5)));
  EXPECT_TRUE(in_whole_replicas(experts(8, 2, 64)));
  EXPECT_TRUE(in_whole_replicas(experts(2, 8, 64)));
  EXPECT_FALSE(in_whole_replicas(experts(6, 4, 24)));
  EXPECT_FALSE(in_whole_replicas(experts(8, 8, 12)));
  MappingPlan folded = experts(8, 2, 4);  // over two tensor ranks of each replica
  EXPECT_FALSE(in_whole_replicas(folded));
  folded.tensor = 2;
  EXPECT_TRUE(in_whole_replicas(folded));
}

// Programs put the experts of a set on the context ranks of a replica before they go on to the next.
TEST(ProgramRules, ContextRanksHoldExpertsBeforeOtherReplicas) {
  MappingPlan m = experts(8, 1, 4);
  m.tensor = 2;
  m.expert_tensor = 2;
  m.context = 4;
  EXPECT_EQ(m.expert_domains(), 8);
  EXPECT_FALSE(in_whole_replicas(m));
  m.experts_on_context = true;
  m.held_in_domain = 8;  // one replica of 2 x 4
  EXPECT_EQ(m.expert_places(), 4);
  EXPECT_EQ(m.expert_domains(), 2);
  EXPECT_TRUE(in_whole_replicas(m));
  EXPECT_EQ(m.replicas_together(), 2);
  m.expert = 4;
  EXPECT_EQ(m.expert_domains(), 1);
  EXPECT_EQ(m.replicas_together(), 1);
  EXPECT_EQ(expert_places_text(m, 4), "4 context ranks");
  EXPECT_EQ(expert_places_text(experts(4, 1, 4), 1), "1 replica");
}

// Tensor groups wider than a domain spread their experts over domains, too.
TEST(ProgramRules, WideTensorGroupsSpreadTheirExperts) {
  MappingPlan m = experts(16, 1, 4);
  m.tensor = 16;
  m.expert_tensor = 1;
  m.domains_per_group = 2;
  m.experts_on_context = true;
  m.held_in_domain = 8;
  EXPECT_EQ(m.expert_domains(), 2);
  EXPECT_EQ(m.expert_places(), 1);
}

TEST(ProgramRules, WarningsNameWhatAProgramDoesNotOffer) {
  Scenario scenario = ScenarioText::load("megatron-175b").resolve();
  scenario.training.software = "fsdp";
  scenario.mapping.zero_stage = 3;
  scenario.mapping.sequence_parallel = false;
  scenario.mapping.recompute = Recompute::none;
  MappingPlan m;
  EXPECT_THAT(program_warnings(scenario, m), IsEmpty());
  m.tensor = 8;
  EXPECT_THAT(program_warnings(scenario, m), ElementsAre(HasSubstr("does not offer tensor parallelism")));
  scenario.training.software = "megatron-2021";
  EXPECT_THAT(program_warnings(scenario, m), ElementsAre(HasSubstr("does not offer ZeRO stage 3")));
  scenario.mapping.zero_stage = 0;
  m = interleaved(4, 2, 6);
  EXPECT_THAT(program_warnings(scenario, m),
              ElementsAre(HasSubstr("rounds of the 4 stages: 6 on each replica")));
}

TEST(ProgramRules, ExchangesThatChangeNothingOrCannotBeAreSaid) {
  Scenario scenario = ScenarioText::load("llama3-405b").resolve();  // 8 heads of keys and values
  scenario.training.software = "megatron-core";
  MappingPlan m;
  const auto warned = [&](std::int64_t tensor, std::int64_t context) {
    m.tensor = tensor;
    m.context = context;
    return program_warnings(scenario, m);
  };
  EXPECT_THAT(warned(8, 4), IsEmpty());  // its own ring
  scenario.training.context_exchange = ContextExchange::all_to_all;
  EXPECT_THAT(warned(2, 4), IsEmpty());
  EXPECT_THAT(warned(8, 1), ElementsAre(HasSubstr("context_exchange changes nothing: there is one")));
  EXPECT_THAT(warned(8, 4), ElementsAre(HasSubstr("4 context ranks would share 8 heads")));
  scenario.mapping.attention = Attention::stored;
  EXPECT_THAT(warned(2, 4), ElementsAre(HasSubstr("its matrix is stored")));
  scenario.assumptions.compute_model = ComputeModel::roofline;
  EXPECT_THAT(warned(8, 4), ElementsAre(HasSubstr("changes no times")));
}

TEST(ProgramRules, SharesOfRatesThatNobodyAsksForAreSaid) {
  Scenario scenario = ScenarioText::load("llama3-405b").resolve();
  const auto warned = [&](ComputeModel model) {
    scenario.assumptions.compute_model = model;
    return program_warnings(scenario, {});
  };
  scenario.assumptions.matmul_efficiency = 0.5;
  scenario.assumptions.memory_efficiency = 0.6;
  EXPECT_THAT(warned(ComputeModel::calibrated),
              ElementsAre(HasSubstr("assumptions.matmul_efficiency changes nothing"),
                          HasSubstr("assumptions.memory_efficiency changes nothing")));
  EXPECT_THAT(warned(ComputeModel::ideal), ElementsAre(HasSubstr("memory_efficiency changes nothing")));
  EXPECT_THAT(warned(ComputeModel::roofline), IsEmpty());
}

TEST(ProgramRules, HabitsThatChangeNothingAreSaid) {
  Scenario scenario = ScenarioText::load("llama3-405b").resolve();
  scenario.training.compiled = true;
  EXPECT_THAT(program_warnings(scenario, {}), ElementsAre(HasSubstr("training.compiled changes nothing")));
  scenario.training.software = "fsdp";
  EXPECT_THAT(program_warnings(scenario, {}), IsEmpty());
  scenario.training.hides_wholly = true;
  EXPECT_THAT(program_warnings(scenario, {}), ElementsAre(HasSubstr("hides_wholly changes nothing")));
  scenario.training.hides = {Hidden::gradients};
  MappingPlan m;
  m.data = 2;
  EXPECT_THAT(program_warnings(scenario, m), IsEmpty());
}

TEST(ProgramRules, ThereMustBeSomethingToHide) {
  Scenario scenario = ScenarioText::load("deepseek-v3-h800").resolve();
  scenario.training.hides = {Hidden::tensor, Hidden::pipeline};
  scenario.training.exposes = {Hidden::gradients, Hidden::expert};
  MappingPlan m;
  m.tensor = m.pipeline = m.data = m.expert = 1;
  EXPECT_THAT(program_warnings(scenario, m),
              ElementsAre(HasSubstr("hides = \"tensor\" changes nothing: there is one tensor rank"),
                          HasSubstr("hides = \"pipeline\" changes nothing: there is one pipeline stage"),
                          HasSubstr("exposes = \"gradients\" changes nothing: there is one replica"),
                          HasSubstr("exposes = \"expert\" changes nothing: every device holds")));
  m.tensor = m.pipeline = m.data = m.expert = 2;
  EXPECT_THAT(program_warnings(scenario, m), IsEmpty());
}

TEST(ProgramRules, KernelsInEightBitsNeedProductsInEight) {
  Scenario scenario = ScenarioText::load("llama3-405b").resolve();
  scenario.training.low_attention = scenario.training.low_output = true;
  EXPECT_THAT(program_warnings(scenario, {}), ElementsAre(HasSubstr("low_attention changes nothing"),
                                                          HasSubstr("low_output changes nothing")));
  scenario.precision.compute = Precision::fp8;
  EXPECT_THAT(program_warnings(scenario, {}), IsEmpty());
  scenario.training.graphs = true;
  scenario.assumptions.compute_model = ComputeModel::roofline;
  EXPECT_THAT(program_warnings(scenario, {}), ElementsAre(HasSubstr("training.graphs changes nothing")));
}

TEST(ProgramRules, LayersOfNoWindowAreSaid) {
  Scenario scenario = ScenarioText::load("llama3-405b").resolve();
  EXPECT_THAT(program_warnings(scenario, {}), IsEmpty());
  scenario.model.shape.windowed_layers = 0.5;
  EXPECT_THAT(program_warnings(scenario, {}),
              ElementsAre(HasSubstr("model.windowed_layers changes nothing")));
  scenario.model.shape.attention_window = 4096;
  EXPECT_THAT(program_warnings(scenario, {}), IsEmpty());
}

TEST(ProgramRules, ImbalanceThatChangesNothingIsSaid) {
  Scenario scenario = ScenarioText::load("llama3-405b").resolve();
  const auto warned = [&](std::int64_t of, double imbalance, std::int64_t expert) {
    scenario.model.shape.experts = of;
    scenario.model.shape.experts_per_token = 2;
    scenario.training.expert_imbalance = imbalance;
    std::string out;
    for (const std::string& warning : program_warnings(scenario, experts(expert, 8, 64)))
      if (warning.find("imbalance") != std::string::npos) out += warning;
    return out;
  };
  EXPECT_EQ(warned(8, 1, 4), "");
  EXPECT_EQ(warned(8, 2, 4), "");
  EXPECT_THAT(warned(8, 5, 4), HasSubstr("gets 4 times the mean at most"));
  EXPECT_THAT(warned(8, 2, 1), HasSubstr("every device holds all experts"));
  EXPECT_THAT(warned(0, 2, 1), HasSubstr("no experts"));
}

}  // namespace
}  // namespace trainyard
