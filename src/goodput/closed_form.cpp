// A job over months in closed form (docs/models.md, "Months").
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "goodput/goodput_parts.h"
#include "goodput/kept_stretches.h"
#include "goodput/serving.h"
#include "goodput/up_times.h"
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
  WrongResults silent;
  double down_s = 0;  // sum of rate times downtime
};

WrongResults wrong_results(const FailureMode& mode, double rate) {
  return {.rate_per_s = rate, .found_after_s = mode.lasts.si()};
}

/// Of those that begin at this rate, how many are seen over so long a time, a second.
double seen_rate(const FailureMode& mode, double rate, double over_s) {
  if (mode.cause == FailureCause::straggler && over_s < kForever_s)
    return rate * std::max(0.0, 1 - mode.lasts.si() / over_s);
  if (mode.cause != FailureCause::silent) return rate;
  // What comes before one is found is found with it.
  const WrongResults wrong = wrong_results(mode, rate);
  return rate * wrong.kept_share() * (over_s < kForever_s ? wrong.found_share_by(over_s) : 1);
}

/// In the long run, or as means over a time that begins without anything wrong.
Rates rates_of(const GoodputCase& c, double idle, double hazard, double over_s = kForever_s) {
  Rates out;
  for (const FailureMode& mode : c.modes) {
    const double begins = mode.rate_per_s * (mode.ages ? hazard : 1);
    const double rate = seen_rate(mode, begins, over_s);
    if (mode.cause == FailureCause::planned) {
      out.pauses += rate;
    } else if (mode.cause == FailureCause::straggler) {
      out.pauses += rate;
      out.unplanned += rate;
    } else if (mode.cause == FailureCause::silent) {
      out.silent = wrong_results(mode, out.silent.rate_per_s + begins);
      // Each loses the unfinished interval before it, found by the end or not.
      const WrongResults wrong = wrong_results(mode, begins);
      out.stops += begins * (over_s < kForever_s ? wrong.kept_share_by(over_s) : wrong.kept_share());
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

/// Failures that take the tier's checkpoints along lose what is beyond the last backup, and so the unfinished
/// interval too: it is not counted twice.
KeptStretches stretches_of(const GoodputCase& c, const Rates& rates, double interval_s) {
  return {.stops_per_s = rates.stops - rates.beyond,
          .pauses_per_s = rates.pauses + rates.beyond,
          .interval_s = interval_s,
          .stall_s = c.stall.si(),
          .safe_after_s = std::clamp((c.write - c.stall).si(), 0.0, interval_s)};
}

/// Progress at rate `progress` from backup to backup, as stretches without an end but failures that lose
/// them.
KeptStretches between_backups(const GoodputCase& c, const Rates& rates, double interval_s, double progress) {
  constexpr double kLongest_s =
      1e18;  // that no run reaches, and a number still where progress is next to none
  return {.stops_per_s = rates.beyond,
          .interval_s = std::min(kLongest_s, interval_s * real(c.backup_every) / progress)};
}

/// Parts of a kind that are slow so long after none was, over those of the long run: they are repaired after
/// an exponential time, but found after a fixed one.
double slow_share(const FailureMode& mode, double since_s) {
  const double lasts = mode.lasts.si();
  if (is_found_later(mode)) return std::min(1.0, since_s / lasts);
  return -std::expm1(-since_s / lasts);
}

/// The slowest part sets the pace; how many of a kind there are is a Poisson count.
double speed_at(const std::vector<const FailureMode*>& slowest_first, double hazard, double since_s) {
  double none = 1;  // that none of the slower kinds is there
  double out = 0;
  for (const FailureMode* mode : slowest_first) {
    const double mean = mode->rate_per_s * (mode->ages ? hazard : 1) * mode->lasts.si();
    const double absent = std::exp(-mean * slow_share(*mode, since_s));
    out += none * (1 - absent) / (1 + mode->slowdown);
    none *= absent;
  }
  return out + none;
}

/// Its mean over so long a time, which begins without slow parts: moments lie closer where it begins.
double mean_speed(const GoodputCase& c, double hazard, double over_s) {
  std::vector<const FailureMode*> slow;
  for (const FailureMode& mode : c.modes)
    if (mode.slowdown > 0 && mode.lasts.si() > 0) slow.push_back(&mode);
  if (slow.empty()) return 1;
  std::sort(slow.begin(), slow.end(), [](const FailureMode* a, const FailureMode* b) {
    return std::pair(a->slowdown, a->lasts) > std::pair(b->slowdown, b->lasts);
  });
  if (!(over_s < kForever_s)) return speed_at(slow, hazard, over_s);
  constexpr int kMoments = 64;
  double out = 0;
  for (int i = 0; i < kMoments; ++i) {
    const double place = (i + 0.5) / kMoments;
    const double weight = (2 * i + 1.0) / (kMoments * kMoments);
    out += weight * speed_at(slow, hazard, over_s * place * place);
  }
  return out;
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
  double progress = means.up * kept_share(stretches_of(c, means.rates, interval_s));
  if (means.rates.beyond > 0 && progress > 0)
    progress *= kept_share(between_backups(c, means.rates, interval_s, progress));
  return progress * means.rates.silent.kept_share();
}

/// What a run has at its beginning and end beside the long run's share: it begins without a recovery, and
/// ends with training that is not safe yet.
struct Ends {
  double up = 0;    // of the time, more
  double kept = 0;  // as kept_share()
};

Ends ends_of(const GoodputCase& c, const ServingThen& then, double interval_s) {
  const double time = c.period.si();
  const Rates rates = rates_of(c, then.serving.idle, then.hazard, time);
  std::vector<Recovery> recoveries;
  for (const FailureMode& mode : c.modes) {
    const double begins = mode.rate_per_s * (mode.ages ? then.hazard : 1);
    add_recoveries(recoveries, c, mode, seen_rate(mode, begins, time), then.serving.idle);
  }
  const UpTimes up(std::move(recoveries));
  double progress = kept_by(stretches_of(c, rates, interval_s), up, time) / time;
  if (rates.beyond > 0 && progress > 0)
    progress *= kept_by(between_backups(c, rates, interval_s, progress), UpTimes({}), time) / time;
  const Means means = means_of(c, then);
  return {.up = up.time_by(time) / time - means.up,
          .kept = progress * rates.silent.kept_share_by(time) - kept_share(c, means, interval_s)};
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
  const Ends ends = ends_of(c, servings.mean, interval);
  out.up_share += ends.up;
  out.up_share = std::clamp(out.up_share, 0.0, 1.0);
  out.ettr = std::clamp(out.ettr + ends.kept * out.served_share * out.speed_share, 0.0, 1.0);
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

}  // namespace trainyard
