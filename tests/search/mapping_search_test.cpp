#include "search/mapping_search.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "parallel/batch.h"
#include "parallel/memory.h"
#include "parallel/program_rules.h"
#include "scenario/choices/mapping.h"
#include "scenario/in_force.h"
#include "search/mapping_evaluator.h"
#include "search/mapping_space.h"
#include "search/memory_doubt.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"
#include "trainyard/step_at_rate.h"

namespace trainyard {
namespace {

Scenario small(const std::string& model, int devices, const std::string& domain,
               const std::vector<std::string>& changes = {}) {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{
      "test.toml", fmt::format("[facility]\ndevices = {}\nhb_domain = \"{}\"\n[model]\nname = \"{}\"\n",
                               devices, domain, model)}));
  for (const std::string& change : changes) text.set(change);
  return text.resolve();
}

bool warns(const Plan& plan, const std::string& of) {
  return std::any_of(plan.mapping.warnings.begin(), plan.mapping.warnings.end(),
                     [&](const std::string& w) { return w.find(of) != std::string::npos; });
}

/// What a training program could run: heads and layers that divide, the batch kept.
void expect_sane(const Plan& plan) {
  const MappingPlan& m = plan.mapping;
  const ModelShape& shape = plan.model.shape;
  EXPECT_EQ(shape.heads % m.tensor, 0);
  EXPECT_LE(m.pipeline * m.layers_per_stage - shape.blocks(), 2);
  EXPECT_EQ(m.layers_per_stage % m.virtual_stages, 0);
  EXPECT_TRUE(m.virtual_stages == 1 || m.microbatches % m.pipeline == 0);
  EXPECT_FALSE(warns(plan, "asked for"));
  EXPECT_NEAR(m.batch_tokens / shape.batch_tokens.value_or(m.batch_tokens), 1, kBatchTolerance);
}

// The Llama 3 Herd of Models, table 4: tensor 8 in a server of eight.
TEST(MappingSearch, Llama3OnItsOwnClusterKeepsItsBatch) {
  const Plan plan = make_plan(small("llama3-405b", 16384, "dgx-h100"));
  expect_sane(plan);
  EXPECT_EQ(plan.mapping.tensor, 8);
  EXPECT_EQ(plan.mapping.batch_tokens, 16777216);
  EXPECT_EQ(plan.mapping.devices_idle, 0);
}

TEST(MappingSearch, Gpt3OnAThousandA100) { expect_sane(make_plan(small("gpt3-175b", 1024, "dgx-a100"))); }

TEST(MappingSearch, ASmallModelIsHardlyCut) {
  const Plan plan = make_plan(small("llama2-7b", 64, "dgx-h100"));
  expect_sane(plan);
  EXPECT_LE(plan.mapping.tensor, 2);
  EXPECT_LE(plan.mapping.pipeline, 2);
}

TEST(MappingSearch, ExpertsAreSpread) {
  const Plan plan = make_plan(small("deepseek-v3", 2048, "dgx-h100"));
  expect_sane(plan);
  EXPECT_GT(plan.mapping.expert, 1);
  EXPECT_EQ(plan.mapping.data % plan.mapping.expert, 0);
}

// Chosen with the sets of experts; no worse than cut over all tensor ranks, as much as the search sees.
TEST(MappingSearch, ExpertsAreCutOrWhole) {
  const auto tokens = [](const std::vector<std::string>& changes) {
    std::vector<std::string> all = {"mapping.tensor=4"};
    all.insert(all.end(), changes.begin(), changes.end());
    return make_plan(small("mixtral-8x22b", 256, "dgx-h100", all));
  };
  const Plan chosen = tokens({});
  const Plan cut = tokens({"mapping.expert_tensor=4"});
  EXPECT_EQ(chosen.mapping.expert_tensor, 1);
  EXPECT_EQ(cut.mapping.expert_tensor, 4);
  EXPECT_GT(chosen.step.tokens_per_second, cut.step.tokens_per_second);
  EXPECT_TRUE(warns(chosen, "mapping.expert_tensor = 1"));
}

TEST(MappingSearch, ThePlanHoldsWhatWasChosenAndTheQuestionStaysTheSame) {
  const Scenario question = small("llama3-405b", 16384, "dgx-h100");
  const Plan plan = make_plan(question);
  EXPECT_EQ(plan.scenario.mapping.virtual_stages, plan.mapping.virtual_stages);
  EXPECT_EQ(plan.scenario.mapping.microbatch, plan.mapping.microbatch);
  EXPECT_EQ(scenario_hash(plan.scenario), scenario_hash(question));
}

TEST(MappingSearch, SaysWhatItChoseForASilentScenarioOnly) {
  EXPECT_TRUE(warns(make_plan(small("llama3-405b", 16384, "dgx-h100")), "chosen by the program"));
  const Plan meant = make_plan(
      small("llama3-405b", 16384, "dgx-h100",
            {"mapping.context=auto", "mapping.virtual_stages=auto", "mapping.microbatch=auto",
             "mapping.zero_stage=auto", "mapping.recompute=auto", "assumptions.compute_model=calibrated"}));
  EXPECT_FALSE(warns(meant, "chosen by the program"));
}

TEST(MappingSearch, GivenValuesStay) {
  const Plan plan = make_plan(small("llama3-70b", 1024, "dgx-h100",
                                    {"mapping.virtual_stages=2", "mapping.pipeline=4", "mapping.zero_stage=2",
                                     "mapping.recompute=full", "mapping.microbatch=2", "mapping.context=2"}));
  EXPECT_EQ(plan.mapping.virtual_stages, 2);
  EXPECT_EQ(plan.mapping.pipeline, 4);
  EXPECT_EQ(plan.mapping.microbatch, 2);
  EXPECT_EQ(plan.mapping.context, 2);
  EXPECT_EQ(plan.scenario.mapping.zero_stage, 2);
  EXPECT_EQ(plan.scenario.mapping.recompute, Recompute::full);
}

/// Why no mapping exists is told with the numbers that contradict each other.
TEST(MappingSearch, SaysWhichCountsThereIsNoRoomFor) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"mapping.tensor=8", "mapping.pipeline=32"}, "4 HB domains do not hold 32 stages"},
      {{"mapping.tensor=8", "mapping.pipeline=1", "mapping.data=5"},
       "data: 5 replicas of 8 devices are more than the 4"},
  };
  for (const auto& [changes, told] : cases) {
    try {
      make_plan(small("llama2-7b", 32, "dgx-h100", changes));
      ADD_FAILURE() << told;
    } catch (const Infeasible& e) {
      EXPECT_NE(e.shortfall.find(told), std::string::npos) << e.shortfall << " in place of " << told;
    }
  }
}

// What somebody states is refused where the error of predicted memory leaves it no chance; a choice fits.
TEST(MappingSearch, StatedMappingsThatMayFitArePlannedWithTheirChance) {
  const auto planned = [](double memory, Plan (*plan)(const Scenario&) = plan_as_stated,
                          const char* recompute = "none") {
    const std::vector<std::string> settings = {"mapping.tensor=8",
                                               "mapping.pipeline=1",
                                               "mapping.virtual_stages=1",
                                               "mapping.microbatch=1",
                                               "mapping.context=1",
                                               "mapping.expert=1",
                                               "mapping.zero_stage=1",
                                               std::string("mapping.recompute=") + recompute,
                                               "training.software=megatron-core"};
    Scenario scenario = small("llama2-7b", 8, "dgx-h100", settings);
    auto catalog = std::make_shared<Catalog>(*scenario.catalog);
    catalog->accelerators[accelerator_key_of(scenario)].memory = Bytes(memory);
    scenario.catalog = std::move(catalog);
    return plan(scenario);
  };
  const Plan roomy = planned(80e9);
  const double peak = roomy.mapping.device.total().si();
  const double deviation = std::log(roomy.step.memory_interval.high) / 1.2815515655446004;
  ASSERT_GT(deviation, 0);
  const auto at = [&](double deviations) { return planned(peak * std::exp(deviations * deviation)); };

  const Plan doubtful = at(-1.6);  // Phi(-1.6) = 5.5%
  EXPECT_FALSE(fits(doubtful.mapping));
  EXPECT_EQ(doubtful.step.step, roomy.step.step);
  EXPECT_TRUE(warns(doubtful, "will probably run out of memory, with a chance of 95%"));
  EXPECT_TRUE(warns(at(0.5), "may run out of memory, with a chance of 31%"));
  // What the warning names leaves room.
  EXPECT_TRUE(warns(doubtful, "would leave room for its error: "));
  EXPECT_TRUE(warns(doubtful, "mapping.recompute = \"full\" (then tensor = 8, pipeline = 1)"));
  EXPECT_FALSE(
      warns(planned(doubtful.mapping.device_memory.si(), plan_as_stated, "full"), "run out of memory"));
  EXPECT_FALSE(warns(roomy, "run out of memory"));
  EXPECT_THROW(at(-1.7), Infeasible);                                    // 4.5%
  EXPECT_GE(step_at_rate(doubtful)(0.5).si(), doubtful.step.step.si());  // as its months ask
  // Who shows no warnings takes what fits.
  EXPECT_THROW(planned(0.999 * peak, make_plan), Infeasible);
  EXPECT_NO_THROW(planned(1.001 * peak, make_plan));
}

TEST(MappingSearch, WithEverythingOpenOnlyOffloadAndDevicesAreRemedies) {
  try {
    make_plan(small("megatron-1t", 64, "dgx-a100"));
    FAIL();
  } catch (const Infeasible& answer) {
    EXPECT_EQ(answer.remedy.find("zero_stage = 3 with"), std::string::npos) << answer.remedy;
    EXPECT_EQ(answer.remedy.find("mapping.recompute"), std::string::npos) << answer.remedy;
    EXPECT_NE(answer.remedy.find("facility.devices"), std::string::npos) << answer.remedy;
  }
}

std::string text_of(const MappingPlan& m, const MappingInput& input) {
  return fmt::format(
      "tensor {} context {} pipeline {} data {} expert {}, {} virtual stages, {} microbatches of {}, ZeRO "
      "{}, "
      "recomputation {}\n",
      m.tensor, m.context, m.pipeline, m.data, m.expert, m.virtual_stages, m.microbatches, m.microbatch,
      input.zero_stage, choice_name(input.recompute));
}

/// Every mapping of a space by itself, as a scenario that states it.
class BruteForce {
 public:
  explicit BruteForce(const Scenario& scenario)
      : scenario_(scenario),
        facility_(plan_facility(scenario)),
        model_(plan_model(scenario.model, scenario.training, scenario.assumptions.causal_attention)),
        space_(scenario, facility_, model_, SpaceWidth::usual) {}

  /// Tokens a second of the best, less a tenth where it does not quite keep the batch; 0 where nothing does.
  double best() {
    MappingInput m;
    m.last_stage_layers = scenario_.mapping.last_stage_layers;
    for (const std::int64_t tensor : space_.tensors()) {
      m.tensor = tensor;
      for (const std::int64_t pipeline : space_.pipelines()) {
        m.pipeline = pipeline;
        for (m.context = 1; m.context <= space_.contexts().back(); m.context *= 2) try_groups(m);
      }
    }
    return best_;
  }

  const std::string& winner() const { return winner_; }

  double worth(const Candidate& c) const {
    const auto batch = wanted_batch(scenario_.mapping, scenario_.training, model_.shape);
    const double deviation = batch ? std::abs(c.mapping.batch_tokens / *batch - 1) : 0;
    if (deviation > kBatchTolerance) return 0;
    return c.step.tokens_per_second * (deviation > 1e-9 ? 0.9 : 1) *
           chance_of_room(c.mapping, c.step.memory_interval);
  }

 private:
  void try_groups(MappingInput m) {
    for (m.expert = 1; m.expert <= space_.experts().back(); ++m.expert) {
      if (m.expert > 1 && model_.shape.experts % m.expert != 0) continue;
      for (const auto cut : {std::optional<std::int64_t>(), std::optional<std::int64_t>(1)}) {
        if (cut && model_.shape.experts == 0) continue;
        m.expert_tensor = cut;
        for (m.microbatch = 1; m.microbatch <= space_.microbatches().back(); m.microbatch *= 2) try_stages(m);
      }
    }
  }

  /// Of the ways to save memory that fit, those of which no plainer one fits with room to spare.
  void try_stages(MappingInput m) {
    for (const std::int64_t chunks : space_.virtual_stages(*m.pipeline)) {
      m.virtual_stages = chunks;
      auto recomputes = space_.recomputes();
      for (const std::int64_t zero : space_.zero_stages(*m.pipeline)) {
        m.zero_stage = zero;
        for (std::size_t i = 0; i < recomputes.size(); ++i) {
          m.recompute = recomputes[i];
          if (attempt(m)) recomputes.resize(i);
        }
        if (!recomputes.empty() && space_.recomputes_by_layer()) try_some_layers(m, chunks * *m.pipeline);
      }
    }
  }

  /// As few layers of every chunk as leave room.
  void try_some_layers(MappingInput m, std::int64_t chunks) {
    m.recompute = Recompute::full;
    for (std::int64_t layers = chunks; layers < model_.shape.blocks(); layers += chunks) {
      m.recompute_layers = layers;
      const auto found = plan_of(m);
      if (!found || !fits(found->mapping, found->step.memory_interval.high)) continue;
      attempt(m);
      return;
    }
  }

  std::optional<Candidate> plan_of(MappingInput input) const {
    Scenario stated = scenario_;
    stated.mapping = std::move(input);
    ClosestCut unused;
    return find_mapping(stated, facility_, model_, unused);
  }

  /// Whether it fits with room to spare.
  bool attempt(MappingInput input) {
    if (*input.tensor * input.context > facility_.domain_devices) return false;
    const auto found = plan_of(std::move(input));
    if (!found) return false;
    const MappingPlan& m = found->mapping;
    const bool roomy = fits(m, found->step.memory_interval.high);
    if (!in_whole_rounds(m) || !in_whole_replicas(m) || worth(*found) <= best_) return roomy;
    best_ = worth(*found);
    winner_ = text_of(m, found->input);
    return roomy;
  }

  Scenario scenario_;
  FacilityPlan facility_;
  ModelPlan model_;
  MappingSpace space_;
  double best_ = 0;
  std::string winner_;
};

// The bound of the search knows what a schedule leaves of fill and drain, and what counts it takes.
TEST(MappingSearch, KeepsToAStatedSchedule) {
  const auto rate = [](const std::vector<std::string>& more) {
    std::vector<std::string> changes = {"training.batch_tokens=65536", "mapping.tensor=8",
                                        "mapping.virtual_stages=1",    "mapping.microbatch=1",
                                        "mapping.zero_stage=1",        "mapping.recompute=none",
                                        "step.schedule=zb_h1"};
    changes.insert(changes.end(), more.begin(), more.end());
    return make_plan(small("llama3-70b", 64, "dgx-h100", changes)).step.tokens_per_second;
  };
  const double chosen = rate({});
  for (const char* pipeline : {"2", "4", "8"})
    EXPECT_GE(chosen, rate({std::string("mapping.pipeline=") + pipeline}) * (1 - 1e-9)) << pipeline;

  for (const char* schedule : {"gpipe", "zb_h1", "dualpipe"}) {
    const Plan p =
        make_plan(small("llama3-70b", 256, "dgx-b200",
                        {"training.batch_tokens=4194304", std::string("step.schedule=") + schedule}));
    EXPECT_EQ(p.mapping.virtual_stages, 1) << schedule;
  }
  const Plan given = make_plan(
      small("llama3-8b", 40, "dgx-h100",
            {"mapping.tensor=8", "mapping.pipeline=5", "mapping.recompute=full", "mapping.microbatches=20",
             "mapping.context=1", "mapping.expert=1", "mapping.virtual_stages=1", "mapping.microbatch=1",
             "mapping.zero_stage=1", "step.schedule=dualpipe"}));
  EXPECT_TRUE(warns(given, "takes an even number of stages, not 5"));
  try {
    make_plan(small("llama3-8b", 64, "dgx-h100",
                    {"mapping.tensor=8", "mapping.pipeline=8", "mapping.microbatch=auto",
                     "training.batch_tokens=65536", "step.schedule=dualpipe"}));
    ADD_FAILURE() << "8 microbatches on 8 stages";
  } catch (const Infeasible& refused) {
    EXPECT_EQ(refused.constraint, "schedule");
  }
}

// With stages torchtitan gathers, and copies, once a step, without them for every microbatch.
TEST(MappingSearch, FindsStagesThatCopyLess) {
  const auto rate = [](const std::vector<std::string>& more) {
    std::vector<std::string> changes = {
        "model.sequence=9216",    "training.software=torchtitan", "mapping.tensor=1",  "mapping.zero_stage=3",
        "mapping.recompute=full", "mapping.virtual_stages=1",     "mapping.context=1", "mapping.expert=1",
        "mapping.microbatch=1",   "training.batch_tokens=1880064"};
    changes.insert(changes.end(), more.begin(), more.end());
    return make_plan(small("mixtral-8x7b", 68, "nvl72-gb300", changes)).step.tokens_per_second;
  };
  EXPECT_GE(rate({}), rate({"mapping.pipeline=2"}) * (1 - 1e-9));
}

// Megatron-LM's --recompute-num-layers: as few layers of each chunk as leave room, which is quicker than all.
TEST(MappingSearch, RecomputesNoMoreLayersThanRoomNeeds) {
  const Scenario scenario = small("llama3-405b", 8192, "dgx-h100", {"training.batch_tokens=16777216"});
  const FacilityPlan facility = plan_facility(scenario);
  const ModelPlan model =
      plan_model(scenario.model, scenario.training, scenario.assumptions.causal_attention);
  const Candidate found = choose_mapping(scenario, facility, model);
  ASSERT_TRUE(found.input.recompute_layers);
  const std::int64_t chunks = found.mapping.pipeline * found.mapping.virtual_stages;
  EXPECT_EQ(*found.input.recompute_layers % chunks, 0);
  const auto with = [&](std::optional<std::int64_t> layers) {
    Scenario stated = scenario;
    stated.mapping = found.input;
    stated.mapping.open = {};
    stated.mapping.tensor = found.mapping.tensor;
    stated.mapping.pipeline = found.mapping.pipeline;
    stated.mapping.recompute_layers = layers;
    if (layers == 0) stated.mapping.recompute = Recompute::none;
    ClosestCut unused;
    return find_mapping(stated, facility, model, unused);
  };
  const std::int64_t layers = *found.input.recompute_layers;
  EXPECT_EQ(with(layers)->step.step.si(), found.step.step.si());
  EXPECT_LT(with(layers)->step.step, 0.97 * with(std::nullopt)->step.step);
  const auto fewer = with(layers - chunks);
  EXPECT_TRUE(!fewer || !fits(fewer->mapping, fewer->step.memory_interval.high));

  const Scenario whole = small("llama3-405b", 8192, "dgx-a100",
                               {"training.software=nanotron", "training.batch_tokens=16777216"});
  EXPECT_FALSE(choose_mapping(whole, plan_facility(whole), model).input.recompute_layers);
}

// The first stages of a model whose experts stand in every so many layers may hold none; the last may be told
// to hold less. Neither makes the bound of the search prune what is better.
TEST(MappingSearch, EqualsBruteForceWhereStagesDiffer) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"model.expert_interval=8", "network.scale_out_rate=10 Gbps"},
        std::vector<std::string>{"model.expert_interval=2"},
        std::vector<std::string>{"mapping.last_stage_layers=1"}}) {
    std::vector<std::string> changes = {"model.layers=16", "model.sequence=4096",
                                        "training.batch_tokens=409600"};
    changes.insert(changes.end(), more.begin(), more.end());
    const Scenario scenario = small("mixtral-8x7b", 64, "dgx-a100", changes);
    BruteForce brute(scenario);
    const double best = brute.best();
    const Candidate found =
        choose_mapping(scenario, plan_facility(scenario),
                       plan_model(scenario.model, scenario.training, scenario.assumptions.causal_attention));
    EXPECT_NEAR(brute.worth(found) / best, 1, 1e-6) << brute.winner() << text_of(found.mapping, found.input);
  }
}

RC_GTEST_PROP(MappingSearch, EqualsBruteForce, ()) {
  const auto model = *rc::gen::element<std::string>("llama2-7b", "llama2-13b", "mixtral-8x7b", "llama3-70b");
  const auto devices = *rc::gen::element(8, 24, 64, 256);
  const auto layers = *rc::gen::element(4, 6, 12, 14);
  const auto sequences = *rc::gen::element(24, 60, 64, 100, 1024);
  const auto sequence = *rc::gen::element(4096, 32768);
  const auto rule = *rc::gen::element<std::string>("pipeline", "steady_state");
  // Some copy weights around gathers, for each microbatch or once a step.
  const auto software = *rc::gen::element<std::string>("megatron-core", "torchtitan", "automodel", "maxtext");
  const Scenario scenario =
      small(model, devices, "dgx-a100",
            {fmt::format("model.layers={}", layers), fmt::format("model.sequence={}", sequence),
             "assumptions.step_rule=" + rule, "training.software=" + software,
             fmt::format("training.batch_tokens={}", sequences * sequence)});
  BruteForce brute(scenario);
  const double best = brute.best();
  if (best == 0) return;  // nothing fits and keeps the batch
  const Candidate found =
      choose_mapping(scenario, plan_facility(scenario),
                     plan_model(scenario.model, scenario.training, scenario.assumptions.causal_attention));
  RC_LOG() << "by force: " << brute.winner() << "searched: " << text_of(found.mapping, found.input);
  RC_ASSERT(std::abs(brute.worth(found) / best - 1) < 1e-6);
}

// What the search passes over without playing it would not have been faster.
TEST(MappingSearch, BoundsAreNoLongerThanSteps) {
  const std::vector<std::vector<std::string>> kCuts = {
      {"mapping.pipeline=8", "mapping.virtual_stages=2"},
      {"mapping.pipeline=8", "mapping.virtual_stages=1", "mapping.microbatches=32"},
      {"mapping.pipeline=8", "mapping.virtual_stages=1", "step.schedule=zb_h1"},
      {"mapping.pipeline=8", "mapping.virtual_stages=1", "step.schedule=dualpipe", "mapping.microbatches=32"},
      {"mapping.pipeline=4", "mapping.virtual_stages=1", "step.schedule=gpipe", "mapping.microbatches=8"},
      {"mapping.pipeline=1", "mapping.virtual_stages=1", "mapping.zero_stage=3"},
      {"mapping.pipeline=2", "mapping.virtual_stages=1", "mapping.zero_stage=2"},
      {"mapping.pipeline=1", "mapping.virtual_stages=1", "mapping.zero_stage=1", "model.layers=2"},
      {"mapping.pipeline=1", "mapping.virtual_stages=1", "mapping.zero_stage=0", "model.layers=1"},
      {"mapping.pipeline=2", "mapping.virtual_stages=1", "mapping.zero_stage=2", "model.layers=4",
       "assumptions.exchange_between_domains=tree", "mapping.microbatches=2"},
      {"mapping.pipeline=2", "mapping.virtual_stages=1", "mapping.zero_stage=1", "training.adapter_rank=16"},
      {"mapping.pipeline=4", "mapping.virtual_stages=4", "mapping.zero_stage=3", "mapping.tensor=8"}};
  for (const char* rate : {"network.scale_out_rate=400 Gbps", "network.scale_out_rate=10 Gbps"}) {
    for (const char* program : {"megatron-core", "torchtitan", "megatron-2021", "nanotron"}) {
      for (std::vector<std::string> changes : kCuts) {
        changes.insert(changes.end(),
                       {"mapping.tensor=4", "mapping.context=1", "mapping.recompute=full",
                        "training.batch_tokens=auto", rate, std::string("training.software=") + program});
        const Plan plan = make_plan(small("llama3-70b", 512, "dgx-h100", changes));
        MappingEvaluator evaluator(plan.scenario, plan.facility, plan.model);
        const Seconds whole = evaluator.times(plan.mapping).step;
        const Seconds bound = evaluator.times(plan.mapping, StepEffort::bound).step;
        EXPECT_LE(bound, whole * (1 + 1e-9)) << program << " " << rate << " " << changes.front();
        EXPECT_GT(bound.si(), 0) << changes.front();
      }
    }
  }
}

// Every large question is answered in a bounded number of evaluations.
TEST(MappingSearch, AMillionDevicesAreNoHarder) {
  for (const int devices : {131072, 1048576}) {
    const Plan plan =
        make_plan(small("llama3-405b", devices, "dgx-h100", {"training.batch_tokens=134217728"}));
    EXPECT_FALSE(warns(plan, "asked for"));
    EXPECT_GT(plan.mapping.devices_used, devices / 2);
  }
}

// What a warning says of a mapping that was passed over: each key alone, and only those that differ.
TEST(MemoryDoubt, NamesWhatDiffersAndNothingElse) {
  Candidate of;
  of.mapping.tensor = of.mapping.pipeline = of.mapping.context = of.mapping.expert = 1;
  of.mapping.expert_tensor = of.mapping.virtual_stages = of.mapping.microbatch = 1;
  of.input.zero_stage = 1;
  of.input.recompute = Recompute::selective;
  EXPECT_EQ(differences(of, of), "");
  const auto with = [&](const auto& change) {
    Candidate to = of;
    change(to);
    EXPECT_NE(differences(to, of), "");
    return differences(of, to);
  };
  EXPECT_EQ(with([](Candidate& c) { c.mapping.tensor = 2; }), "tensor = 2");
  EXPECT_EQ(with([](Candidate& c) { c.mapping.pipeline = 2; }), "pipeline = 2");
  EXPECT_EQ(with([](Candidate& c) { c.mapping.context = 2; }), "context = 2");
  EXPECT_EQ(with([](Candidate& c) { c.mapping.expert = 2; }), "expert = 2");
  EXPECT_EQ(with([](Candidate& c) { c.mapping.expert_tensor = 2; }), "expert_tensor = 2");
  EXPECT_EQ(with([](Candidate& c) { c.mapping.virtual_stages = 2; }), "virtual_stages = 2");
  EXPECT_EQ(with([](Candidate& c) { c.mapping.microbatch = 2; }), "microbatch = 2");
  EXPECT_EQ(with([](Candidate& c) { c.input.zero_stage = 2; }), "zero_stage = 2");
  EXPECT_EQ(with([](Candidate& c) { c.input.recompute = Recompute::none; }), "recompute = \"none\"");
  of.input.recompute_layers = 5;  // of so many; all of them need no word
  EXPECT_EQ(with([](Candidate& c) { c.input.recompute_layers = 6; }), "recompute_layers = 6");
  const auto none = [](Candidate& c) {
    c.mapping.tensor = 2;
    c.input.recompute = Recompute::none;
  };
  EXPECT_EQ(with(none), "tensor = 2, recompute = \"none\"");
}

}  // namespace
}  // namespace trainyard
