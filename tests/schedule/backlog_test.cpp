// Who may pass the first of the queue, against a look at every job that waits.
#include "schedule/backlog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "schedule/least_tree.h"
#include "schedule_cases.h"

namespace trainyard {
namespace {

using namespace schedule;

constexpr double kNever = std::numeric_limits<double>::infinity();

TEST(LeastTree, FindsTheFirstThatIsSmallEnough) {
  std::mt19937 random(3);
  for (const std::size_t places : {1, 2, 7, 64, 100}) {
    LeastTree tree(places);
    std::vector<double> values(places, kNever);
    for (int round = 0; round < 2000; ++round) {
      const std::size_t changed = random() % places;
      values[changed] = random() % 3 == 0 ? kNever : static_cast<double>(random() % 50);
      tree.set(changed, values[changed]);
      const std::size_t from = random() % (places + 1);
      const double most = random() % 9 == 0 ? kNever : static_cast<double>(random() % 50);
      std::optional<std::size_t> expected;
      for (std::size_t i = from; i < places && !expected; ++i)
        if (values[i] <= most && values[i] < kNever) expected = i;
      ASSERT_EQ(tree.first(from, most), expected) << places << " from " << from << " up to " << most;
    }
  }
}

/// What is free now and beside the reservation, and how long until that; some places are refused, as long as
/// nobody takes others.
struct Room {
  std::int64_t free = 0;
  std::int64_t beside = 0;
  double until_s = 0;
  std::int64_t starts = 0;

  double most(std::int64_t devices) const {
    if (devices > free) return -1;
    return devices <= beside ? kNever : until_s;
  }
  bool start(std::int64_t devices, double hold_s) {
    if (hold_s > most(devices)) return false;
    if (hold_s > until_s && (devices + starts) % 3 == 0) return false;
    free -= devices;
    if (hold_s > until_s) beside -= devices;
    ++starts;
    return true;
  }
};

std::vector<std::size_t> started_by_looking_at_all(const std::vector<Job>& jobs, const Queue& queue,
                                                   Room room) {
  std::vector<std::size_t> out;
  for (auto it = std::next(queue.waiting().begin()); it != queue.waiting().end(); ++it) {
    const std::size_t at = std::get<2>(*it);
    if (room.start(jobs[at].devices, jobs[at].run_s)) out.push_back(at);
  }
  return out;
}

TEST(Backlog, StartsWhomALookAtEveryJobStarts) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Job> jobs;
    for (int i = 0; i < 200; ++i)
      jobs.push_back(
          job(static_cast<double>(random() % 1000), 1 + random() % 12, static_cast<double>(random() % 100)));
    Queue queue(jobs, round % 2 == 0 ? QueueOrder::arrival : QueueOrder::shortest);
    for (Job& it : jobs) it.estimate_s = it.run_s;
    Backlog backlog(jobs, queue);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (random() % 4 == 0) continue;
      queue.insert(i);
      backlog.insert(i, jobs[i].run_s);
    }
    Room room{static_cast<std::int64_t>(random() % 200), static_cast<std::int64_t>(random() % 60),
              static_cast<double>(random() % 100)};
    const std::vector<std::size_t> expected = started_by_looking_at_all(jobs, queue, room);
    std::vector<std::size_t> started;
    BacklogLook look(backlog, *queue.waiting().begin(),
                     [&](std::int64_t devices) { return room.most(devices); });
    while (const std::optional<std::size_t> next = look.next()) {
      if (!room.start(jobs[*next].devices, jobs[*next].run_s)) {
        look.refused(room.until_s);
        continue;
      }
      backlog.erase(*next);
      started.push_back(*next);
      look.started();
    }
    ASSERT_EQ(started, expected) << round;
  }
}

/// One of a single domain that is over before the first of the queue can start, behind thousands that are
/// not.
TEST(Backlog, WhoIsFarBehindInTheQueueIsFoundToo) {
  std::vector<Job> jobs = {job(0, 24, 1000), job(0, 8, 100), job(0, 32, 500)};
  for (int i = 0; i < 3000; ++i) jobs.push_back(job(0, 8, 2000));
  jobs.push_back(job(0, 8, 500));
  const ScheduleAnswer answer = study_schedule(shared_cluster(4, {"backfill=\"easy\""}), jobs_of(jobs));
  EXPECT_EQ(answer.jobs.back().wait.si(), 100);
  EXPECT_EQ(answer.jobs[2].wait.si(), 1000);
  EXPECT_GT(answer.jobs[3].wait.si(), 1000);
}

}  // namespace
}  // namespace trainyard
