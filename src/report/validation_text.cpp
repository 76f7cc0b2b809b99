#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "base/quantity_text.h"
#include "report/validation.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr double kGibibyte = 1024.0 * 1024 * 1024;

std::string cut_to(const std::string& text, std::size_t length) {
  return text.size() <= length ? text : text.substr(0, length - 3) + "...";
}

std::string name_of(const SourceErrors& errors) {
  return errors.source.empty() ? "no source" : errors.source;
}

std::size_t name_width(const Validation& validation) {
  std::size_t width = 10;
  for (const ValidatedRun& v : validation.runs) width = std::max(width, v.run.id.size());
  for (const SourceErrors& s : validation.by_source) width = std::max(width, s.source.size());
  return std::min(width, kLongestName);
}

std::string summary_line(const std::string& name, const ErrorSummary& errors, std::size_t width) {
  return fmt::format("{:<{}} {:>5} {:>8.2f}% {:>8.2f}% {:>+8.2f}%  {}\n", cut_to(name, width), width,
                     errors.runs, errors.mean_abs, errors.median_abs, errors.worst,
                     cut_to(errors.worst_id, kLongestName));
}

std::string memory_text(const Validation& validation, std::size_t width) {
  std::string out = fmt::format("\n{:<{}} {:>12} {:>12} {:>9}\n", "peak memory of a device", width,
                                "measured", "predicted", "error");
  for (const ValidatedRun& v : validation.runs) {
    if (!v.memory_measured) continue;
    out += fmt::format("{:<{}} {:>8.2f} GiB {:>8.2f} GiB {:>+8.2f}%\n", cut_to(v.run.id, width), width,
                       v.memory_measured->si() / kGibibyte, v.memory_predicted->si() / kGibibyte,
                       *v.memory_error_pct());
  }
  return out;
}

}  // namespace

std::string validation_text(const Validation& validation) {
  const std::size_t width = name_width(validation);
  std::string out = fmt::format("{:<{}} {:>11} {:>11} {:<8} {:>9}\n", "run", width, "measured", "predicted",
                                "unit", "error");
  for (const ValidatedRun& v : validation.runs) {
    out += fmt::format("{:<{}} {:>11.5g} {:>11.5g} {:<8} {:>+8.2f}%\n", cut_to(v.run.id, width), width,
                       v.measured, v.predicted, file_unit(v.run.metric), v.error_pct());
  }
  if (validation.memory.runs > 0) out += memory_text(validation, width);
  out +=
      fmt::format("\n{:<{}} {:>5} {:>9} {:>9} {:>9}\n", "source", width, "runs", "mean", "median", "worst");
  for (const SourceErrors& s : validation.by_source) out += summary_line(name_of(s), s.errors, width);
  out += summary_line("all", validation.all, width);
  if (validation.memory.runs > 0) out += summary_line("peak memory", validation.memory, width);
  out += fmt::format("\n{:<{}} {:>5} {:>9} {:>9} {:>9}\n", "left out of the fit", width, "runs", "mean",
                     "median", "worst");
  for (const SourceErrors& s : validation.held_out) out += summary_line(s.source, s.errors, width);
  out += summary_line("all", validation.held_out_all, width);
  return out;
}

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
    ChartLine line{.label = cut_to(name_of(s), kLabelLength), .points = {}, .joined = false};
    for (const ValidatedRun& v : validation.runs) {
      if (v.run.source != s.source) continue;
      line.points.push_back({v.measured_step.si(), v.predicted_step.si()});
      low = std::min({low, v.measured_step.si(), v.predicted_step.si()});
      high = std::max({high, v.measured_step.si(), v.predicted_step.si()});
    }
    chart.lines.push_back(std::move(line));
  }
  chart.lines.push_back({.label = "equal", .points = {{low, low}, {high, high}}, .joined = true});
  return chart;
}

}  // namespace trainyard
