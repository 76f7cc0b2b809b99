#include "trainyard/measured_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "scenario/in_force.h"
#include "trainyard/calibration_fit.h"
#include "trainyard/run_prediction.h"
#include "trainyard/validation.h"
#include "validation/mlperf_runs.h"
#include "validation/run_columns.h"
#include "validation/run_names.h"
#include "validation/run_prediction.h"
#include "validation/run_scenario.h"

namespace trainyard {
namespace {

const std::vector<MeasuredRun>& shipped() {
  static const std::vector<MeasuredRun> runs = shipped_runs(*shipped_catalog());
  return runs;
}

MeasuredRun shipped(const std::string& id) {
  for (const MeasuredRun& run : shipped()) {
    if (run.id == id) return run;
  }
  throw std::out_of_range(id);
}

/// A file of one run of Llama 3 8B on eight H100, with some cells changed or added.
std::string file_of(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::pair<std::string, std::string>> cells = {
      {"id", "a"},         {"source", "somebody"},  {"model", "Llama 3 8B"}, {"accelerator", "h100-sxm"},
      {"devices", "8"},    {"layers", "32"},        {"hidden", "4096"},      {"heads", "32"},
      {"vocab", "128256"}, {"sequence", "8192"},    {"global_batch", "16"},  {"microbatch", "2"},
      {"tp", "1"},         {"metric", "step_time"}, {"value", "3"}};
  for (const auto& [column, value] : changes) {
    const auto known = std::find_if(cells.begin(), cells.end(),
                                    [&name = column](const auto& cell) { return cell.first == name; });
    if (known == cells.end()) {
      cells.emplace_back(column, value);
    } else {
      known->second = value;
    }
  }
  std::string header;
  std::string row;
  for (const auto& [column, value] : cells) {
    header += (header.empty() ? "" : ",") + column;
    row += (&column == &cells.front().first ? "" : ",") + value;
  }
  return header + "\n" + row + "\n";
}

MeasuredRun read_one(const std::vector<std::pair<std::string, std::string>>& changes) {
  return read_measured_runs(file_of(changes), "runs.csv", *shipped_catalog()).at(0);
}

/// Everything that is said about a file; "" when it is fine.
std::string said(const std::string& file) {
  try {
    read_measured_runs(file, "runs.csv", *shipped_catalog());
    return {};
  } catch (const InputError& error) {
    return describe(error.findings());
  }
}

TEST(MeasuredRuns, ShippedFileHoldsEveryRun) {
  EXPECT_EQ(shipped().size(), 55U);
  EXPECT_EQ(std::count_if(shipped().begin(), shipped().end(),
                          [](const MeasuredRun& run) { return run.measured_memory.has_value(); }),
            24);
}

TEST(MeasuredRuns, ColumnsBecomeFields) {
  const MeasuredRun run = shipped("torchtitan.405B.512.131072");
  EXPECT_EQ(run.accelerator_key, "h100-hbm2e");
  EXPECT_EQ(run.software, "torchtitan-2024");
  EXPECT_EQ(run.attention, Attention::flash);
  EXPECT_EQ(run.precision, Precision::fp8);
  EXPECT_EQ(run.recompute, Recompute::full);
  EXPECT_EQ(run.tensor * run.pipeline * run.context * run.data, 512);
  EXPECT_DOUBLE_EQ(run.nic_rate.value().si(), 400e9);
  EXPECT_TRUE(run.sequence_parallel);
  EXPECT_EQ(run.zero_stage, 3);
  EXPECT_EQ(run.shape.kv_heads_or_all(), 8);
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.hides, std::vector{Hidden::tensor});
  EXPECT_FALSE(run.hides_wholly);
  const MeasuredRun palm = shipped("palm.540B");
  EXPECT_EQ(palm.attention, Attention::stored);
  EXPECT_EQ(palm.shape.head_size, 256);
  EXPECT_TRUE(palm.shape.parallel_block);
  EXPECT_DOUBLE_EQ(palm.peak.value_or(FlopRate(0)).si(), 275e12);
  EXPECT_EQ(palm.flop_convention, FlopConvention::mfu);
  EXPECT_EQ(shipped("sc21.145.6B").flop_convention, FlopConvention::hardware_96);
}

// NVIDIA/Megatron-LM, examples/sc21/run_table_1.sh: 145B has --micro-batch-size 2 and five layers a virtual
// stage (80 layers, 8 stages); 530B 1 and one (105, 35); 1T 1 and none.
TEST(MeasuredRuns, BatchesAreThoseOfTheAuthorsScripts) {
  EXPECT_EQ(shipped("sc21.145.6B").microbatch, 2);
  EXPECT_EQ(shipped("sc21.145.6B").virtual_stages, 2);
  EXPECT_EQ(shipped("sc21.145.6B").schedule, RunSchedule::interleaved);
  EXPECT_EQ(shipped("sc21.529.6B").virtual_stages, 3);
  EXPECT_EQ(shipped("sc21.1008.0B").virtual_stages, 1);
  EXPECT_EQ(shipped("sc21.1.7B").microbatch, 16);
  // torchtitan: as many microbatches as stages; 256 sequences on 8 replicas in 8 microbatches.
  EXPECT_EQ(shipped("torchtitan.405B.512.1f1b").microbatch, 4);
  EXPECT_EQ(shipped("torchtitan.405B.512.1f1b").microbatches(), 8);
  // 126 layers on 16 stages, one layer a virtual stage.
  EXPECT_EQ(shipped("llama3.405B.8192.cp1").virtual_stages, 8);
}

TEST(MeasuredRuns, WhatNobodyStatesIsNamed) {
  EXPECT_TRUE(shipped("sc21.145.6B").assumed.empty());
  const MeasuredRun run = read_one({{"microbatch", ""}});
  EXPECT_EQ(run.microbatch, 1);
  EXPECT_NE(std::find(run.assumed.begin(), run.assumed.end(), "microbatch 1"), run.assumed.end());
}

TEST(MeasuredRuns, DetailsOfExpertsComeFromTheCatalog) {
  const MeasuredRun run = shipped("b200.deepseekv3_l4_tp1_ep8_pp1_dp8_mbc4");
  EXPECT_EQ(run.shape.layers, 4);
  EXPECT_EQ(run.shape.dense_layers, 1);  // SimuMax's cut models
  EXPECT_EQ(run.shape.attention, AttentionKind::latent);
  EXPECT_EQ(run.shape.expert_ffn_or_ffn(), 2048);
  EXPECT_EQ(run.shape.shared_experts, 1);
}

TEST(MeasuredRuns, UnknownMixtureIsTakenPlainly) {
  const MeasuredRun run = read_one({{"model", "mine"}, {"experts", "8"}, {"experts_per_token", "2"}});
  EXPECT_EQ(run.shape.dense_layers, 0);
  EXPECT_EQ(run.shape.expert_ffn_or_ffn(), 4 * 4096);
  EXPECT_EQ(run.assumed.size(), 3U);  // that, the software, and the size of an HB domain
}

// Spellings of the same things in published tables, and what programs write for whole numbers and blanks.
TEST(MeasuredRuns, OtherSpellingsOfTheSameThing) {
  for (const char* name : {"H100", "NVIDIA H100 80GB SXM5", "h100_sxm", "DGX H100", "H100-80GB-HBM3"})
    EXPECT_EQ(read_one({{"accelerator", name}}).accelerator_key, "h100-sxm") << name;
  EXPECT_EQ(read_one({{"accelerator", "A100-40GB-SXM"}}).accelerator_key, "a100-40");
  EXPECT_EQ(read_one({{"accelerator", "A100 SXM4 80GB"}}).accelerator_key, "a100-80");
  EXPECT_EQ(read_one({{"accelerator", "H200-SXM"}}).accelerator_key, "h200");
  EXPECT_EQ(read_one({{"accelerator", "AMD Instinct MI300X"}}).accelerator_key, "mi300x");
  EXPECT_EQ(read_one({{"accelerator", "TPUv5p"}}).accelerator_key, "tpu-v5p");
  EXPECT_EQ(read_one({{"precision", "BF16"}}).precision, Precision::bf16);
  EXPECT_EQ(read_one({{"precision", "FP8-MX"}}).precision, Precision::fp8);
  EXPECT_EQ(read_one({{"tp", "2.0"}}).tensor, 2);
  EXPECT_EQ(read_one({{"ep", "nan"}, {"pp", "N/A"}, {"cp", "-"}}).expert, 1);
  EXPECT_EQ(read_one({{"metric", "tokens_per_second_per_gpu"}, {"unit", "tokens/s/GPU"}}).metric,
            RunMetric::tokens_per_device);
  EXPECT_EQ(read_one({{"recompute", "Full"}}).recompute, Recompute::full);
  EXPECT_EQ(read_one({{"framework", "Megatron-LM"}}).software, "megatron-lm");
  EXPECT_EQ(read_one({{"software", "Megatron Core"}}).software, "megatron-core");
}

TEST(MeasuredRuns, WhatIsUnknownOfAnAcceleratorIsNamed) {
  const auto names = [](const char* accelerator, const char* what) {
    const MeasuredRun run = read_one({{"accelerator", accelerator}, {"value", "10"}});
    return std::any_of(run.assumed.begin(), run.assumed.end(),
                       [&](const std::string& fact) { return fact.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(names("mi300x", "calibration 'cdna'"));
  for (const char* measured : {"h100-sxm", "h100-hbm2e", "a100-80", "b200", "tpu-v4"})
    EXPECT_FALSE(names(measured, "calibration")) << measured;
  for (const char* shared : {"gh200", "h800"})
    EXPECT_TRUE(names(shared, "calibration 'h100' was fitted on runs of it")) << shared;
  EXPECT_TRUE(names("tpu-v5e", "the constants of the TPU v4"));
  EXPECT_TRUE(names("h200", "calibration 'h200' takes those of 'h100'"));
  EXPECT_TRUE(names("gb200", "no run of data/measured_runs.csv is on calibration 'gb200'"));
  EXPECT_TRUE(names("v100", "constants that are estimates"));
  EXPECT_FALSE(names("mi300x", "constants that are estimates"));
  EXPECT_EQ(read_one({{"accelerator", "v100"}, {"value", "10"}}).precision, Precision::fp16);  // has no bf16
}

TEST(MeasuredRuns, BlankSoftwareIsTheAccelerators) {
  EXPECT_EQ(read_one({}).software, "megatron-core");
  EXPECT_EQ(read_one({{"accelerator", "tpu-v5p"}}).software, "maxtext");
  const std::vector<std::string> assumed = read_one({}).assumed;
  EXPECT_TRUE(std::any_of(assumed.begin(), assumed.end(), [](const std::string& fact) {
    return fact.starts_with("software 'megatron-core'");
  }));
}

TEST(MeasuredRuns, ColumnsSayWhatARunDoesInItsOwnWay) {
  const MeasuredRun run = read_one({{"attention", "unfused"},
                                    {"software", "llama3"},
                                    {"schedule", "gpipe"},
                                    {"compiled", "1"},
                                    {"hides", "tensor; pipeline"},
                                    {"exposes", "gradients"},
                                    {"graphs", "1"},
                                    {"blocking_launches", "1"},
                                    {"context_exchange", "all_to_all"},
                                    {"low_attention", "1"},
                                    {"low_output", "0"},
                                    {"mtp_layers", "2"},
                                    {"adapter", "LoRA:16"},
                                    {"expert_imbalance", "1.25"},
                                    {"recompute", "full"},
                                    {"recompute_layers", "21"},
                                    {"window", "4096"},
                                    {"measured_memory_bytes", "71457518387"}});
  EXPECT_EQ(run.attention, Attention::stored);
  EXPECT_EQ(run.software, "llama3");
  EXPECT_EQ(run.schedule, RunSchedule::gpipe);
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.hides, (std::vector{Hidden::tensor, Hidden::pipeline}));
  EXPECT_EQ(run.exposes, std::vector{Hidden::gradients});
  EXPECT_EQ(run.graphs, true);
  EXPECT_TRUE(run.blocking_launches);
  EXPECT_EQ(run.context_exchange, ContextExchange::all_to_all);
  EXPECT_EQ(run.low_attention, true);
  EXPECT_EQ(run.low_output, false);
  EXPECT_EQ(run.shape.mtp_layers, 2);
  EXPECT_EQ(run.adapter_rank, 16);
  EXPECT_EQ(run.expert_imbalance, 1.25);
  EXPECT_EQ(run.recompute_layers, 21);
  EXPECT_EQ(run.shape.attention_window, 4096);
  EXPECT_EQ(run.measured_memory.value_or(Bytes(0)), Bytes(71457518387));
  EXPECT_FALSE(read_one({{"adapter", "none"}}).adapter_rank.has_value());
}

// DeepSeek-V3 trains with a module; cut to a few layers, as benchmarks do, it is none of the model's.
TEST(MeasuredRuns, MultiTokenPredictionIsTheModelsUnlessItIsCut) {
  const auto modules = [](const char* layers) {
    return read_one({{"base_model", "deepseek-v3"}, {"layers", layers}}).shape.mtp_layers;
  };
  EXPECT_EQ(modules("61"), 1);
  EXPECT_EQ(modules("4"), 0);
}

TEST(MeasuredRuns, PrecisionSaysWhatSharesAScale) {
  for (const auto& [word, scaling] : {std::pair{"fp8", Fp8Scaling::tensor},
                                      {"FP8-CS", Fp8Scaling::tensor},
                                      {"mxfp8", Fp8Scaling::mx},
                                      {"fp8-mx", Fp8Scaling::mx},
                                      {"fp8-block", Fp8Scaling::block}}) {
    const MeasuredRun run = read_one({{"precision", word}});
    EXPECT_EQ(run.precision, Precision::fp8) << word;
    EXPECT_EQ(run.scaling, scaling) << word;
    EXPECT_EQ(run_scenario(run, *shipped_catalog()).precision.scaling, scaling) << word;
  }
}

TEST(MeasuredRuns, DetailsOfLayersAreTheModelsUnlessStated) {
  const auto shape = [](const char* base, const char* activation, const char* dropout) {
    return read_one({{"base_model", base}, {"activation", activation}, {"dropout", dropout}}).shape;
  };
  EXPECT_EQ(shape("nemotron-4-15b", "", "").activation, Activation::squared_relu);
  EXPECT_EQ(shape("nemotron-4-15b", "", "").learned_positions, 0);
  EXPECT_EQ(shape("nemotron-4-15b", "relu2", "").activation, Activation::squared_relu);
  EXPECT_EQ(shape("nemotron-4-15b", "gelu", "").activation, Activation::gelu);
  EXPECT_THROW(shape("nemotron-4-15b", "swiglu", ""), InputError);  // not gated
  EXPECT_TRUE(shape("gpt3-175b", "", "").dropout);
  EXPECT_FALSE(shape("gpt3-175b", "", "0").dropout);
}

TEST(MeasuredRuns, SoftwareIsTheCatalogsWithWhatTheRunDoes) {
  const Catalog& catalog = *shipped_catalog();
  MeasuredRun run = read_one({{"software", "nemo"}});
  EXPECT_TRUE(software_of(run_scenario(run, catalog)).hides_gradients);
  EXPECT_FALSE(software_of(run_scenario(run, catalog)).graphs);
  run = read_one({{"software", "nemo"}, {"graphs", "1"}});
  EXPECT_TRUE(software_of(run_scenario(run, catalog)).graphs);
  run = read_one({{"software", "nemo"}, {"graphs", "0"}, {"exposes", "gradients"}, {"hides", "pipeline"}});
  const Software own = software_of(run_scenario(run, catalog));
  EXPECT_FALSE(own.graphs || own.hides_gradients);
  EXPECT_TRUE(own.hides_tensor && own.hides_pipeline);
  EXPECT_EQ(
      software_of(run_scenario(read_one({{"software", "torchtitan"}, {"compiled", "1"}}), catalog)).unfused,
      0);
}

// Megatron Core's parallel folding: whole experts over tensor ranks too.
TEST(MeasuredRuns, ExpertsMayTakeInTensorRanks) {
  const std::vector<std::pair<std::string, std::string>> folded = {
      {"tp", "2"}, {"sequence_parallel", "1"}, {"experts", "64"}, {"experts_per_token", "2"}, {"ep", "8"}};
  const MeasuredRun run = read_one(folded);
  EXPECT_EQ(run.expert, 8);
  EXPECT_EQ(run.expert_tensor, 1);
  EXPECT_NE(std::find(run.assumed.begin(), run.assumed.end(), "whole experts on tensor ranks, etp = 1"),
            run.assumed.end());
  const auto stated = [](const char* ep, const char* etp) {
    return std::vector<std::pair<std::string, std::string>>{
        {"tp", "2"}, {"experts", "64"}, {"experts_per_token", "2"}, {"ep", ep}, {"etp", etp}};
  };
  EXPECT_EQ(read_one(stated("8", "1")).assumed.size() + 1, run.assumed.size());
  EXPECT_EQ(read_one(stated("4", "1")).expert_tensor, 1);
  EXPECT_NE(configuration_of(read_one(stated("4", "1"))), configuration_of(read_one(stated("4", ""))));
  EXPECT_EQ(configuration_of(read_one(stated("4", "2"))), configuration_of(read_one(stated("4", ""))));
  EXPECT_NE(said(file_of(stated("4", "3"))).find("etp = 3 does not divide tp = 2"), std::string::npos);
  EXPECT_NE(said(file_of(stated("16", "1"))).find("ep x etp = 16 x 1 does not divide"), std::string::npos);
  EXPECT_NE(said(file_of({{"etp", "1"}})).find("etp of a model without experts"), std::string::npos);
  const std::string blank = said(file_of(stated("7", "")));  // nothing is said of an etp that nobody wrote
  EXPECT_EQ(blank.find("etp"), std::string::npos) << blank;
  EXPECT_NE(said(file_of({{"tp", "6"},
                          {"devices", "24"},
                          {"experts", "64"},
                          {"experts_per_token", "2"},
                          {"ep", "4"},
                          {"etp", "1"},
                          {"global_batch", "48"}}))
                .find("neither divides tp = 6 nor is a multiple"),
            std::string::npos);
  const std::string huge =
      said(file_of({{"tp", "100000000"}, {"cp", "100000000"}, {"dp", "100000000"}, {"ep", "8"}}));
  EXPECT_NE(huge.find("is not devices"), std::string::npos) << huge;
  EXPECT_EQ(huge.find("ep = 8 does not divide"), std::string::npos) << huge;
  const std::vector<std::pair<std::string, std::string>> uneven = {
      {"tp", "2"}, {"experts", "64"}, {"experts_per_token", "2"}, {"ep", "16"}};
  EXPECT_NE(said(file_of(uneven)).find("does not divide"), std::string::npos);
}

// DeepSeek-V3 on two stages of eight chunks: 61 layers are not dealt evenly.
TEST(MeasuredRuns, UnevenChunksStandForTheNearestEvenOnes) {
  const auto chunks = [](const char* layers, const char* wanted) {
    return read_one({{"pp", "2"}, {"layers", layers}, {"vpp", wanted}}).virtual_stages;
  };
  EXPECT_EQ(chunks("32", "4"), 4);
  EXPECT_EQ(chunks("32", "5"), 4);
  EXPECT_EQ(chunks("32", "7"), 8);
  EXPECT_EQ(chunks("61", "8"), 31);
}

TEST(MeasuredRuns, MicrobatchesGiveTheMicrobatch) {
  EXPECT_EQ(read_one({{"microbatch", ""}, {"microbatches", "2"}}).microbatch, 1);
  EXPECT_NE(said(file_of({{"microbatches", "4"}})).find("microbatches = 4 is not"), std::string::npos);
}

TEST(MeasuredRuns, InterleavedStagesAreTwoUnlessStated) {
  const MeasuredRun run = read_one({{"pp", "4"}, {"schedule", "interleaved"}});
  EXPECT_EQ(run.virtual_stages, 2);
  EXPECT_EQ(read_one({{"pp", "4"}}).virtual_stages, 1);
}

TEST(MeasuredRuns, RowsWithoutAValueArePredictedAlone) {
  const std::string two = file_of({{"value", ""}, {"metric", ""}});
  const Validation v =
      validate_runs(read_measured_runs(two, "runs.csv", *shipped_catalog()), *shipped_catalog());
  ASSERT_EQ(v.runs.size(), 1U);
  EXPECT_FALSE(v.runs[0].measured || v.runs[0].plan_error_pct() || v.runs[0].measured_step);
  EXPECT_GT(v.runs[0].plan->si(), 0);
  EXPECT_EQ(v.all.runs, 0U);
  EXPECT_TRUE(v.by_source.empty());
  EXPECT_NE(said(file_of({{"metric", ""}})).find("column 'metric' is blank"), std::string::npos);
}

TEST(MeasuredRuns, RowsThatAreLeftOutArePredictedButDoNotCount) {
  const MeasuredRun run = read_one({{"left_out", "includes evaluation"}});
  const Validation v = validate_runs({run}, *shipped_catalog());
  EXPECT_TRUE(v.runs[0].plan_error_pct().has_value());
  EXPECT_EQ(v.all.runs, 0U);
  EXPECT_EQ(v.runs[0].vote, 0);
}

TEST(MeasuredRuns, RowsQuotedFromMemoryCountButAreNotFittedOn) {
  const MeasuredRun quoted = read_one({{"from_memory", "1"}});
  EXPECT_EQ(validate_runs({quoted}, *shipped_catalog()).all.runs, 1U);
  EXPECT_FALSE(fits_on(quoted));
  EXPECT_TRUE(fits_on(read_one({{"confidence", "quoted from memory and then looked up"}})));
  EXPECT_FALSE(fits_on(shipped("megascale.768.256.megatron")));
  EXPECT_EQ(std::count_if(shipped().begin(), shipped().end(), fits_on), 51);
}

TEST(MeasuredRuns, NearCopiesShareOneVote) {
  MeasuredRun one = read_one({});
  MeasuredRun copy = one;
  copy.id = "copy";
  copy.source = "elsewhere";
  copy.value = 2 * *one.value;
  MeasuredRun other = one;
  other.id = "other";
  other.microbatch = 1;
  const Validation v = validate_runs({one, copy, other}, *shipped_catalog());
  EXPECT_EQ(v.runs[0].vote, 0.5);
  EXPECT_EQ(v.runs[1].vote, 0.5);
  EXPECT_EQ(v.runs[2].vote, 1);
  EXPECT_DOUBLE_EQ(v.all.votes, 2);
  const auto error = [&](std::size_t i) { return std::abs(*v.runs[i].plan_error_pct()); };
  EXPECT_NEAR(v.all.mean_abs_by_votes, (error(0) / 2 + error(1) / 2 + error(2)) / 2, 1e-9);
  EXPECT_NEAR(v.all.mean_abs, (error(0) + error(1) + error(2)) / 3, 1e-9);
}

/// A file with every cell of some columns replaced by other text.
std::string scrambled(const std::string& path, const std::vector<std::string>& columns) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  RunTable table = read_run_table(text.str(), path);
  std::string out;
  for (std::size_t c = 0; c < table.header.size(); ++c) out += (c > 0 ? "," : "") + table.header[c];
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += "\n";
    for (std::size_t c = 0; c < table.header.size(); ++c) {
      const bool other = std::find(columns.begin(), columns.end(), table.header[c]) != columns.end();
      const std::string cell =
          other ? "MegaScale overlap, compiled 2021 " + std::to_string(r) : table.rows[r][c];
      out += (c > 0 ? ",\"" : "\"") + cell + "\"";
    }
  }
  return out + "\n";
}

const std::filesystem::path kRoot = TRAINYARD_SOURCE_DIR;

Bytes predicted_memory(const MeasuredRun& run) {
  return predict_run(run, *shipped_catalog()).plan.mapping.device.total();
}

TEST(MeasuredRuns, NothingDependsOnIdsNotesAndNames) {
  for (const char* file : {"measured_runs.csv", "held_out_runs.csv"}) {
    const std::string path = (kRoot / "data" / file).string();
    const auto runs = read_measured_runs(scrambled(path, {}), path, *shipped_catalog());
    const auto others =
        read_measured_runs(scrambled(path, {"id", "source", "note", "model"}), path, *shipped_catalog());
    ASSERT_EQ(runs.size(), others.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const RunPrediction one = predict_run(runs[i], *shipped_catalog());
      const RunPrediction other = predict_run(others[i], *shipped_catalog());
      EXPECT_EQ(one.step, other.step) << runs[i].id;
      EXPECT_EQ(one.plan.mapping.device.total(), other.plan.mapping.device.total()) << runs[i].id;
      EXPECT_EQ(counted_flop(runs[i]).si(), counted_flop(others[i]).si()) << runs[i].id;
    }
  }
}

TEST(MeasuredRuns, ListsOfColumnsAndSpellingsStandInTheDocuments) {
  std::ifstream in(kRoot / "docs" / "validation.md");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_NE(text.str().find(run_columns_markdown()), std::string::npos);
  EXPECT_NE(text.str().find(framework_spellings_text()), std::string::npos);
}

/// A table of MLPerf results with one row, some cells changed.
std::string mlperf_of(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::pair<std::string, std::string>> cells = {
      {"round", "v5.0"},
      {"submitter", "A"},
      {"system", "box"},
      {"benchmark", "llama2_70b_lora"},
      {"model", "whatever"},
      {"accelerator", "NVIDIA H100-SXM5-80GB"},
      {"accelerator_short", "H100"},
      {"devices", "16"},
      {"devices_per_hb_domain", "8"},
      {"nic_gbps_per_device", ""},
      {"layers", "80"},
      {"hidden", "8192"},
      {"ffn", "28672"},
      {"heads", "64"},
      {"kv_heads", "8"},
      {"vocab", "32000"},
      {"sequence", "8192"},
      {"global_batch", "16"},
      {"microbatch", "1"},
      {"microbatches", "4"},
      {"tp", "4"},
      {"pp", "1"},
      {"vpp", "1"},
      {"cp", "1"},
      {"dp", "4"},
      {"ep", "1"},
      {"sequence_parallel", "1"},
      {"zero", "1"},
      {"recompute", "full block 21 layers"},
      {"precision", "fp8"},
      {"cuda_graphs", "no"},
      {"tp_comm_overlap", "yes"},
      {"overlap_grad", "no"},
      {"framework", "NGC Pytorch 24.09, NVIDIA Nemo 24.09"},
      {"step_time_s", "4"},
      {"step_quality", "B"},
      {"a_column_of_a_later_round", "x"}};
  std::string header;
  std::string row;
  for (auto& [column, value] : cells) {
    for (const auto& [changed, to] : changes) {
      if (changed == column) value = to;
    }
    header += (header.empty() ? "" : ",") + column;
    row += (&value == &cells.front().second ? "\"" : ",\"") + value + "\"";
  }
  return header + "\n" + row + "\n";
}

MeasuredRun read_mlperf(const std::vector<std::pair<std::string, std::string>>& changes) {
  return read_run_file(mlperf_of(changes), "mlperf.csv", *shipped_catalog()).runs.at(0);
}

// The latest release that stands by itself counts: systems' files name old images, drivers look like
// releases.
TEST(MlperfRuns, ReleasesSayWhichNemo) {
  const auto software = [](const char* framework) {
    return read_mlperf({{"framework", framework}}).software;
  };
  EXPECT_EQ(software("NVIDIA NeMo Framework Release 24.09"), "nemo-2409");
  EXPECT_EQ(software("NGC Pytorch 24.04, NGC HugeCTR 24.04"), "nemo-2409");
  EXPECT_EQ(software("NVIDIA PyTorch Release 24.04"), "nemo-2409");
  EXPECT_EQ(software("NeMo 2.4.0"), "nemo");
  EXPECT_EQ(software("NVIDIA NeMo Framework Release 25.04"), "nemo");
  EXPECT_EQ(software("PyTorch NVIDIA Release 23.09"), "nemo");
  EXPECT_EQ(software("PyTorch NVIDIA Release 23.09 (log: PyTorch NVIDIA Release 25.09)"), "nemo-2509");
  EXPECT_EQ(software("NVIDIA NeMo Framework Release 26.04, NGC 25.01."), "nemo-2509");
  EXPECT_EQ(software("NVIDIA NGC container, CUDA 12.8, driver 570.25.09"), "nemo");
  EXPECT_EQ(software("NeMo on Ubuntu 24.04"), "nemo");
  EXPECT_EQ(software(("NeMo 24.09" + std::string(1'000'000, '.') + "1").c_str()), "nemo");
  EXPECT_EQ(software("Megatron-Bridge 26.02"), "megatron-bridge");
  EXPECT_EQ(software("Megatron-Bridge 26.10"), "megatron-bridge-2604");
}

TEST(MlperfRuns, RowsBecomeRuns) {
  const MeasuredRun run = read_mlperf({});
  EXPECT_EQ(run.id, "v5.0/A/box/llama2_70b_lora");
  EXPECT_EQ(run.adapter_rank, 16);
  EXPECT_TRUE(run.shape.gated_ffn);
  EXPECT_EQ(run.shape.norm, NormKind::rms);
  EXPECT_EQ(run.software, "nemo-2409");
  EXPECT_EQ(run.graphs, false);
  EXPECT_EQ(run.hides, std::vector{Hidden::tensor});
  EXPECT_EQ(run.exposes, std::vector{Hidden::gradients});
  EXPECT_EQ(run.recompute, Recompute::full);
  EXPECT_EQ(run.recompute_layers, 21);
  EXPECT_DOUBLE_EQ(run.nic_rate.value_or(BitRate(0)).si(), 400e9);  // of a DGX H100
  EXPECT_DOUBLE_EQ(run.value.value_or(0), 4);
  EXPECT_TRUE(run.counts());
}

// Blank: NVIDIA's images are submitted with graphs; of other programs nothing is known.
TEST(MlperfRuns, GraphsAreWhatTheRowSays) {
  EXPECT_EQ(read_mlperf({{"cuda_graphs", "partial"}}).graphs, true);
  EXPECT_EQ(read_mlperf({{"cuda_graphs", ""}}).graphs, true);
  EXPECT_FALSE(read_mlperf({{"cuda_graphs", ""}, {"framework", "MaxText"}}).graphs.has_value());
}

// NeMo's images since 25.01 exchange by all-to-alls for this benchmark; those of autumn 2024 knew rings, and
// of programs of others nothing is known.
TEST(MlperfRuns, ImagesSayHowContextRanksExchange) {
  const auto exchange = [](const char* benchmark, const char* framework) {
    return read_mlperf({{"benchmark", benchmark}, {"framework", framework}}).context_exchange;
  };
  EXPECT_EQ(exchange("llama2_70b_lora", "NVIDIA NeMo Framework Release 25.04"), ContextExchange::all_to_all);
  EXPECT_FALSE(exchange("llama2_70b_lora", "NVIDIA NeMo Framework Release 24.09").has_value());
  EXPECT_FALSE(exchange("llama2_70b_lora", "MaxText").has_value());
  EXPECT_FALSE(exchange("llama31_405b", "NVIDIA NeMo Framework Release 25.04").has_value());
}

// In words, where no column has it.
TEST(MlperfRuns, DetailsSayInWhatAttentionIsComputed) {
  const auto low = [](const char* detail) {
    std::string table = mlperf_of({{"a_column_of_a_later_round", detail}});
    const std::string_view later = "a_column_of_a_later_round";
    table.replace(table.find(later), later.size(), "precision_detail");
    return read_run_file(table, "mlperf.csv", *shipped_catalog()).runs.at(0).low_attention;
  };
  EXPECT_EQ(low("delayed scaling, hybrid; fp8 attention"), true);
  EXPECT_EQ(low("NVFP4 linears; attention in FP8"), true);
  EXPECT_EQ(low("no fp8 attention at first; fp8 attention from step 10 on"), true);
  for (const char* off :
       {"delayed scaling; fp8 attention off", "fp8 attention: off", "without fp8 attention"})
    EXPECT_FALSE(low(off).has_value()) << off;
  EXPECT_FALSE(low("attention in bf16").has_value());
}

TEST(MlperfRuns, MixturesHaveWholeExpertsOnTensorRanks) {
  const MeasuredRun run = read_mlperf({{"benchmark", "gpt_oss_20b"},
                                       {"accelerator", "NVIDIA B200"},
                                       {"layers", "24"},
                                       {"hidden", "2880"},
                                       {"ffn", "2880"},
                                       {"heads", "64"},
                                       {"vocab", "128256"},
                                       {"ep", "4"},
                                       {"recompute", "mlp"},
                                       {"precision", "mxfp4"}});
  EXPECT_EQ(run.shape.experts, 32);
  EXPECT_EQ(run.expert_tensor, 1);
  EXPECT_EQ(run.precision, Precision::fp4);
  EXPECT_EQ(run.recompute_modules, std::vector{RecomputeModule::mlp});
}

TEST(MlperfRuns, BenchmarksSayWhatIsTrained) {
  const MeasuredRun gpt = read_mlperf({{"benchmark", "gpt3"}});
  EXPECT_FALSE(gpt.shape.gated_ffn || gpt.adapter_rank || gpt.shape.dropout);  // --hidden-dropout 0.0
  EXPECT_TRUE(read_mlperf({{"benchmark", "llama31_405b"}}).shape.gated_ffn);
  EXPECT_FALSE(read_mlperf({{"benchmark", "llama31_8b"}}).adapter_rank.has_value());
  EXPECT_THROW(read_mlperf({{"benchmark", "bert"}}), InputError);
}

TEST(MlperfRuns, TimesWithEvaluationDoNotCount) {
  EXPECT_FALSE(read_mlperf({{"step_quality", "C"}}).counts());
  EXPECT_FALSE(read_mlperf({{"step_time_s", ""}}).counts());
}

TEST(MlperfRuns, RowsThatCannotBeReadAreSkipped) {
  const std::string bad =
      mlperf_of({{"system", "other"}, {"accelerator", "abacus"}, {"accelerator_short", ""}});
  const RunFile file =
      read_run_file(mlperf_of({}) + bad.substr(bad.find('\n') + 1), "mlperf.csv", *shipped_catalog());
  EXPECT_EQ(file.runs.size(), 1U);
  ASSERT_EQ(file.skipped.size(), 1U);
  EXPECT_NE(file.skipped[0].message.find("'abacus'"), std::string::npos);
  EXPECT_THROW(read_run_file(bad, "mlperf.csv", *shipped_catalog()), InputError);
}

TEST(MlperfRuns, FindingsNameCellsAsTheTableDoes) {
  const auto finding = [](const std::string& column, const std::string& cell) {
    const std::string bad = mlperf_of({{"system", "other"}, {column, cell}});
    const RunFile file =
        read_run_file(mlperf_of({}) + bad.substr(bad.find('\n') + 1), "mlperf.csv", *shipped_catalog());
    return file.skipped.at(0);
  };
  const Finding time = finding("step_time_s", "4 s");
  EXPECT_NE(time.message.find("column 'step_time_s': '4 s'"), std::string::npos) << time.message;
  const std::string row = mlperf_of({{"system", "other"}, {"step_time_s", "4 s"}});
  const std::size_t at = row.find("\"4 s\"") - row.find('\n');
  EXPECT_EQ(time.where.line, 3);
  EXPECT_EQ(time.where.column, static_cast<int>(at));
  EXPECT_NE(finding("zero", "7").message.find("column 'zero'"), std::string::npos);
  const Finding benchmark = finding("benchmark", "llama31_70b");
  EXPECT_NE(benchmark.message.find("column 'benchmark': 'llama31_70b'"), std::string::npos);
  EXPECT_NE(benchmark.help.find("llama31_"), std::string::npos) << benchmark.help;
}

TEST(MlperfRuns, WordsOfHabitsAreReadInTheirSpellings) {
  const MeasuredRun usual = read_mlperf({});
  const MeasuredRun spelled =
      read_mlperf({{"tp_comm_overlap", " True"}, {"overlap_grad", "0"}, {"cuda_graphs", "False"}});
  EXPECT_EQ(spelled.hides, usual.hides);
  EXPECT_EQ(spelled.exposes, usual.exposes);
  EXPECT_EQ(spelled.graphs, usual.graphs);
  EXPECT_EQ(read_mlperf({{"cuda_graphs", "n/a"}}).graphs, true);  // as blank
  EXPECT_FALSE(read_mlperf({{"step_quality", "c"}}).counts());
}

TEST(MlperfRuns, UnknownWordsAreWarnings) {
  for (const char* column : {"tp_comm_overlap", "overlap_grad", "cuda_graphs", "step_quality"}) {
    const MeasuredRun run = read_mlperf({{column, "perhaps"}});
    ASSERT_GT(run.assumed.size(), read_mlperf({}).assumed.size()) << column;
    const auto names = [&](const std::string& fact) {
      return fact.find(column) != std::string::npos && fact.find("'perhaps' (allowed: ") != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(run.assumed.begin(), run.assumed.end(), names)) << column;
  }
}

TEST(MlperfRuns, SubmittersAndSystemsDoNotChangeAPrediction) {
  const Seconds step = predict_run(read_mlperf({}), *shipped_catalog()).step;
  const MeasuredRun other = read_mlperf({{"submitter", "B"}, {"system", "rack"}, {"model", "x"}});
  EXPECT_EQ(predict_run(other, *shipped_catalog()).step, step);
  EXPECT_EQ(configuration_of(other), configuration_of(read_mlperf({})));
}

TEST(MlperfRuns, PublishedTableIsReadAsItIs) {
  const std::filesystem::path path = kRoot.parent_path() / "shared" / "data" / "mlperf_training.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  const RunFile file = read_run_file(text.str(), path.string(), *shipped_catalog());
  EXPECT_TRUE(file.skipped.empty());
  EXPECT_EQ(file.runs.size(), 139U);
  EXPECT_EQ(
      std::count_if(file.runs.begin(), file.runs.end(), [](const MeasuredRun& r) { return r.counts(); }),
      124);
  EXPECT_EQ(std::count_if(file.runs.begin(), file.runs.end(),
                          [](const MeasuredRun& r) { return r.adapter_rank.has_value(); }),
            104);
}

// 5,762 tokens a second and device of 8, 16 sequences of 8,192 tokens a step.
TEST(MeasuredRuns, TokensASecondBecomeAStep) {
  const Seconds step = measured_step(shipped("torchtitan.8B.8.bf16"), *shipped_catalog());
  EXPECT_NEAR(step.si(), 16 * 8192 / (5762.0 * 8), 1e-9);
}

// Narayanan et al. 2021, section 5.1: a trillion parameters, 450 billion tokens, 3,072 devices at 163
// TFLOP/s: 84 days.
TEST(MeasuredRuns, HardwareFlopGiveThePapersDays) {
  const MeasuredRun run = shipped("sc21.1008.0B");
  const double steps = 450e9 / run.tokens_per_step();
  EXPECT_NEAR(measured_step(run, *shipped_catalog()).si() * steps / 86400, 84, 1);
}

// Chowdhery et al. 2022, section 4.1: 46.2% at 238.3 thousand tokens a second.
TEST(MeasuredRuns, UtilizationGivesPalmsTokensASecond) {
  const MeasuredRun run = shipped("palm.540B");
  const double rate = run.tokens_per_step() / measured_step(run, *shipped_catalog()).si();
  EXPECT_NEAR(rate, 238.3e3, 0.3e3);
}

// Korthikanti et al. 2023, table 5: 13.75 s are 51.4% of model FLOP; 71.49 s of a trillion parameters 56.3%.
TEST(MeasuredRuns, UtilizationOfMegatronsTable5) {
  for (const auto& [id, percent] :
       {std::pair{"seqpar.175B.selective", 51.4}, {"seqpar.1T.selective", 56.3}}) {
    MeasuredRun run = shipped(id);
    const Seconds step = measured_step(run, *shipped_catalog());
    run.metric = RunMetric::mfu;
    run.flop_convention = FlopConvention::mfu;
    EXPECT_NEAR(metric_of_step(run, step, *shipped_catalog()) * 100, percent, 0.2) << id;
  }
}

// By hand: 6 FLOP a weight of the matrices and token, and 6 l h s for the causal half of attention.
TEST(MeasuredRuns, ModelFlopOfLlama3) {
  const MeasuredRun run = shipped("llama3.405B.8192.cp1");
  const double h = 16384;
  const double layer = h * (h + 2 * 8 * 128) + h * h + 3 * h * 53248;
  const double token = 6 * (126 * layer + 128256 * h) + 6 * 126 * h * 8192;
  EXPECT_NEAR(counted_flop(run).si() / (token * 2048 * 8192), 1, 1e-12);
  EXPECT_NEAR(*run.value / run_peak(run, *shipped_catalog()).si(), 0.43, 0.006);  // the paper's 43%
}

TEST(MeasuredRuns, EveryMetricComesBackFromItsStep) {
  for (const MeasuredRun& run : shipped()) {
    const Seconds step = measured_step(run, *shipped_catalog());
    EXPECT_GT(step.si(), 0) << run.id;
    EXPECT_NEAR(metric_of_step(run, step, *shipped_catalog()) / *run.value, 1, 1e-12) << run.id;
  }
}

TEST(MeasuredRuns, UnitsOfTheFile) {
  EXPECT_DOUBLE_EQ(read_one({{"value", "2500"}, {"unit", "ms"}}).value.value_or(0), 2.5);
  EXPECT_DOUBLE_EQ(read_one({{"metric", "mfu"}, {"value", "46.2"}, {"unit", "%"}}).value.value_or(0), 0.462);
  EXPECT_DOUBLE_EQ(read_one({{"metric", "flops_per_device"}, {"value", "430"}}).value.value_or(0), 430e12);
  EXPECT_DOUBLE_EQ(in_file_units(RunMetric::flops_per_device, 430e12), 430);
}

TEST(MeasuredRuns, LineEndsAndByteOrderMarksOfOtherSystems) {
  std::string file = "\xef\xbb\xbf" + file_of({});
  for (std::size_t at = 0; (at = file.find('\n', at)) != std::string::npos; at += 2) file.insert(at, "\r");
  EXPECT_EQ(said(file), "");
}

struct BadCell {
  const char* column;
  const char* cell;
  const char* says;
};

class BadRun : public testing::TestWithParam<BadCell> {};

TEST_P(BadRun, IsRefusedWithRowAndReason) {
  const std::string text = said(file_of({{GetParam().column, GetParam().cell}}));
  EXPECT_NE(text.find(GetParam().says), std::string::npos) << text;
  EXPECT_EQ(text.find("runs.csv:2:"), 0U) << text;
  EXPECT_NE(text.find(": error: row '"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Cells, BadRun,
    testing::Values(
        BadCell{"tp", "x", "'x' is not a whole number"}, BadCell{"tp", "-1", "out of range"},
        BadCell{"tp", "1e3", "not a whole number"}, BadCell{"tp", "3", "is not devices = 8"},
        BadCell{"dp", "4", "is not devices = 8"}, BadCell{"pp", "999999", "out of range"},
        BadCell{"layers", "0", "allowed: 1 to"}, BadCell{"sequence", "", "'sequence' is blank"},
        BadCell{"heads", "7", "not a multiple of heads"}, BadCell{"kv_heads", "5", "kv_heads = 5"},
        BadCell{"global_batch", "17", "is no multiple of dp x microbatch"},
        BadCell{"vpp", "2", "without pipeline stages"}, BadCell{"ep", "2", "does not divide experts"},
        BadCell{"ep", "3", "does not divide dp x cp"}, BadCell{"experts", "4", "experts_per_token = 0"},
        BadCell{"precision", "bf61", "did you mean 'bf16'?"},
        BadCell{"precision", "fp32", "no dense peak at fp32"},
        BadCell{"accelerator", "h100-sxn", "did you mean 'h100-sxm'?"},
        BadCell{"metric", "mfuu", "did you mean 'mfu'?"}, BadCell{"value", "three", "not a number"},
        BadCell{"software", "megatron-cora", "did you mean 'megatron-core'?"},
        BadCell{"framework", "abacus", "names no training program"},
        BadCell{"base_model", "llama3-71b", "did you mean 'llama3-70b'?"},
        BadCell{"hides", "tensors", "did you mean 'tensor'?"}, BadCell{"adapter", "lora", "lora:RANK"},
        BadCell{"adapter", "dora:16", "is no adapter"}, BadCell{"adapter", "lora:-16", "is no adapter"},
        BadCell{"adapter", "\"\"\"\"", "is no adapter"}, BadCell{"adapter", "lora:1.6", "is no adapter"},
        BadCell{"adapter", "lora:1-6", "is no adapter"},
        BadCell{"adapter", "\xef\xbc\x91\xef\xbc\x96", "is no adapter"},
        BadCell{"gated_ffn", "-1", "gated_ffn"}, BadCell{"flop_convention", "models", "'model'"},
        BadCell{"measured_memory_bytes", "0", "allowed: 1 to"},
        BadCell{"recompute_layers", "33", "recompute_layers = 33 of 32 layers"},
        BadCell{"value", "-1", "out of range"}, BadCell{"value", "1e-308", "allowed: 1e-09 to 1e+15"},
        BadCell{"nic_gbps_per_device", "1e-308", "allowed: 0.001 to 1e+06"},
        BadCell{"experts_per_token", "2", "column 'experts_per_token': 2 of no experts"},
        BadCell{"unit", "fortnights", "allowed: s, ms"}, BadCell{"schedule", "interleaved", "contradict"},
        BadCell{"gated_ffn", "2", "gated_ffn"}, BadCell{"zero_stage", "4", "allowed: 0 to 3"},
        BadCell{"id", "\x1b[2J", "control"}));

TEST(MeasuredRuns, MoreThanAllOfThePeakIsRefused) {
  EXPECT_NE(said(file_of({{"metric", "mfu"}, {"value", "101"}})).find("more than 100%"), std::string::npos);
}

TEST(MeasuredRuns, MoreFlopThanThePeakAreRefused) {
  const auto flops = [](const char* value) {
    return said(file_of({{"metric", "flops_per_device"}, {"value", value}}));
  };
  EXPECT_EQ(flops("989"), "");
  EXPECT_NE(flops("1200").find("runs.csv:2"), std::string::npos) << flops("1200");
  EXPECT_NE(flops("1200").find("1200 TFLOP/s is more than the peak of 'h100-sxm' at bf16, 989"),
            std::string::npos)
      << flops("1200");
  // A step of 16 sequences of 8,192 tokens is 6.8 PFLOP on eight devices: 0.86 s at the peak.
  EXPECT_NE(said(file_of({{"value", "0.5"}})).find("0.5 s makes"), std::string::npos);
  EXPECT_EQ(said(file_of({{"value", "1.0"}})), "");
  EXPECT_NE(said(file_of({{"metric", "tokens_per_second_per_device"}, {"value", "40000"}}))
                .find("of a device, more than the peak"),
            std::string::npos);
  EXPECT_EQ(said(file_of({{"metric", "flops_per_device"}, {"value", "1200"}, {"precision", "fp8"}})), "");
}

TEST(MeasuredRuns, HeadersAreChecked) {
  EXPECT_NE(said("idd\n").find("unknown column 'idd'"), std::string::npos);
  EXPECT_NE(said("idd\n").find("did you mean 'id'?"), std::string::npos);
  EXPECT_NE(said("id\n").find("column 'model' is missing"), std::string::npos);
  EXPECT_NE(said("id,id\n").find("column 'id' stands twice"), std::string::npos);
  EXPECT_NE(said("").find("holds no header"), std::string::npos);
  const std::string file = file_of({});
  EXPECT_NE(said(file.substr(0, file.find('\n') + 1)).find("holds no runs"), std::string::npos);
  EXPECT_NE(said(file + "b,c\n").find("2 cells under"), std::string::npos);
  EXPECT_NE(said(file + file.substr(file.find('\n') + 1)).find("another row has this id"), std::string::npos);
}

TEST(RunValidation, PeakMemoryOfEveryMeasuredRunIsWithinTwoPercent) {
  for (const MeasuredRun& run : shipped()) {
    if (!run.measured_memory) continue;
    EXPECT_NEAR(predicted_memory(run) / *run.measured_memory, 1, 0.02) << run.id;
  }
}

// Rows of the same release that data/measured_runs.csv does not hold (SimuMax docs/b200, release 1.2).
TEST(RunValidation, PeakMemoryOfRunsThatWereNotLookedAt) {
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  MeasuredRun run = shipped("b200.llama3_70b_l12_tp8_pp1_dp1_mbc4");
  run.tensor = 4;
  run.data = 2;
  run.global_batch = 8;
  EXPECT_NEAR(predicted_memory(run).si() / kGibibyte, 39.07, 0.02 * 39.07);
  run = shipped("b200.llama3_405b_l4_tp8_pp1_dp1_mbc4");
  run.tensor = 4;
  run.data = 2;
  run.global_batch = 8;
  EXPECT_NEAR(predicted_memory(run).si() / kGibibyte, 52.89, 0.02 * 52.89);
  run = shipped("b200.llama3_405b_l4_tp2_cp4_pp1_dp1_seq32768_mbc4");
  run.shape.sequence = 131072;
  EXPECT_NEAR(predicted_memory(run).si() / kGibibyte, 118.13, 0.02 * 118.13);
}

TEST(RunValidation, PredictionsDoNotReadTheMeasurement) {
  MeasuredRun run = shipped("b200.llama3_405b_l4_tp8_pp1_dp1_mbc4");
  const Seconds step = predict_run(run, *shipped_catalog()).step;
  const Bytes memory = predicted_memory(run);
  run.value = 2 * *run.value;
  run.id = "another";
  run.measured_memory = Bytes(1);
  EXPECT_EQ(predict_run(run, *shipped_catalog()).step, step);
  EXPECT_EQ(predicted_memory(run), memory);
}

TEST(RunValidation, SummariesAreMeansMediansAndWorstByEye) {
  std::vector<MeasuredRun> runs;
  for (int i = 0; i < 4; ++i) runs.push_back(shipped("b200.llama3_405b_l4_tp8_pp1_dp1_mbc4"));
  const double step = predict_run(runs[0], *shipped_catalog()).step.si();
  const double factors[] = {1, 2, 4, 0.5};  // errors of 0%, -50%, -75%, +100%
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].value = step * factors[i];
    runs[i].id = std::to_string(i);
    runs[i].source = i < 3 ? "first" : "second";
  }
  const Validation v = validate_runs(runs, *shipped_catalog());
  EXPECT_NEAR(v.all.mean_abs, 56.25, 1e-9);
  EXPECT_NEAR(v.all.median_abs, 62.5, 1e-9);
  EXPECT_NEAR(v.all.worst, 100, 1e-9);
  EXPECT_EQ(v.all.worst_id, "3");
  ASSERT_EQ(v.by_source.size(), 2U);
  EXPECT_EQ(v.by_source[0].source, "first");
  EXPECT_NEAR(v.by_source[0].errors.mean_abs, 125.0 / 3, 1e-9);
  EXPECT_NEAR(v.by_source[0].errors.median_abs, 50, 1e-9);
  EXPECT_NEAR(v.by_source[0].errors.worst, -75, 1e-9);
  EXPECT_EQ(v.memory.runs, 4U);
}

}  // namespace
}  // namespace trainyard
