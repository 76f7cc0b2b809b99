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

}  // namespace
}  // namespace trainyard
