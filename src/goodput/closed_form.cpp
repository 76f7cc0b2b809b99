// A job over months in closed form (docs/models.md, "Months").
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "goodput/goodput_parts.h"
#include "trainyard/goodput.h"

namespace trainyard {

double hazard_at(const GoodputCase& c, double since_s) {
  const double age = c.age.si() + since_s;
  double out = 1 + c.infant_factor * std::exp(-age / c.infant_time.si());
  if (c.wear_time) out += std::pow(age / c.wear_time->si(), 3);
  return out;
}

double most_hazard(const GoodputCase& c) {
  double out = 1 + c.infant_factor * std::exp(-c.age.si() / c.infant_time.si());
  if (c.wear_time) out += std::pow((c.age + c.period).si() / c.wear_time->si(), 3);
  return out;
}

double mean_hazard(const GoodputCase& c) {
  const double period = c.period.si();
  const double infant = c.infant_time.si();
  const double from = c.age.si();
  double out =
      1 + c.infant_factor * infant / period * std::exp(-from / infant) * -std::expm1(-period / infant);
  if (c.wear_time) {
    const double wear = c.wear_time->si();
    out += (std::pow((from + period) / wear, 4) - std::pow(from / wear, 4)) * wear / (4 * period);
  }
  return out;
}

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

double mean_found_s(const GoodputCase& c) {
  return c.detection.si() * (1 - c.hang_share) + c.hang_detection.si() * c.hang_share +
         c.manual_time.si() * c.manual_share;
}

/// Mean time from what stops the job until training goes on. `idle`: share of the time that a spare is there
/// to be swapped in.
double recovery_s(const GoodputCase& c, const FailureMode& mode, double idle) {
  const double restart = (c.restart + c.read).si();
  const double swap = idle * c.swap.si();
  switch (mode.cause) {
    case FailureCause::planned:
      return restart;
    case FailureCause::straggler:
    case FailureCause::silent:
      return restart + swap;
    default:
      return mode.stops ? mean_found_s(c) + restart + (mode.hosts > 0 ? swap : 0) : 0;
  }
}

Rates rates_of(const GoodputCase& c, double idle) {
  Rates out;
  const double hazard = mean_hazard(c);
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

double poisson(double mean, std::int64_t n) {
  if (mean <= 0) return n == 0 ? 1 : 0;
  return std::exp(real(n) * std::log(mean) - mean - std::lgamma(real(n) + 1));
}

/// Servers that crews are too few to repair at once, beside those under repair: Erlang's C formula.
double waiting_for_crews(double load, std::int64_t crews) {
  if (crews == 0 || load <= 0) return 0;
  const double c = real(crews);
  if (load >= c) return std::numeric_limits<double>::infinity();
  double blocked = 1;  // Erlang B
  for (std::int64_t k = 1; k <= crews; ++k) blocked = load * blocked / (real(k) + load * blocked);
  const double waits = blocked / (1 - load / c * (1 - blocked));
  return waits * load / (c - load);
}

constexpr double kForever_s = std::numeric_limits<double>::infinity();

/// When servers that are gone are counted.
struct Moment {
  double since_s = kForever_s;  // since the run began with all of them
  bool up = false;              // only where no recovery is under way
  double idle = 1;              // of recoveries: share of the time that a spare waits
};

/// Mean of exponential stays that began before a moment, of those so long ago at least; over their rate.
double mean_stays(double mean_s, double since_s, double ago_s) {
  if (mean_s <= 0) return 0;
  return mean_s * std::max(0.0, std::exp(-ago_s / mean_s) - std::exp(-since_s / mean_s));
}

/// Distribution of servers that are gone: for each size of a failure a Poisson count, convolved.
std::vector<double> gone_servers(const GoodputCase& c, std::int64_t most, const Moment& moment) {
  constexpr double kNegligible = 1e-18;
  std::map<std::int64_t, double> means;  // failures under repair by servers each takes
  double by_crews = 0;
  const double hazard = mean_hazard(c);
  for (const FailureMode& mode : c.modes) {
    if (mode.hosts == 0) continue;
    const bool found = mode.cause == FailureCause::silent || mode.cause == FailureCause::straggler;
    const double repair = (found ? c.repair : mode.lasts).si();
    const double rate = mode.rate_per_s * (mode.ages ? hazard : 1);
    // Who is up has had no failure for as long as one's recovery takes.
    const double ago = moment.up ? recovery_s(c, mode, moment.idle) : 0;
    means[mode.hosts] += rate * mean_stays(repair, moment.since_s, ago);
    if (mode.by_crew) by_crews += rate * repair;
  }
  means[1] += std::min(1e6, waiting_for_crews(by_crews, c.crews));
  std::vector<double> out(static_cast<std::size_t>(most) + 1, 0);
  out[0] = 1;
  std::int64_t last = 0;  // beyond it there is nothing yet
  for (const auto& [size, mean] : means) {
    std::vector<double> next(out.size(), 0);
    std::int64_t next_last = 0;
    for (std::int64_t k = 0; k * size <= most; ++k) {
      const double share = poisson(mean, k);
      if (real(k) > mean && share < kNegligible) break;
      if (share == 0) continue;
      next_last = std::min(most, last + k * size);
      for (std::int64_t i = 0; i <= next_last - k * size; ++i)
        next[static_cast<std::size_t>(i + k * size)] += out[static_cast<std::size_t>(i)] * share;
    }
    last = next_last;
    out = std::move(next);
  }
  return out;
}

/// Means over the counts of servers that are gone.
struct Serving {
  double served = 1;  // share of the replicas that train, while no recovery is under way
  double idle = 1;    // share of the time that a spare waits
};

Serving serving_at(const GoodputCase& c, std::int64_t most, double since_s) {
  Serving out{.served = 0, .idle = 0};
  const std::vector<double> ever = gone_servers(c, most, {.since_s = since_s});
  for (std::int64_t n = 0; n < std::min(c.spares, most + 1); ++n)
    out.idle += ever[static_cast<std::size_t>(n)];
  out.idle = std::min(1.0, out.idle);
  const std::vector<double> gone = gone_servers(c, most, {.since_s = since_s, .up = true, .idle = out.idle});
  for (std::size_t n = 0; n < gone.size(); ++n)
    out.served += gone[n] * served_share(c, static_cast<std::int64_t>(n));
  out.served = std::min(1.0, out.served);
  return out;
}

/// Mean over the period, which begins with all servers.
Serving mean_serving(const GoodputCase& c, std::int64_t most) {
  constexpr int kMoments = 32;  // closer together where the run begins
  Serving out{.served = 0, .idle = 0};
  for (int i = 0; i < kMoments; ++i) {
    const double root = (i + 0.5) / kMoments;
    const double weight = 2 * root / kMoments;
    const Serving then = serving_at(c, most, c.period.si() * root * root);
    out.served += weight * then.served;
    out.idle += weight * then.idle;
  }
  return {std::min(1.0, out.served), std::min(1.0, out.idle)};
}

/// In the long run, and over the period.
struct Servings {
  Serving ever;
  Serving period;
};

Servings servings_of(const GoodputCase& c) {
  // More than these are not served at all.
  constexpr std::int64_t kMostServers = 4000;
  std::int64_t most = c.spares;
  while (most < c.spares + kMostServers && served_share(c, most + 1) > 0) ++most;
  constexpr std::int64_t kFewSpares = 20000;
  if (most > kFewSpares) return {};
  Servings out;
  out.ever = out.period = serving_at(c, most, kForever_s);
  constexpr double kNothingLacks = 1e-6;
  if (out.ever.served < 1 - kNothingLacks) out.period = mean_serving(c, most);
  return out;
}

/// The slowest part sets the pace; how many of a kind there are is a Poisson count: its mean over so long a
/// time, which begins without.
double mean_speed(const GoodputCase& c, double over_s) {
  std::vector<std::pair<double, double>> kinds;  // slowdown, mean number at a time
  const double hazard = mean_hazard(c);
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

/// Means over a time.
struct Means {
  Rates rates;
  double up = 1;
  double served = 1;
  double speed = 1;
};

Means means_of(const GoodputCase& c, const Serving& serving, double over_s) {
  // A failure finds what the mean of the time finds: arrivals are Poisson's (Wolff 1982).
  Means out{.rates = rates_of(c, serving.idle)};
  out.up = std::exp(-out.rates.down_s);
  out.served = serving.served;
  out.speed = mean_speed(c, over_s);
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
  return kept_share(c, means, interval_s) * means.served * means.speed;
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
  const Means means = means_of(c, servings.period, c.period.si());
  GoodputForm out;
  const double interval =
      c.interval ? std::max(c.interval->si(), shortest_interval(c)) : best_interval(c, means);
  out.interval = Seconds(interval);
  if (means.rates.stops > 0) {
    const double mean = 1 / means.rates.stops;
    out.young = Seconds(std::sqrt(2 * c.stall.si() * mean));
    out.daly = Seconds(daly_interval(c.stall.si(), mean));
  }
  out.up_share = means.up;
  out.checkpoint_share = c.stall.si() / (interval + c.stall.si());
  out.served_share = means.served;
  out.speed_share = means.speed;
  out.ettr = ettr_at(c, means, interval);
  out.long_run_served = servings.ever.served;
  out.long_run_ettr = ettr_at(c, means_of(c, servings.ever, kForever_s), interval);
  out.interruptions_per_s = means.rates.unplanned;
  if (means.rates.unplanned > 0) out.mean_time_to_interruption = Seconds(1 / means.rates.unplanned);
  const double all = means.rates.stops + means.rates.pauses;
  if (all > 0) out.downtime = Seconds(means.rates.down_s / all);
  return out;
}

}  // namespace trainyard
