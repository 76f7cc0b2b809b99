#include "report/drawing/step_charts.h"

#include <algorithm>

#include "report/data/step_words.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

/// The most memory of each of some hundred spans of time.
ChartLine memory_line(const StepSimulation& step, const StageTimeline& s) {
  constexpr std::size_t kSpans = 300;
  ChartLine line{"stage " + stage_label(step, s), {}};
  const double span = step.timeline.total.si() / kSpans;
  double now = s.states.si();
  std::size_t next = 0;
  for (std::size_t i = 0; i < kSpans; ++i) {
    double most = now;
    for (; next < s.memory.size() && s.memory[next].time.si() < static_cast<double>(i + 1) * span; ++next) {
      now = s.memory[next].bytes.si();
      most = std::max(most, now);
    }
    line.points.push_back({static_cast<double>(i) * span, most});
  }
  return line;
}

}  // namespace

Chart memory_chart(const StepSimulation& step) {
  constexpr std::size_t kMostLines = 5;
  Chart chart{"memory",
              "Memory of a device over the step",
              {"time", Unit::seconds, false},
              {"memory", Unit::bytes, false},
              {}};
  for (const std::size_t i : evenly_chosen(step.timeline.stages.size(), kMostLines))
    chart.lines.push_back(memory_line(step, step.timeline.stages[i]));
  return chart;
}

Chart busy_chart(const StepTimeline& t) {
  Chart chart{"busy",
              "Utilization over the step, of all devices",
              {"time", Unit::seconds, false},
              {"in use", Unit::fraction, false},
              {}};
  const double span = t.total.si() / static_cast<double>(t.busy_in_time.size());
  for (std::size_t kind = 0; kind < named_shares(t.busy).size(); ++kind) {
    const auto [name, mean] = named_shares(t.busy)[kind];
    if (mean <= 0) continue;
    ChartLine line{name, {}};
    for (std::size_t i = 0; i < t.busy_in_time.size(); ++i)
      line.points.push_back({static_cast<double>(i) * span, named_shares(t.busy_in_time[i])[kind].second});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

}  // namespace trainyard
