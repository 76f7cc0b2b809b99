#include <algorithm>
#include <limits>
#include <utility>

#include "report/data/show.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/validation.h"
#include "trainyard/validation.h"

namespace trainyard {

Chart validation_chart(const Validation& validation) {
  constexpr std::size_t kLabelLength = 24;
  Chart chart{.name = "validation",
              .title = "Step times of measured runs",
              .x = {.label = "measured", .unit = Unit::seconds, .log = true},
              .y = {.label = "predicted", .unit = Unit::seconds, .log = true},
              .lines = {}};
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const SourceErrors& s : validation.by_source) {
    ChartLine line{.label = shortened(s.source.empty() ? "no source" : s.source, kLabelLength),
                   .points = {},
                   .joined = false};
    for (const ValidatedRun& v : validation.runs) {
      if (v.run.source != s.source || !v.counts()) continue;
      const double measured = v.measured_step->si();
      const double predicted = v.plan->si();
      line.points.push_back({.x = measured,
                             .y = predicted,
                             .bar = ErrorBar{predicted * v.interval.low, predicted * v.interval.high},
                             .label = v.run.id});
      low = std::min({low, measured, predicted});
      high = std::max({high, measured, predicted});
    }
    chart.lines.push_back(std::move(line));
  }
  if (!chart.lines.empty())
    chart.lines.push_back({.label = "equal", .points = {{low, low}, {high, high}}, .joined = true});
  return chart;
}

namespace {

ChartLine line_of_source(const SourceErrors& s) {
  constexpr std::size_t kLabelLength = 24;
  return {.label = shortened(s.source.empty() ? "no source" : s.source, kLabelLength),
          .points = {},
          .joined = false};
}

/// Errors over the number of devices: whether large clusters are predicted as well as small ones.
Chart errors_by_size(const Validation& validation) {
  Chart chart{.name = "errors",
              .title = "Errors of predicted step times, by size of the cluster",
              .x = {.label = "devices", .unit = Unit::number, .log = true},
              .y = {.label = "predicted over measured, less one", .unit = Unit::fraction, .log = false},
              .lines = {}};
  for (const SourceErrors& s : validation.by_source) {
    ChartLine line = line_of_source(s);
    for (const ValidatedRun& v : validation.runs) {
      const auto error = v.plan_error_pct();
      if (v.run.source != s.source || !v.counts() || !error) continue;
      const double ratio = 1 + *error / 100;
      line.points.push_back({.x = static_cast<double>(v.run.devices),
                             .y = *error / 100,
                             .bar = ErrorBar{ratio * v.interval.low - 1, ratio * v.interval.high - 1},
                             .label = v.run.id});
    }
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

Chart memory_chart(const Validation& validation) {
  Chart chart{.name = "memory",
              .title = "Peak memory of a device",
              .x = {.label = "measured", .unit = Unit::bytes, .log = false},
              .y = {.label = "predicted", .unit = Unit::bytes, .log = false},
              .lines = {}};
  ChartLine line{.label = "runs", .points = {}, .joined = false};
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const ValidatedRun& v : validation.runs) {
    if (!v.memory_measured || !v.memory_predicted) continue;
    const double measured = v.memory_measured->si();
    const double predicted = v.memory_predicted->si();
    line.points.push_back(
        {.x = measured,
         .y = predicted,
         .bar = ErrorBar{predicted * v.memory_interval.low, predicted * v.memory_interval.high},
         .label = v.run.id});
    low = std::min(low, measured);
    high = std::max(high, measured);
  }
  if (line.points.empty()) return chart;
  chart.lines = {std::move(line), {.label = "equal", .points = {{low, low}, {high, high}}, .joined = true}};
  return chart;
}

}  // namespace

std::vector<Chart> validation_charts(const Validation& validation) {
  if (validation.all.runs == 0) return {};
  std::vector<Chart> out = {validation_chart(validation), errors_by_size(validation)};
  if (Chart memory = memory_chart(validation); !memory.lines.empty()) out.push_back(std::move(memory));
  return out;
}

}  // namespace trainyard
