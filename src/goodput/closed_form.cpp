// A job over months in closed form (docs/models.md, "Months").
#include <algorithm>
#include <cmath>
#include <vector>

#include "goodput/goodput_parts.h"
#include "goodput/serving.h"
#include "trainyard/goodput.h"

namespace trainyard {

double served_share(const GoodputCase& c, std::int64_t gone) {
  const std::int64_t lacking = gone - c.spares;
  if (lacking <= 0) return 1;
  const double lost = std::ceil(real(lacking) * real(c.replicas) / real(c.hosts));
  const double left = real(c.replicas) - lost;
  return left < real(c.least_replicas) || left <= 0 ? 0 : left / real(c.replicas);
}

namespace {

/// Rates a second, by what they do.
struct Rates {
  double stops = 0;   // with loss of what is not saved; silent corruptions when found
  double pauses = 0;  // after a checkpoint: planned ones, evictions
  double beyond = 0;  // of the stops, those that take the tier's checkpoints along
  double unplanned = 0;
  double silent = 0;  // that begin
  double silent_lasts_s = 0;
  double down_s = 0;  // sum of rate times downtime
};

Rates rates_of(const GoodputCase& c, double idle, double hazard) {
  Rates out;
  for (const FailureMode& mode : c.modes) {
    double rate = mode.rate_per_s * (mode.ages ? hazard : 1);
    if (mode.cause == FailureCause::planned) {
      out.pauses += rate;
    } else if (mode.cause == FailureCause::straggler) {
      out.pauses += rate;
      out.unplanned += rate;
    } else if (mode.cause == FailureCause::silent) {
      out.silent += rate;
      out.silent_lasts_s = mode.lasts.si();
      // What comes before one is found is found with it.
      rate /= 1 + rate * mode.lasts.si();
      out.stops += rate;
      out.unplanned += rate;
    } else if (mode.stops) {
      out.stops += rate;
      out.unplanned += rate;
      if (!mode.keeps) out.beyond += rate;
    }
    out.down_s += rate * recovery_s(c, mode, idle);
  }
  return out;
}

/// Mean useful time of a stretch of training that ends at rate `all`, times that rate: by a stop only what
/// was safe counts, by a pause everything. The limits for a rate of 0 are those of training without an end.
double useful_share(const GoodputCase& c, const Rates& rates, double interval_s) {
  const double all = rates.stops + rates.pauses;
  const double cycle = interval_s + c.stall.si();
  if (all <= 0) return interval_s / cycle;
  const double after = std::clamp((c.write - c.stall).si(), 0.0, interval_s);
  const double saved = interval_s * std::exp(-all * after) / std::expm1(all * cycle);
  const double trained = std::expm1(-all * interval_s) / std::expm1(-all * cycle) / all;
  return rates.stops * saved + rates.pauses * trained;
}

/// Of progress at rate g, when failures of this rate lose what is beyond the last multiple of `unit`.
double after_loss(double progress, double rate, double unit) {
  if (rate <= 0 || progress <= 0) return progress;
  const double exponent = rate * unit / progress;
  return rate * unit / std::expm1(exponent);
}

/// The slowest part sets the pace; how many of a kind there are is a Poisson count: its mean over so long a
/// time, which begins without.
double mean_speed(const GoodputCase& c, double hazard, double over_s) {
  std::vector<std::pair<double, double>> kinds;  // slowdown, mean number at a time
  for (const FailureMode& mode : c.modes) {
    if (mode.slowdown <= 0) continue;
    const double lasts = mode.lasts.si();
    const double there = over_s < kForever_s ? 1 + lasts / over_s * std::expm1(-over_s / lasts) : 1;
    kinds.emplace_back(mode.slowdown, mode.rate_per_s * (mode.ages ? hazard : 1) * lasts * there);
  }
  std::sort(kinds.rbegin(), kinds.rend());
  double none = 1;  // that none of the slower kinds is there
  double out = 0;
  for (const auto& [slowdown, mean] : kinds) {
    const double absent = std::exp(-mean);
    out += none * (1 - absent) / (1 + slowdown);
    none *= absent;
  }
  return out + none;
}

/// Means over a time, or of a part of it.
struct Means {
  Rates rates;
  double up = 1;
  double served = 1;
};

Means means_of(const GoodputCase& c, const ServingThen& then) {
  // A failure finds what the mean of the time finds: arrivals are Poisson's (Wolff 1982).
  Means out{.rates = rates_of(c, then.serving.idle, then.hazard)};
  out.up = std::exp(-out.rates.down_s);
  out.served = then.serving.served;
  return out;
}

/// Share of the time in which training is kept, were all servers there and no part slow.
double kept_share(const GoodputCase& c, const Means& means, double interval_s) {
  // Failures that take the tier's checkpoints along lose what is beyond the last backup, and so the
  // unfinished interval too: it is not counted twice.
  Rates kept = means.rates;
  kept.stops -= kept.beyond;
  kept.pauses += kept.beyond;
  double progress = means.up * useful_share(c, kept, interval_s);
  progress = after_loss(progress, kept.beyond, interval_s * real(c.backup_every));
  return progress / (1 + means.rates.silent * means.rates.silent_lasts_s);
}

double ettr_at(const GoodputCase& c, const Means& means, double interval_s) {
  return kept_share(c, means, interval_s) * means.served;
}

/// Not shorter than a checkpoint takes, nor than a step.
double shortest_interval(const GoodputCase& c) {
  constexpr double kShortest_s = 1;
  return std::max({kShortest_s, c.step.si(), (c.write - c.stall).si()});
}

/// By thirds of the logarithm: useful time has one maximum.
double best_interval(const GoodputCase& c, const Means& means) {
  double low = std::log(shortest_interval(c));
  double high = std::max(low, std::log(std::max(shortest_interval(c), c.period.si())));
  constexpr int kThirds = 80;
  for (int i = 0; i < kThirds; ++i) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    if (kept_share(c, means, std::exp(a)) < kept_share(c, means, std::exp(b))) {
      low = a;
    } else {
      high = b;
    }
  }
  return std::exp((low + high) / 2);
}

/// Daly 2006, equation 37, for a write that takes `w` and a mean time to failure `m`.
double daly_interval(double w, double m) {
  if (w >= 2 * m) return m;
  const double ratio = w / (2 * m);
  return std::sqrt(2 * w * m) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - w;
}

}  // namespace

GoodputForm goodput_form(const GoodputCase& c) {
  const Servings servings = servings_of(c);
  const Means means = means_of(c, servings.mean);
  GoodputForm out;
  const double interval =
      c.interval ? std::max(c.interval->si(), shortest_interval(c)) : best_interval(c, means);
  out.interval = Seconds(interval);
  if (means.rates.stops > 0) {
    const double mean = 1 / means.rates.stops;
    out.young = Seconds(std::sqrt(2 * c.stall.si() * mean));
    out.daly = Seconds(daly_interval(c.stall.si(), mean));
  }
  out.checkpoint_share = c.stall.si() / (interval + c.stall.si());
  out.speed_share = mean_speed(c, servings.mean.hazard, c.period.si());
  for (const ServingThen& then : servings.parts) {
    const Means part = means_of(c, then);
    out.up_share += then.weight * part.up;
    out.served_share += then.weight * part.served;
    out.ettr += then.weight * ettr_at(c, part, interval) * out.speed_share;
  }
  out.served_share = std::min(1.0, out.served_share);
  out.long_run_served = std::min(1.0, servings.ever.serving.served);
  out.long_run_ettr =
      ettr_at(c, means_of(c, servings.ever), interval) * mean_speed(c, servings.ever.hazard, kForever_s);
  out.interruptions_per_s = means.rates.unplanned;
  if (means.rates.unplanned > 0) out.mean_time_to_interruption = Seconds(1 / means.rates.unplanned);
  const double all = means.rates.stops + means.rates.pauses;
  if (all > 0) out.downtime = Seconds(means.rates.down_s / all);
  return out;
}

namespace {

/// Useful seconds by a time since training began.
struct UsefulBy {
  double time_s = 0;
  double useful_s = 0;
  GoodputForm form;
};

UsefulBy useful_by(GoodputCase& c, double time_s) {
  c.period = Seconds(time_s);
  UsefulBy out{.time_s = time_s, .form = goodput_form(c)};
  out.useful_s = time_s * out.form.ettr;
  return out;
}

constexpr double kExact = 1e-9;  // of the target

/// The time between two at which the target is reached: by secants, the end that stays counts half (Illinois,
/// Dowell and Jarratt 1971).
UsefulBy reach(GoodputCase& c, double target_s, UsefulBy low, UsefulBy high) {
  constexpr int kMostSteps = 60;
  double below = low.useful_s - target_s;
  double above = high.useful_s - target_s;
  int moved = 0;  // the end that moved last: below or above
  for (int i = 0; i < kMostSteps && high.useful_s - target_s > kExact * target_s; ++i) {
    const double time_s = high.time_s - above * (high.time_s - low.time_s) / (above - below);
    if (time_s <= low.time_s || time_s >= high.time_s) break;
    const UsefulBy middle = useful_by(c, time_s);
    const double off = middle.useful_s - target_s;
    const int side = off < -kExact * target_s ? -1 : 1;
    if (side < 0) {
      low = middle;
      below = off;
      if (moved == side) above /= 2;
    } else {
      high = middle;
      above = off;
      if (moved == side) below /= 2;
    }
    moved = side;
  }
  return high;
}

/// From the time of the mean work: runs that wait for servers lose more than those that do not can win.
void add_mean_time(TrainingForm& out, GoodputCase& c, double longest_s) {
  constexpr double kSomeLack = 1e-5;
  constexpr double kFarApart = 0.01;  // below it failures alone scatter the runs as much
  out.time = out.of_mean_work;
  if (out.form.served_share > 1 - kSomeLack) return;
  c.period = out.of_mean_work;
  const SpreadOfRuns spread = spread_of_runs(c, out.of_mean_work.si() * out.form.served_share);
  if (!(spread.mean >= 1)) return;  // of times beyond what numbers hold
  out.endless = out.of_mean_work.si() * spread.mean > longest_s;
  if (out.endless) return;
  out.time = out.of_mean_work * spread.mean;
  if (std::isfinite(spread.deviation) && spread.deviation > kFarApart * spread.mean)
    out.deviation = out.of_mean_work * spread.deviation;
}

}  // namespace

TrainingForm training_form(GoodputCase c, Seconds ideal) {
  constexpr double kBeyond = 1.001;  // of a step to the target, so that it ends beyond
  constexpr double kMostGrowth = 4;
  const double target_s = ideal.si();
  const double longest_s = target_s / kLeastUseful;
  UsefulBy low;
  UsefulBy high = useful_by(c, target_s);
  while (high.useful_s < target_s * (1 - kExact) && high.time_s < longest_s) {
    const double share = (high.useful_s - low.useful_s) / (high.time_s - low.time_s);
    const double missing = target_s - high.useful_s;
    const double more =
        share * high.time_s * kMostGrowth > missing ? missing / share * kBeyond : high.time_s * kMostGrowth;
    low = high;
    high = useful_by(c, std::min(longest_s, high.time_s + more));
  }
  TrainingForm out;
  if (high.useful_s >= target_s * (1 - kExact)) {
    high = reach(c, target_s, low, high);
    out.of_mean_work = Seconds(high.time_s);
    out.form = high.form;
    add_mean_time(out, c, longest_s);
    out.useful = target_s / out.time->si();
  } else {
    out.form = high.form;
    out.useful = high.form.long_run_ettr;
  }
  return out;
}

}  // namespace trainyard
