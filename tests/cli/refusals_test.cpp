// What is refused, whatever the verb: values that are worth the same, and where each error stands.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli.h"

namespace trainyard {
namespace {

using Refusals = Cli;
using Json = nlohmann::json;

TEST_F(Refusals, ValuesThatAreWorthTheSame) {
  expect_refused("sweep llama3-405b --key mapping.tensor --values 4,8,4.0",
                 {"--values", "'4.0' stands twice"});
  expect_refused("sweep llama3-405b --key network.scale_out_rate --values '400 Gbps,0.4 Tbps'",
                 {"--values: error: 0.4 Tbps is 400 Gbps again", "once each"});
  expect_refused("simulate ndp-permutation --trace x.csv --trace-flows 1,01", {"--trace-flows"});
  expect_refused("simulate ndp-permutation --trace x.csv --trace-flows 1 --trace-flows 1", {"stands twice"});
  expect_refused("search best-100b --front power --front power", {"--front", "stands twice"});
  expect_refused("search llama3-405b --set 'network.scale_out_rate={search=[\"400 Gbps\",\"0.4 Tbps\"]}'",
                 {"network.scale_out_rate={search", "\"0.4 Tbps\" stands twice"});
  expect_refused("search llama3-405b --set 'network.scale_out_efficiency={search=[0.5,1,1.0]}'",
                 {"1 stands twice in search"});
  expect_refused("plan llama3-405b --set 'site.radii=[\"10 km\",\"10000 m\"]'",
                 {"site.radii", "stands twice"});
  expect_refused("plan llama3-405b --set 'optimize.planes=[1,2,2.0]'", {"optimize.planes: 2 stands twice"});
}

TEST_F(Refusals, NameTheVerbsThatTakeAFlag) {
  expect_refused("step llama3-405b --explain", {"no flag '--explain' here", "a flag of `plan`, `validate`"});
  expect_refused("step llama3-405b --reprot x", {"did you mean '--report'?"});
}

TEST_F(Refusals, SayWhatAMissingWordIs) {
  expect_refused("plan", {"scenario is required", "such as llama3-405b; see `trainyard plan --help`"});
  expect_refused("schedule", {"list is required", "file of jobs", "see `trainyard schedule --help`"});
  expect_refused("catalog show", {"kind is required", "see `trainyard catalog show --help`"});
  expect_refused("catalog", {"trainyard catalog what?", "allowed: list, show"});
}

TEST_F(Refusals, SpeakOfOneInTheSingular) {
  expect_refused("schedule synthetic --jobs 5 --set schedule.spares=1 --set facility.devices=8",
                 {"1 spare of 1 HB domain leaves none for jobs"});
  expect_refused(
      "network shared-cluster --set "
      "'design=[{name=\"d\",topology=\"fat_tree\",tiers=1,oversubscription=[2]}]'",
      {"1 value for 1 tier"});
  expect_refused("network shared-cluster --set facility.devices=8 --set facility.datacenters=2",
                 {"1 HB domain over 2 datacenters leaves one without hosts"});
  const Ran plan = run(
      "plan llama3-405b --set facility.devices=8 --set mapping.virtual_stages=1 --set mapping.pipeline=2");
  EXPECT_EQ(plan.status, 3);
  EXPECT_NE(plan.err.find("1 HB domain does not hold 2 stages"), std::string::npos) << plan.err;
}

TEST_F(Refusals, SettingsThatAreSetTwice) {
  expect_refused("plan llama3-405b --set mapping.tensor=8 --set mapping.tensor=4",
                 {"--set mapping.tensor=4", "'mapping.tensor' is set already by --set mapping.tensor=8"});
  expect_refused("plan llama3-405b --set 'mapping.tensor = 8' --set mapping.tensor=4",
                 {"'mapping.tensor' is set already by --set mapping.tensor = 8"});
  expect_refused("simulate ndp-permutation --transport bbr --set simulation.transport=dctcp",
                 {"--transport", "'simulation.transport' is set already by --set"});
  expect_refused("simulate ndp-permutation --set 'long_haul.bit_error_rates=[0,0]'", {"stands twice"});
}

TEST_F(Refusals, StandAtTheKeyOfTheSection) {
  const std::string small = read_all(scenario("title", "title"));
  const auto refused = [&](const std::string& verb, const std::string& more, const std::string& place,
                           const std::string& says) {
    const std::string path = file("placed.toml", small + more);
    expect_refused(verb + " " + path, {path + ":" + place, says});
  };
  const std::string failure = "[[failure]]\nnode = \"leaf 0\"\n";
  refused("simulate", failure + "from = \"2 us\"\nuntil = \"1 us\"\n", "13:9", "ends before it begins");
  refused("simulate", "[[failure]]\nnode = \"leav 0\"\n", "11:8", "'failure.node': no node 'leav 0'");
  refused("simulate", failure + "plane = 9\n", "12:9", "'failure.plane': plane 9");
  refused("simulate", failure + "uplink = 9999\n", "12:10", "'failure.uplink'");
  refused("simulate", "[[probe]]\nflow = 1\nplane = 1\n", "12:9", "'probe.plane'");
  refused("simulate", "[[probe]]\nflow = 1\nfrom = \"2 us\"\nuntil = \"1 us\"\n", "13:9", "ends before");
  const std::string sweep = "[[sweep]]\nname = \"s\"\nkey = ";
  refused("sweep", sweep + "\"mapping.tensor\"\nvalues = [1, 2,\n  1.0]\n", "14:3",
          "sweep.values: 1 stands twice");
  refused("sweep", sweep + "\"mapping.tensr\"\nvalues = [1, 2]\n", "12:7", "did you mean 'mapping.tensor'?");
  refused("sweep", sweep + "\"mapping.tensor\"\nvalues = [1,\n \"x\"]\n", "14:2", "'mapping.tensor'");
  refused("sweep", sweep + "\"mapping.tensor\"\nvalues = [1, 2]\nquantity = \"step.mfuu\"\n", "14:12",
          "the plan has no quantity 'step.mfuu'");
  refused("sweep", sweep + "\"mapping.tensor\"\nvalues = [1]\npoints = 2\n", "14:10", "both values and from");
  refused("sweep",
          sweep +
              "\"mapping.tensor\"\nvalues = [1]\n[[sweep.series]]\nlabel = \"a\"\nset = "
              "{\"facility.load\" = 3}\n",
          "16:26", "'facility.load' is 3");
  refused("step", "[[step_failure]]\nstage = 9\nwhat = \"device\"\n", "11:9", "step_failure.stage = 9");
  refused("step", "[[straggler]]\nstage = 9\nslowdown = 2\n", "11:9", "straggler.stage = 9");
}

TEST_F(Refusals, NameTheFlagOrTheSetting) {
  expect_refused("simulate ndp-permutation --set simulation.design=two-tier",
                 {"--set simulation.design=two-tier: error:", "did you mean 'two-tiers'?"});
  expect_refused("network topologies --design zzz", {"--design: error: the scenario has no design 'zzz'"});
  expect_refused("sweep llama3-405b --key mapping.tensor --values 4,8 --quantity step.mfuu",
                 {"--quantity: error: the plan has no quantity 'step.mfuu'", "did you mean 'step.mfu'?"});
  expect_refused("collective all_reduce --devices 1", {"--devices: error: 1 device\n", "allowed: 2 to 8"});
  expect_refused("collective all_reduce --bytes '0 B'",
                 {"--bytes: error: 0 bytes", "allowed: 1 byte to 1 PB"});
  expect_refused("collective all_reduce --dtype bf17",
                 {"--dtype: error: no type 'bf17'", "did you mean 'bf16'?"});
  expect_refused("collective all_reduce --system h100", {"--system: error:", "did you mean 'h100_sxm'?"});
  expect_refused("search best-100b --space 2 --method exhaustive", {"--space: error: the space has"});
  expect_refused("simulate ndp-permutation --checkpoint x --checkpoint-every -1",
                 {"--checkpoint-every: -1 is below 0"});
  expect_refused("simulate ndp-permutation --threads 0",
                 {"--threads: '0' is no whole number from 1 to 1024"});
  for (const char* runs : {"-3", "0", "1000001", "1.5", "nan"})
    expect_refused(std::string("goodput llama3-405b-months --runs ") + runs,
                   {std::string("--runs: '") + runs + "' is no whole number from 1 to 1000000"});
  expect_refused("plan llama3-405b --explain step.mfuu", {"--explain: error:", "did you mean 'step.mfu'?"});
  expect_refused("search best-100b --method exhaustiv",
                 {"--method: no choice", "did you mean 'exhaustive'?"});
  expect_refused("step llama3-405b --set network.scale_out_efficiency=1e-300",
                 {"network.scale_out_rate", "efficiency"});
  expect_refused("schedule shared-cluster",
                 {"list: error: 'shared-cluster' is a scenario: jobs are expected first", "synthetic"});
  expect_refused("schedule synthetc shared-cluster", {"did you mean 'synthetic'?"});
}

TEST_F(Refusals, ShowWhatWasTyped) {
  expect_refused("plan llama3-405b --set 'optimize.planes=[1,2,2]'",
                 {":1:22: error", "| optimize.planes=[1,2,2]\n        |                      ^"});
}

TEST_F(Refusals, SayHowATableOfManyIsSet) {
  for (const char* section : {"design", "failure", "phase", "sweep", "tier"})
    expect_refused("plan llama3-405b --set " + std::string(section) + ".name=3",
                   {"write 'name = 3' under a [[" + std::string(section) + "]] of the file",
                    "--set '" + std::string(section) + "=[{name = 3, ...}]'"});
}

TEST_F(Refusals, NameTheSettingBehindAnAnswerWithoutBound) {
  expect_refused(
      "plan llama3-405b --set network.scale_out_efficiency=1e-300",
      {"--set network.scale_out_efficiency=1e-300: error: with network.scale_out_efficiency = 1e-300, ",
       "(cost.energy_j) is infinite", "the usual one, 1"});
  // Entries of the scenario's own catalog are settings, too.
  expect_refused(
      "plan llama3-405b --set catalog.hb_domains.dgx-h100.source=test --set "
      "'catalog.hb_domains.dgx-h100.price=\"$1e308\"'",
      {"error: with catalog.hb_domains.dgx-h100.price = $1e308, ", "is infinite"});
}

TEST_F(Refusals, NoNumberHasHundredsOfDigits) {
  for (const char* verb : {"years hotnets24-dense", "operate llama3-405b", "goodput llama3-405b-months"}) {
    const Ran ran = run(std::string(verb) + " --set 'facility.electricity_price=1e250 $/kWh'");
    EXPECT_EQ(ran.out.find("00000000000000000000"), std::string::npos) << ran.out;
    std::size_t digits = 0;
    std::size_t most = 0;
    for (const char c : ran.out) {
      digits = c >= '0' && c <= '9' ? digits + 1 : 0;
      most = std::max(most, digits);
    }
    EXPECT_LT(most, 20U) << verb << ran.out;
  }
}

TEST_F(Refusals, NameSettingsWithoutUse) {
  const std::string ndp = "simulate ndp-permutation --set simulation.";
  expect_refused(ndp + "pause_above=5", {"simulation.pause_above", "no link is paused"});
  expect_refused(ndp + "pause_above=5 --set simulation.resume_below=9",
                 {"larger than simulation.pause_above"});
  // Of two that contradict each other, the one that was given.
  expect_refused(ndp + "transport=roce --set simulation.pause_above=5",
                 {"--set simulation.pause_above=5: error", "smaller than simulation.resume_below, 12"});
  expect_refused(ndp + "transport=dctcp --set simulation.mark_from=1000",
                 {"--set simulation.mark_from=1000: error", "larger than simulation.mark_all"});
  expect_refused(ndp + "transport=swift --set swift.flow_window_high=0.05",
                 {"--set swift.flow_window_high=0.05: error", "not above swift.flow_window_low"});
  expect_refused(ndp + "shared_buffer_alpha=2", {"no buffer is shared"});
  expect_refused(ndp + "flowlet_gap='9 us'", {"not cut into flowlets"});
  expect_refused(ndp + "transport=nscc --set simulation.delivery=uud --set simulation.timeout='1 ms'",
                 {"simulation.timeout", "with uud nobody sends again"});
  expect_refused(ndp + "transport=roce --set simulation.trim=true", {"simulation.trim", "with pauses"});
}

TEST_F(Refusals, LinesOfACircleOfFlows) {
  const std::string flows = file(
      "flows.csv", "from,to,bytes,start_s,id,after\n0,1,1000,0,a,c\n1,2,1000,0,b,a\n# so\n2,3,1000,0,c,b\n");
  expect_refused(
      "simulate ndp-permutation --flows " + flows,
      {flows + ":2:1: error: 3 flows wait for each other in a circle",
       "flow 0 (line 2) waits for flow 2 (line 5) waits for flow 1 (line 3) waits for flow 0 (line 2)"});
}

TEST_F(Refusals, IdleDevicesAreSaid) {
  const std::string plan = "plan llama3-405b --set mapping.recompute=full --set mapping.";
  const auto warns = [&](const std::string& settings, const std::string& words) {
    const Ran ran = run(plan + settings);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_NE(ran.out.find("warning: " + words), std::string::npos) << settings << ran.out;
  };
  warns("tensor=3",
        "tensor = 3, pipeline = 16 leave 4096 of 16384 devices idle; none would be with tensor = 2 "
        "or tensor = 4");
  warns("data=7", "data = 7 of the 128 replicas that there is room for: 15488 of 16384 devices are idle");
  const Ran whole = run(plan + "tensor=8");
  EXPECT_EQ(whole.out.find(" idle\n\n"), std::string::npos);
  EXPECT_EQ(whole.out.find("devices idle;"), std::string::npos);
}

TEST_F(Refusals, HelpListsTopicsAndVerbs) {
  const Ran topics = run("help topics");
  EXPECT_EQ(topics.status, 0) << topics.err;
  EXPECT_NE(topics.out.find("questions"), std::string::npos) << topics.out;
  EXPECT_NE(run("help verbs").out.find("simulate"), std::string::npos);
  expect_refused("help topcs", {"did you mean 'topics'?"});
  for (const char* verb : {"describe", "help"})
    expect_refused(std::string(verb) + " tomahawk5", {"catalog", "`trainyard catalog show tomahawk5`"});
}

TEST_F(Refusals, NumbersOfSettingsAndEntriesAreNumbers) {
  const Json plan = Json::parse(run("plan llama3-405b --json").out);
  EXPECT_EQ(plan["settings"]["network.wide_area_rate_bps"], 20e9);
  EXPECT_EQ(plan["settings"]["mapping.tensor"], 8);
  EXPECT_EQ(plan["settings"]["model.gated_ffn"], true);
  EXPECT_EQ(plan["settings"]["facility.hb_domain"], "dgx-h100");
  EXPECT_TRUE(plan["settings"]["facility.budget_usd"].is_null());
  EXPECT_EQ(plan["settings"]["site.radii_m"][0], 10000);
  const Json schedule = Json::parse(run("schedule synthetic --jobs 20 --json").out);
  EXPECT_EQ(schedule["settings"]["schedule.spares"], 0);
  for (const Json& kind : Json::parse(run("catalog list --json").out)) {
    for (const Json& entry :
         Json::parse(run("catalog list " + kind["kind"].get<std::string>() + " --json").out)) {
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string() || key == "low" || key == "high") continue;  // those are of a setting
        const std::string text = value;
        const bool number = !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos &&
                            text.find_first_of("0123456789") != std::string::npos;
        EXPECT_FALSE(number) << kind["kind"] << entry["key"] << key << text;
      }
    }
  }
  const Json chip = Json::parse(run("catalog list switches --where name=Hopper --json").out).at(0);
  EXPECT_EQ(chip["capacity_bps"], 12.8e12);
  EXPECT_EQ(chip["radix"][0], (Json{{"ports", 64}, {"rate_bps", 200e9}}));
  EXPECT_TRUE(chip["price_usd"].is_null());
  const Json h100 = Json::parse(run("catalog show accelerators h100-sxm --json").out);
  for (const Json& row : h100) {
    if (row["field"] == "memory_bytes") {
      EXPECT_TRUE(row["value"].is_number());
    }
    if (row["field"] == "dense_flop_per_s") {
      EXPECT_TRUE(row["value"]["bf16"].is_number());
    }
  }
}

/// A setting that the command would ignore.
TEST_F(Cli, SettingsOfOtherVerbsAreRefused) {
  for (const auto& [question, says] : {
           std::pair("plan llama3-405b --set simulation.queue=3", "`plan` does not read [simulation]"),
           std::pair("plan llama3-405b --set 'ndp={pull_rate=0.5}'", "`plan` does not read [ndp]"),
           std::pair("simulate ndp-permutation --set circuits.ports=3", "for: circuits"),
           std::pair("goodput llama3-405b-months --set long_haul.sites=2", "for: wide-area"),
           std::pair("network topologies --set search.ranked=2", "for: search"),
           std::pair("sweep llama3-405b --key simulation.queue --values 3,4",
                     "--key: error: `sweep` does not read"),
           std::pair("step llama3-405b --set simulation.queue=3", "--network packet"),
           std::pair("step llama3-405b --network flow --set ndp.pull_rate=0.5", "--network packet"),
           std::pair("wide-area hotnets24-moe --set long_haul.sites=2", "--packets"),
           std::pair("network topologies --set optimize.most_tiers=2", "with --optimize"),
           std::pair("network topologies --set rail.batch_tokens=2e6", "with --traffic rail"),
           std::pair("traffic llama3-405b --set rail.batch_tokens=2e6", "with --rail"),
           std::pair("plan llama3-405b --set optimize.planes=[1,1]", "stands twice"),
           std::pair("simulate ndp-permutation --identity --csv", "has no CSV"),
       })
    expect_refused(question, {says});
}

}  // namespace
}  // namespace trainyard
