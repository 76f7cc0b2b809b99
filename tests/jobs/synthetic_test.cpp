// Synthetic lists against the distributions that they are drawn from.
#include <cmath>
#include <map>
#include <numbers>

#include "job_texts.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

using testing::HasSubstr;

SyntheticJobs many() {
  SyntheticJobs s;
  s.jobs = 100000;
  s.span_s = 20 * 86400.0;
  return s;
}

TEST(Synthetic, AreTheSameForTheSameSeed) {
  SyntheticJobs s;
  s.jobs = 200;
  const std::string first = jobs_csv(synthetic_jobs(s));
  EXPECT_EQ(first, jobs_csv(synthetic_jobs(s)));
  s.seed = 2;
  EXPECT_NE(first, jobs_csv(synthetic_jobs(s)));
}

TEST(Synthetic, AreReadAsTheyWereWritten) {
  const std::string text = jobs_csv(synthetic_jobs({}));
  EXPECT_EQ(jobs_csv(read_jobs_text(text, "a.csv")), text);
}

TEST(Synthetic, HaveTheLoadThatIsAsked) {
  for (const double load : {0.1, 0.8, 1.5}) {
    SyntheticJobs s;
    s.load = load;
    s.largest_devices = 1024;
    const JobFigures f = job_figures(synthetic_jobs(s));
    EXPECT_EQ(f.jobs, s.jobs);
    EXPECT_NEAR(f.device_s / (static_cast<double>(s.devices) * s.span_s), load, load * 1e-3);
    EXPECT_EQ(f.largest_devices, 1024);
  }
}

// Sizes 1, 2, 4, ... with weights r^k: the mean is sum (2r)^k over sum r^k.
TEST(Synthetic, HaveSizesOfAGeometricSeries) {
  const JobList list = synthetic_jobs(many());
  double weights = 0;
  double sizes = 0;
  for (int k = 0; k <= 10; ++k) {
    weights += std::pow(0.7, k);
    sizes += std::pow(1.4, k);
  }
  EXPECT_NEAR(job_figures(list).mean_devices, sizes / weights, 0.03 * sizes / weights);
  std::map<std::int64_t, double> count;
  for (const Job& job : list.jobs) ++count[job.devices];
  EXPECT_EQ(count.size(), 11U);
  EXPECT_NEAR(count[1] / 1e5, 1 / weights, 0.005);
  EXPECT_NEAR(count[2] / count[1], 0.7, 0.02);
}

// A lognormal of spread s has mean over median exp(s^2 / 2).
TEST(Synthetic, HaveRunsOfALognormal) {
  SyntheticJobs s = many();
  s.run_spread = 1;
  s.longest_run_s = 1e10;
  s.load = 100;  // runs so long that whole seconds do not show
  const JobFigures f = job_figures(synthetic_jobs(s));
  EXPECT_NEAR(f.mean_run_s / f.median_run_s, std::exp(0.5), 0.03);
  double spread = 0;
  for (const Job& job : synthetic_jobs(s).jobs) spread += std::pow(std::log(job.run_s / f.median_run_s), 2);
  EXPECT_NEAR(std::sqrt(spread / 1e5), 1, 0.01);
}

// From a Monday on: days 5, 6, 12, 13, 19 and 20 of three weeks.
TEST(Synthetic, ArriveAtAnotherRateOnWeekends) {
  SyntheticJobs s = many();
  s.span_s = 21 * 86400.0;
  for (const double share : {0.0, 0.4, 1.0, 2.0}) {
    s.weekend_share = share;
    double on_weekends = 0;
    for (const Job& job : synthetic_jobs(s).jobs)
      if (std::fmod(job.submit_s / 86400, 7) >= 5) ++on_weekends;
    EXPECT_NEAR(on_weekends / 1e5, 2 * share / (5 + 2 * share), 0.005) << share;
  }
  s.weekend_share = 11;
  EXPECT_THROW(synthetic_jobs(s), InputError);
}

// Gaps of a Poisson process: mean span / jobs, and as large a standard deviation (no day's curve).
TEST(Synthetic, ArriveAtRandom) {
  SyntheticJobs s = many();
  s.day_swing = 0;
  const JobList list = synthetic_jobs(s);
  const double mean = list.jobs.back().submit_s / 1e5;
  EXPECT_NEAR(mean, s.span_s / 1e5, 0.01 * mean);
  double square = 0;
  for (std::size_t i = 1; i < list.jobs.size(); ++i)
    square += std::pow(list.jobs[i].submit_s - list.jobs[i - 1].submit_s - mean, 2);
  EXPECT_NEAR(std::sqrt(square / 1e5), mean, 0.02 * mean);
}

// The rate 1 + a cos: the half of the day around its highest point has 1/2 + a/pi of the jobs.
TEST(Synthetic, FollowTheDay) {
  SyntheticJobs s = many();
  s.day_swing = 0.5;
  const JobList list = synthetic_jobs(s);
  double day = 0;
  for (const Job& job : list.jobs) {
    const double hour = std::fmod(job.submit_s / 3600, 24);
    day += hour >= 8 && hour < 20 ? 1 : 0;
  }
  EXPECT_NEAR(day / 1e5, 0.5 + 0.5 / std::numbers::pi, 0.01);
}

TEST(Synthetic, RefuseWhatHasNoList) {
  const auto refused = [](const SyntheticJobs& s) -> std::string {
    try {
      synthetic_jobs(s);
    } catch (const InputError& error) {
      return describe(error.findings());
    }
    return {};
  };
  SyntheticJobs s;
  s.jobs = 0;
  EXPECT_THAT(refused(s), HasSubstr("jobs"));
  s = {};
  s.jobs = 1;
  s.load = 50;
  s.longest_run_s = 60;
  EXPECT_THAT(refused(s), HasSubstr("makes no load of 50"));
  s = {};
  s.load = std::nan("");
  EXPECT_THAT(refused(s), HasSubstr("load"));
  s = {};
  s.span_s = INFINITY;
  EXPECT_THAT(refused(s), HasSubstr("span"));
  s = {};
  s.devices = 1;
  s.jobs = 3;
  s.load = 0.5;
  EXPECT_EQ(refused(s), "");
}

}  // namespace
}  // namespace trainyard
