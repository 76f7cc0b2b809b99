// Single events, to the second.
#include <gtest/gtest.h>

#include <cmath>

#include "schedule_cases.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

std::vector<double> starts(const ScheduleAnswer& answer) {
  std::vector<double> out;
  for (const ScheduledJob& job : answer.jobs) out.push_back(job.start.si());
  return out;
}

TEST(Replay, NobodyPassesTheFirstWithoutBackfilling) {
  const JobList list = jobs_of({job(0, 24, 100), job(1, 32, 10), job(2, 8, 50), job(3, 8, 200)});
  EXPECT_EQ(starts(study_schedule(shared_cluster(4), list)), (std::vector<double>{0, 100, 110, 110}));
}

TEST(Replay, BackfillingDoesNotDelayTheFirst) {
  // The third ends before the first of the queue can start; the fourth would delay it.
  const JobList list = jobs_of({job(0, 24, 100), job(1, 32, 10), job(2, 8, 50), job(3, 8, 200)});
  const auto answer = study_schedule(shared_cluster(4, {"backfill=\"easy\""}), list);
  EXPECT_EQ(starts(answer), (std::vector<double>{0, 100, 2, 110}));
}

TEST(Replay, BackfillingUsesWhatTheFirstLeaves) {
  // The first of the queue will leave a domain free: the long one may have it.
  const JobList list = jobs_of({job(0, 24, 100), job(1, 24, 10), job(2, 8, 500), job(3, 8, 500)});
  const auto answer = study_schedule(shared_cluster(4, {"backfill=\"easy\""}), list);
  EXPECT_EQ(starts(answer), (std::vector<double>{0, 100, 2, 110}));
}

TEST(Replay, WhatComesFreeWithTheFirstsDevicesIsFreeThen) {
  // Two jobs end at the first's time: it takes the devices of one of them, the long one those of the other.
  const JobList list =
      jobs_of({job(0, 8, 100), job(0, 8, 100), job(1, 24, 10), job(2, 8, 500), job(3, 8, 500)});
  const auto answer = study_schedule(shared_cluster(4, {"backfill=\"easy\""}), list);
  EXPECT_EQ(starts(answer), (std::vector<double>{0, 0, 100, 2, 110}));
}

TEST(Replay, ShortestAndPriorityGoFirst) {
  const JobList list = jobs_of({job(0, 32, 100), job(1, 32, 50), job(2, 32, 10, 1), job(3, 32, 20, 2)});
  EXPECT_EQ(starts(study_schedule(shared_cluster(4, {"order=\"shortest\""}), list)),
            (std::vector<double>{0, 130, 100, 110}));
  EXPECT_EQ(starts(study_schedule(shared_cluster(4, {"order=\"priority\""}), list)),
            (std::vector<double>{0, 130, 120, 100}));
}

TEST(Replay, PreemptedJobsKeepTheirWork) {
  const JobList list = jobs_of({job(0, 32, 100), job(40, 8, 10, 5)});
  const auto answer = study_schedule(shared_cluster(4, {"order=\"priority\"", "preempt=true",
                                                        "suspend_time=\"3 s\"", "resume_time=\"7 s\""}),
                                     list);
  // The second waits for the checkpoint, then runs; the first needs all domains and goes on behind it.
  EXPECT_DOUBLE_EQ(answer.jobs[1].start.si(), 40);
  EXPECT_DOUBLE_EQ(answer.jobs[1].end.si(), 53);
  EXPECT_DOUBLE_EQ(answer.jobs[0].end.si(), 53 + 7 + 60);
  EXPECT_EQ(answer.totals.preemptions, 1);
  EXPECT_DOUBLE_EQ(answer.jobs[0].queued_again.si(), 13);
}

TEST(Replay, OnlyWhoIsInTheWayIsPreempted) {
  const JobList list = jobs_of({job(0, 8, 100, 1), job(1, 16, 100), job(2, 8, 100, 2), job(3, 16, 10, 9)});
  const auto answer = study_schedule(shared_cluster(4, {"order=\"priority\"", "preempt=true"}), list);
  EXPECT_EQ(answer.jobs[0].preemptions, 0);
  EXPECT_EQ(answer.jobs[1].preemptions, 1);
  EXPECT_EQ(answer.jobs[2].preemptions, 0);
}

TEST(Replay, MigrationBringsHolesTogether) {
  // Halves of both domains are free, and none is whole.
  const JobList list = jobs_of({job(0, 4, 1000), job(1, 4, 30), job(2, 4, 1000), job(60, 8, 10)});
  const std::vector<std::string> first = {"placement=\"first\"", "suspend_time=\"3 s\"",
                                          "resume_time=\"7 s\""};
  const auto stays = study_schedule(shared_cluster(2, first), list);
  EXPECT_GT(stays.jobs[3].wait.si(), 900);
  std::vector<std::string> moving = first;
  moving.push_back("migrate=true");
  const auto moves = study_schedule(shared_cluster(2, moving), list);
  EXPECT_EQ(moves.totals.migrations, 1);
  EXPECT_DOUBLE_EQ(moves.jobs[3].start.si(), 60);
  EXPECT_DOUBLE_EQ(moves.jobs[3].end.si(), 73);
  EXPECT_NEAR(moves.use.suspending, 8 * 3 + 4 * 10, 1e-9);
}

TEST(Replay, ContentionMakesJobsLonger) {
  // Three rings over two leaves at 2:1 have two thirds each; half of their time is traffic.
  const JobList list = jobs_of({job(0, 16, 100), job(0, 16, 100), job(0, 16, 100), job(0, 16, 100)});
  const auto answer = study_schedule(
      shared_cluster(8, {"placement=\"anywhere\"", "communication=0.5", "traffic=\"ring\"", "seed=4"}), list);
  EXPECT_GE(answer.totals.mean_slowdown, 1);
  const auto alone = study_schedule(shared_cluster(8, {"contention=false", "placement=\"anywhere\""}), list);
  EXPECT_DOUBLE_EQ(alone.totals.mean_slowdown, 1);
  EXPECT_DOUBLE_EQ(alone.totals.span.si(), 100);
  // One all-to-all over both leaves: 16 / (32 * 4/7) of its rate.
  const auto all = study_schedule(shared_cluster(8, {"communication=0.5", "traffic=\"all_to_all\""}),
                                  jobs_of({job(0, 64, 100)}));
  EXPECT_NEAR(all.totals.span.si(), 100 * (0.5 + 0.5 * 32 * 4.0 / 7 / 16), 1e-9);
}

TEST(Replay, SaysWhichJobIsTooLargeAndWhichNeverEnds) {
  try {
    study_schedule(shared_cluster(4), jobs_of({job(0, 8, 1), job(1, 33, 1)}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.findings().front().where.source->name, "jobs, row 3");
    EXPECT_NE(error.findings().front().message.find("wants 33 devices; the cluster has 32"),
              std::string::npos);
  }
  EXPECT_THROW(study_schedule(shared_cluster(4), jobs_of({})), InputError);
  EXPECT_THROW(study_schedule(shared_cluster(4), jobs_of({job(5, 8, 1), job(1, 8, 1)})), InputError);
  EXPECT_THROW(study_schedule(shared_cluster(4), jobs_of({job(0, 8, std::nan(""))})), InputError);
  const JobList day = jobs_of({job(0, 32, 86400)});
  EXPECT_THROW(study_schedule(shared_cluster(4, {"failures_per_1000_days=100000"}), day), Infeasible);
  EXPECT_THROW(study_schedule(shared_cluster(4, {"failures_per_1000_days=20000", "repair_time=\"1000 days\"",
                                                 "checkpoint_interval=\"1 s\"", "resume_time=\"0 s\""}),
                              day),
               Infeasible);
}

/// A job that keeps work with a chance below one in a million is refused: exp(-14) on its four domains,
/// exp(-3.5) on one.
TEST(Replay, RefusesAJobWhoseDomainsFailBeforeItKeepsAnything) {
  const auto settings = [](const char* interval, const char* resume) {
    return std::vector<std::string>{"failures_per_1000_days=84000", "repair_time=\"1 s\"",
                                    std::string("checkpoint_interval=\"") + interval + "\"",
                                    std::string("resume_time=\"") + resume + "\""};
  };
  const auto refused = [&](std::int64_t devices, const char* interval, const char* resume) -> std::string {
    try {
      study_schedule(shared_cluster(4, settings(interval, resume)), jobs_of({job(0, devices, 3600)}));
    } catch (const Infeasible& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refused(32, "1 h", "0 s")
                .find("its 4 HB domains fail every 257 s, and it keeps work only after 3600 s"),
            std::string::npos)
      << refused(32, "1 h", "0 s");
  EXPECT_NE(refused(32, "1 min", "59 min").find("only after 3600 s"), std::string::npos);
  EXPECT_EQ(refused(32, "10 min", "0 s"), "");
  EXPECT_EQ(refused(8, "1 h", "0 s"), "");
}

}  // namespace
}  // namespace trainyard
