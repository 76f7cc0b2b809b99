// search: its flags, forms and exit statuses.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

class Search : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    free_ = file(
        "free.toml",
        "title = \"Eight billion\"\n[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\n"
        "name = \"llama3-8b\"\n[mapping]\ntensor = { search = [1, 2, 4, 8] }\n"
        "microbatch = { search = [1, 2] }\n[search]\nlimits = [\"memory <= 70 GB\"]\nfront = [\"memory\"]\n");
  }
  Ran search(const std::string& flags) const { return run("search " + free_ + " " + flags); }

  std::string free_;
};

/// A program without the modules beside it plans and searches every point; what evolves says what it lacks.
TEST_F(Search, AProgramAloneNamesTheModuleThatItLacks) {
  const std::string alone = path("trainyard");
  std::filesystem::copy_file(TRAINYARD_PROGRAM, alone);
  const auto status = [&](const std::string& flags) {
    const std::string command = "\"" + alone + "\" search " + free_ + flags + " >" + path("out") + " 2>" +
                                path("err") + " </dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
  };
  EXPECT_EQ(status(""), 0);
  EXPECT_EQ(status(" --method evolution"), 1);
  EXPECT_NE(read_all(path("err")).find("trainyard_evolution.so: cannot open"), std::string::npos);
}

TEST_F(Search, GivesTheBestWithItsPlan) {
  const Json answer = Json::parse(search("--json").out);
  const Json best = answer["best"];
  const std::string chosen = " --set mapping.tensor=" + best["mapping.tensor"].dump() +
                             " --set mapping.microbatch=" + best["mapping.microbatch"].dump();
  const Json plan = Json::parse(run("plan " + free_ + " --json" + chosen).out);
  EXPECT_EQ(answer["objective"]["value"], plan["step"]["days_to_train_s"]);
  EXPECT_EQ(answer["bound"], answer["objective"]["value"]);
  EXPECT_EQ(answer["ranked"][0]["objectives"]["memory_bytes"], plan["mapping"]["device_total_bytes"]);
  EXPECT_EQ(answer["space"]["points"], 8);
  EXPECT_EQ(answer["run"]["evaluated"], 8);
}

TEST_F(Search, ThreadsChangeOnlyTheRun) {
  Json one = Json::parse(search("--json").out);
  Json two = Json::parse(search("--json --threads 2").out);
  one.erase("run");
  two.erase("run");
  EXPECT_EQ(one, two);
}

TEST_F(Search, GoesOnFromWhatAStoreHas) {
  const std::string store = " --resume " + path("store.db");
  Json first = Json::parse(search("--json" + store).out);
  Json second = Json::parse(search("--json --threads 2" + store).out);
  EXPECT_EQ(first["run"]["resumed"], 0);
  EXPECT_EQ(second["run"]["evaluated"], 0);
  EXPECT_EQ(second["run"]["resumed"], 8);
  first.erase("run");
  second.erase("run");
  EXPECT_EQ(first, second);
  // Another question of the same store has points of its own.
  EXPECT_EQ(Json::parse(search("--json --limit 'memory <= 60 GB'" + store).out)["run"]["resumed"], 0);
  const Json listed = Json::parse(run("results " + path("store.db") + " --json").out);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0]["kept"], 8);
  const Json points =
      Json::parse(run("results " + path("store.db") + " --question 1 --json --answers").out)["points"];
  EXPECT_EQ(points[0]["settings"], first["best"]);
  EXPECT_EQ(points[0]["objectives"], first["ranked"][0]["objectives"]);
}

TEST_F(Search, RefusesStoresThatAreNone) {
  const auto refused = [&](const std::string& store, const std::string& part) {
    const Ran ran = search("--resume " + store);
    EXPECT_EQ(ran.status, 2) << store;
    EXPECT_NE(ran.err.find(part), std::string::npos) << store << ": " << ran.err;
  };
  const std::string notes = file("notes.txt", std::string(5000, 'x'));
  refused(notes, "is no store of results");
  EXPECT_EQ(read_all(notes), std::string(5000, 'x'));
  refused("/dev/null", "has to be a regular file");
  refused(path(""), "is a folder");
  EXPECT_EQ(run("results " + path("absent.db")).status, 2);
  EXPECT_FALSE(std::filesystem::exists(path("absent.db")));
  search("--resume " + path("store.db"));
  expect_refused("results " + path("store.db") + " --question 0", {"--question"});
  EXPECT_NE(run("results " + path("store.db") + " --question 7").err.find("no question 7"),
            std::string::npos);
}

/// A store and what is done to it, with SQL.
class DamagedStore : public Search {
 protected:
  void SetUp() override {
    Search::SetUp();
    ASSERT_EQ(search("--resume " + path("kept.db")).status, 0);
  }
  std::string changed(const std::string& sql) const {
    const std::string out = file("changed.db", read_all(path("kept.db")));
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(out.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(handle);
    return out;
  }
};

TEST_F(DamagedStore, IsRefusedWithItsName) {
  const std::pair<const char*, const char*> cases[] = {
      {"update point set outcome = 9", "point 0 of question 1: an outcome of 9"},
      {"update point set outcome = -1", "an outcome of -1"},
      {"update point set numbers = '{\"objectives\":[],\"limits\":[]}'",
       "0 objectives, where 2 are asked for"},
      {"update point set numbers = '{\"objectives\":[1,null],\"limits\":[]}'", "lacks an objective"},
      {"update point set numbers = '{\"objectives\":[1,2],\"limits\":[1e999]}'",
       "one of its numbers is none"},
      {"update point set numbers = 'x'", "none that a search writes"},
      {"update point set number = 99 where number = 0", "the question has 8 points"},
      {"update question set points = -1", "question 1: a count of -1"},
      {"update question set points = 9", "9 points, where its free settings have 8"},
      {"update question set asked = '{}'", "it lacks its free settings"},
      {"update question set asked = '[[['", "cannot be read"},
      {"drop table point", "no such table: point"},
      {"drop table question", "no such table: question"},
  };
  for (const auto& [sql, part] : cases) {
    const std::string store = changed(sql);
    for (const Ran& ran : {search("--resume " + store), run("results " + store + " --compare 1 1")}) {
      EXPECT_EQ(ran.status, 2) << sql;
      EXPECT_NE(ran.err.find("changed.db: error: is damaged: "), std::string::npos) << sql << ": " << ran.err;
      EXPECT_NE(ran.err.find(part), std::string::npos) << sql << ": " << ran.err;
    }
  }
  std::string bytes = read_all(path("kept.db"));
  for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
  const std::string flipped = file("flipped.db", bytes);
  EXPECT_EQ(search("--resume " + flipped).status, 2);
  EXPECT_NE(run("results " + flipped).err.find("flipped.db: error: is damaged"), std::string::npos);
}

TEST_F(DamagedStore, WhatItAnswersIsPlannedAgain) {
  EXPECT_EQ(search("--resume " + path("kept.db")).status, 0);
  const Ran ran =
      search("--resume " + changed("update point set numbers = json_set(numbers, '$.objectives[0]', -5.0) "
                                   "where outcome = 0 and number = 2"));
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_NE(ran.err.find("changed.db: error: what it kept of point 2"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("training_time_s is -5 in the store"), std::string::npos) << ran.err;
  // Neither ranked nor on the front, but the best of its tensor groups: 8 is the slowest here.
  const Ran worth = search("--ranked 1 --set search.front=[] --resume " + path("worth.db"));
  ASSERT_EQ(worth.status, 0) << worth.err;
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path("worth.db").c_str(), &handle), SQLITE_OK);
  sqlite3_exec(handle,
               "update point set numbers = replace(numbers, '{\"objectives\":[', '{\"objectives\":[9') where "
               "outcome = "
               "0 and number > 5",
               nullptr, nullptr, nullptr);
  sqlite3_close(handle);
  EXPECT_EQ(search("--ranked 1 --set search.front=[] --resume " + path("worth.db")).status, 2);
}

TEST_F(Search, ShowsWhatItKeptInItsUnits) {
  search("--resume " + path("store.db") + " --limit 'power <= 40 MW' --limit 'power >= 1 W'");
  const std::string asked = "results " + path("store.db") + " --question 1 --best 1";
  const std::string text = run(asked).out;
  EXPECT_NE(text.find("power <= 40 MW"), std::string::npos) << text;
  EXPECT_NE(text.find(" kW"), std::string::npos) << text;
  EXPECT_NE(text.find(" days"), std::string::npos) << text;
  EXPECT_NE(run(asked + " --csv").out.find("memory_bytes,limit_power_w,limit_batch_error"),
            std::string::npos);
  const Json point = Json::parse(run(asked + " --json").out)["points"][0];
  EXPECT_GT(point["limits"]["power_w"], 1000);
}

/// Three questions on one scenario: two limits, and another number of devices.
class StoredSearches : public Search {
 protected:
  void SetUp() override {
    Search::SetUp();
    store_ = path("store.db");
    for (const char* flags :
         {"--limit 'days<=700'", "--limit 'days<=600'", "--limit 'days<=600' --set facility.devices=128"})
      ASSERT_EQ(search(std::string(flags) + " --resume " + store_).status, 0) << flags;
  }
  /// The points of the first question.
  Json points(const std::string& flags) const {
    return Json::parse(run("results " + store_ + " --question 1 --json " + flags).out)["points"];
  }

  std::string store_;
};

TEST_F(StoredSearches, AreListedWithWhatTellsThemApart) {
  const std::string text = run("results " + store_).out;
  for (const char* part : {"days<=700", "days<=600", "facility.devices=128"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(text.find("broken_rules"), std::string::npos) << text;  // every question has it
  const Json listed = Json::parse(run("results " + store_ + " --json").out);
  EXPECT_FALSE(Json::parse(listed[1]["asked"].get<std::string>()).contains("set"));
  EXPECT_EQ(Json::parse(listed[2]["asked"].get<std::string>())["set"], Json({"facility.devices=128"}));
}

TEST_F(StoredSearches, AreComparedInBaseUnits) {
  const std::string asked = "results " + store_ + " --compare 1 3";
  const std::string csv = run(asked + " --csv").out;
  EXPECT_EQ(
      csv.substr(0, csv.find('\n')),
      "objective,in_both,differ,largest_difference,first_best,first_best_mapping.tensor,first_best_mapping."
      "microbatch,second_best,second_best_mapping.tensor,second_best_mapping.microbatch");
  const Json days = Json::parse(run(asked + " --json").out)["objectives"][0];
  EXPECT_EQ(days["name"], "training_time_s");
  EXPECT_LT(days["largest_difference"].get<double>(), 0);  // twice the devices
  EXPECT_NE(csv.find("," + days["largest_difference"].dump() + "," +
                     days["best"][0]["objectives"]["training_time_s"].dump() + ","),
            std::string::npos)
      << csv;
  EXPECT_NE(run(asked).out.find('%'), std::string::npos);
}

TEST_F(StoredSearches, AreFilteredByValues) {
  const Json all = points("");
  ASSERT_EQ(all.size(), 8U);
  const auto count = [&](const auto& holds) { return std::count_if(all.begin(), all.end(), holds); };
  const auto expect = [&](const std::string& flags, std::ptrdiff_t number) {
    EXPECT_EQ(static_cast<std::ptrdiff_t>(points(flags).size()), number) << flags;
  };
  expect("--where mapping.tensor=8", 2);
  expect("--where 'mapping.tensor >= 2' --where mapping.microbatch=1", 3);
  constexpr double kDay_s = 86400;
  expect("--where 'days<=330'", count([](const Json& point) {
           return point["outcome"] == "answer" && point["objectives"]["training_time_s"] <= 330 * kDay_s;
         }));
  expect("--where 'memory>=30 GB'", count([](const Json& point) {
           return point["outcome"] == "answer" && point["objectives"]["memory_bytes"] >= 30e9;
         }));
  const std::string asked = "results " + store_ + " --question 1 --where mapping.tensor=8";
  const std::string csv = run(asked + " --csv").out;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3) << csv;
  EXPECT_EQ(run(asked).status, 0);
}

TEST_F(StoredSearches, FiltersThatAreNoneAreRefused) {
  const std::string asked = "results " + store_ + " --question 1 --where ";
  expect_refused(asked + "mapping.tenso=8", {"--where", "no free setting of question 1", "mapping.tensor"});
  expect_refused(asked + "'day<=600'", {"did you mean 'days'"});
  expect_refused(asked + "'price<=1'", {"did not keep 'price'", "training_time"});
  expect_refused(asked + "'memory<=60'", {"'60' is no value of it", "GB"});
  expect_refused(asked + "mapping.tensor=much", {"can be compared with 'much'"});
  expect_refused(asked + "tensor", {"is no condition"});
  expect_refused("results " + store_ + " --where mapping.tensor=8", {"--question"});
}

/// As a user who may read a store and no more; the superuser may write everything.
TEST_F(StoredSearches, AreReadWhereTheyMayNotBeWritten) {
  namespace fs = std::filesystem;
  constexpr fs::perms kRead = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  constexpr fs::perms kEnter = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(store_, kRead);
  std::string reader;
  if (geteuid() == 0) {
    reader = "setpriv --reuid=65534 --clear-groups ";
    if (std::system((reader + "\"" TRAINYARD_PROGRAM "\" --version >" + path("out") + " 2>&1").c_str()) != 0)
      GTEST_SKIP() << "no other user runs the program here";
  }
  const auto as_reader = [&](const std::string& arguments) {
    const std::string command = reader + "\"" TRAINYARD_PROGRAM "\" " + arguments + " >" + path("out") +
                                " 2>" + path("err") + " </dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
  };
  for (const fs::perms folder : {kRead | kEnter | fs::perms::owner_write, fs::perms::all}) {
    fs::permissions(path(""), folder);
    EXPECT_EQ(as_reader("results " + store_), 0) << read_all(path("err"));
    EXPECT_NE(read_all(path("out")).find("days<=700"), std::string::npos);
    EXPECT_EQ(as_reader("search " + free_ + " --resume " + store_), 2);
    EXPECT_NE(read_all(path("err")).find("store.db: error: cannot be written"), std::string::npos)
        << read_all(path("err"));
    for (const std::string end : {"-wal", "-shm"}) EXPECT_FALSE(fs::exists(store_ + end)) << end;
  }
}

TEST_F(Search, KeepsChangesOfAnyBytes) {
  const std::string store = path("store.db");
  EXPECT_EQ(search("--set 'title=Nine\xff' --resume " + store).status, 0);
  EXPECT_NE(run("results " + store).out.find("title=Nine"), std::string::npos);
}

TEST_F(DamagedStore, OlderOnesWithoutChangesOpen) {
  EXPECT_EQ(run("results " + changed("update question set asked = json_remove(asked, '$.set', '$.limited')"))
                .status,
            0);
  const Ran ran = run("results " + changed("update question set asked = json_set(asked, '$.set', 5)"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("it lacks its set"), std::string::npos) << ran.err;
}

/// Of 10^27 points hardly one has as few stages as the model has layers.
TEST_F(Search, AnEvolutionWithoutAnAnswerCountsTheReasons) {
  const std::string vast = file(
      "vast.toml",
      "[facility]\ndevices = 16384\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-405b\"\n[mapping]\n"
      "pipeline = { search = { from = 1, to = 100000, step = 1 } }\n"
      "virtual_stages = { search = { from = 1, to = 10000, step = 1 } }\n"
      "microbatch = { search = { from = 1, to = 100000, step = 1 } }\n");
  const std::string asked = "search " + vast + " --method evolution --evaluations 300";
  const Ran ran = run(asked);
  EXPECT_EQ(ran.status, 3) << ran.err;
  for (const char* part : {"points that were tried is an answer",
                           "leaves stages of the model's 126 layers empty", "allowed: 1 to 126"})
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << ran.out;
  EXPECT_NE(ran.err.find("narrower ranges"), std::string::npos) << ran.err;
  const Json lost = Json::parse(run(asked + " --json").out)["lost"];
  EXPECT_EQ(lost["asked_why"], lost["refused"].get<int>() + lost["infeasible"].get<int>());
  EXPECT_GT(lost["reasons"][0]["points"], 100);
  // What is wrong with the scenario, whatever the point, is said as its plan says it.
  expect_refused(asked + " --set facility.hb_domain=dgx-h1000", {"dgx-h1000", "did you mean"});
}

TEST_F(Search, ShowsLargeNumbersInLists) {
  const std::string asked =
      "search hotnets24-dense --set 'training.tokens={search=[500000000000,15000000000000]}'";
  const Ran ran = run(asked + " --limit 'power <= 30 GW'");
  EXPECT_NE(ran.out.find("500.0B"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("training.tokens = 500000000000"), std::string::npos) << ran.out;  // to be copied
  // Values that four digits do not tell apart.
  const std::string close =
      "search hotnets24-dense --set 'training.tokens={search=[500000000000,500000000001]}'";
  EXPECT_NE(run(close).out.find("500,000,000,001"), std::string::npos);
  const Json answer = Json::parse(run(asked + " --limit 'power <= 30 GW' --json").out);
  EXPECT_GT(answer["ranked"][0]["limits"]["power_w"], 1e9);
  EXPECT_EQ(answer["limits"][0]["key"], "power_w");
  EXPECT_EQ(answer["limits"][0]["at_most"], true);
}

TEST_F(Search, RangesOfAnyNumbersAreReadOrRefused) {
  const auto asked = [](const std::string& range) {
    return "search megatron-175b --set 'network.scale_out_efficiency={search=" + range + "}'";
  };
  const Ran tiny = run(asked("{from=1e-310, to=1e-309, times=10}"));  // below the smallest normal number
  EXPECT_NE(tiny.status, 1) << tiny.err;
  EXPECT_EQ(tiny.err.find("stod"), std::string::npos) << tiny.err;
  expect_refused(asked("{from=0, to=1, step=0.0000005}"),
                 {"the range has 2000001 values", "5000000 of all together"});
  expect_refused(asked("{from=-1e308, to=1e308, step=1}"), {"more values than can be counted"});
}

TEST_F(Search, WritesNothingOverItsStore) {
  const std::string store = path("store.db");
  ASSERT_EQ(search("--resume " + store).status, 0);
  for (const char* end : {"", "-wal", "-shm", "-journal", ".2-of-3", ".2-of-3-wal"})
    EXPECT_EQ(search("--resume " + store + " --report " + store + end).status, 2) << end;
  for (const char* end : {"-wal", "-shm", "-journal"})
    EXPECT_EQ(search("--resume " + store + end).status, 2) << end;
  EXPECT_EQ(run("results " + store).status, 0);
  EXPECT_EQ(search("--resume " + store + " --report " + store + ".html").status, 0);
}

TEST_F(Search, SeedsAreThoseOfItsSetting) {
  for (const char* seed : {"-3", "1.5", "9007199254740993", "1e3", "9000000000000001"}) {
    const Ran ran = search(std::string("--method evolution --seed ") + seed);
    EXPECT_EQ(ran.status, 2) << seed;
    EXPECT_NE(ran.err.find("is no seed; allowed: a whole number, 0 to 9e15"), std::string::npos) << ran.err;
  }
  EXPECT_EQ(search("--method evolution --evaluations 100 --seed 9000000000000000").status, 0);
  EXPECT_EQ(run("network topologies --traffic permutation --seed 9007199254740993").status, 2);
  EXPECT_EQ(run("simulate ndp-permutation --seed 9007199254740993").status, 2);
}

TEST_F(Search, ShowsRankingFrontAndWhyNot) {
  const Ran shown = search("--why-not mapping.tensor=8 --why-not mapping.microbatch=16");
  EXPECT_EQ(shown.status, 0) << shown.err;
  for (const char* part : {"Eight billion", "least time to train", "ranked", "the Pareto front",
                           "the best with each value", "why not mapping.tensor=8, mapping.microbatch=16"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part;
  EXPECT_EQ(search("--csv").out.substr(0, 64),
            "rank,on_front,mapping.tensor,mapping.microbatch,training_time_s,");
}

TEST_F(Search, BlanksAroundEqualsSignsChangeNothing) {
  const std::string tight = "--set mapping.tensor=4 --why-not mapping.microbatch=2 --json";
  const std::string wide = "--set 'mapping.tensor = 4' --why-not ' mapping.microbatch =  2 ' --json";
  const auto answer = [&](const std::string& flags) {
    const Ran ran = search(flags);
    EXPECT_EQ(ran.status, 0) << flags << ran.err;
    Json json = Json::parse(ran.out);
    for (const char* cost : {"cpu_s", "wall_s"}) json["run"].erase(cost);
    return json;
  };
  EXPECT_EQ(answer(tight), answer(wide));
}

/// The points of a page with their commands.
Json points_of_page(const std::string& page) {
  const std::string opening = "id=\"points-data\">";
  const auto begin = page.find(opening) + opening.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin))["points"];
}

// A setting that the search leaves free is no part of what `plan` is given, however it is written.
TEST_F(Search, CommandsOfItsPageSetEachSettingOnce) {
  const Ran made =
      search("--set 'mapping.tensor = { search = [2, 4] }' --set 'mapping.pipeline = 1' --report " +
             path("search.html"));
  ASSERT_EQ(made.status, 0) << made.err;
  const Json points = points_of_page(read_all(path("search.html")));
  ASSERT_GE(points.size(), 4U);
  const std::string command = points[0]["command"];
  EXPECT_EQ(command.find("{ search"), std::string::npos) << command;
  EXPECT_NE(command.find("mapping.pipeline = 1"), std::string::npos) << command;
  EXPECT_EQ(run(command.substr(std::string("trainyard ").size())).status, 0) << command;
}

TEST_F(Search, ItsPageHasCommandsThatGiveTheSamePlans) {
  // Settings of repeated sections too, and a name that a shell would take apart.
  const std::string odd = file("it's free.toml", read_all(free_) +
                                                     "[[design]]\nname = \"one\"\n"
                                                     "planes = { search = [1, 2] }\n");
  const Ran made =
      run("search \"" + odd + "\" --set network.pipeline_share=0.5 --report " + path("search.html"));
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.err.find("report: "), std::string::npos);
  const Json points = points_of_page(read_all(path("search.html")));
  ASSERT_GE(points.size(), 10U);
  for (const std::size_t i : {0U, 5U, 9U}) {
    const Json& point = points[i];
    const std::string command = point["command"];
    ASSERT_EQ(command.rfind("trainyard plan ", 0), 0U) << command;
    const Ran planned = run(command.substr(std::string("trainyard ").size()) + " --json");
    ASSERT_EQ(planned.status, 0) << command << planned.err;
    const Json plan = Json::parse(planned.out);
    EXPECT_EQ(point["values"][0], plan["step"]["days_to_train_s"]) << command;
    EXPECT_EQ(point["values"][1], plan["mapping"]["device_total_bytes"]) << command;
    EXPECT_EQ(plan["settings"]["network.pipeline_share"], 0.5);
  }
}

TEST_F(Search, ItsPageIsWrittenWithoutAnAnswerToo) {
  EXPECT_EQ(search("--limit 'power <= 1 kW' --report " + path("none.html")).status, 3);
  EXPECT_NE(read_all(path("none.html")).find("No answer: none of 8"), std::string::npos);
  EXPECT_EQ(search("--report " + path("absent/none.html")).status, 2);
}

TEST_F(Search, ASpaceWithoutAnAnswerSaysWhatIsInTheWay) {
  const Ran none = search("--limit 'power <= 1 kW' --json");
  EXPECT_EQ(none.status, 3);
  const Json answer = Json::parse(none.out);
  EXPECT_TRUE(answer["best"].is_null());
  EXPECT_EQ(answer["limits"][0]["points_beyond"], 8);
  EXPECT_GT(answer["limits"][0]["closest"], 1000);
}

TEST_F(Search, SamplesOfLargeSpacesSaySoBesideABound) {
  const Ran all = search("--space 7 --evaluations 500 --seed 3");
  EXPECT_NE(all.out.find("8 points of 2 free settings, all of which were tried (evolution"),
            std::string::npos)
      << all.out;
  const std::string many =
      "--set 'mapping.pipeline={search={from=1,to=80,step=1}}' --set "
      "'mapping.microbatch={search={from=1,to=64,step=1}}' ";
  const Ran ran = search(many + "--method evolution --evaluations 500");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("were sampled (evolution"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("bound: no point has less"), std::string::npos) << ran.out;
  const Json answer = Json::parse(search("--method evolution --evaluations 500 --json").out);
  EXPECT_EQ(answer["method"]["name"], "evolution");
  EXPECT_GE(answer["gap"], 0);
  EXPECT_LE(answer["bound"], answer["objective"]["value"]);
}

TEST_F(Search, RefusesWhatIsNoObjectiveOrLimit) {
  const auto refused = [&](const std::string& flags, const std::string& part) {
    const Ran ran = search(flags);
    EXPECT_EQ(ran.status, 2) << flags;
    EXPECT_NE(ran.err.find(part), std::string::npos) << flags << ": " << ran.err;
  };
  refused("--objective dais", "did you mean 'days'?");
  refused("--objective step.mfuu", "did you mean 'step.mfu'?");
  refused("--objective model.name", "is a text");
  refused("--limit 'power'", "is no limit");
  refused("--limit 'power <= 3'", "is no value of it");
  refused("--limit 'mfu <= nan'", "is no value of it");
  refused("--front days", "an objective twice");
  refused("--why-not mapping.tensr=8", "did you mean 'mapping.tensor'?");
  refused("--why-not mapping.tensor", "expected key=value");
  refused("--method exhaustive --space 7", "the space has 8 points");
  refused("--method exhaustive --seed 7", "draws none");
  refused("--method exhaustive --evaluations 700", "draws none");
  refused("--method evolution --space 7", "limits exhaustive searches alone");
  refused("--space 0", "'0' is no whole number of 1 or more");
  EXPECT_NE(run("plan " + free_).err.find("'mapping.tensor' is left free"), std::string::npos);
  EXPECT_NE(run("search megatron-175b").err.find("leaves no setting free"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
