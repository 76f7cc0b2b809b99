// `trainyard search` beside a loop over every point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "measures.h"
#include "scenario/section_list.h"
#include "search/plan_stages.h"
#include "search/space/full_rate.h"
#include "search/space/part_size.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"
#include "trainyard/search.h"
#include "trainyard/search_sensitivity.h"

namespace trainyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ScenarioText scenario(const std::string& settings) {
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", settings}));
}

const std::string kMapped =
    "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[mapping]\n"
    "tensor = { search = [1, 2, 4, 8] }\npipeline = { search = { from = 1, to = 8, times = 2 } }\n"
    "microbatch = { search = [1, 2] }\n";

struct Answered {
  std::vector<std::size_t> choice;
  Plan plan;
};

/// Every point that has a plan, in the order of the space.
std::vector<Answered> all_plans(const ScenarioText& text) {
  const std::vector<FreeSetting> space = free_settings(text);
  std::vector<Answered> out;
  std::vector<std::size_t> choice(space.size(), 0);
  while (true) {
    try {
      out.push_back({choice, plan_point(text, choice)});
    } catch (const InputError&) {
    } catch (const Infeasible&) {
    }
    std::size_t s = space.size();
    while (s > 0 && ++choice[s - 1] == space[s - 1].values.size()) choice[--s] = 0;
    if (s == 0) return out;
  }
}

/// Free settings drawn at random, of facility, model, mapping and network.
std::string random_space(std::mt19937_64& random) {
  const auto draw = [&](const std::vector<std::string>& choices) {
    return choices[random() % choices.size()];
  };
  return "[facility]\ndevices = { search = " + draw({"[32, 64, 128]", "[64, 512]", "[16]"}) +
         " }\nhb_domain = { search = " +
         draw({"[\"dgx-h100\", \"dgx-a100\"]", "[\"dgx-b200\", \"dgx-v100\", \"nvl72-gb200\"]"}) +
         " }\n[model]\nname = { search = " + draw({"[\"llama3-8b\"]", "[\"llama3-8b\", \"llama3-70b\"]"}) +
         " }\n[mapping]\ntensor = { search = " + draw({"[1, 2, 3]", "[2, 4, 8]"}) + " }\n" +
         "pipeline = " + draw({"1", "{ search = [1, 2] }", "\"auto\""}) + "\n" +
         "[network]\nscale_out_rate = { search = " +
         draw({"[\"100 Gbps\", \"400 Gbps\"]", "[\"200 Gbps\"]"}) + " }\n";
}

/// A search beside all plans: the ranked points, the best of each value.
void expect_same(const ScenarioText& text, const SearchMeasure& objective,
                 const std::vector<SearchLimit>& limits) {
  SearchQuestion question{.objectives = {objective}, .limits = limits};
  question.ranked = 3;
  const SearchResult found = search(text, question);
  std::vector<Answered> all = all_plans(text);
  std::erase_if(all, [&](const Answered& a) {
    return std::any_of(limits.begin(), limits.end(), [&](const SearchLimit& limit) {
      const double value = limit.measure.read(a.plan);
      return limit.at_most ? value > limit.bound : value < limit.bound;
    });
  });
  const double sign = objective.largest ? -1 : 1;
  for (std::size_t s = 0; s < found.space.size(); ++s) {
    for (std::size_t v = 0; v < found.space[s].values.size(); ++v) {
      std::optional<double> best;
      for (const Answered& a : all) {
        const double value = objective.read(a.plan);
        if (a.choice[s] == v && (!best || sign * value < sign * *best)) best = value;
      }
      EXPECT_EQ(found.worth[s][v].objective, best) << found.space[s].key << " " << found.space[s].values[v];
    }
  }
  std::stable_sort(all.begin(), all.end(), [&](const Answered& a, const Answered& b) {
    return sign * objective.read(a.plan) < sign * objective.read(b.plan);
  });
  ASSERT_EQ(found.ranked.size(), std::min<std::size_t>(3, all.size()));
  for (std::size_t i = 0; i < found.ranked.size(); ++i) {
    EXPECT_EQ(found.ranked[i].choice, all[i].choice);
    EXPECT_EQ(found.ranked[i].objectives[0], objective.read(all[i].plan));
  }
}

/// Parts double after a short time and halve after a long one, from one point to the largest part.
TEST(SpaceSearch, PartsFollowTheTimeThatTheyTake) {
  PartSize size;
  const auto after = [&](std::chrono::nanoseconds took) {
    size.learn(took);
    return size.points();
  };
  const std::uint64_t first = size.points();
  EXPECT_EQ(after(PartSize::kShort), first);
  EXPECT_EQ(after(PartSize::kLong), first);
  for (std::uint64_t of = first; of < PartSize::kMost; of *= 2)
    EXPECT_EQ(after(PartSize::kShort - std::chrono::nanoseconds(1)), 2 * of);
  EXPECT_EQ(after(std::chrono::nanoseconds(0)), PartSize::kMost);
  for (std::uint64_t of = PartSize::kMost; of > 1; of /= 2)
    EXPECT_EQ(after(PartSize::kLong + std::chrono::nanoseconds(1)), of / 2);
  EXPECT_EQ(after(std::chrono::hours(1)), 1U);
}

TEST(SpaceSearch, AnswersKeepTheBatchAndTheRulesOfPrograms) {
  // 128 replicas take a batch of 512 sequences; 384 do not, and train faster on a larger one. Two chunks need
  // whole rounds of four stages.
  const ScenarioText text = scenario(
      "[facility]\ndevices = 12288\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-70b\"\n[training]\n"
      "batch_tokens = 4194304\n[mapping]\ntensor = 8\npipeline = 4\ncontext = 1\nmicrobatch = 1\n"
      "data = { search = [128, 384] }\nvirtual_stages = { search = [1, 2] }\n");
  SearchQuestion question{.objectives = {*find_measure("days")}, .limits = usual_limits()};
  const SearchResult kept = search(text, question);
  ASSERT_EQ(kept.ranked.size(), 2U);
  for (const SearchPoint& point : kept.ranked) EXPECT_EQ(point.choice[0], 0U);
  EXPECT_EQ(kept.losses.beyond_limits, 2U);
  question.limits.clear();
  EXPECT_EQ(search(text, question).ranked.front().choice[0], 1U);
}

TEST(SpaceSearch, FindsWhatALoopOverAllPointsFinds) {
  std::mt19937_64 random(15);
  std::uint64_t pruned = 0;
  for (int draw = 0; draw < 6; ++draw) {
    const std::string settings = random_space(random);
    SCOPED_TRACE(settings);
    const ScenarioText text = scenario(settings);
    for (const char* name : {"days", "gpu_hours", "throughput", "mfu"}) {
      SCOPED_TRACE(name);
      expect_same(text, measure(name), {});
      pruned += search(text, {.objectives = {measure(name)}, .ranked = 1}).pruned;
    }
    expect_same(text, measure("price"),
                {{measure("power"), true, 1e6, ""}, {measure("exposed"), true, 0.3, ""}});
  }
  EXPECT_GT(pruned, 0U);
}

TEST(SpaceSearch, NoPlanIsBetterThanAtFullRate) {
  std::mt19937_64 random(51);
  for (int draw = 0; draw < 6; ++draw) {
    for (const Answered& a : all_plans(scenario(random_space(random)))) {
      Plan ideal = begin_plan(a.plan.scenario);
      assume_full_rate(ideal);
      for (const SearchMeasure& m : search_measures()) {
        if (!m.bounded) continue;
        const double sign = m.largest ? -1 : 1;
        EXPECT_LT(sign * m.read(ideal), sign * m.read(a.plan)) << m.name;
      }
    }
  }
}

TEST(SpaceSearch, FrontHoldsWhatNothingDominates) {
  const ScenarioText text = scenario(kMapped);
  SearchQuestion question{.objectives = {measure("days"), measure("memory"), measure("exposed")}};
  const SearchResult found = search(text, question);
  const std::vector<Answered> all = all_plans(text);
  const auto dominated = [&](const Answered& a) {
    return std::any_of(all.begin(), all.end(), [&](const Answered& b) {
      bool better = false;
      for (const SearchMeasure& m : question.objectives) {
        if (m.read(b.plan) > m.read(a.plan)) return false;
        better |= m.read(b.plan) < m.read(a.plan);
      }
      return better;
    });
  };
  std::vector<std::vector<std::size_t>> expected;
  for (const Answered& a : all) {
    if (!dominated(a)) expected.push_back(a.choice);
  }
  std::vector<std::vector<std::size_t>> front;
  for (const SearchPoint& point : found.front) front.push_back(point.choice);
  std::sort(front.begin(), front.end());
  EXPECT_EQ(front, expected);
  EXPECT_GT(front.size(), 2U);
}

TEST(SpaceSearch, ThreadsAndPruningChangeNothing) {
  const ScenarioText text = scenario(
      "[facility]\ndevices = { search = [16, 64, 256] }\nhb_domain = { search = \"all\" }\n"
      "[model]\nname = \"llama3-8b\"\n[mapping]\ntensor = { search = [1, 2, 4, 8] }\n");
  SearchQuestion question{.objectives = {measure("days")}};
  const SearchResult one = search(text, question);
  question.threads = 3;
  const SearchResult three = search(text, question);
  question.prunes = false;
  const SearchResult all = search(text, question);
  EXPECT_EQ(all.pruned, 0U);
  EXPECT_EQ(all.evaluated, all.points);
  EXPECT_GT(one.pruned, 0U);
  for (const SearchResult* other : {&three, &all}) {
    ASSERT_EQ(other->ranked.size(), one.ranked.size());
    for (std::size_t i = 0; i < one.ranked.size(); ++i) {
      EXPECT_EQ(other->ranked[i].index, one.ranked[i].index);
      EXPECT_EQ(other->ranked[i].objectives, one.ranked[i].objectives);
    }
    for (std::size_t s = 0; s < one.space.size(); ++s) {
      for (std::size_t v = 0; v < one.worth[s].size(); ++v)
        EXPECT_EQ(other->worth[s][v].objective, one.worth[s][v].objective);
    }
  }
}

TEST(SpaceSearch, SaysWhetherTheWinnerChangesWithinErrorBars) {
  const ScenarioText text = scenario(
      "[facility]\ndevices = 64\nhb_domain = { search = [\"dgx-h100\", \"dgx-h200\", \"dgx-a100\"] }\n"
      "[model]\nname = \"llama3-8b\"\n[mapping]\ntensor = { search = [1, 8] }\n");
  const SearchQuestion question{.objectives = {measure("days")}};
  const SearchResult found = search(text, question);
  const SearchSensitivity s = search_sensitivity(
      text, question, found, {"network.scale_up_efficiency=1", "network.scale_out_rate=\"1 Mbps\""}, false);
  EXPECT_TRUE(s.assumptions.empty());
  EXPECT_GT(s.interval.high, 1);
  ASSERT_EQ(s.rivals.size(), 2U);
  const double winner = found.ranked.front().objectives[0];
  for (const SearchRival& rival : s.rivals) {
    const bool apart = rival.objective / winner > 2;  // an A100 is three times slower
    EXPECT_EQ(rival.may_win, !apart) << rival.setting;
    EXPECT_GT(rival.objective, winner);
  }
  EXPECT_NE(s.rivals[0].may_win, s.rivals[1].may_win);
  ASSERT_EQ(s.worlds.size(), 2U);
  EXPECT_TRUE(s.worlds[0].same_choice);  // as it is
  EXPECT_EQ(s.worlds[0].objective, winner);
  EXPECT_EQ(s.worlds[0].winner, winner);
  EXPECT_GT(*s.worlds[1].winner, winner);
  EXPECT_GE(*s.worlds[1].winner, *s.worlds[1].objective);
  EXPECT_THROW(search_sensitivity(text, question, found, {"mapping.tensor=4"}, false), InputError);
}

TEST(SpaceSearch, IsAskedAgainAtBothEndsOfEveryAssumption) {
  // The faster accelerator is dearer: which one is cheaper to train on goes with the years of writing off and
  // the price of power.
  const std::string settings =
      "[facility]\ndevices = 64\nhb_domain = { search = [\"dgx-h100\", \"dgx-b200\"] }\npue_low = 1.2\n"
      "load = { search = [1] }\n[model]\nname = \"llama3-8b\"\n[mapping]\ntensor = 1\n";
  ScenarioText text = scenario(settings);
  text.set("catalog.assumptions.depreciation={ low = \"0.1 years\", source = \"a test\" }");
  const SearchQuestion question{.objectives = {measure("price")}};
  const SearchSensitivity s = search_sensitivity(text, question, search(text, question), {}, true);
  // facility.load is free: no assumption.
  ASSERT_EQ(s.assumptions.size(), 2 * (text.catalog().assumptions.keys().size() - 1));
  for (const SearchWorld& world : s.assumptions) {
    if (world.change == "facility.pue_high=1.15") {
      EXPECT_THAT(world.refused, HasSubstr("pue_high"));
      continue;
    }
    EXPECT_TRUE(world.refused.empty()) << world.change << ": " << world.refused;
    ScenarioText there = text;
    there.set(world.change);
    EXPECT_EQ(world.objective, search(there, question).ranked.front().objectives[0]) << world.change;
  }
}

TEST(SpaceSearch, SaysWhichLimitsKillASpaceAndHowFarTheyAre) {
  const ScenarioText text = scenario(kMapped);
  SearchLimit power{measure("power"), true, 1e3, "power <= 1 kW"};
  SearchLimit mfu{measure("mfu"), false, 0.99, "mfu >= 0.99"};
  const SearchResult found = search(text, {.objectives = {measure("days")}, .limits = {mfu, power}});
  EXPECT_TRUE(found.ranked.empty());
  EXPECT_EQ(found.losses.beyond[1] + found.losses.refused, found.points);
  EXPECT_EQ(found.losses.closest[1], plan_point(text, {3, 0, 0}).facility.power_high.si());
  const SearchResult slow = search(text, {.objectives = {measure("days")}, .limits = {mfu}});
  double best = 0;
  for (const Answered& a : all_plans(text)) best = std::max(best, a.plan.step.mfu);
  EXPECT_EQ(slow.losses.closest[0], best);
}

TEST(SpaceSearch, FixedSettingsNeedNotBeOfTheSpace) {
  const ScenarioText text = scenario(kMapped);
  SearchQuestion question{.objectives = {measure("days")}};
  question.fixed = {{"mapping.microbatch", "4"}};
  const SearchResult found = search(text, question);
  EXPECT_EQ(found.points, 16U);
  EXPECT_THAT(found.space[2].values, ElementsAre("4"));
  for (const auto& [key, value] : {std::pair{"mapping.tensr", "4"}, {"mapping.tensor", "4.5"}}) {
    question.fixed = {{key, value}};
    EXPECT_THROW(search(text, question), InputError) << key;
  }
}

std::string refusal_of(const std::string& settings) {
  try {
    search(scenario(settings), {.objectives = {measure("days")}, .method = SearchMethod::exhaustive});
  } catch (const InputError& error) {
    return describe(error.findings());
  }
  return "accepted";
}

/// Expects that settings below these are refused with a message that has this part.
struct RefusedBelow {
  std::string head;

  void operator()(const std::string& settings, const std::string& part) const {
    EXPECT_THAT(refusal_of(head + settings), HasSubstr(part)) << settings;
  }
};

TEST(SpaceSearch, RefusesSpacesThatAreNone) {
  const std::string head =
      "[facility]\nhb_domain = \"dgx-h100\"\ndevices = 64\n[model]\nname = \"llama3-8b\"\n[mapping]\n";
  const RefusedBelow refused{head};
  refused("", "leaves no setting free");
  refused("pipelin = 1\ntensor = { search = [1, 2] }\n",
          "test.toml:7:1: error: unknown key 'mapping.pipelin'");
  refused("tensr = { search = [1, 2] }\n", "test.toml:7:1: error: unknown key 'mapping.tensr'");
  refused("recompute = { search = [\"none\", \"ful\"] }\n", "did you mean 'full'?");
  refused("tensor = { search = [] }\n", "test.toml:7:21: error: 'mapping.tensor' has no value");
  EXPECT_THAT(refusal_of(head + "tensor = { search = \"all\" }\n"),
              testing::Not(HasSubstr("no value to try")));
  refused("tensor = { search = [1, 1] }\n", "1 stands twice");
  refused("tensor = { search = 4 }\n", "neither an array of values nor a range");
  refused("tensor = { search = [1], default = 1 }\n", "'default' beside search");
  refused("tensor = { search = [{ a = 1 }] }\n", "a table among the values");
  refused("tensor = { search = \"all\" }\n", "no list of all its values");
  refused("tensor = { search = { from = 8, to = 1, times = 2 } }\n", "does not rise");
  refused("tensor = { search = { from = 1, to = 8 } }\n", "one of step and times");
  refused("tensor = { search = { from = 1, to = 8, by = 2 } }\n", "unknown key 'by'");
  refused("tensor = { search = { from = 1, to = 1e300, step = 1 } }\n", "values");
  refused(
      "tensor = { search = { from = 1, to = 9e4, step = 1 } }\n"
      "pipeline = { search = { from = 1, to = 9e4, step = 1 } }\n",
      "8.1e+09 points, more than");
}

TEST(FreeSettings, TakeWhatTheirFieldsTake) {
  const std::string head =
      "[facility]\nhb_domain = \"dgx-h100\"\ndevices = 64\n[model]\n"
      "name = \"llama3-8b\"\n[network]\n";
  const RefusedBelow refused{head};
  refused("scale_out_rate = { search = [\"1 Gbps\", 3] }\n",
          "test.toml:7:40: error: 'network.scale_out_rate' takes");
  refused("scale_out_rate = { search = [\"1 Gbps\", \"8 GB\"] }\n", "test.toml:7:40: error");
  refused("scale_out_rate = { search = { from = \"-1 Gbps\", to = \"1 Gbps\", step = \"1 Gbps\" } }\n",
          "allowed: more than 0");
  const std::string mapped = "[mapping]\n";
  refused(mapped + "tensor = { search = [8, \"x\"] }\n", "test.toml:8:25: error: 'mapping.tensor' takes");
  refused(mapped + "tensor = { search = [8, 2.5] }\n", "test.toml:8:25: error");
  refused(mapped + "tensor = { search = [8, -3, 0, \"8 GB\"] }\n", "'mapping.tensor' is -3");
  refused(mapped + "tensor = { search = [8, -3, 0, \"8 GB\"] }\n", "test.toml:8:32: error");
  refused(mapped + "tensor = { search = { from = 1, to = 3, step = 0.5 } }\n",
          "test.toml:8:21: error: 'mapping.tensor' takes a whole number");
  refused(mapped + "sequence_parallel = { search = [true, \"yes\"] }\n", "takes true or false");
  refused("[[design]]\nname = \"a\"\n[[design]]\nname = \"b\"\nplanes = { search = [1, 0] }\n",
          "'design[1].planes' is 0");
  ScenarioText text = scenario(head);
  text.set("mapping.tensor={search=[8,\"x\"]}");
  try {
    free_settings(text);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(describe(error.findings()), HasSubstr("--set mapping.tensor="));
  }
}

TEST(FreeSettings, OfEverySectionAreChecked) {
  // No setting takes arrays of arrays of arrays.
  for (const SectionInfo& section : scenario_sections()) {
    if (section.name == "sweep" || section.name == "search") continue;
    for (const FieldInfo& field : section.fields) {
      const std::string opening =
          section.repeated ? "[[" + section.name + "]]\n" : "[" + section.name + "]\n";
      EXPECT_THROW(free_settings(scenario(opening + field.name + " = { search = [[[[]]]] }\n")), InputError)
          << section.name << "." << field.name;
    }
  }
}

TEST(FreeSettings, OfWholeNumbersAreRoundedWhereRangesMultiply) {
  const auto values = [](const std::string& range) {
    return free_settings(scenario("[facility]\ndevices = { search = " + range + " }\n"))[0].values;
  };
  EXPECT_THAT(values("{ from = 10, to = 15, times = 1.1 }"), ElementsAre("10", "11", "12", "13", "15"));
  EXPECT_THAT(values("{ from = 1, to = 2.7, times = 1.3 }"), ElementsAre("1", "2"));
  EXPECT_EQ(values("{ from = 1024, to = 65536, times = 1.07 }").size(), 62U);
}

TEST(FreeSettings, AreArraysRangesAndEveryEntry) {
  const auto values = [](const std::string& key, const std::string& space) {
    return free_settings(scenario("[" + key.substr(0, key.find('.')) + "]\n" + key.substr(key.find('.') + 1) +
                                  " = { search = " + space + " }\n"))[0]
        .values;
  };
  EXPECT_THAT(values("mapping.tensor", "[4, \"auto\"]"), ElementsAre("4", "\"auto\""));
  EXPECT_THAT(values("mapping.tensor", "{ from = 1, to = 8, times = 2 }"), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(values("mapping.tensor", "{ from = 1, to = 6, step = 2 }"), ElementsAre("1", "3", "5"));
  EXPECT_THAT(values("network.scale_out_rate", "{ from = \"100 Gbps\", to = \"400 Gbps\", times = 2 }"),
              ElementsAre("\"100 Gbps\"", "\"200 Gbps\"", "\"400 Gbps\""));
  EXPECT_THAT(values("training.batch_tokens", "{ from = 1e6, to = 1.5e6, times = 1.1 }"),
              ElementsAre("1000000", "1100000", "1210000", "1331000", "1464100"));
  EXPECT_THAT(values("mapping.recompute", "\"all\""), ElementsAre("\"none\"", "\"selective\"", "\"full\""));
  EXPECT_THAT(values("mapping.zero_stage", "\"all\""), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(values("mapping.sequence_parallel", "\"all\""), ElementsAre("true", "false"));
  EXPECT_THAT(values("facility.hb_domain", "\"all\""), testing::Contains("\"dgx-h100\""));
  const ScenarioText designs =
      scenario("[[design]]\nname = \"a\"\n[[design]]\nname = \"b\"\nplanes = { search = [1, 2] }\n");
  EXPECT_EQ(free_settings(designs)[0].key, "design[1].planes");
}

TEST(FreeSettings, HaveToBeSettledForEveryOtherQuestion) {
  ScenarioText text = scenario(kMapped);
  EXPECT_THROW(text.resolve(), InputError);
  text.set("mapping.tensor=8");
  text.set("mapping.pipeline=1");
  text.set("mapping.microbatch=1");
  EXPECT_EQ(text.resolve().mapping.tensor, 8);
}

TEST(FreeSettings, AreOfTheIdentityWhateverTheOrderOfKeys) {
  const ScenarioText a = scenario("[mapping]\ntensor = { search = [1, 2] }\npipeline = 1\n");
  const ScenarioText b = scenario("[mapping]\npipeline = 1\ntensor = { search = [1, 2] }\n");
  const ScenarioText c = scenario("[mapping]\npipeline = 1\ntensor = { search = [1, 4] }\n");
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_NE(a.hash(), c.hash());
}

TEST(SpaceSearch, PointsAreAskedAgainBySettings) {
  const std::string text = kMapped +
                           "[[design]]\nname = \"one\"\ntopology = \"fat_tree\"\nswitch = { search = "
                           "[\"quantum-2\", \"tomahawk5\"] }\nplanes = { search = [1, 2] }\n";
  const std::vector<std::size_t> choice = {2, 1, 1, 1, 1};
  const ScenarioText free = scenario(text);
  const std::vector<std::string> assignments = point_assignments(free, choice);
  ASSERT_EQ(assignments.size(), 4U);  // both of the design are one
  EXPECT_EQ(assignments[0], "mapping.tensor=4");
  ScenarioText one = scenario(text);
  for (const std::string& assignment : assignments) one.set(assignment);
  const Scenario asked = one.resolve();
  EXPECT_EQ(asked.designs.at(0).planes, 2);
  EXPECT_EQ(make_plan(asked).step.step.si(), plan_point(free, choice).step.step.si());
}

}  // namespace
}  // namespace trainyard
