#include "trainyard/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/counted.h"
#include "report/data/show.h"
#include "report/drawing/svg.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "trainyard/provenance.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/validation.h"

namespace trainyard {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

std::string percent(double error) { return fmt::format("{:.2f}%", error); }
std::string signed_percent(const std::optional<double>& error) {
  return error ? fmt::format("{:+.2f}%", *error) : "";
}

/// Of the runs that count, how many measurements lie inside their prediction's interval.
std::string inside_interval(const Validation& validation) {
  int inside = 0;
  int all = 0;
  for (const ValidatedRun& v : validation.runs) {
    if (!v.counts() || !v.measured_step) continue;
    const double ratio = *v.measured_step / *v.plan;
    inside += ratio >= v.interval.low && ratio <= v.interval.high ? 1 : 0;
    ++all;
  }
  return fmt::format("{} of {}", inside, all);
}

PageFacts validation_cards(const Validation& v) {
  PageFacts out = {{"runs that count", grouped(v.all.runs)}};
  if (v.all.runs == 0) return out;
  out.insert(out.end(), {{"mean error, plan", percent(v.all.mean_abs)},
                         {"mean error, step", percent(v.all_step.mean_abs)},
                         {"median error, plan", percent(v.all.median_abs)},
                         {"worst, plan", signed_percent(v.all.worst)},
                         {"measured inside the 80% interval", inside_interval(v)}});
  if (v.held_out_all.runs > 0)
    out.emplace_back("mean error, source left out of the fit", percent(v.held_out_all.mean_abs));
  if (v.memory.runs > 0) out.emplace_back("mean error, peak memory", percent(v.memory.mean_abs));
  return out;
}

std::string errors_table(const std::vector<SourceErrors>& sources, const ErrorSummary& all) {
  PageTable table{{"source"},
                  number_column("runs"),
                  number_column("votes"),
                  number_column("mean"),
                  number_column("by votes"),
                  number_column("median"),
                  number_column("worst"),
                  {"the worst run"}};
  const auto add = [&](const std::string& name, const ErrorSummary& e) {
    table.row({name, grouped(e.runs), fmt::format("{:.4g}", e.votes), percent(e.mean_abs),
               percent(e.mean_abs_by_votes), percent(e.median_abs), signed_percent(e.worst), e.worst_id});
  };
  for (const SourceErrors& s : sources) add(s.source.empty() ? "no source" : s.source, s.errors);
  add("all", all);
  return table.html();
}

/// The error as a mark on a track whose middle is no error, with the interval as a band.
std::string error_track(double error, const Interval& interval) {
  constexpr double kEnd = 0.25;  // error at the ends of the track
  const auto place = [](double e) { return 50 + 50 * std::clamp(e / kEnd, -1.0, 1.0); };
  const double low = place(error + (1 + error) * (interval.low - 1));
  const double high = place(error + (1 + error) * (interval.high - 1));
  return fmt::format(
      "<span class=\"error-track\"><i style=\"left:{:.1f}%;width:{:.1f}%\"></i><b "
      "style=\"left:calc({:.1f}% - 1px)\"></b></span>",
      low, high - low, place(error));
}

std::string source_of(const MeasuredRun& run) { return run.source.empty() ? "no source" : run.source; }

std::string all_runs_table(const Validation& validation) {
  PageTable table{{"run"},
                  number_column("devices"),
                  number_column("measured"),
                  number_column("predicted"),
                  number_column("error, plan"),
                  number_column("error, step"),
                  {"error of the step time and its interval", PageColumn::Kind::markup},
                  {"source"},
                  {"note"}};
  for (const ValidatedRun& v : validation.runs) {
    if (!v.refused.empty()) continue;
    const std::string unit(file_unit(v.run.metric));
    const auto error = v.plan_error_pct();
    table.row(
        {v.run.id, grouped(v.run.devices), v.measured ? fmt::format("{:.5g} {}", *v.measured, unit) : "",
         fmt::format("{:.5g} {}", *v.predicted, unit), signed_percent(error),
         signed_percent(v.step_error_pct()), error ? error_track(*error / 100, v.interval) : "",
         source_of(v.run),
         v.run.left_out.empty() ? (v.measured ? "" : "predicted only") : "left out: " + v.run.left_out});
  }
  return table.html(TableUse::filtered);
}

std::string refused_runs(const Validation& validation) {
  std::string out;
  for (const ValidatedRun& v : validation.runs) {
    if (!v.refused.empty()) out += "<li>" + escape_markup(v.run.id + ": " + v.refused) + "</li>\n";
  }
  return out.empty() ? out : "<h3>Refused</h3><ul>" + out + "</ul>\n";
}

std::string memory_section(const Validation& validation) {
  if (validation.memory.runs == 0) return {};
  PageTable table{{"run"},
                  number_column("measured, GiB"),
                  number_column("predicted, GiB"),
                  number_column("error"),
                  {"error and its interval", PageColumn::Kind::markup}};
  for (const ValidatedRun& v : validation.runs) {
    const auto error = v.memory_error_pct();
    if (!error) continue;
    table.row({v.run.id, fmt::format("{:.2f}", v.memory_measured->si() / kGibibyte),
               fmt::format("{:.2f}", v.memory_predicted->si() / kGibibyte), signed_percent(error),
               error_track(*error / 100, v.memory_interval)});
  }
  return "<section id=\"memory\"><h2>Peak memory of a device</h2>" + table.html(TableUse::filtered) +
         "</section>\n";
}

}  // namespace

std::string validation_page(const Validation& validation, const Provenance& provenance) {
  const std::string held_out = validation.held_out.empty()
                                   ? ""
                                   : "<h3>Each source by constants that were fitted without it</h3>" +
                                         errors_table(validation.held_out, validation.held_out_all);
  return page(
      "validation",
      {.kind = "validate",
       .title = "Measured training runs beside their predictions",
       .subject = fmt::format("{} of {} sources", counted(validation.runs.size(), "run"),
                              validation.by_source.size()),
       .cards = validation_cards(validation),
       .footer = escape_markup(fmt::format("Trainyard {}, catalog {}. Charts: Chart.js (MIT licence).",
                                           provenance.program_version, provenance.catalog_version))},
      {{"sources", errors_table(validation.by_source, validation.all)},
       {"held_out", held_out},
       {"runs", all_runs_table(validation)},
       {"refused", refused_runs(validation)},
       {"memory", memory_section(validation)}},
      validation_charts(validation));
}

}  // namespace trainyard
