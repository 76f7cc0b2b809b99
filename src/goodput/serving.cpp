#include "goodput/serving.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "goodput/crew_queue.h"
#include "goodput/gone_counts.h"
#include "goodput/goodput_parts.h"

namespace trainyard {
namespace {

double mean_found_s(const GoodputCase& c) {
  return c.detection.si() * (1 - c.hang_share) + c.hang_detection.si() * c.hang_share +
         c.manual_time.si() * c.manual_share;
}

/// Exponential stays that are there at a moment of those that began before `until_s`, over their rate where
/// that falls as exp(-s / fall_s).
double falling_stays(double mean_s, double now_s, double until_s, double fall_s) {
  const double slower = 1 / mean_s - 1 / fall_s;
  const double none = std::exp(-now_s / mean_s);
  constexpr double kAlike = 1e-9;
  if (std::abs(slower) * until_s < kAlike) return none * until_s;
  return (std::exp(-(now_s - until_s) / mean_s - until_s / fall_s) - none) / slower;
}

/// Exponential stays that began before a moment, so long ago at least: their mean number over the rate of
/// parts that do not age.
double mean_stays(double mean_s, double since_s, double ago_s) {
  if (mean_s <= 0) return 0;
  return mean_s * std::max(0.0, std::exp(-ago_s / mean_s) - std::exp(-since_s / mean_s));
}

/// The same of parts that age.
double aging_stays(const GoodputCase& c, double mean_s, double since_s, double ago_s) {
  if (!(since_s < kForever_s)) return worn_hazard(c) * mean_stays(mean_s, since_s, ago_s);
  const double began = std::max(0.0, since_s - mean_s);
  double out = worn_hazard_at(c, began) * mean_stays(mean_s, since_s, ago_s);
  if (mean_s > 0 && c.infant_factor > 0 && since_s > ago_s)
    out += young_hazard(c) * falling_stays(mean_s, since_s, since_s - ago_s, c.infant_time.si());
  return out;
}

/// What crews repair, where they may be too few.
struct CrewShare {
  CrewWork work;
  double aging = 0;     // of its rate, by parts that age, at their constant rate
  double servers = 1;   // that a repair takes, mean
  double recovery = 0;  // mean of its failures, with a spare to be swapped in
};

std::optional<CrewShare> crew_share(const GoodputCase& c, double hazard) {
  if (c.crews == 0) return std::nullopt;
  CrewShare out;
  double repairs = 0;
  double servers = 0;
  double recoveries = 0;
  for (const FailureMode& mode : c.modes) {
    if (!mode.by_crew || mode.hosts == 0) continue;
    const double rate = mode.rate_per_s * (mode.ages ? hazard : 1);
    out.work.rate_per_s += rate;
    if (mode.ages) out.aging += mode.rate_per_s;
    repairs += rate * mean_repair_s(c, mode);
    servers += rate * real(mode.hosts);
    recoveries += rate * recovery_s(c, mode, 1);
  }
  if (repairs <= 0) return std::nullopt;
  out.work.repair_s = repairs / out.work.rate_per_s;
  out.work.crews = c.crews;
  out.servers = servers / out.work.rate_per_s;
  out.recovery = recoveries / out.work.rate_per_s;
  return out;
}

/// When servers that are gone are counted.
struct Moment {
  double since_s = kForever_s;  // since the run began with all of them
  double hazard = 1;
  bool up = false;  // only where no recovery is under way
  double idle = 1;  // of recoveries: share of the time that a spare waits
};

/// Counts servers that are gone: for each size of a failure a Poisson count, and the queue for crews.
class GoneServers {
 public:
  GoneServers(const GoodputCase& c, std::int64_t most)
      : c_(c), most_(most), worn_(worn_hazard(c)), crews_(crew_share(c, worn_)) {
    if (!crews_) return;
    CrewWork busiest = crews_->work;
    busiest.rate_per_s = crew_rate(most_hazard(c));
    queue_.emplace(busiest, most, c.period.si());
  }

  ServingThen long_after() const {
    const auto repairs = [&](double quiet_s) {
      return crews_ ? settled_repairs(crews_->work, most_, quiet_s) : Chances{};
    };
    return {.hazard = worn_, .serving = serving({.hazard = worn_}, repairs(0), repairs(quiet()))};
  }

  /// Parts of the period, shorter where it begins: with all servers.
  std::vector<ServingThen> parts(bool servers_lack) {
    constexpr int kParts = 32;
    std::vector<ServingThen> out;
    const double period = c_.period.si();
    const auto at = [&](double place) { return period * (place / kParts) * (place / kParts); };
    for (int i = 0; i < kParts; ++i) {
      ServingThen then;
      then.weight = (at(i + 1) - at(i)) / period;
      then.hazard = mean_hazard(c_, at(i), at(i + 1));
      if (servers_lack) then.serving = serving_at(at(i + 0.5), then.hazard);
      out.push_back(then);
    }
    return out;
  }

 private:
  double crew_rate(double hazard) const { return crews_->work.rate_per_s + crews_->aging * (hazard - worn_); }

  double quiet() const { return crews_ ? crews_->recovery : 0; }

  /// Whether what fails by then cannot use up the spares, whatever is repaired of it.
  bool spares_last(double since_s) const {
    constexpr double kFar = 8;  // standard deviations, and for few failures so many more
    double mean = 0;
    double variance = 0;
    std::int64_t largest = 1;
    const double hazard = mean_hazard(c_, 0, since_s);
    for (const FailureMode& mode : c_.modes) {
      if (mode.hosts == 0) continue;
      const double failures = mode.rate_per_s * (mode.ages ? hazard : 1) * since_s;
      mean += failures * real(mode.hosts);
      variance += failures * real(mode.hosts * mode.hosts);
      largest = std::max(largest, mode.hosts);
    }
    return mean + kFar * (std::sqrt(variance) + kFar * real(largest)) < real(c_.spares);
  }

  /// Moments are asked for in their order.
  Serving serving_at(double since_s, double hazard) {
    if (spares_last(since_s)) return {};
    const Moment moment{.since_s = since_s, .hazard = hazard};
    if (!queue_) return serving(moment, {}, {});
    queue_->advance_to(since_s, crew_rate(mean_hazard(c_, now_s_, since_s)));
    now_s_ = since_s;
    return serving(moment, queue_->repairs(), queue_->repairs_after_quiet(quiet()));
  }

  /// `repairs` by crews at the moment, and where no recovery is under way.
  Serving serving(Moment moment, const Chances& repairs, const Chances& repairs_while_up) const {
    Serving out{.served = 0, .idle = 0};
    const Chances ever = gone(moment, repairs);
    for (std::int64_t n = 0; n < std::min(c_.spares, most_ + 1); ++n)
      out.idle += ever[static_cast<std::size_t>(n)];
    out.idle = std::min(1.0, out.idle);
    moment.up = true;
    moment.idle = out.idle;
    const Chances up = gone(moment, repairs_while_up);
    const double swaps = swaps_at(moment.hazard);
    constexpr double kMostExponent = 600;  // a number still: swaps of years are never over
    for (std::size_t n = 0; n < up.size(); ++n) {
      if (up[n] == 0) continue;
      const auto servers = static_cast<std::int64_t>(n);
      // Swaps make it rarer that no recovery is under way: beside what they do in the mean.
      const double swapped = servers < c_.spares ? 1 : 0;
      out.served +=
          up[n] * served_share(c_, servers) * std::exp(std::min(kMostExponent, swaps * (out.idle - swapped)));
    }
    return out;
  }

  /// Swaps under way at a time, were every server swapped.
  double swaps_at(double hazard) const {
    if (c_.spares == 0) return 0;
    double out = 0;
    for (const FailureMode& mode : c_.modes)
      out += mode.rate_per_s * (mode.ages ? hazard : 1) * (recovery_s(c_, mode, 1) - recovery_s(c_, mode, 0));
    return out;
  }

  Chances gone(const Moment& moment, const Chances& repairs) const {
    std::map<std::int64_t, double> means;  // failures under repair by servers each takes
    for (const FailureMode& mode : c_.modes) {
      if (mode.hosts == 0 || (mode.by_crew && crews_)) continue;
      // Who is up has had no failure for as long as one's recovery takes.
      const double ago = moment.up ? recovery_s(c_, mode, moment.idle) : 0;
      const double repair = mean_repair_s(c_, mode);
      means[mode.hosts] += mode.rate_per_s * (mode.ages ? aging_stays(c_, repair, moment.since_s, ago)
                                                        : mean_stays(repair, moment.since_s, ago));
    }
    Chances out = none_gone(most_);
    if (crews_) out = servers_of(repairs, crews_->servers);
    for (const auto& [size, mean] : means) out = with_failures(out, mean, size);
    return out;
  }

  const GoodputCase& c_;
  std::int64_t most_;
  double worn_;
  std::optional<CrewShare> crews_;
  std::optional<CrewQueue> queue_;
  double now_s_ = 0;  // of the queue
};

ServingThen mean_of(const std::vector<ServingThen>& parts) {
  ServingThen out{.hazard = 0, .serving = {.served = 0, .idle = 0}};
  for (const ServingThen& part : parts) {
    out.hazard += part.weight * part.hazard;
    out.serving.served += part.weight * part.serving.served;
    out.serving.idle += part.weight * part.serving.idle;
  }
  out.serving.idle = std::min(1.0, out.serving.idle);
  return out;
}

}  // namespace

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

void add_recoveries(std::vector<Recovery>& out, const GoodputCase& c, const FailureMode& mode, double rate,
                    double idle) {
  const double mean = recovery_s(c, mode, idle);
  if (rate <= 0 || mean <= 0) return;
  if (mode.cause == FailureCause::planned || is_found_later(mode)) {
    out.push_back({rate, mean});
    return;
  }
  const double afterwards = mean - mean_found_s(c);
  for (const bool hangs : {false, true}) {
    for (const bool by_hand : {false, true}) {
      const double share =
          (hangs ? c.hang_share : 1 - c.hang_share) * (by_hand ? c.manual_share : 1 - c.manual_share);
      const double found = (hangs ? c.hang_detection : c.detection).si() + (by_hand ? c.manual_time.si() : 0);
      if (share > 0) out.push_back({rate * share, afterwards + found});
    }
  }
}

Servings servings_of(const GoodputCase& c) {
  const std::int64_t most = most_gone(c);
  constexpr double kNothingLacks = 1e-6;
  GoneServers gone(c, std::min(most, kFewSpares));
  Servings out;
  out.ever.hazard = worn_hazard(c);
  if (most <= kFewSpares) out.ever = gone.long_after();
  const bool some_lack =
      most <= kFewSpares && (young_hazard(c) > 0 || out.ever.serving.served < 1 - kNothingLacks);
  out.mean = out.ever;
  out.parts = {out.ever};
  if (!some_lack && !hazard_varies(c)) return out;
  out.parts = gone.parts(some_lack);
  out.mean = mean_of(out.parts);
  return out;
}

}  // namespace trainyard
