#include "validation/scenario_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "shipped.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/planning.h"
#include "trainyard/run_prediction.h"
#include "trainyard/scenario_text.h"
#include "trainyard/validation.h"
#include "validation/run_prediction.h"
#include "validation/run_scenario.h"

namespace trainyard {
namespace {

constexpr const char* kRun = R"(title = "ours"
[facility]
devices = 64
hb_domain = "dgx-h100"
[model]
name = "llama3-8b"
[training]
software = "nemo"
[mapping]
tensor = 2
pipeline = 1
context = 1
expert = 1
virtual_stages = 1
zero_stage = 1
recompute = "none"
microbatch = 1
microbatches = 8
[assumptions]
compute_model = "calibrated"
[measurement]
source = "our cluster"
step_time = "2 s"
memory = "60 GB"
)";

// A run's columns and the scenario that they make give the same answer.
TEST(ScenarioRun, IsTheRunThatItWasPrintedFrom) {
  for (MeasuredRun run : shipped_runs(catalog())) {
    if (run.id != "seqpar.175B.selective" && run.id != "torchtitan.8B.8.fp8") continue;
    run.id += R"( "a" \ b)";  // texts hold what would end a text
    run.source += R"(, "GBS \ Variations")";
    const std::string text = run_toml(run, catalog()) + measurement_section(run, catalog());
    const RunFile file = read_run_file(text, "printed.toml", catalog());
    ASSERT_EQ(file.runs.size(), 1U);
    EXPECT_EQ(file.runs[0].id, run.id);
    EXPECT_EQ(file.runs[0].source, run.source);
    EXPECT_NEAR(measured_step(file.runs[0], catalog()) / measured_step(run, catalog()), 1, 1e-3);
    EXPECT_NEAR(predict_run(file.runs[0], catalog()).step / predict_run(run, catalog()).step, 1, 1e-9);
  }
}

TEST(ScenarioRun, IsJudgedLikeAnyOther) {
  const Validation v = validate_runs(read_run_file(kRun, "ours.toml", catalog()).runs, catalog());
  ASSERT_EQ(v.runs.size(), 1U);
  EXPECT_EQ(v.runs[0].run.id, "ours");
  EXPECT_EQ(v.runs[0].run.source, "our cluster");
  EXPECT_TRUE(v.runs[0].counts());
  EXPECT_TRUE(v.runs[0].memory_error_pct());
  EXPECT_NEAR(v.runs[0].plan_error_pct().value(), (v.runs[0].plan.value().si() / 2 - 1) * 100, 1e-9);
}

TEST(ScenarioRun, CannotBeatThePeak) {
  std::string text = kRun;
  text.replace(text.find("\"2 s\""), 5, "\"1 ms\"");
  try {
    read_run_file(text, "ours.toml", catalog());
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string said = describe(error.findings());
    EXPECT_NE(said.find("ours.toml: error: measurement.step_time"), std::string::npos) << said;
    EXPECT_NE(said.find("more than the peak of 'h100-sxm' at bf16, 989"), std::string::npos) << said;
  }
}

// What a run is called, and what it measured, is no part of its configuration.
TEST(ScenarioRun, SharesItsVoteWithItsCopies) {
  std::string copy = kRun;
  copy.replace(copy.find("title = \"ours\""), 14, "title = \"more\" # a copy");
  const MeasuredRun one = read_run_file(kRun, "ours.toml", catalog()).runs[0];
  MeasuredRun other = read_run_file(copy, "more.toml", catalog()).runs[0];
  EXPECT_NE(one.id, other.id);
  EXPECT_EQ(configuration_of(one), configuration_of(other));
  other = read_run_file(copy + "left_out = \"warm-up\"\n", "more.toml", catalog()).runs[0];
  EXPECT_FALSE(other.counts());
}

TEST(ScenarioRun, IsExplainedByItsSettings) {
  MeasuredRun run = read_run_file(kRun, "ours.toml", catalog()).runs[0];
  const Seconds before = predict_run(run, catalog()).step;
  run.scenario_changes = {"mapping.recompute=\"full\""};
  EXPECT_GT(predict_run(run, catalog()).step / before, 1.1);
}

TEST(ScenarioRun, StatesItsMapping) {
  const std::string text =
      "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n";
  try {
    read_run_file(text, "silent.toml", catalog());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("states how it was cut"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("mapping.zero_stage"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("silent.toml"), std::string::npos) << error.what();
  }
}

MeasuredRun held_out_run(const std::string& id) {
  for (const MeasuredRun& run : held_out_runs(catalog())) {
    if (run.id == id) return run;
  }
  ADD_FAILURE() << id;
  return {};
}

// What somebody states of a program that does it unasked is tuned; another program only does it.
TEST(ExposedTransfers, OfTensorParallelismAreLeastWhereStated) {
  MeasuredRun run = held_out_run("nemo.25.02.GPT3-175B.h100.512.fp8");
  const auto exposed = [&] { return predict_run(run, catalog()).plan.communication.tensor_exposed; };
  const Calibration& c = catalog().calibrations.at("h100");
  EXPECT_EQ(exposed(), c.exposed_async);
  run.hides = {Hidden::tensor};
  EXPECT_EQ(exposed(), c.exposed_pieces);
  run.software = "torchtitan";
  EXPECT_EQ(exposed(), c.exposed_async);
  run.exposes = {Hidden::tensor};
  EXPECT_EQ(exposed(), 1);
  run.exposes.clear();
  run.hides.clear();
  EXPECT_EQ(exposed(), 1);
}

Seconds layer_of(const std::vector<std::string>& changes) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  for (const std::string& change : changes) text.set(change);
  const StepPlan step = make_plan(text.resolve()).step;
  return step.forward + step.backward;
}

// A peak that nobody measured at counts all the same; so does another link rate.
TEST(MeasuredRates, FollowTheScenario) {
  EXPECT_GT(layer_of({"precision.compute=tf32"}) / layer_of({}), 1.5);
  EXPECT_LT(layer_of({"assumptions.peak=sparse"}) / layer_of({}), 0.8);
  ScenarioText text = ScenarioText::load("llama3-405b");
  const Plan usual = make_plan(text.resolve());
  text.set("catalog.accelerators.h100-sxm.source=test");
  text.set("catalog.accelerators.h100-sxm.scale_up_rate=360 Gbps");
  const Plan slow = make_plan(text.resolve());
  EXPECT_GT(slow.communication.tensor_forward / usual.communication.tensor_forward, 5);
}

// Recomputation is issued again too.
TEST(HostTimes, OfRecomputationCount) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  text.set("training.software=megatron-core");
  text.set("model.name=llama3-8b");
  text.set("catalog.models.llama3-8b.source=test");
  text.set("catalog.models.llama3-8b.sequence=512");
  text.set("training.batch_tokens=1048576");
  text.set("mapping.pipeline=1");
  text.set("mapping.virtual_stages=1");
  const auto wait = [&](const char* recompute) {
    text.set(std::string("mapping.recompute=") + recompute);
    const StepPlan step = make_plan(text.resolve()).step;
    EXPECT_GT(step.host_wait.si(), 0);
    return step.backward;
  };
  EXPECT_GT(wait("full") / wait("none"), 1.3);
}

TEST(ExpertExchange, CountsDispatchAndCombineApart) {
  ScenarioText text = ScenarioText::load("deepseek-v3-h800");
  const auto forward = [&](const char* dispatch, const char* combine) {
    text.set(std::string("precision.communication=") + dispatch);
    text.set(std::string("precision.combine=") + combine);
    return make_plan(text.resolve()).communication.expert_volume.si();
  };
  const double low = forward("fp8", "fp8");
  EXPECT_NEAR(forward("bf16", "bf16") / low, 2, 1e-9);
  EXPECT_NEAR(forward("fp8", "bf16") / low, 1.5, 1e-9);
}

// Inside a domain a program that sends a token once to each device moves as many copies as it reaches
// devices, or as many as a device can handle.
TEST(ExpertExchange, OfTokensSentOnceMovesFewerCopies) {
  const auto seconds = [](const char* id, const char* software) {
    MeasuredRun run = held_out_run(id);
    run.software = software;
    return predict_run(run, catalog()).plan.communication.expert_forward;
  };
  const char* wide = "nemo.25.11.Qwen3-235B-A22B.gb200.256.bf16";
  const double reached = 32 * (1 - std::pow(31.0 / 32, 8)) / 8;
  EXPECT_NEAR(seconds(wide, "nemo-deepep") / seconds(wide, "nemo"), reached, 0.02);
  const auto bytes = [](const char* id, const char* software) {
    MeasuredRun run = held_out_run(id);
    run.software = software;
    return predict_run(run, catalog()).plan.communication.expert_volume;
  };
  EXPECT_NEAR(bytes(wide, "nemo-deepep") / bytes(wide, "nemo"), reached, 1e-9);
  const char* narrow = "nemo.25.11.Qwen3-30B-A3B.gb200.8.fp8";
  const double copies = 4 * 4096 * 8 * (1 - std::pow(7.0 / 8, 8)) * 7 / 8;
  constexpr double kEach = 10e-9;
  EXPECT_NEAR(seconds(narrow, "nemo-deepep").si() / (2 * copies * kEach), 1, 0.03);
}

/// A plan of the run above, with changes.
StepPlan our_step(const std::vector<std::string>& changes) {
  auto source = std::make_shared<SourceText>();
  source->name = "ours";
  source->text = kRun;
  ScenarioText text = ScenarioText::parse(std::move(source), shipped_catalog());
  for (const std::string& change : changes) text.set(change);
  return make_plan(text.resolve()).step;
}

// The embedding's gradients come last and its weights are needed first: of two matrices that grow alike, the
// one waits and the other slows the compute beside it by a quarter.
TEST(Exchange, OfTheEmbeddingIsNotHidden) {
  const auto of = [](const char* vocabulary) {
    return our_step({std::string("model.vocabulary=") + vocabulary, "catalog.models.llama3-8b.source=test",
                     "network.scale_out_rate=800 Gbps"});
  };
  const StepPlan few = of("64000");
  const StepPlan many = of("128000");
  const Seconds more = many.gradient_sum + many.weights_return - few.gradient_sum - few.weights_return;
  EXPECT_GT(more.si(), 0);
  EXPECT_NEAR((many.gradient_exposed_step - few.gradient_exposed_step) / more, (0.25 + 1) / 2, 0.02);
}

// What p microbatches could hide together begins chunk by chunk: the last chunk's sum has one pass of it.
TEST(Exchange, OfTheLastChunkHasItsLastPassAlone) {
  constexpr double kStages = 8;
  constexpr double kChunks = 2;
  constexpr double kLayers = 4;  // of a stage
  constexpr double kContention = 0.25;
  const StepPlan step =
      our_step({"facility.devices=512", "mapping.tensor=8", "mapping.pipeline=8", "mapping.virtual_stages=2",
                "mapping.microbatches=32", "network.scale_out_rate=25 Gbps", "model.vocabulary=1000",
                "catalog.models.llama3-8b.source=test"});
  const Seconds tensor = step.exposed_tensor / 2;
  const double forward = (step.forward + tensor) / (step.forward + step.backward + 2 * tensor);
  Seconds exposed = step.weights_return / kLayers;  // of the first layer, before any compute
  for (const auto& [all, share] :
       {std::pair{step.gradient_sum, 1 - forward}, {step.weights_return * (1 - 1 / kLayers), forward}}) {
    const Seconds window = kStages * share * step.pace;
    const Seconds alone = all / kChunks - window / (kStages * kChunks);
    EXPECT_GT(alone, all - window);
    exposed += alone + kContention * std::min(all, window);
  }
  // Less what the first stages' idle time hides, as the timeline has it.
  EXPECT_NEAR(step.gradient_exposed_step / exposed, 0.95, 0.02);
}

// With one scale a matrix NeMo gathers weights in fp8; MXFP8's and blocks' are gathered in 16 bits, and those
// of the last are multiplied as DeepSeek-V3's were: slower than with one scale.
TEST(Fp8Scaling, DecidesWhatIsGatheredAndHowFastProductsAre) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  text.set("precision.compute=fp8");
  text.set("training.software=nemo");
  const auto step = [&](const char* scaling) {
    text.set(std::string("precision.scaling=") + scaling);
    return make_plan(text.resolve()).step;
  };
  const StepPlan tensor = step("tensor");
  const StepPlan block = step("block");
  const StepPlan mx = step("mx");
  EXPECT_LT(block.weights_return / tensor.weights_return, 2);  // ends in 16 bits by both
  EXPECT_GT(block.weights_return / tensor.weights_return, 1.8);
  EXPECT_EQ(mx.weights_return, block.weights_return);
  EXPECT_EQ(mx.forward, tensor.forward);
  EXPECT_GT(block.forward / tensor.forward, 1.02);
  EXPECT_GT(mx.backward / tensor.backward, 1.02);
  text.set("training.software=megatron-core");
  EXPECT_EQ(step("tensor").weights_return, step("mx").weights_return);
  text.set("precision.scaling=mx");
  text.set("precision.compute=bf16");
  try {
    make_plan(text.resolve());
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("precision.scaling"), std::string::npos) << e.what();
  }
}

// Transformer Engine keeps a gated layer's input in 8 bits: one byte less of two widths and every token.
TEST(KeptActivations, OfActivationFunctionsHaveTheirOwnFormat) {
  MeasuredRun run = held_out_run("nemo.25.02.LLAMA3-8B.b200.8.fp8");
  const Bytes before = predict_run(run, catalog()).plan.mapping.device.activations;
  run.activation_input = Precision::fp8;
  const Bytes after = predict_run(run, catalog()).plan.mapping.device.activations;
  EXPECT_NEAR((before - after).si(), 32.0 * 2 * 8192 * 2 * 14336, 1e6);
}

}  // namespace
}  // namespace trainyard
