// search: its flags, forms and exit statuses.
#include <nlohmann/json.hpp>
#include <string>

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

TEST_F(Search, ShowsRankingFrontAndWhyNot) {
  const Ran shown = search("--why-not mapping.tensor=8 --why-not mapping.microbatch=16");
  EXPECT_EQ(shown.status, 0) << shown.err;
  for (const char* part : {"Eight billion", "least time to train", "ranked", "the Pareto front",
                           "the best with each value", "why not mapping.tensor=8, mapping.microbatch=16"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part;
  EXPECT_EQ(search("--csv").out.substr(0, 64),
            "rank,on_front,mapping.tensor,mapping.microbatch,training_time_s,");
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
  const std::string page = read_all(path("search.html"));
  const std::string opening = "id=\"points-data\">";
  const auto begin = page.find(opening) + opening.size();
  const Json data = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  ASSERT_GE(data["points"].size(), 10U);
  for (const std::size_t i : {0U, 5U, 9U}) {
    const Json& point = data["points"][i];
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
  refused("--space 0", "at least one point");
  EXPECT_NE(run("plan " + free_).err.find("'mapping.tensor' is left free"), std::string::npos);
  EXPECT_NE(run("search megatron-175b").err.find("leaves no setting free"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
