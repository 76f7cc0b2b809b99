// Work that ranks share: each number is done once, whoever does it and however long it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ranks/items.h"
#include "ranks/packing.h"
#include "ranks/shared_work.h"
#include "thread_ranks.h"

namespace trainyard {
namespace {

using testing::HasSubstr;

/// One piece of work on the numbers to `count`: how often rank 0 heard of each.
std::vector<int> times_done(Ranks& ranks, std::uint64_t count, const std::string& identity = "a") {
  std::vector<int> done(count);
  Stretches stretches;
  stretches.begin({0, count});
  std::mt19937_64 random(static_cast<std::uint64_t>(count));
  ranks.share({.identity = identity,
               .stretches = &stretches,
               .inform = [](Stretch part) { return std::to_string(part.begin); },
               .take =
                   [&](Stretch part, const std::string& outcome) {
                     Unpacker read(outcome);
                     EXPECT_EQ(read.whole(), part.begin);
                     EXPECT_EQ(read.whole(), part.end);
                     for (std::uint64_t i = part.begin; i < part.end; ++i) ++done[i];
                   },
               .work =
                   [&](Stretch part, const std::string& information) {
                     EXPECT_EQ(information, std::to_string(part.begin));
                     std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
                     return Packer().put(part.begin).put(part.end).take();
                   }});
  return done;
}

TEST(Ranks, DoEachNumberOnce) {
  on_ranks(4, [](Ranks& ranks) {
    for (const std::uint64_t count : {0U, 1U, 5U, 1000U, 100'000U}) {
      const std::vector<int> done = times_done(ranks, count);
      if (!ranks.leads()) continue;
      EXPECT_EQ(done, std::vector<int>(count, 1));
    }
  });
}

std::string failure_of(const std::function<void(Ranks&)>& run) {
  try {
    on_ranks(3, run);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(Ranks, EndTogether) {
  std::atomic<int> n = 0;
  EXPECT_EQ(failure_of([](Ranks& ranks) {
              if (!ranks.leads()) times_done(ranks, 100);
            }),
            "");  // rank 0 ends without the work
  EXPECT_EQ(failure_of([](Ranks& ranks) {
              if (ranks.leads()) throw std::runtime_error("no store");
              times_done(ranks, 100);
            }),
            "no store");
  EXPECT_THAT(failure_of([&n](Ranks& ranks) {
                if (!ranks.leads() && n++ == 0) throw std::runtime_error("no such file");
                times_done(ranks, 100);
              }),
              HasSubstr(": no such file"));
  n = 0;
  EXPECT_THAT(
      failure_of([&n](Ranks& ranks) { times_done(ranks, 100, !ranks.leads() && n++ == 0 ? "b" : "a"); }),
      HasSubstr("asks something else than rank 0"));
}

TEST(Ranks, HearWhatRank0Tells) {
  on_ranks(3, [](Ranks& ranks) {
    EXPECT_EQ(ranks.tell_all(ranks.leads() ? "a text" : ""), "a text");
    times_done(ranks, 100);
    EXPECT_EQ(ranks.tell_all(ranks.leads() ? std::string(100'000, 'x') : "").size(), 100'000U);
  });
  EXPECT_THAT(failure_of([](Ranks& ranks) {
                if (ranks.leads()) ranks.tell_all("a text");
                times_done(ranks, 100);
              }),
              HasSubstr("asks something else than rank 0"));
}

TEST(Ranks, AnswerListsInOrder) {
  on_ranks(4, [](Ranks& ranks) {
    const auto square = [](std::uint64_t i) { return std::to_string(i * i); };
    const std::vector<std::string> all = answer_together(ranks, {"squares", 500, square});
    if (!ranks.leads()) {
      EXPECT_TRUE(all.empty());
      return;
    }
    ASSERT_EQ(all.size(), 500U);
    for (std::uint64_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], square(i));
  });
}

TEST(Ranks, FailAtTheFirstOfAList) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_EQ(failure_of([](Ranks& ranks) {
                answer_together(ranks, {"some", 40, [](std::uint64_t i) {
                                          if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
                                          return std::string("x");
                                        }});
              }),
              "7");
  }
}

}  // namespace
}  // namespace trainyard
