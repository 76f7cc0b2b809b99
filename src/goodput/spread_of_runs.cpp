#include "goodput/spread_of_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "goodput/crew_queue.h"
#include "goodput/gone_counts.h"
#include "goodput/goodput_parts.h"
#include "goodput/outages.h"

namespace trainyard {
namespace {

/// Failures by the way they are counted: in a queue, or beside it as at any time.
bool is_queued(const GoodputCase& c, const FailureMode& mode) {
  return c.crews > 0 ? mode.by_crew && mode.hosts > 0 : mode.hosts == 1;
}

/// What is repaired in a queue: for crews, or at once.
struct QueuedRepairs {
  CrewWork work;
  double servers = 1;  // that one takes
};

QueuedRepairs queued_repairs(const GoodputCase& c, double hazard) {
  constexpr std::int64_t kEnough = 1000000000;
  QueuedRepairs out{.work = {.repair_s = 1, .crews = c.crews > 0 ? c.crews : kEnough}};
  double repairs = 0;
  double servers = 0;
  for (const FailureMode& mode : c.modes) {
    if (!is_queued(c, mode)) continue;
    const double rate = mode.rate_per_s * (mode.ages ? hazard : 1);
    out.work.rate_per_s += rate;
    repairs += rate * mean_repair_s(c, mode);
    servers += rate * real(mode.hosts);
  }
  if (out.work.rate_per_s > 0 && repairs > 0) {
    out.work.repair_s = repairs / out.work.rate_per_s;
    out.servers = servers / out.work.rate_per_s;
  }
  return out;
}

std::vector<HostOutage> outages_of(const GoodputCase& c, double hazard) {
  std::vector<HostOutage> out;
  for (const FailureMode& mode : c.modes) {
    const double rate = mode.rate_per_s * (mode.ages ? hazard : 1);
    const double repair = mean_repair_s(c, mode);
    if (mode.hosts > 0 && !is_queued(c, mode) && rate > 0 && repair > 0)
      out.push_back({mode.hosts, rate, repair});
  }
  return out;
}

/// Share of the replicas that train, by the number of servers that are gone.
std::vector<double> served_by_gone(const GoodputCase& c, std::int64_t most) {
  std::vector<double> out;
  for (std::int64_t gone = 0; gone <= most; ++gone) out.push_back(served_share(c, gone));
  return out;
}

/// The same by the number of repairs in the queue.
std::vector<double> by_repairs(const std::vector<double>& by_gone, double servers) {
  std::vector<double> out(by_gone.size(), 0);
  for (std::size_t n = 0; n < out.size(); ++n) {
    const auto gone = static_cast<std::size_t>(std::round(static_cast<double>(n) * servers));
    if (gone < by_gone.size()) out[n] = by_gone[gone];
  }
  return out;
}

/// When the mean of the runs has had so much time with all servers: infinite where, as repairs become no
/// fewer, it takes a thousand times as long.
double time_of_mean(CrewQueue queue, const std::vector<double>& served, double served_s) {
  constexpr int kSteps = 96;
  if (served_s <= 0) return 0;
  const double longest = 1000 * served_s;
  const auto share = [&] {
    const std::vector<double> repairs = queue.repairs();
    return std::inner_product(repairs.begin(), repairs.end(), served.begin(), 0.0);
  };
  double done = 0;
  double now = 0;
  double before = share();
  for (int i = 0; done + before * (longest - now) >= served_s; ++i) {
    const double step =
        std::max(served_s * std::min(2.0 * i + 1, 2.0 * kSteps) / (kSteps * kSteps), now / kSteps);
    queue.advance_to(now + step);
    const double after = share();
    const double more = (before + after) / 2 * step;
    if (done + more >= served_s) return now + step * (served_s - done) / more;
    done += more;
    now += step;
    before = after;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

SpreadOfRuns spread_of_runs(const GoodputCase& c, double served_s) {
  const std::int64_t most = most_gone(c);
  const double hazard = mean_hazard(c, 0, c.period.si());
  const QueuedRepairs queued = queued_repairs(c, hazard);
  const std::vector<HostOutage> outages = outages_of(c, hazard);
  if (most > kFewSpares || (queued.work.rate_per_s <= 0 && outages.empty())) return {};
  const std::vector<double> by_gone = served_by_gone(c, most);
  const std::vector<double> served =
      by_repairs(averaged(by_gone, with_outages(none_gone(most), outages)), queued.servers);
  CrewQueue queue(queued.work, most, c.period.si());
  const TimeOfWork time = queue.time_to(served, served_s);
  if (!std::isfinite(time.mean_s)) return {time.mean_s, time.mean_s};
  const double of_mean = time_of_mean(queue, served, served_s);
  SpreadOfRuns out{.mean = time.mean_s / of_mean, .deviation = time.deviation_s / of_mean};
  if (outages.empty()) return out;
  // To the first order of what a run lags behind, over what is served at the end.
  const OutageSpread spread = outage_spread(outages, queue, queued.servers, by_gone, time.mean_s);
  queue.advance_to(time.mean_s);
  const Chances repairs = queue.repairs();
  const double at_end = std::inner_product(repairs.begin(), repairs.end(), served.begin(), 0.0);
  out.mean += spread.with_end_s / (at_end * at_end) / of_mean;
  out.deviation = std::hypot(out.deviation, std::sqrt(std::max(0.0, spread.variance_s2)) / at_end / of_mean);
  return out;
}

}  // namespace trainyard
