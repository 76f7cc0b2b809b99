// Copies around gathers and scatters, against their bytes over the memory rate: Llama 3 8B by torchtitan on
// H100. What one H200 took is in docs/validation.md, "Torchtitan on one device".
#include "cost/gather_copies.h"

#include <gtest/gtest.h>

#include <memory>

#include "catalog/catalog.h"
#include "cost/calibrated_compute.h"
#include "cost/exchange_times.h"
#include "cost/operator_clock.h"
#include "model/model.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/pipeline_schedule.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

class Copies : public testing::Test {
 protected:
  Copies() {
    scenario_ = ScenarioText::load("llama3-405b").resolve();
    catalog_ = std::make_shared<Catalog>(*scenario_.catalog);
    scenario_.catalog = catalog_;
    scenario_.training.software = "torchtitan";
    scenario_.mapping.zero_stage = 3;
    program() = Software();
    program().repeated_gathers = true;
    model_ = plan_model(scenario_.model, scenario_.training, scenario_.assumptions.causal_attention);
    c_.launch = Seconds(0);
    c_.memory = 1;
    m_.data = 8;
    m_.microbatches = 4;
  }

  Software& program() { return catalog_->software.at(software_key(scenario_)); }
  OperatorClock clock() const { return layer_clock(scenario_, c_); }
  double memory() const { return accelerator_of(scenario_).memory_rate.si(); }
  GatherCopies copies(const HeldParameters& gathered, const HeldParameters& trained) const {
    return gather_copies(scenario_, m_, {gathered, trained, gathered_weight_bytes(scenario_)}, clock());
  }
  GatherCopies copies(double parameters) const { return copies({parameters, 0}, {parameters, 0}); }
  SequenceCopies sequence() const {
    return sequence_copies(scenario_, model_.shape, m_, LayerKind::usual, clock());
  }

  Scenario scenario_;
  std::shared_ptr<Catalog> catalog_;
  ModelPlan model_;
  MappingPlan m_;
  Calibration c_;
};

// Out of the gathered buffer before both passes, into the scattered one behind the second.
TEST_F(Copies, WeightsMoveTwiceAndGradientsOnce) {
  program().gather_copy_bytes = 4;
  program().scatter_copy_bytes = 12;
  m_.microbatches = 1;
  const GatherCopies one = copies(1e9);
  EXPECT_NEAR(one.forward.si(), 4e9 / memory(), 1e-12);
  EXPECT_NEAR(one.backward.si(), 16e9 / memory(), 1e-12);
  // Frozen weights are gathered, their gradients do not exist.
  EXPECT_NEAR(copies({1e9, 0}, {}).backward.si(), 4e9 / memory(), 1e-12);
  scenario_.mapping.zero_stage = 2;
  EXPECT_EQ(copies(1e9).backward.si(), 0);
}

// A program that gathers once for all microbatches pays a part in each.
TEST_F(Copies, SomeProgramsGatherOnceAStep) {
  program().gather_copy_bytes = 4;
  const Seconds each = copies(1e9).forward;
  program().whole_in_pipelines = true;
  EXPECT_EQ(copies(1e9).forward, each);
  m_.pipeline = 2;
  EXPECT_NEAR(copies(1e9).forward / each, 0.25, 1e-12);
  m_.pipeline = 1;
  program().repeated_gathers = false;
  EXPECT_NEAR(copies(1e9).forward / each, 0.25, 1e-12);
}

// A device casts what it owns before each gather (4 bytes read, 2 written), and three of four microbatches
// add 32-bit gradients to its sum (two read, one written); experts have fewer owners.
TEST_F(Copies, OwnersCastAndAdd) {
  program().keeps_working_copy = false;
  EXPECT_NEAR(copies(8e9).forward.si(), 6e9 / memory(), 1e-12);
  EXPECT_NEAR(copies(8e9).backward.si(), (6e9 + 12e9 * 0.75) / memory(), 1e-12);
  EXPECT_EQ(copies({8e9, 0}, {}).forward.si(), 0);  // frozen weights are kept as they are gathered
  m_.expert = 4;
  const GatherCopies experts = copies({0, 8e9}, {0, 8e9});
  EXPECT_NEAR(experts.forward.si(), 6e9 * 4 / memory(), 1e-12);
  scenario_.mapping.zero_group = 2;
  EXPECT_NEAR(copies(8e9).forward.si(), 6e9 * 4 / memory(), 1e-12);
}

// What is gathered in fp8 is half as much to move.
TEST_F(Copies, EightBitsAreHalf) {
  program().gather_copy_bytes = 4;
  const Seconds wide = copies(1e9).forward;
  scenario_.precision.compute = Precision::fp8;
  scenario_.precision.scaling = Fp8Scaling::tensor;
  EXPECT_EQ(copies(1e9).forward, wide);
  program().gathers_fp8 = true;
  EXPECT_NEAR(copies(1e9).forward / wide, 0.5, 1e-12);
}

// A device that holds two stages passes half of the microbatches through either.
TEST_F(Copies, ADeviceOfTwoStagesGathersEitherForHalf) {
  program().gather_copy_bytes = 4;
  program().whole_in_pipelines = true;
  m_.pipeline = 2;
  const Seconds one = copies(1e9).forward;
  scenario_.step.schedule = PipelineSchedule::dualpipe;
  EXPECT_NEAR(copies(1e9).forward / one, 2, 1e-12);
}

// Two gathers and two scatters a pass, read and written in 16 bits; recomputation by operators keeps what was
// scattered. Transfers in pieces have no copies.
TEST_F(Copies, SequencesBehindTheBatchAreCopied) {
  scenario_.mapping.sequence_parallel = true;
  m_.tensor = 8;
  m_.microbatch = 2;
  EXPECT_EQ(sequence().pass.si(), 0);
  program().copies_sequence = true;
  const ModelShape& s = model_.shape;
  const double bytes = 2.0 * static_cast<double>(s.sequence * s.hidden) * 2 * 2;
  scenario_.mapping.recompute = Recompute::none;
  EXPECT_NEAR(sequence().pass.si() / (4 * bytes / memory()), 1, 1e-12);
  EXPECT_EQ(sequence().again.si(), 0);
  scenario_.mapping.recompute = Recompute::full;
  EXPECT_EQ(sequence().again, sequence().pass);
  scenario_.mapping.recompute = Recompute::selective;
  program().partial_recompute = true;
  EXPECT_NEAR(sequence().again / sequence().pass, 0.5, 1e-12);
  program().gathers_fp8_inputs = true;
  scenario_.precision.compute = Precision::fp8;
  scenario_.precision.scaling = Fp8Scaling::tensor;
  EXPECT_NEAR(sequence().pass.si() / (3 * bytes / memory()), 1, 1e-12);
  program().hides_tensor = true;
  EXPECT_EQ(sequence().pass.si(), 0);
}

// Low-rank adapters stand beside weights that ZeRO 3 divides, too: what is gathered is not what is summed.
TEST_F(Copies, FrozenWeightsAreGathered) {
  const HeldParameters trained = weights_by_layer(scenario_, model_, m_, LayerKind::usual);
  scenario_.training.adapter_rank = 16;
  const ModelPlan adapted =
      plan_model(scenario_.model, scenario_.training, scenario_.assumptions.causal_attention);
  const HeldParameters adapters = held_by_layer(scenario_, adapted, m_, LayerKind::usual);
  const HeldParameters gathered = weights_by_layer(scenario_, adapted, m_, LayerKind::usual);
  EXPECT_LT(adapters.common, trained.common / 100);
  EXPECT_NEAR(gathered.common, trained.common + adapters.common, 1);
}

}  // namespace
}  // namespace trainyard
