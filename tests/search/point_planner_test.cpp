// Points of a search beside the plans of the same settings.
#include "search/space/point_planner.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "free_counts.h"
#include "search/plan_stages.h"
#include "search/space/planned_part.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/scenario_text.h"
#include "trainyard/search.h"

namespace trainyard {
namespace {

using State = PointPlanner::State;
using Wanted = PointPlanner::Wanted;

std::vector<double> numbers(const Plan& plan) {
  const auto step = std::bit_cast<std::array<double, sizeof(StepTimes) / sizeof(double)>>(
      static_cast<const StepTimes&>(plan.step));
  std::vector<double> out(step.begin(), step.end());
  const MappingPlan& m = plan.mapping;
  for (const MemoryTerms* terms : {&m.device, &m.model_memory})
    out.insert(out.end(), {terms->weights.si(), terms->gradients.si(), terms->optimizer.si(),
                           terms->activations.si(), terms->buffers.si()});
  out.insert(out.end(), {m.activation_layer.si(), m.in_flight, m.host_activations.si(), m.batch_tokens,
                         m.batch_sequences, m.device_memory.si()});
  for (const std::int64_t count : {m.tensor, m.context, m.pipeline, m.virtual_stages, m.data, m.expert,
                                   m.layers_per_stage, m.local_replicas, m.peer_domains, m.datacenters,
                                   m.devices_used, m.devices_idle, m.microbatch, m.microbatches})
    out.push_back(static_cast<double>(count));
  const CostPlan& c = plan.cost;
  out.insert(out.end(), {c.energy.si(), c.run_cost.si(), c.per_million_tokens.si(), c.energy_per_token.si()});
  return out;
}

class PointPlans : public testing::TestWithParam<std::string> {};

TEST_P(PointPlans, AreThoseOfPlan) {
  const ScenarioText text =
      ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", GetParam()}));
  const std::vector<FreeSetting> space = free_settings(text);
  PointPlanner planner(text, text.free(), Wanted::numbers);
  FreeSettings free = text.free();
  std::mt19937_64 random(15);
  int planned = 0;
  int refused = 0;
  constexpr int kDraws = 4000;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<std::size_t> choice;
    for (const FreeSetting& setting : space) choice.push_back(random() % setting.values.size());
    State state = planner.begin(choice);
    if (state == State::begun) state = planner.finish();
    State wanted = State::refused;
    Plan plan;
    try {
      plan = begin_plan(text.resolve(free.document(choice)));
      wanted = finish_plan(plan, PlanDetail::without_placements) ? State::planned : State::infeasible;
    } catch (const InputError&) {
    }
    ASSERT_EQ(state, wanted) << draw;
    refused += state == State::refused;
    if (state != State::planned) continue;
    ++planned;
    ASSERT_EQ(numbers(planner.plan()), numbers(plan)) << draw;
  }
  EXPECT_GT(planned, kDraws / 100);
  EXPECT_GT(refused, kDraws / 100);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, PointPlans, testing::ValuesIn(free_counts()));

}  // namespace
}  // namespace trainyard
