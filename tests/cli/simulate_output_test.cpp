// simulate: pages, traces, records and checkpoints.
#include <sys/stat.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, ASimulationIsWrittenAsPageChartsAndTrace) {
  const std::string small = "simulate ndp-permutation --set simulation.bytes=20kB";
  const Ran ran = run(small + " --report " + path("r.html") + " --fct-svg " + path("f.svg") +
                      " --queue-svg " + path("q.svg") + " --trace " + path("t.csv") + " --trace-flows 5,0");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string page = read_all(path("r.html"));
  for (const char* part :
       {"NDP permutation over two tiers", "Completion times of flows", "Longest queue of data at one port",
        "Data that reaches its hosts", "hosts up", "simulation.load_balancing", "new Chart("}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("Slowdown over the size"), std::string::npos);  // all flows are of one size
  EXPECT_NE(read_all(path("f.svg")).find("share of the flows"), std::string::npos);
  EXPECT_NE(read_all(path("q.svg")).find("longest queue"), std::string::npos);
  for (const char* name : {"r.html", "f.svg", "q.svg", "t.csv"})
    EXPECT_NE(ran.err.find(path(name)), std::string::npos) << name;
}

TEST_F(Cli, ATraceFollowsAPacketFromHostToHost) {
  const std::string small = "simulate ndp-permutation --set simulation.bytes=4096B --trace-flows 5 --trace ";
  ASSERT_EQ(run(small + path("t.csv")).status, 0);
  std::istringstream lines(read_all(path("t.csv")));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "time_s,node,port,event,flow,sequence,kind,bytes");
  std::getline(lines, line);
  EXPECT_EQ(line, "0,hosts of leaf 0,5,left,5,0,data,4096");
  std::string last_of_data;
  while (std::getline(lines, line)) {
    EXPECT_NE(line.find(",5,0,"), std::string::npos) << line;  // one flow of one packet
    if (line.find(",data,") != std::string::npos) last_of_data = line;
  }
  EXPECT_NE(last_of_data.find(",received,"), std::string::npos) << last_of_data;
}

TEST_F(Cli, ASimulationsJsonAndCsvHoldWhatTheGuideSays) {
  const std::string small = "simulate ndp-permutation --set simulation.bytes=20kB";
  const auto json = nlohmann::json::parse(run(small + " --json").out);
  for (const char* key : {"design",
                          "hosts",
                          "planes",
                          "flows",
                          "flows_finished",
                          "fct_s",
                          "ideal_s",
                          "slowdown",
                          "simulated_s",
                          "packet_hops",
                          "events",
                          "drops",
                          "overflows",
                          "trims",
                          "marks",
                          "pauses",
                          "paused_s",
                          "blocked_s",
                          "corrupted",
                          "repeats",
                          "replays",
                          "timeouts",
                          "longest_queue_bytes",
                          "link_use",
                          "queue_over_time",
                          "delivered_over_time",
                          "settings_hash",
                          "provenance"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  for (const char* key : {"cpu_s", "wall_s", "peak_rss_bytes", "engine_bytes"})
    EXPECT_TRUE(json.at("run").contains(key)) << key;
  EXPECT_GE(json.at("slowdown").at("p99").get<double>(), json.at("slowdown").at("mean").get<double>());
  EXPECT_GT(json.at("events").get<double>(), json.at("packet_hops").get<double>());
  // Every flow's 20 kB arrive, and all of it goes up the hosts' links.
  EXPECT_EQ(json.at("delivered_over_time").back().at("bytes"), 1024 * 20'000);
  EXPECT_GE(json.at("link_use")[0].at("bytes").get<double>(), 1024 * 20e3);
  for (const auto& link : json.at("link_use")) {
    EXPECT_LE(link.at("utilization_mean").get<double>(), link.at("utilization_max").get<double>());
    EXPECT_LE(link.at("utilization_max").get<double>(), 1);
  }
  std::istringstream lines(run(small + " --csv").out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "flow,from,to,bytes,start_s,began_s,received_s,finished_s,slowdown");
  double sum = 0;
  while (std::getline(lines, line)) sum += std::stod(line.substr(line.rfind(',') + 1));
  EXPECT_NEAR(sum / 1024, json.at("slowdown").at("mean").get<double>(), 1e-9);
}

/// The object `run`, which stands for itself in a line of its own, taken out.
std::string without_run(std::string json) {
  const std::size_t from = json.find("\"run\": {");
  EXPECT_NE(from, std::string::npos) << json;
  return json.erase(from, json.find('}', from) - from);
}

TEST_F(Cli, WhatWasComputedIsTheSameBytesWhateverTheRunTook) {
  for (const char* engine : {"--transport ndp", "--transport roce", "--network flow"}) {
    const std::string small =
        std::string("simulate ndp-permutation --set simulation.bytes=20kB --json ") + engine;
    const std::string once = without_run(run(small).out);
    EXPECT_EQ(without_run(run(small).out), once) << engine;
    if (std::string(engine) == "--network flow") continue;  // has one thread
    EXPECT_EQ(without_run(run(small + " --threads 2").out), once) << engine;
  }
  const std::string sites = "wide-area hotnets24-moe --packets --json --set long_haul.sites=2";
  EXPECT_EQ(run(sites + " --threads 2").out, run(sites).out);
  const std::string step = "step llama3-405b --json";
  EXPECT_EQ(run(step).out, run(step).out);
}

TEST_F(Cli, ASimulationThatWasStoppedEndsAsIfItHadNotBeen) {
  const std::string simulation = "simulate ndp-permutation --set simulation.bytes=400kB --json";
  const std::string saved = path("run.ck");
  const auto result = [](const Ran& ran) {
    auto json = nlohmann::json::parse(ran.out);
    json.erase("run");
    return json;
  };
  // In the background until the first checkpoint is there.
  const Ran stopped =
      run(simulation + " --threads 2 --checkpoint-every 0 --checkpoint " + saved + " >" + path("json") +
          " 2>" + path("said") + " & p=$!; " + "for i in $(seq 1000); do [ -e " + saved +
          " ] && break; sleep 0.01; done; " + "kill -TERM $p; wait $p; (exit $?)");
  EXPECT_EQ(stopped.status, 128 + SIGTERM);
  EXPECT_NE(read_all(path("said")).find("continue with --resume " + saved), std::string::npos);
  ASSERT_TRUE(std::filesystem::exists(saved));

  const Ran other = run(simulation + " --set simulation.window=30 --resume " + saved);
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("simulation.window was"), std::string::npos) << other.err;
  EXPECT_EQ(run(simulation + " --transport ideal --resume " + saved).status, 2);
  EXPECT_EQ(run(simulation + " --checkpoint-every 5").status, 2);
  EXPECT_NE(run(simulation + " --resume " + file("no.ck", "hello")).err.find("not a checkpoint"),
            std::string::npos);
  EXPECT_NE(run(simulation + " --resume " + path("none.ck")).err.find("cannot be opened"), std::string::npos);
  std::filesystem::copy_file(saved, path("cut.ck"));
  std::filesystem::resize_file(path("cut.ck"), std::filesystem::file_size(saved) / 2);
  EXPECT_NE(run(simulation + " --resume " + path("cut.ck")).err.find("cut off"), std::string::npos);

  const Ran whole = run(simulation);
  const Ran resumed = run(simulation + " --resume " + saved + " --checkpoint " + saved);
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(result(resumed), result(whole));
  EXPECT_FALSE(std::filesystem::exists(saved));  // no longer needed
}

TEST_F(Cli, AWishToStopThatComesTwiceIsOne) {
  // timeout signals the program and then its group; one that went on would be killed after 100 s.
  const std::string saved = path("run.ck");
  const std::string simulation = " simulate ndp-permutation --set simulation.bytes=200MB --checkpoint ";
  const int raw = std::system(("timeout -k 100 -s TERM 0.5 \"" TRAINYARD_PROGRAM "\"" + simulation + saved +
                               " >" + path("o") + " 2>" + path("said"))
                                  .c_str());
  EXPECT_EQ(WEXITSTATUS(raw), 124);
  EXPECT_TRUE(std::filesystem::exists(saved)) << read_all(path("said"));

  const Ran twice = run(simulation.substr(1) + path("twice.ck") + " --checkpoint-every 0 >" + path("o") +
                        " 2>" + path("said") + " & p=$!; for i in $(seq 1000); do [ -e " + path("twice.ck") +
                        " ] && break; sleep 0.01; done; kill -TERM $p; sleep 0.02; kill -TERM $p "
                        "2>/dev/null; wait $p; (exit $?)");
  EXPECT_EQ(twice.status, 128 + SIGTERM);
  EXPECT_NE(read_all(path("said")).find("continue with --resume "), std::string::npos);
}

TEST_F(Cli, ACheckpointTakesThePlaceOfNothingThatTheRunDidNotMake) {
  namespace fs = std::filesystem;
  const std::string simulation = "simulate ndp-permutation --set 'simulation.bytes=20 kB' --checkpoint ";
  const std::string notes = file("notes.txt", "mine");
  fs::create_symlink(notes, path("link"));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string& taken : {notes, path("link"), path("pipe"), std::string("/dev/null")}) {
    const Ran ran = run(simulation + taken);
    EXPECT_EQ(ran.status, 2) << taken;
    EXPECT_NE(ran.err.find(taken), std::string::npos) << ran.err;
  }
  EXPECT_EQ(read_all(notes), "mine");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  const std::string other = file("other.ck", "trainyard checkpoint 1 of another run");
  EXPECT_NE(run(simulation + other).err.find("--resume " + other), std::string::npos);
  EXPECT_TRUE(fs::exists(other));

  // It goes when the run is done, also from behind a link, and the link stays.
  fs::create_symlink("run.ck", path("to.ck"));
  EXPECT_EQ(run(simulation + path("to.ck") + " --checkpoint-every 0").status, 0);
  EXPECT_TRUE(fs::is_symlink(path("to.ck")));
  EXPECT_FALSE(fs::exists(path("run.ck")));
}

TEST_F(Cli, ATerminalThatClosesStopsARunInOrder) {
  const std::string saved = path("run.ck");
  const auto hang_up = [&](const std::string& before, const std::string& bytes) {
    const std::string simulation = "simulate ndp-permutation --set simulation.bytes=" + bytes +
                                   " --checkpoint-every 0 --checkpoint " + saved;
    const std::string rest = " >" + path("o") + " 2>&1 & p=$!; for i in $(seq 1000); do [ -e " + saved +
                             " ] && break; sleep 0.01; done; kill -HUP $p; wait $p";
    const int raw =
        std::system(("sh -c '" + before + "\"" TRAINYARD_PROGRAM "\" " + simulation + rest + "'").c_str());
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
  };
  // Else nothing would stop it where the tests themselves run under nohup.
  EXPECT_EQ(hang_up("env --default-signal=HUP ", "20MB"), 128 + SIGHUP);
  EXPECT_TRUE(std::filesystem::remove(saved));
  EXPECT_EQ(hang_up("trap \"\" HUP; ", "400kB"), 0);  // as under nohup
}

TEST_F(Cli, OutputsGoWhereTheirNamesLead) {
  namespace fs = std::filesystem;
  const std::string plan = "plan " + scenario("small", "small") + " --report ";
  EXPECT_NE(run(plan + "/dev/stdout").out.find("</html>"), std::string::npos);
  EXPECT_NE(run(plan + "/dev/fd/2").err.find("</html>"), std::string::npos);
  EXPECT_EQ(run(plan + "/dev/fd/77").status, 2);
  fs::create_symlink("page.html", path("link.html"));
  EXPECT_EQ(run(plan + path("link.html")).status, 0);
  EXPECT_TRUE(fs::is_symlink(path("link.html")));
  EXPECT_NE(read_all(path("page.html")).find("</html>"), std::string::npos);
  const int raw = std::system(("(ulimit -f 4; \"" TRAINYARD_PROGRAM "\" " + plan + path("large.html") +
                               ") >/dev/null 2>" + path("said"))
                                  .c_str());
  EXPECT_EQ(WEXITSTATUS(raw), 1);
  EXPECT_NE(read_all(path("said")).find("File too large"), std::string::npos);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
    EXPECT_EQ(entry.path().filename().string().find("large"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace trainyard
