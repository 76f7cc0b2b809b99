// What holds for every verb.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, NothingIsWrittenOverWhatARunReadsOrWrites) {
  const std::string small = scenario("small", "small");
  const std::string text = read_all(small);
  const std::string runs = file("runs.csv", "id\n");
  for (const std::string& command : {"step " + small + " --report " + small,
                                     "step " + small + " --trace " + path("t") + " --report " + small,
                                     "plan " + small + " --layer-svg " + path("./scenario.toml"),
                                     "step " + small + " --trace " + path("t") + " --report " + path("t"),
                                     "validate --runs " + runs + " --svg " + runs}) {
    const Ran ran = run(command);
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_NE(ran.err.find("give "), std::string::npos) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(path("t"))) << command;
  }
  EXPECT_EQ(read_all(small), text);
  EXPECT_EQ(read_all(runs), "id\n");
}

TEST_F(Cli, JsonIsValidWhateverAScenarioIsCalled) {
  ASSERT_EQ(run("example hotnets24-dense").status, 0);
  const std::string named = file("\xff.toml", read_all(path("out")));
  for (const char* verb : {"plan", "scaling", "rail", "traffic --rail", "wide-area", "step"}) {
    const Ran ran = run(std::string(verb) + " " + named + " --json");
    EXPECT_EQ(ran.status, 0) << verb << ": " << ran.err;
    EXPECT_TRUE(nlohmann::json::accept(ran.out)) << verb;
  }
}

TEST_F(Cli, MistypedVerbsAndFlagsGetASuggestion) {
  const Ran verb = run("pln hotnets24-dense");
  EXPECT_EQ(verb.status, 2);
  EXPECT_NE(verb.err.find("did you mean 'plan'?"), std::string::npos) << verb.err;
  const Ran flag = run("plan hotnets24-dense --repot x.html");
  EXPECT_EQ(flag.status, 2);
  EXPECT_NE(flag.err.find("did you mean '--report'?"), std::string::npos) << flag.err;
}

/// Names of the verbs that a help lists.
std::vector<std::string> verbs_of(const std::string& help) {
  std::istringstream lines(help.substr(help.find("\nVerbs:") + 1));
  std::vector<std::string> verbs;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) {
    const auto begin = line.find_first_not_of(' ');
    if (begin == 2) verbs.push_back(line.substr(begin, line.find(' ', begin) - begin));
  }
  return verbs;
}

TEST_F(Cli, EveryVerbSpeaksJsonAndCsv) {
  const std::string plants =
      file("plants.csv",
           "country,country_long,name,gppd_idnr,capacity_mw,latitude,longitude,primary_fuel\n"
           "NOR,Norway,Kvilldal,GEODB0001,1240,59.5,6.6,Hydro\n");
  const std::string runs = file("runs.csv",
                                "id,model,accelerator,devices,layers,hidden,heads,vocab,sequence,global_"
                                "batch,dp,microbatch,metric,value\n"
                                "mine,GPT,a100-80,8,24,2048,16,51200,2048,64,8,4,step_time,2\n");
  run("search megatron-175b --set 'mapping.microbatch={search=[1,2]}' --resume " + path("store.db"));
  // A verb beside them needs a line here.
  const std::map<std::string, std::vector<std::string>> questions = {
      {"plan", {"hotnets24-dense"}},
      {"sweep", {"hotnets24-dense"}},
      {"scaling", {"hotnets24-dense"}},
      {"rail", {"railonly23-gpt3"}},
      {"traffic", {"hotnets24-dense"}},
      {"goodput", {"llama3-405b-months --runs 10"}},
      {"circuits", {"llama3-circuits"}},
      {"operate", {"llama3-day"}},
      {"years", {"two-generations"}},
      {"schedule", {"synthetic --jobs 40 --days 1"}},
      {"wide-area", {"hotnets24-dense"}},
      {"network", {"railonly23-gpt3", "topologies --design rail-only --route 0 9"}},
      {"simulate", {"ndp-permutation --network flow"}},
      {"step", {"llama3-405b"}},
      {"collective", {"all_reduce", "alltoall --system gb200 --devices 4"}},
      {"search", {"megatron-175b --set 'mapping.microbatch={search=[1,2]}'"}},
      {"results",
       {path("store.db"), path("store.db") + " --question 1", path("store.db") + " --compare 1 1"}},
      {"site", {"--at 45.6,-121.1 --radius 50"}},
      {"reproduce", {"railonly23"}},
      {"validate", {"--runs " + runs}},
      {"import-grid", {path("grid") + " --replace --country NOR --gppd " + plants}},
      {"catalog", {"list models", "list", "show h100-sxm"}},
      {"describe", {"network"}},
      {"scenarios", {""}},
      {"example", {"llama3-405b"}},
      {"help", {"", "plan", "catalog list"}}};
  const std::set<std::string> files = {"schema", "completion", "manual", "new", "serve"};  // asked below
  const auto verbs = verbs_of(run("--help").out);
  EXPECT_EQ(verbs.size(), questions.size() + files.size());
  for (const std::string& verb : verbs) {
    if (files.contains(verb)) continue;
    ASSERT_TRUE(questions.contains(verb)) << verb;
    for (const std::string& question : questions.at(verb)) {
      const Ran json = run(verb + " " + question + " --json");
      EXPECT_EQ(json.status, 0) << verb << json.err;
      EXPECT_TRUE(nlohmann::json::accept(json.out)) << verb;
      const Ran csv = run(verb + " " + question + " --csv");
      EXPECT_EQ(csv.status, 0) << verb << csv.err;
      EXPECT_NE(csv.out.substr(0, csv.out.find('\n')).find(','), std::string::npos) << verb;
    }
  }
}

TEST_F(Cli, WhatHasNoJsonOrCsvSaysSo) {
  EXPECT_EQ(run("schema --json").out, run("schema").out);
  for (const auto& [question, says] : {std::pair{"schema --csv", "has no CSV"},
                                       {"plan hotnets24-dense --explain step.mfu --csv", "has no CSV"},
                                       {"validate --columns --csv", "has no CSV"},
                                       {"validate --fit --json", "a catalog file (TOML), not JSON"},
                                       {"validate --scenario x --csv", "a scenario (TOML), not JSON"},
                                       {"plan hotnets24-dense --json --csv", "--csv"}}) {
    const Ran ran = run(question);
    EXPECT_EQ(ran.status, 2) << question;
    EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(Cli, ADashIsNoFile) {
  for (const char* words :
       {"new -", "plan megatron-175b --report -", "network topologies --svg -", "search best-100b --resume -",
        "manual --into -", "import-grid - --gppd absent.csv"}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.status, 2) << words;
    EXPECT_NE(ran.err.find("-: error: is no file") == std::string::npos,
              ran.err.find("'-' is no folder") == std::string::npos)
        << words << ": " << ran.err;
  }
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(Cli, AFullDiskIsTheMachines) {
  for (const char* words :
       {"plan megatron-175b --report /dev/full", "network topologies --svg /dev/full",
        "simulate ndp-permutation --fct-svg /dev/full", "rail railonly23-gpt3 --chart /dev/full"}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.status, 1) << words;
    EXPECT_NE(ran.err.find("trainyard: /dev/full: cannot be written: No space left"), std::string::npos)
        << ran.err;
  }
}

TEST_F(Cli, WhatCannotBePrintedIsSaid) {
  for (const char* words : {"--version", "--help", "plan --help", "help plan", "", "manual", "schema"}) {
    const int raw = std::system(
        ("\"" TRAINYARD_PROGRAM "\" " + std::string(words) + " >/dev/full 2>" + path("err")).c_str());
    EXPECT_EQ(WEXITSTATUS(raw), 1) << words;
    EXPECT_NE(read_all(path("err")).find("standard output: No space left"), std::string::npos) << words;
  }
}

TEST_F(Cli, TheVersionNamesTheCommit) {
  const Ran ran = run("--version");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out,
              testing::MatchesRegex("trainyard [0-9]+\\.[0-9]+\\.[0-9]+( \\([0-9a-f]+(-dirty)?\\))?\n"));
  // Results name the version alone: they are the same from every build of it.
  const auto provenance = nlohmann::json::parse(run("plan hotnets24-dense --json").out).at("provenance");
  EXPECT_TRUE(ran.out.starts_with("trainyard " + provenance.at("program_version").get<std::string>()));
  EXPECT_EQ(provenance.at("program_version").get<std::string>().find(' '), std::string::npos);
}

}  // namespace
}  // namespace trainyard
