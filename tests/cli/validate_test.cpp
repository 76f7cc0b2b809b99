// validate: runs and operators.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, FilesInUtf16AreNamedAsSuch) {
  const std::string utf16 = file("utf16.csv", std::string("\xFF\xFEr\0u\0n\0\n\0", 10));
  for (const char* question : {"validate --runs ", "plan ", "network topologies --traffic "})
    expect_refused(question + utf16, {"utf16.csv: error: is UTF-16 text", "save it as UTF-8"});
}

TEST_F(Cli, ValidatesTheShippedRuns) {
  const Ran ran = run("validate --json --svg " + path("runs.svg"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json.at("runs").size(), 55U);
  double sum = 0;
  for (const auto& row : json.at("runs")) {
    const double measured = row.at("measured_s").get<double>();
    for (const char* model : {"plan", "step"}) {
      const std::string name = model;
      const double predicted = row.at(name + "_s").get<double>();
      EXPECT_NEAR((predicted / measured - 1) * 100, row.at("error_" + name + "_pct").get<double>(), 1e-9);
      EXPECT_LT(row.at(name + "_low_s").get<double>(), predicted);
      EXPECT_GT(row.at(name + "_high_s").get<double>(), predicted);
    }
    // What is left between the two models adds up.
    double effects = 0;
    for (const auto& [what, seconds] : row.at("step_less_plan_s").items()) effects += seconds.get<double>();
    EXPECT_NEAR(effects, row.at("step_s").get<double>() - row.at("plan_s").get<double>(), 1e-6 * measured);
    sum += std::abs(row.at("error_plan_pct").get<double>());
  }
  EXPECT_NEAR(json.at("mean_abs_error_pct").get<double>(), sum / 55, 1e-9);
  EXPECT_EQ(json.at("by_source").size(), 7U);
  EXPECT_NE(read_all(path("runs.svg")).find("<svg"), std::string::npos);
}

TEST_F(Cli, ValidatesOtherRunsOfTheSameFormat) {
  const std::string header = "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,";
  const std::string runs =
      file("runs.csv", header +
                           "dp,microbatch,metric,value,measured_memory_bytes\nmine,GPT,a100-80,8,24,2048,16,"
                           "51200,2048,64,8,4,step_time,2,32212254720\n");
  const Ran ran = run("validate --csv --runs " + runs);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("\nmine,,2,"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(",32212254720,"), std::string::npos) << ran.out;
  EXPECT_NE(run("validate --runs " + runs).out.find("peak memory of a device"), std::string::npos);
}

/// Two HB domains of eight hold two tensor groups of three each, and five stages want five. Nothing is
/// predicted.
TEST_F(Cli, RunsThatAreRefusedSayNothingOfRoom) {
  const std::string header =
      "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,tp,pp,dp,metric,value\n";
  const std::string runs =
      file("runs.csv", header +
                           "even,GPT,a100-80,8,24,2048,16,51200,2048,64,2,1,4,step_time,2\n"
                           "odd,GPT,a100-80,15,24,2048,16,51200,2048,60,3,5,1,step_time,2\n");
  const auto rows = nlohmann::json::parse(run("validate --json --runs " + runs).out).at("runs");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("fits"), true);
  ASSERT_TRUE(rows[1].contains("refused")) << rows[1];
  for (const char* key : {"fits", "plan_s", "step_s", "predicted", "memory_bytes"})
    EXPECT_TRUE(rows[1].at(key).is_null()) << key;
  const std::string csv = run("validate --csv --runs " + runs).out;
  EXPECT_NE(csv.find(",step_time,s,2,,0,\n"), std::string::npos) << csv;
}

/// What has no room says how probable that is, as the warning does; no counted run has no error.
TEST_F(Cli, RunsWithoutRoomAndWithoutValuesSayBoth) {
  const std::string runs =
      file("runs.csv",
           "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,"
           "tp,pp,dp,microbatch,attention\n"
           "big,GPT,a100-80,64,96,12288,96,51200,2048,64,8,8,1,4,stored\n"
           "even,GPT,a100-80,8,24,2048,16,51200,2048,64,2,1,4,1,flash\n");
  const Ran ran = run("validate --json --runs " + runs);
  const auto json = nlohmann::json::parse(ran.out);
  const auto& rows = json.at("runs");
  ASSERT_TRUE(rows[0].contains("memory_doubt")) << rows[0];
  EXPECT_NE(ran.err.find(rows[0].at("memory_doubt").get<std::string>()), std::string::npos) << ran.err;
  EXPECT_FALSE(rows[1].contains("memory_doubt")) << rows[1];
  EXPECT_EQ(json.at("counted_runs"), 0);
  for (const char* key : {"mean_abs_error_pct", "median_abs_error_pct", "worst_error_pct", "worst_id",
                          "left_out_mean_abs_error_pct"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  const std::string text = run("validate --runs " + runs).out;
  const std::string predicted = text.substr(text.find("\npredicted"));
  EXPECT_TRUE(std::regex_search(predicted, std::regex(R"(\nbig .* s +[\d.]+ s .*GB.*no room\n)"))) << text;
  EXPECT_TRUE(std::regex_search(predicted, std::regex(R"(\neven .* s +[\d.]+ s .*GB.*fits\n)"))) << text;
}

// GPT-3 on 64 A100 whose activations are computed again because they do not fit.
TEST_F(Cli, ChangesThatWouldComeNearerSayWhetherTheyFit) {
  const std::string runs =
      file("runs.csv",
           "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,tp,pp,dp,"
           "microbatch,recompute,attention,metric,value\n"
           "big,GPT,a100-80,64,96,12288,96,51200,2048,64,8,8,1,4,full,stored,step_time,13\n");
  const auto json = nlohmann::json::parse(run("validate --json --explain big --runs " + runs).out);
  bool may_fit = true;
  std::size_t without_room = 0;
  for (const auto& change : json.at("closer")) {
    const bool fits = change.at("fits").get<bool>();
    EXPECT_TRUE(may_fit || !fits) << "those without room stand last: " << change;
    may_fit = fits;
    if (fits) continue;
    ++without_room;
    EXPECT_GT(change.at("memory_bytes").get<double>(), 80e9) << change;
    EXPECT_NE(change.at("memory_doubt").get<std::string>().find("run out of memory"), std::string::npos);
  }
  EXPECT_GT(without_room, 0U) << json.at("closer");
  EXPECT_LT(without_room, json.at("closer").size());
  const std::string text = run("validate --explain big --runs " + runs).out;
  EXPECT_NE(text.find(" GB, no room\n"), std::string::npos) << text;
}

TEST_F(Cli, PeakMemoryHasItsIntervalOnScreenAndInCsv) {
  const std::string runs =
      file("runs.csv",
           "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,dp,microbatch,"
           "software,metric,value,measured_memory_bytes\n"
           "mine,GPT,a100-80,8,24,2048,16,51200,2048,64,8,4,megatron-core,step_time,2,32212254720\n");
  const auto row = nlohmann::json::parse(run("validate --json --runs " + runs).out).at("runs").at(0);
  EXPECT_NEAR(row.at("memory_high_bytes").get<double>() / row.at("memory_bytes").get<double>(), 1.01, 1e-9);
  const std::string text = run("validate --runs " + runs).out;
  const std::size_t line = text.find("\nmine", text.find("peak memory of a device"));
  ASSERT_NE(line, std::string::npos) << text;
  EXPECT_NE(text.substr(line, text.find('\n', line + 1) + 1 - line).find("%       1%\n"), std::string::npos)
      << text;
  const std::string csv = run("validate --csv --runs " + runs).out;
  EXPECT_NE(csv.find(",memory_bytes,memory_low_bytes,memory_high_bytes,"), std::string::npos) << csv;
}

/// A table of hundreds of rows says each assumption once, with the first rows that it holds of.
TEST_F(Cli, SaysAnAssumptionOfManyRowsOnce) {
  std::string runs =
      "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,dp,metric,value\n";
  for (int row = 1; row <= 5; ++row)
    runs += "r" + std::to_string(row) + ",GPT,a100-80,8,24,2048,16,51200,2048,64,8,step_time,2\n";
  const Ran ran = run("validate --runs " + file("runs.csv", runs));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string said = "warning: assumed microbatch 1: 'r1', 'r2', 'r3', ... (5 of 5 rows)\n";
  const std::size_t at = ran.err.find(said);
  ASSERT_NE(at, std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("microbatch 1", at + said.size()), std::string::npos) << ran.err;
}

TEST_F(Cli, JudgesMeasuredOperators) {
  const std::string header = "system,dtype,m,n,k,time_us,backend\n";
  const std::string table =
      file("gemm.csv",
           header + "h100_sxm,bf16,8192,8192,8192,1500,trtllm\nh100_sxm,bf16,16,4096,4096,14,trtllm\n");
  const Ran ran = run("validate --json --operators " + table);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json.at("operators").size(), 1U);
  const auto& entry = json.at("operators").at(0);
  EXPECT_EQ(entry.at("system"), "h100_sxm");
  EXPECT_EQ(entry.at("operation"), "gemm");
  EXPECT_EQ(entry.at("dtype"), "bf16");
  EXPECT_EQ(entry.at("count"), 2);
  EXPECT_EQ(entry.at("large").at("count"), 1);
  EXPECT_EQ(entry.at("small").at("count"), 1);
  EXPECT_LT(entry.at("median_error_pct").get<double>(), 20);
  EXPECT_NE(run("validate --operators " + table).out.find("256 rows and more"), std::string::npos);
  EXPECT_NE(run("validate --csv --operators " + table).out.find("h100_sxm,gemm,bf16"), std::string::npos);
}

TEST_F(Cli, OperatorsWithoutConstantsSayHowToFitThem) {
  const std::string header = "system,dtype,m,n,k,time_us\n";
  const Ran unknown = run("validate --operators " + file("own.csv", header + "mine,bf16,64,64,64,5\n"));
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("--fit"), std::string::npos) << unknown.err;
  const Ran bad = run("validate --operators " + file("bad.csv", header + "h100_sxm,bf16,64,64,x,5\n"));
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("bad.csv:2:21: error: k: 'x' is no number"), std::string::npos) << bad.err;
}

TEST_F(Cli, RunsMayBeGzip) {
  const std::string runs =
      file("runs.csv",
           "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,dp,metric,value\n"
           "mine,GPT,a100-80,8,24,2048,16,51200,2048,64,8,step_time,2\n");
  const Ran plain = run("validate --csv --runs " + runs);
  ASSERT_EQ(plain.status, 0) << plain.err;
  ASSERT_EQ(std::system(("gzip \"" + runs + "\"").c_str()), 0);
  EXPECT_EQ(run("validate --csv --runs " + runs + ".gz").out, plain.out);
  expect_refused("validate --runs " + file("half.csv.gz", read_all(runs + ".gz").substr(0, 60)),
                 {"half.csv.gz", "is damaged"});
}

TEST_F(Cli, HostileTablesOfRunsAreRefused) {
  const std::string header = "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch";
  const std::string row = ",GPT,a100-80,8,24,2048,16,51200,2048,64";
  const auto refused = [&](const std::string& text, const std::string& says) {
    expect_refused("validate --runs " + file("runs.csv", text), {"runs.csv", says});
  };
  refused(header + "\n" + "a\xE9" + row + "\n", "2:1: error: row 'a\xEF\xBF\xBD': column 'id' is no UTF-8");
  refused(header + "\n" + std::string(2000, 'x') + row + "\n", "column 'id' has 2000 letters");
  refused(header + std::string(200'000, ',') + "\n", "a line with too many fields");
  refused(header + "\na\n", "2:1: error: 1 cell under 10 columns");
}

// Each cell is good by itself; the scenario that they make together is not.
TEST_F(Cli, RowsThatContradictThemselvesAreRefusedInTheirFile) {
  const auto refused = [&](const std::string& column, const std::string& value, const std::string& says) {
    const std::string text =
        "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,tp," + column +
        "\na,GPT,a100-80,8,24,2048,16,51200,2048,64,2," + value + "\n";
    expect_refused("validate --runs " + file("runs.csv", text), {"runs.csv:2:1: error: row 'a': " + says});
  };
  refused("recompute_layers", "4", "recompute_layers, and nothing recomputes");
  refused("zero_stage,zero_group", "0,2", "zero_group with ZeRO stage 0");
  refused("recompute_modules", "moe", "recompute_modules names moe, and the model has none");
}

/// A row's columns by their own names, a scenario's settings by theirs.
TEST_F(Cli, WhatChangesNothingOfARunIsSaid) {
  const std::string text =
      "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_batch,tp,pp,hides,schedule\n"
      "a,GPT,a100-80,8,24,2048,16,51200,2048,64,2,1,expert;gradients,\n"
      "b,GPT,a100-80,8,24,2048,16,51200,2048,64,2,1,expert,\n"
      "c,GPT,a100-80,8,24,2048,16,51200,2048,3,4,2,,dualpipe\n";
  const std::string runs = file("runs.csv", text);
  const Ran ran = run("validate --json --runs " + runs);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.err.find("warning: hides = \"expert\" changes nothing: the model has no experts: 'a', 'b'\n"),
            std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("warning: no timeline: the schedule dualpipe takes an even number"),
            std::string::npos)
      << ran.err;
  const auto rows = nlohmann::json::parse(ran.out).at("runs");
  EXPECT_EQ(rows[0].at("warnings").size(), 1U);
  EXPECT_FALSE(rows[2].contains("warnings"));
  const Ran scenario = run("validate --scenario a --runs " + runs);
  const Ran again = run("validate --runs " + file("a.toml", scenario.out));
  EXPECT_NE(again.err.find("warning: training.hides = \"expert\" changes nothing"), std::string::npos)
      << again.err;
}

TEST_F(Cli, BadRunsAreRefusedBeforeAnythingIsWritten) {
  const Ran ran = run("validate --svg " + path("no.svg") + " --runs " + file("runs.csv", "idd,model\n1,2\n"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("runs.csv:1:1: error: unknown column 'idd'"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_FALSE(std::filesystem::exists(path("no.svg")));
}

TEST_F(Cli, TheColumnsOfRunsAreARecord) {
  const std::string text = run("validate --columns").out;
  const auto json = nlohmann::json::parse(run("validate --columns --json").out);
  EXPECT_EQ(json.at("columns").at(0).at("required"), json.at("columns").at(0).at("blank") == "");
  for (const auto& column : json.at("columns"))
    EXPECT_NE(text.find("| `" + column.at("name").get<std::string>() + "` |"), std::string::npos);
  for (const auto& spelling : json.at("frameworks"))
    EXPECT_NE(text.find("| " + spelling.at("holds").get<std::string>() + " |"), std::string::npos);
}

TEST_F(Cli, ValidateWritesItsPage) {
  ASSERT_EQ(run("validate --report " + path("runs.html")).status, 0);
  const std::string page = read_all(path("runs.html"));
  for (const char* part : {"<td>palm.540B</td>", "error-track", "Peak memory of a device"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  expect_refused("validate --fit --report " + path("fit.html"), {"excludes"});
  expect_refused("validate --report", {"--report needs a value"});
}

}  // namespace
}  // namespace trainyard
