// `trainyard search` on several ranks beside the same search on one thread.
#include "trainyard/search.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "thread_ranks.h"
#include "trainyard/result_store.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

std::string drawn_space(std::mt19937_64& random) {
  const auto draw = [&](const std::vector<std::string>& choices) {
    return choices[random() % choices.size()];
  };
  return "[facility]\ndevices = { search = [16, 32, 64, 128] }\nhb_domain = { search = " +
         draw({"\"all\"", "[\"dgx-b200\", \"dgx-v100\", \"nvl72-gb200\"]"}) +
         " }\n[model]\nname = { search = " + draw({"[\"llama3-8b\"]", "[\"llama3-8b\", \"llama3-70b\"]"}) +
         " }\n[mapping]\ntensor = { search = " + draw({"[1, 2, 3]", "[2, 4, 8]"}) + " }\n" +
         "microbatch = { search = [1, 2] }\npipeline = " + draw({"1", "{ search = [1, 2, 4] }"}) + "\n";
}

ScenarioText drawn(const std::string& settings) {
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", settings}));
}

void expect_equal(const std::vector<SearchPoint>& a, const std::vector<SearchPoint>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].index, b[i].index);
    EXPECT_EQ(a[i].choice, b[i].choice);
    EXPECT_EQ(a[i].objectives, b[i].objectives);
    EXPECT_EQ(a[i].limited, b[i].limited);
  }
}

void expect_equal(const SearchResult& a, const SearchResult& b) {
  EXPECT_EQ(a.points, b.points);
  expect_equal(a.ranked, b.ranked);
  expect_equal(a.front, b.front);
  ASSERT_EQ(a.worth.size(), b.worth.size());
  for (std::size_t s = 0; s < a.worth.size(); ++s) {
    for (std::size_t v = 0; v < a.worth[s].size(); ++v)
      EXPECT_EQ(a.worth[s][v].objective, b.worth[s][v].objective);
  }
  if (!a.ranked.empty()) return;
  EXPECT_EQ(a.losses.refused, b.losses.refused);
  EXPECT_EQ(a.losses.refusal, b.losses.refusal);
  EXPECT_EQ(a.losses.infeasible, b.losses.infeasible);
  EXPECT_EQ(a.losses.infeasibility, b.losses.infeasibility);
  EXPECT_EQ(a.losses.beyond, b.losses.beyond);
  EXPECT_EQ(a.losses.closest, b.losses.closest);
}

SearchResult on_ranks_of(int count, const ScenarioText& text, const SearchQuestion& asked) {
  SearchResult out;
  on_ranks(count, [&](Ranks& ranks) {
    SearchQuestion question = asked;
    question.ranks = &ranks;
    if (!ranks.leads()) question.store = nullptr;
    SearchResult result = search(text, question);
    if (ranks.leads()) out = std::move(result);
  });
  return out;
}

TEST(SearchOnRanks, FindsWhatOneThreadFinds) {
  std::mt19937_64 random(4);
  for (int draw = 0; draw < 3; ++draw) {
    const std::string settings = drawn_space(random);
    SCOPED_TRACE(settings);
    const ScenarioText text = drawn(settings);
    SearchQuestion days{.objectives = {*find_measure("days")}, .ranked = 3};
    SearchQuestion front{.objectives = {*find_measure("mfu"), *find_measure("power")},
                         .limits = {{*find_measure("memory"), true, 60e9, "memory <= 60 GB"}}};
    SearchQuestion none{.objectives = {*find_measure("days")},
                        .limits = {{*find_measure("mfu"), false, 0.99, "mfu >= 0.99"},
                                   {*find_measure("power"), true, 5e4, "power <= 50 kW"}}};
    for (SearchQuestion* question : {&days, &front, &none}) {
      const SearchResult alone = search(text, *question);
      for (const int ranks : {2, 5}) {
        question->threads = ranks == 2 ? 2 : 1;
        const SearchResult together = on_ranks_of(ranks, text, *question);
        expect_equal(alone, together);
        EXPECT_LE(together.evaluated + together.pruned, together.points);
      }
      question->threads = 1;
    }
  }
}

TEST(SearchOnRanks, KeepsEveryPointOnRank0) {
  std::mt19937_64 random(5);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("trainyard-ranks-" + std::to_string(getpid()) + ".db"))
          .string();
  for (int draw = 0; draw < 3; ++draw) {
    std::filesystem::remove(path);
    const ScenarioText text = drawn(drawn_space(random));
    SearchQuestion question{.objectives = {*find_measure("mfu")}, .version = "1"};
    const SearchResult alone = search(text, question);
    ResultStore store = ResultStore::open(path);
    question.store = &store;
    expect_equal(alone, on_ranks_of(4, text, question));
    const SearchResult again = on_ranks_of(3, text, question);
    expect_equal(alone, again);
    EXPECT_EQ(again.resumed, again.points);
    EXPECT_EQ(again.evaluated, 0U);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace trainyard
