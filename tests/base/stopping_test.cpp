// Work that is ended before its time.
#include "trainyard/stopping.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "base/stopping.h"
#include "base/threads.h"

namespace trainyard {
namespace {

struct Ended : std::runtime_error {
  Ended() : std::runtime_error("ended") {}
};

TEST(Stopping, IsLookedAtWhereWorkPauses) {
  int looks = 0;
  const Stopping stopping([&] {
    if (++looks == 3) throw Ended();
  });
  EXPECT_NO_THROW(pause_point());
  EXPECT_NO_THROW(pause_point());
  EXPECT_THROW(pause_point(), Ended);
}

TEST(Stopping, EndsWithItsScope) {
  const Stopping outer([] {});
  {
    const Stopping inner([] { throw Ended(); });
  }
  EXPECT_NO_THROW(pause_point());
}

TEST(Stopping, ReachesThreadsThatWorkStarts) {
  std::atomic<int> looks = 0;
  {
    const Stopping stopping([&] { ++looks; });
    on_threads(3, [] { pause_point(); });
  }
  EXPECT_EQ(looks, 3);
  on_threads(3, [] { pause_point(); });
  EXPECT_EQ(looks, 3);
}

TEST(Stopping, LeavesOtherWorkAlone) { EXPECT_NO_THROW(pause_point()); }

}  // namespace
}  // namespace trainyard
