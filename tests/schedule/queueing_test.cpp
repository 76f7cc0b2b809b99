// Waits against queueing theory.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "schedule_cases.h"

namespace trainyard {
namespace {

/// Mean wait of M/M/c in units of a mean service (Erlang 1917): C / (c (1 - rho)).
double erlang_c_wait(int servers, double rho) {
  const double load = servers * rho;
  double blocked = 1;  // Erlang B, by recursion
  for (int n = 1; n <= servers; ++n) blocked = load * blocked / (n + load * blocked);
  const double waits = blocked / (1 - rho * (1 - blocked));
  return waits / (servers * (1 - rho));
}

TEST(Queueing, WholeDomainsWaitAsErlangSays) {
  constexpr int kDomains = 16;
  constexpr double kRho = 0.85;
  std::mt19937_64 random(1);
  std::exponential_distribution<double> gap(kDomains * kRho);
  std::exponential_distribution<double> service(1);
  std::vector<Job> jobs;
  double at_s = 0;
  for (int i = 0; i < 100000; ++i) {
    const double service_s = service(random);  // compilers differ in the order of arguments
    at_s += gap(random);
    jobs.push_back(job(at_s, 8, service_s));
  }
  const ScheduleAnswer answer = study_schedule(shared_cluster(kDomains), jobs_of(jobs));
  const double expected = erlang_c_wait(kDomains, kRho);
  EXPECT_NEAR(answer.totals.mean_wait.si(), expected, 0.05 * expected);
  EXPECT_NEAR(answer.totals.used_share, kRho, 0.01);
}

TEST(Queueing, RestartsTakeTheTimeOfTheClosedForm) {
  // Work between checkpoints C, restart r, failures at rate f of the job: e^(f r) (e^(f C) - 1) / f each.
  constexpr double kRate = 0.5;  // in an hour, of both domains together
  std::vector<Job> jobs;
  for (int i = 0; i < 400; ++i) jobs.push_back(job(i * 3e5, 16, 10 * 3600.0));
  const double per_1000_days = kRate / 2 * 24 * 1000;
  const ScheduleAnswer answer = study_schedule(
      shared_cluster(32, {"failures_per_1000_days=" + std::to_string(per_1000_days), "spares=8",
                          "repair_time=\"1 s\"", "resume_time=\"720 s\"", "checkpoint_interval=\"1 h\""}),
      jobs_of(jobs));
  const double expected_h = 10 * std::exp(kRate * 0.2) * (std::exp(kRate) - 1) / kRate;
  const double mean_h = answer.totals.mean_completion.si() / 3600;
  EXPECT_NEAR(mean_h, expected_h, 0.05 * expected_h);
  EXPECT_NEAR(answer.use.useful, 400 * 16 * 36000.0, 1);
}

}  // namespace
}  // namespace trainyard
