#include "network/completions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainyard/simulation_result.h"

namespace trainyard {

void summarize_completions(SimulationResult& out,
                           const std::function<Seconds(const workload::Flow&)>& least) {
  std::vector<Picoseconds> times;
  std::vector<double> slowdowns;
  times.reserve(out.flows.size());
  slowdowns.reserve(out.flows.size());
  out.slowdowns.reserve(out.flows.size());
  double sum = 0;
  for (const workload::Flow& flow : out.flows) {
    out.slowdowns.push_back(std::numeric_limits<double>::quiet_NaN());
    if (flow.finished == kNever) continue;
    times.push_back(flow.finished - flow.began);
    sum += seconds(times.back()).si();
    slowdowns.push_back(seconds(times.back()) / least(flow));
    out.slowdowns.back() = slowdowns.back();
  }
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  std::sort(slowdowns.begin(), slowdowns.end());
  const auto rank = [&](double share) {
    const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(times.size())));
    return std::max<std::size_t>(at, 1) - 1;
  };
  out.mean = Seconds(sum / static_cast<double>(times.size()));
  out.median = seconds(times[rank(0.5)]);
  constexpr int kQuantiles = 20;
  for (int q = 0; q <= kQuantiles; ++q)
    out.quantiles.push_back(seconds(times[rank(static_cast<double>(q) / kQuantiles)]));
  out.p99 = seconds(times[rank(0.99)]);
  out.longest = seconds(times.back());
  double slow = 0;
  for (const double s : slowdowns) slow += s;
  out.mean_slowdown = slow / static_cast<double>(slowdowns.size());
  out.median_slowdown = slowdowns[rank(0.5)];
  out.p99_slowdown = slowdowns[rank(0.99)];
  out.largest_slowdown = slowdowns.back();
}

}  // namespace trainyard
