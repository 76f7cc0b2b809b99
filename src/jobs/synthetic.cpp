// Job lists at random. Every random number is a hash of the job and of what it is for; times are whole
// seconds, so that the last digit of a machine's logarithm is not seen.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/counted.h"
#include "base/mixing.h"
#include "trainyard/errors.h"
#include "trainyard/jobs.h"

namespace trainyard {
namespace {

constexpr double kDaySpan_s = 86400;
constexpr double kBusiestHour = 14;
constexpr std::uint64_t kUsers = 40;
constexpr double kUrgent = 0.1;          // share of jobs of priority 1
constexpr double kMostOverestimate = 3;  // users say 1 to this times the run

/// What a random number is for.
enum class Draw : std::uint64_t { arrival, accepted, size, run, angle, estimate, user, priority };

class Dice {
 public:
  explicit Dice(std::int64_t seed) : seed_(mixed(static_cast<std::uint64_t>(seed))) {}

  /// Above 0, below 1.
  double uniform(Draw what, std::int64_t job, std::uint64_t turn = 0) const {
    const std::uint64_t key =
        mixed(mixed(seed_, static_cast<std::uint64_t>(what)), static_cast<std::uint64_t>(job));
    return uniform_inside(mixed(key, turn));
  }

 private:
  std::uint64_t seed_;
};

/// Of a moment, over the mean of a weekday.
double rate_of_arrivals(const SyntheticJobs& s, double at_s) {
  constexpr double kDaysOfWeek = 7;
  constexpr double kWeekdays = 5;
  const double day = at_s / kDaySpan_s;
  const double hour = day * 24;
  const double of_day = std::fmod(day, kDaysOfWeek) < kWeekdays ? 1 : s.weekend_share;
  return of_day * (1 + s.day_swing * std::cos(2 * std::numbers::pi * (hour - kBusiestHour) / 24));
}

/// The moment of an arrival, by the week's curve: refused moments are drawn again.
double arrival(const Dice& dice, const SyntheticJobs& s, std::int64_t job) {
  for (std::uint64_t turn = 0;; ++turn) {
    const double at = dice.uniform(Draw::arrival, job, turn) * s.span_s;
    const double most = std::max(1.0, s.weekend_share) * (1 + s.day_swing);
    if (dice.uniform(Draw::accepted, job, turn) * most < rate_of_arrivals(s, at)) return at;
  }
}

std::int64_t size_of(double uniform, double ratio, std::int64_t largest) {
  double total = 0;
  double weight = 1;
  for (std::int64_t size = 1; size <= largest; size *= 2, weight *= ratio) total += weight;
  double left = uniform * total;
  weight = 1;
  std::int64_t size = 1;
  while (size * 2 <= largest && left >= weight) {
    left -= weight;
    weight *= ratio;
    size *= 2;
  }
  return size;
}

/// A run of median 1 (Box and Muller 1958).
double run_of(const Dice& dice, double spread, std::int64_t job) {
  const double radius = std::sqrt(-2 * std::log(dice.uniform(Draw::run, job)));
  return std::exp(spread * radius * std::cos(2 * std::numbers::pi * dice.uniform(Draw::angle, job)));
}

double work(const std::vector<Job>& jobs, double scale, double longest) {
  double sum = 0;
  for (const Job& job : jobs) sum += static_cast<double>(job.devices) * std::min(scale * job.run_s, longest);
  return sum;
}

/// What runs are multiplied by for the load; the longest run is as long as allowed.
double scale_of(const std::vector<Job>& jobs, const SyntheticJobs& s) {
  constexpr int kHalvings = 60;
  const double wanted = s.load * static_cast<double>(s.devices) * s.span_s;
  double most = 1;
  while (work(jobs, most, s.longest_run_s) < wanted) {
    most *= 2;
    if (most > 1e18) {
      fail_input(whole("--load"),
                 fmt::format("{} of at most {} {} no load of {} on {}", counted(s.jobs, "job"),
                             counted(fmt::format("{}", s.longest_run_s / kDaySpan_s), "day"),
                             agreeing(s.jobs, "makes", "make"), s.load, counted(s.devices, "device")),
                 "more jobs, fewer days or a lower load");
    }
  }
  double least = 0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (least + most) / 2;
    (work(jobs, middle, s.longest_run_s) < wanted ? least : most) = middle;
  }
  return most;
}

/// A quarter of the span; more where few jobs have to make the load.
double usual_longest(const std::vector<Job>& jobs, const SyntheticJobs& s) {
  constexpr double kPart = 4;
  double devices = 0;
  for (const Job& job : jobs) devices += static_cast<double>(job.devices);
  const double mean_run = s.load * static_cast<double>(s.devices) * s.span_s / devices;
  return std::max({1.0, s.span_s / kPart, kPart * mean_run});
}

void refuse(bool wrong, const char* what, const char* help) {
  if (wrong) fail_input(whole("synthetic"), what, help);
}

void check(const SyntheticJobs& s) {
  refuse(s.jobs < 1 || s.jobs > kMostJobs, "jobs", "allowed: 1 to 20000000");
  refuse(!(s.span_s >= 1 && s.span_s <= 1e10), "the span", "allowed: 1 s to 1e10 s");
  refuse(!(s.load > 0 && s.load <= 100), "the load", "allowed: more than 0, up to 100");
  refuse(s.devices < 1 || s.devices > 1'000'000'000, "devices", "allowed: 1 to 1000000000");
  refuse(s.largest_devices < 0 || s.largest_devices > s.devices, "the largest job", "up to all devices");
  refuse(!(s.day_swing >= 0 && s.day_swing <= 1), "the day's swing", "allowed: 0 to 1");
  refuse(!(s.weekend_share >= 0 && s.weekend_share <= 10), "the weekend's share", "allowed: 0 to 10");
  refuse(!(s.size_ratio > 0 && s.size_ratio <= 10), "the ratio of sizes", "allowed: more than 0, up to 10");
  refuse(!(s.run_spread >= 0 && s.run_spread <= 5), "the spread of run times", "allowed: 0 to 5");
  refuse(!(s.longest_run_s >= 0 && s.longest_run_s <= 1e10), "the longest run", "allowed: up to 1e10 s");
}

void draw_rest(Job& job, const Dice& dice, std::int64_t number) {
  // Few users send most jobs: the square of a uniform number.
  const double user = dice.uniform(Draw::user, number);
  job.user = fmt::format("user{}", static_cast<std::uint64_t>(user * user * static_cast<double>(kUsers)) + 1);
  job.priority = dice.uniform(Draw::priority, number) < kUrgent ? 1 : 0;
  job.estimate_s =
      std::ceil(job.run_s * (1 + (kMostOverestimate - 1) * dice.uniform(Draw::estimate, number)));
}

/// Runs are whole seconds, one at least: so many jobs may be more than the load that is asked for.
void check_made(const std::vector<Job>& jobs, const SyntheticJobs& s) {
  constexpr double kRoundedUp = 1.1;
  const double capacity_s = static_cast<double>(s.devices) * s.span_s;
  const double made = work(jobs, 1, s.longest_run_s) / capacity_s;
  if (made > kRoundedUp * s.load)
    fail_input(whole("--load"),
               fmt::format("{} of a second at least {} a load of {:.3g}, not {:.3g}", counted(s.jobs, "job"),
                           agreeing(s.jobs, "makes", "make"), made, s.load),
               "fewer jobs, more days or a higher load");
}

}  // namespace

JobList synthetic_jobs(const SyntheticJobs& settings) {
  SyntheticJobs s = settings;
  check(s);
  const Dice dice(s.seed);
  JobList list;
  list.source = "synthetic";
  list.format = "synthetic";
  const std::int64_t largest =
      s.largest_devices > 0 ? s.largest_devices : std::max<std::int64_t>(1, s.devices / 2);
  list.jobs.resize(static_cast<std::size_t>(s.jobs));
  for (std::int64_t i = 0; i < s.jobs; ++i) {
    Job& job = list.jobs[static_cast<std::size_t>(i)];
    job.submit_s = std::floor(arrival(dice, s, i));
    job.devices = size_of(dice.uniform(Draw::size, i), s.size_ratio, largest);
    job.run_s = run_of(dice, s.run_spread, i);
    job.row = i;
  }
  if (s.longest_run_s == 0) s.longest_run_s = usual_longest(list.jobs, s);
  const double scale = scale_of(list.jobs, s);
  for (Job& job : list.jobs) {
    job.run_s = std::max(1.0, std::round(std::min(scale * job.run_s, s.longest_run_s)));
    draw_rest(job, dice, job.row);
  }
  check_made(list.jobs, s);
  std::stable_sort(list.jobs.begin(), list.jobs.end(),
                   [](const Job& a, const Job& b) { return a.submit_s < b.submit_s; });
  const double first = list.jobs.front().submit_s;
  for (std::size_t i = 0; i < list.jobs.size(); ++i) {
    Job& job = list.jobs[i];
    job.submit_s -= first;
    job.row = static_cast<std::int64_t>(i) + 1;
    job.name = fmt::format("job{}", job.row);
  }
  return list;
}

}  // namespace trainyard
