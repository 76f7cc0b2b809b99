// Runs of months, their sums and spreads.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/errors.h"
#include "base/threads.h"
#include "goodput/case_times.h"
#include "goodput/goodput_parts.h"
#include "trainyard/errors.h"
#include "trainyard/goodput.h"

namespace trainyard {
namespace {

constexpr double kMostEvents = 1e9;
constexpr double kMargin = 4;  // events over the mean number of failures, which no run passes

/// Sums of a fixed block of runs: added in their order, they are the same for any number of threads.
struct Block {
  std::array<LostTime, kFailureCauses> lost;
  double useful_h = 0, checkpoint_h = 0, waiting_h = 0, shrunk_h = 0, events = 0;
  bool cut = false;
};

constexpr std::int64_t kBlockRuns = 64;

/// Events of a second's failures, at most.
double event_rate(const GoodputCase& c) {
  double rate = 0;
  for (const FailureMode& mode : c.modes) rate += mode.rate_per_s * (mode.ages ? most_hazard(c) : 1);
  return rate;
}

double hours(std::int64_t ns) { return static_cast<double>(ns) / (kNanoseconds * 3600); }

void add_run(Block& block, const RunOutcome& run) {
  for (std::size_t i = 0; i < kFailureCauses; ++i) {
    block.lost[i].down_h += hours(run.down_ns[i]);
    block.lost[i].rework_h += hours(run.rework_ns[i]);
    block.lost[i].slow_h += hours(run.slow_ns[i]);
    block.lost[i].failures += static_cast<double>(run.failures[i]);
  }
  block.useful_h += hours(run.useful_ns);
  block.checkpoint_h += hours(run.checkpoint_ns);
  block.waiting_h += hours(run.waiting_ns);
  block.shrunk_h += hours(run.shrunk_ns);
  block.events += static_cast<double>(run.events);
  block.cut |= run.cut;
}

void add_block(MonthsResult& out, const Block& block, double share) {
  for (std::size_t i = 0; i < kFailureCauses; ++i) {
    out.lost[i].down_h += block.lost[i].down_h * share;
    out.lost[i].rework_h += block.lost[i].rework_h * share;
    out.lost[i].slow_h += block.lost[i].slow_h * share;
    out.lost[i].failures += block.lost[i].failures * share;
  }
  out.useful_h += block.useful_h * share;
  out.checkpoint_h += block.checkpoint_h * share;
  out.waiting_h += block.waiting_h * share;
  out.shrunk_h += block.shrunk_h * share;
  out.events += block.events;
}

void check_size(const GoodputCase& c) {
  const double rate = event_rate(c);
  // A failure and what follows from it: a repair, a finding.
  const double events = rate * c.period.si() * kMargin;
  if (events > kMostEventsOfRun) {
    fail_input(whole("resilience.period"),
               fmt::format("some {:.3g} failures in a run: more than can be simulated", rate * c.period.si()),
               fmt::format("a period of at most {:.3g} days, or lower rates",
                           kMostEventsOfRun / kMargin / rate / 86400));
  }
  const double all = 2 * rate * c.period.si() * static_cast<double>(c.runs);
  if (all > kMostEvents) {
    fail_input(whole("resilience.runs"),
               fmt::format("some {:.3g} events in {} runs: more than can be simulated", all, c.runs),
               fmt::format("at most {:.0f} runs", std::floor(kMostEvents / (2 * rate * c.period.si()))));
  }
}

}  // namespace

double quantile_of(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  if (!std::isfinite(sorted[high])) return sorted[place > static_cast<double>(low) ? high : low];
  return sorted[low] + (sorted[high] - sorted[low]) * (place - static_cast<double>(low));
}

Spread spread_of(std::vector<double> values) {
  constexpr double kTail = 0.025;  // on either side of 95%
  Spread out;
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  for (const double v : values) out.mean += v / n;
  double squares = 0;
  for (const double v : values) squares += (v - out.mean) * (v - out.mean);
  out.standard_error = values.size() > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  out.low = quantile_of(values, kTail);
  out.high = quantile_of(values, 1 - kTail);
  return out;
}

MonthsResult simulate_months(const GoodputCase& c, Seconds interval, unsigned threads,
                             const RunsProgress& progress) {
  check_size(c);
  const std::int64_t count = (c.runs + kBlockRuns - 1) / kBlockRuns;
  std::vector<Block> blocks(static_cast<std::size_t>(count));
  std::vector<double> ettr(static_cast<std::size_t>(c.runs));
  std::vector<double> interruptions(ettr.size());
  MonthsResult out;
  std::atomic<std::int64_t> next = 0;
  std::atomic<std::int64_t> done = 0;
  on_threads(threads, [&] {
    for (std::int64_t b = next++; b < count; b = next++) {
      for (std::int64_t r = b * kBlockRuns; r < std::min(c.runs, (b + 1) * kBlockRuns); ++r) {
        const RunOutcome run = simulate_run(c, interval, r, r == 0 ? &out.timeline : nullptr);
        add_run(blocks[static_cast<std::size_t>(b)], run);
        ettr[static_cast<std::size_t>(r)] =
            static_cast<double>(run.useful_ns) / static_cast<double>(run.period_ns);
        interruptions[static_cast<std::size_t>(r)] = static_cast<double>(run.interruptions);
        if (progress) progress(static_cast<std::size_t>(++done), ettr.size());
      }
    }
  });
  for (const Block& block : blocks) {
    TY_ASSERT(!block.cut, "a run had more events than its failures lead to");
    add_block(out, block, 1 / static_cast<double>(c.runs));
  }
  out.ettr = spread_of(std::move(ettr));
  out.interruptions = spread_of(std::move(interruptions));
  out.period_h = as<Hours>(c.period).count();
  out.runs = c.runs;
  return out;
}

namespace {

constexpr double kLongestTarget = 10;  // over the time that is expected
constexpr double kClock_s = static_cast<double>(kNeverComes) / 2 / kNanoseconds;

}  // namespace

std::int64_t target_runs(const GoodputCase& c, Seconds expected) {
  constexpr double kMostRuns = 1000;
  constexpr double kLeastOfClock = 2;  // over the time that is expected
  if (expected.si() * kLeastOfClock > kClock_s) return 0;
  constexpr double kMostOfTarget = 2e7;  // events of all runs: seconds
  GoodputCase whole_run = c;
  whole_run.period = expected;
  const double events = event_rate(whole_run) * expected.si() * kMargin;
  if (events > kMostEventsOfRun) return 0;
  return static_cast<std::int64_t>(
      std::min({kMostRuns, real(c.runs), kMostOfTarget / std::max(1.0, events)}));
}

namespace {

void count_ends(TargetTimes& out, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto first_endless = std::find_if(times.begin(), times.end(), [](double t) { return std::isinf(t); });
  const std::vector<double> ended(times.begin(), first_endless);
  out.ended = static_cast<double>(ended.size()) / static_cast<double>(times.size());
  out.median_s = quantile_of(times, 0.5);
  out.mean_of_ended_s = ended.empty() ? std::numeric_limits<double>::infinity() : spread_of(ended).mean;
  out.time_s = spread_of(std::move(times));
  if (!out.all_end()) out.time_s.standard_error = std::numeric_limits<double>::infinity();
}

}  // namespace

TargetTimes simulate_target(const GoodputCase& c, Seconds interval, Seconds ideal, Seconds expected,
                            unsigned threads, const RunsProgress& progress) {
  TargetTimes out;
  out.within = Seconds(std::min(expected.si() * kLongestTarget, kClock_s));
  out.runs = target_runs(c, expected);
  out.time_s = {.mean = expected.si(), .low = expected.si(), .high = expected.si()};
  out.median_s = out.mean_of_ended_s = expected.si();
  if (out.runs == 0) return out;
  GoodputCase longer = c;
  longer.period = out.within;
  std::vector<double> times(static_cast<std::size_t>(out.runs), std::numeric_limits<double>::infinity());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  on_threads(threads, [&] {
    for (std::size_t r = next++; r < times.size(); r = next++) {
      const auto time = simulated_time(longer, interval, static_cast<std::int64_t>(r), ideal);
      if (time) times[r] = time->si();
      if (progress) progress(++done, times.size());
    }
  });
  count_ends(out, std::move(times));
  return out;
}

}  // namespace trainyard
