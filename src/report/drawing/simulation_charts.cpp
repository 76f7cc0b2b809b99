#include <algorithm>
#include <cmath>
#include <map>

#include "report/data/simulation_figures.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/simulation.h"
#include "trainyard/simulation_result.h"

namespace trainyard {
namespace {

constexpr std::size_t kPoints = 400;  // of a line: more than a screen can tell apart
constexpr double kWide = 20;          // largest over smallest from which on an axis is logarithmic

std::vector<double> completion_times(const SimulationResult& r) {
  std::vector<double> times;
  for (const workload::Flow& flow : r.flows) {
    if (flow.finished != kNever)
      times.push_back(static_cast<double>(flow.finished - flow.began) / kPicosecondsPerSecond);
  }
  std::sort(times.begin(), times.end());
  return times;
}

/// The value at a share of sorted ones, by nearest rank.
double at_share(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted.at(std::max<std::size_t>(rank, 1) - 1);
}

/// Flows of about one size, a quarter of a power of two wide.
struct SizeClass {
  double bytes = 0;  // summed
  std::vector<double> slowdowns;

  double mean_bytes() const { return bytes / static_cast<double>(slowdowns.size()); }
};

std::map<int, SizeClass> size_classes(const SimulationResult& r) {
  constexpr double kClassesPerDoubling = 4;
  std::map<int, SizeClass> out;
  for (std::size_t f = 0; f < r.flows.size(); ++f) {
    if (!std::isfinite(r.slowdowns.at(f)) || r.flows[f].bytes == 0) continue;
    const auto bytes = static_cast<double>(r.flows[f].bytes);
    SizeClass& of = out[static_cast<int>(std::floor(std::log2(bytes) * kClassesPerDoubling))];
    of.bytes += bytes;
    of.slowdowns.push_back(r.slowdowns[f]);
  }
  for (auto& [key, of] : out) std::sort(of.slowdowns.begin(), of.slowdowns.end());
  return out;
}

}  // namespace

Chart completion_chart(const SimulationResult& r) {
  Chart chart{"completion",
              "Completion times of flows",
              {"completion time", Unit::seconds},
              {"share of the flows", Unit::fraction},
              {}};
  const std::vector<double> times = completion_times(r);
  if (times.empty()) return chart;
  chart.x.log = times.back() > kWide * std::min(times.front(), r.ideal.si());
  ChartLine line{"flows", {{times.front(), 0}}};
  const std::size_t n = std::min(times.size(), kPoints);
  for (std::size_t i = 1; i <= n; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(n);
    const ChartPoint before = line.points.back();
    const double time = at_share(times, share);
    if (time > before.x) line.points.push_back({time, before.y});  // a step, not a slope
    line.points.push_back({time, share});
  }
  chart.lines = {std::move(line), {"least, farthest hosts", {{r.ideal.si(), 0}, {r.ideal.si(), 1}}}};
  return chart;
}

Chart slowdown_chart(const SimulationResult& r) {
  Chart chart{"slowdown",
              "Slowdown over the size of a flow",
              {"size of the flow", Unit::bytes, true},
              {"slowdown", Unit::number},
              {{"median", {}}, {"p99", {}}}};
  for (const auto& [key, of] : size_classes(r)) {
    chart.lines[0].points.push_back({of.mean_bytes(), at_share(of.slowdowns, 0.5)});
    chart.lines[1].points.push_back({of.mean_bytes(), at_share(of.slowdowns, 0.99)});
  }
  return chart;
}

Chart queue_chart(const SimulationResult& r) {
  Chart chart{"queue",
              "Longest queue of data at one port",
              {"simulated time", Unit::seconds},
              {"longest queue", Unit::bytes},
              {{"longest queue", {}}}};
  for (const TimedBytes& p : queue_over_time(r, kPoints))
    chart.lines[0].points.push_back({p.time.si(), p.bytes.si()});
  return chart;
}

Chart throughput_chart(const SimulationResult& r) {
  Chart chart{"throughput",
              "Data that reaches its hosts",
              {"simulated time", Unit::seconds},
              {"all hosts together", Unit::bits_per_second},
              {{"delivered", {}}}};
  const std::vector<TimedBytes> points = delivered_over_time(r, kPoints / 2);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Seconds took = points[i].time - points[i - 1].time;
    if (took.si() <= 0) continue;
    const Bytes more = points[i].bytes - points[i - 1].bytes;
    chart.lines[0].points.push_back({points[i - 1].time.si(), more.si() * kBitsPerByte / took.si()});
  }
  return chart;
}

namespace {

/// The ports of probes with the longest queues, as many as a chart can tell apart.
std::vector<const packet::ProbeSeries*> shown_series(const SimulationResult& r, bool of_flow) {
  constexpr std::size_t kMostLines = 8;
  std::vector<std::pair<double, const packet::ProbeSeries*>> by_queue;
  for (const packet::ProbeSeries& series : r.series) {
    if (series.probe.of_flow != of_flow || series.queue.size() + series.flow.size() < 2) continue;
    by_queue.emplace_back(-summary_of(series).longest_queue.si(), &series);
  }
  std::stable_sort(by_queue.begin(), by_queue.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const packet::ProbeSeries*> out;
  for (const auto& [queue, series] : by_queue) {
    if (out.size() < kMostLines) out.push_back(series);
  }
  return out;
}

/// Beside a line there is room for a few words: of a long name the end that sends.
std::string line_label(const packet::Probe& probe) {
  constexpr std::size_t kRoom = 22;
  const std::size_t to = probe.name.find(" to ");
  return probe.name.size() <= kRoom ? probe.name : probe.name.substr(0, to);
}

/// Neighbouring samples together, so that there are no more than kPoints: `visit(first, end)`.
template <class Visit>
void in_groups(std::size_t count, const Visit& visit) {
  const std::size_t groups = std::min(count, kPoints);
  for (std::size_t g = 0; g < groups; ++g) visit(g * count / groups, (g + 1) * count / groups);
}

}  // namespace

Chart series_queue_chart(const SimulationResult& r) {
  Chart chart{"series-queue",
              "Data that waits before links of probes: the longest queue since the sample before",
              {"simulated time", Unit::seconds},
              {"queue", Unit::bytes},
              {}};
  for (const packet::ProbeSeries* series : shown_series(r, false)) {
    ChartLine line{line_label(series->probe), {}};
    in_groups(series->queue.size(), [&](std::size_t first, std::size_t end) {
      std::uint64_t most = 0;
      for (std::size_t i = first; i < end; ++i) most = std::max(most, series->queue[i].longest_bytes);
      line.points.push_back({seconds(series->queue[end - 1].time).si(), static_cast<double>(most)});
    });
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

Chart series_use_chart(const SimulationResult& r) {
  Chart chart{"series-use",
              "Links of probes: share of time in which they were busy",
              {"simulated time", Unit::seconds},
              {"busy", Unit::fraction},
              {}};
  for (const packet::ProbeSeries* series : shown_series(r, false)) {
    ChartLine line{line_label(series->probe), {}};
    in_groups(series->queue.size(), [&](std::size_t first, std::size_t end) {
      Picoseconds busy = 0;
      Picoseconds span = 0;
      for (std::size_t i = first; i < end; ++i) {
        busy += series->queue[i].busy;
        span += series->queue[i].span;
      }
      if (span == 0) return;
      line.points.push_back(
          {seconds(series->queue[end - 1].time).si(), static_cast<double>(busy) / static_cast<double>(span)});
    });
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

Chart series_flow_chart(const SimulationResult& r) {
  Chart chart{"series-flow",
              "Payload of probed flows that has arrived",
              {"simulated time", Unit::seconds},
              {"received", Unit::bytes},
              {}};
  for (const packet::ProbeSeries* series : shown_series(r, true)) {
    ChartLine line{line_label(series->probe), {}};
    in_groups(series->flow.size(), [&](std::size_t, std::size_t end) {
      const packet::FlowSample& s = series->flow[end - 1];
      line.points.push_back({seconds(s.time).si(), static_cast<double>(s.received_bytes)});
    });
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

std::vector<Chart> simulation_charts(const SimulationResult& r) {
  std::vector<Chart> out;
  if (r.counters.finished > 0) out.push_back(completion_chart(r));
  if (size_classes(r).size() > 1) out.push_back(slowdown_chart(r));
  if (r.moments.size() > 1) {
    out.push_back(queue_chart(r));
    out.push_back(throughput_chart(r));
  }
  for (Chart& chart : std::vector<Chart>{series_queue_chart(r), series_use_chart(r), series_flow_chart(r)}) {
    if (!chart.lines.empty()) out.push_back(std::move(chart));
  }
  return out;
}

}  // namespace trainyard
