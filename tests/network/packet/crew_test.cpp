// Threads that share out work: all of it is done once, and what one throws reaches the caller.
#include "network/packet/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <vector>

namespace trainyard::packet {
namespace {

TEST(Crew, DoesAllWorkOnce) {
  for (const unsigned threads : {1U, 3U}) {
    Crew crew(threads);
    std::vector<std::atomic<int>> done(1000);
    for (int round = 0; round < 50; ++round) crew.run(1000, [&](unsigned, std::uint32_t i) { ++done[i]; });
    for (const auto& count : done) EXPECT_EQ(count, 50);
  }
}

TEST(Crew, ThrowsWhatItsThreadsThrow) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    Crew crew(threads);
    for (const std::uint32_t bad : {0U, 499U, 999U}) {
      EXPECT_THROW(crew.run(1000,
                            [&](unsigned, std::uint32_t i) {
                              if (i == bad) throw std::bad_alloc();
                            }),
                   std::bad_alloc);
    }
  }
}

}  // namespace
}  // namespace trainyard::packet
