#include "workload/arrivals.h"

#include <fmt/core.h>

#include <cmath>

#include "base/errors.h"
#include "base/mixing.h"

namespace trainyard::workload {
namespace {

/// What a random choice of a flow is for.
enum class Draw : std::uint64_t { gap, size, from, to };

std::uint64_t hash_of(const PoissonArrivals& arrivals, std::uint64_t flow, Draw draw) {
  return mixed(mixed(arrivals.seed, flow), static_cast<std::uint64_t>(draw));
}

constexpr double kFixedPoint = 0x1p32;  // units of exponential()

double mean_gap_ps(const PoissonArrivals& arrivals) {
  const double bits = 8 * arrivals.sizes.mean();
  const double rate = arrivals.load * arrivals.host_rate.si() * static_cast<double>(arrivals.hosts.size());
  return bits / rate * kPicosecondsPerSecond;
}

/// At this load the flows take longer than simulated time lasts.
[[noreturn]] void fail_load(const PoissonArrivals& arrivals, Seconds last) {
  fail_input(whole("simulation.load"),
             fmt::format("at a load of {:g} the last of {} flows arrives at {:.3g} s", arrivals.load,
                         *arrivals.flows, last.si()),
             fmt::format("simulated time ends at {:.3g} s: a load of {:.2g} or more, or fewer flows",
                         kHorizon.si(), arrivals.load * (last / kHorizon)));
}

void check_duration(Seconds duration) {
  if (duration <= kHorizon) return;
  fail_input(whole("simulation.duration"), fmt::format("arrivals for {:.3g} s", duration.si()),
             fmt::format("at most {:.3g} s, where simulated time ends", kHorizon.si()));
}

/// The first flow would arrive after the end.
[[noreturn]] void fail_without_flows(const PoissonArrivals& arrivals) {
  fail_input(whole("simulation.duration"),
             fmt::format("no flow arrives in {:.3g} s", arrivals.duration->si()),
             fmt::format("longer: at a load of {:g} one arrives every {:.3g} s", arrivals.load,
                         mean_gap_ps(arrivals) / kPicosecondsPerSecond));
}

void check_count(const PoissonArrivals& arrivals) {
  if (arrivals.flows) {
    const auto flows = static_cast<double>(*arrivals.flows);
    check_flow_count(flows, "simulation.flows");
    const Seconds last(flows * mean_gap_ps(arrivals) / kPicosecondsPerSecond);
    if (!(last < kHorizon)) fail_load(arrivals, last);
    return;
  }
  check_duration(*arrivals.duration);
  const double expected = arrivals.duration->si() * kPicosecondsPerSecond / mean_gap_ps(arrivals);
  check_flow_count(expected, "simulation.duration");
}

Flow flow_of(const PoissonArrivals& arrivals, std::uint64_t index) {
  const auto count = static_cast<std::uint32_t>(arrivals.hosts.size());
  const std::uint32_t from = below(hash_of(arrivals, index, Draw::from), count);
  const std::uint32_t other = below(hash_of(arrivals, index, Draw::to), count - 1);
  Flow flow;
  flow.from = arrivals.hosts[from];
  flow.to = arrivals.hosts[other < from ? other : other + 1];  // all but the sender, alike
  flow.bytes = arrivals.sizes.sample(hash_of(arrivals, index, Draw::size));
  return flow;
}

}  // namespace

std::uint64_t exponential(std::uint64_t key) {
  // Of a uniform x, the run of ever smaller uniforms that it begins has odd length with probability exp(-x).
  std::uint64_t draw = 0;
  for (std::uint64_t whole = 0;; ++whole) {
    const std::uint64_t first = mixed(key, draw++);
    bool odd = true;
    std::uint64_t last = first;
    for (std::uint64_t next = mixed(key, draw++); next < last; next = mixed(key, draw++)) {
      last = next;
      odd = !odd;
    }
    if (odd) return (whole << 32U) + (first >> 32U);
  }
}

Workload poisson_flows(const PoissonArrivals& arrivals) {
  TY_ASSERT(arrivals.hosts.size() > 1 && (arrivals.flows || arrivals.duration),
            "arrivals among hosts, with an end");
  check_count(arrivals);
  const double scale = mean_gap_ps(arrivals) / kFixedPoint;
  const double end = arrivals.duration ? arrivals.duration->si() * kPicosecondsPerSecond : INFINITY;
  Workload out;
  std::uint64_t gaps = 0;  // summed in whole numbers: no rounding adds up
  for (std::uint64_t i = 0; !arrivals.flows || i < *arrivals.flows; ++i) {
    gaps += exponential(hash_of(arrivals, i, Draw::gap));
    const double start = static_cast<double>(gaps) * scale;
    if (start >= end) break;
    if (start >= static_cast<double>(kFarthest)) fail_load(arrivals, Seconds(start / kPicosecondsPerSecond));
    out.flows.push_back(flow_of(arrivals, i));
    out.flows.back().start = static_cast<Picoseconds>(start);
  }
  if (out.flows.empty()) fail_without_flows(arrivals);
  return out;
}

}  // namespace trainyard::workload
