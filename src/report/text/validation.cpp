#include "trainyard/report/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/data/show.h"
#include "trainyard/exposed_errors.h"
#include "trainyard/report/plan.h"
#include "trainyard/run_explanation.h"
#include "trainyard/validation.h"
#include "validation/run_columns.h"
#include "validation/run_names.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr double kGibibyte = 1024.0 * 1024 * 1024;

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
  return fmt::format("{:<{}} {:>5} {:>6.4g} {:>8.2f}% {:>8.2f}% {:>8.2f}% {:>+8.2f}%  {}\n",
                     shortened(name, width), width, errors.runs, errors.votes, errors.mean_abs,
                     errors.mean_abs_by_votes, errors.median_abs, errors.worst,
                     shortened(errors.worst_id, kLongestName));
}

std::string summary_head(const std::string& name, std::size_t width) {
  return fmt::format("\n{:<{}} {:>5} {:>6} {:>9} {:>9} {:>9} {:>9}\n", name, width, "runs", "votes", "mean",
                     "by votes", "median", "worst");
}

std::string percent(const std::optional<double>& error, bool counts) {
  if (!error) return "-";
  const std::string text = fmt::format("{:+.2f}%", *error);
  return counts ? text : "(" + text + ")";
}

/// An 80% interval as a plan says it, below a heading of "+-": "8%", or "-8/+20%".
std::string margin(const Interval& interval) {
  const std::string text = margin_text(interval);
  if (text.starts_with(" +-")) return text.substr(3);
  const std::size_t to = text.find(" to ");
  return to == std::string::npos ? "-" : text.substr(1, to - 1) + "/" + text.substr(to + 4);
}

/// A run without a value has no error; one that does not count has its error in parentheses.
std::string run_line(const ValidatedRun& v, std::size_t width) {
  if (!v.refused.empty())
    return fmt::format("{:<{}} refused: {}\n", shortened(v.run.id, width), width, v.refused);
  const std::string measured = v.measured ? fmt::format("{:.5g}", *v.measured) : "-";
  return fmt::format("{:<{}} {:>11} {:>11.5g} {:<8} {:>9} {:>9} {:>8}\n", shortened(v.run.id, width), width,
                     measured, *v.predicted, file_unit(v.run.metric), percent(v.plan_error_pct(), v.counts()),
                     percent(v.step_error_pct(), v.counts()), margin(v.interval));
}

std::string memory_text(const Validation& validation, std::size_t width) {
  std::string out = fmt::format("\n{:<{}} {:>12} {:>12} {:>9} {:>8}\n", "peak memory of a device", width,
                                "measured", "predicted", "error", "+-");
  for (const ValidatedRun& v : validation.runs) {
    if (!v.memory_measured || !v.memory_predicted) continue;
    out += fmt::format("{:<{}} {:>8.2f} GiB {:>8.2f} GiB {:>+8.2f}% {:>8}\n", shortened(v.run.id, width),
                       width, v.memory_measured->si() / kGibibyte, v.memory_predicted->si() / kGibibyte,
                       *v.memory_error_pct(), margin(v.memory_interval));
  }
  return out;
}

/// Plans and steps that are further apart than this are told apart term by term.
constexpr double kFarApart = 0.01;

bool far_apart(const ValidatedRun& v) { return v.step && std::abs(*v.step / *v.plan - 1) > kFarApart; }

/// Signed seconds from the plan to the step, the largest first; together all but a thousandth of the plan.
std::string terms_between(const ValidatedRun& v) {
  constexpr double kLeftUnsaid = 1e-3;
  std::vector<StepEffect> terms = v.effects;
  const auto gap = [](const StepEffect& e) { return e.step - e.plan; };
  std::stable_sort(terms.begin(), terms.end(), [&](const StepEffect& a, const StepEffect& b) {
    return std::abs(gap(a).si()) > std::abs(gap(b).si());
  });
  std::string out;
  Seconds left = *v.step - *v.plan;
  for (const StepEffect& e : terms) {
    if (std::abs(gap(e) / *v.plan) < kLeftUnsaid && std::abs(left / *v.plan) < kLeftUnsaid) break;
    out += fmt::format("{}{} {:+.4g} s", out.empty() ? "" : ", ", e.what, gap(e).si());
    left = left - gap(e);
  }
  return out;
}

std::string far_apart_text(const Validation& validation, std::size_t width) {
  std::string out;
  for (const ValidatedRun& v : validation.runs) {
    if (!far_apart(v)) continue;
    out += fmt::format("{:<{}} {:>+8.2f}%  {}\n", shortened(v.run.id, width), width,
                       (*v.step / *v.plan - 1) * 100, terms_between(v));
  }
  if (out.empty()) return out;
  return fmt::format("\n{:<{}} {:>9}  {}\n", "more than 1% apart", width, "step", "step less plan") + out;
}

std::string fit_text(const ValidatedRun& v) {
  if (!v.fits) return "-";
  if (!*v.fits) return "no room";
  return v.memory_doubt.empty() ? "fits" : "doubtful";
}

/// Of runs that measured nothing a reader wants the prediction itself.
std::string predictions_text(const Validation& validation, std::size_t width) {
  std::string out;
  for (const ValidatedRun& v : validation.runs) {
    if (v.measured || !v.plan) continue;
    const std::string step = v.step ? show(*v.step) : "-";
    const std::string memory = v.memory_predicted ? show(*v.memory_predicted) : "-";
    out +=
        fmt::format("{:<{}} {:>11} {:>11} {:>8} {:>11} {:>8} {}\n", shortened(v.run.id, width), width,
                    show(*v.plan), step, margin(v.interval), memory, margin(v.memory_interval), fit_text(v));
  }
  if (out.empty()) return out;
  return fmt::format("\n{:<{}} {:>11} {:>11} {:>8} {:>11} {:>8}\n", "predicted", width, "plan", "step", "+-",
                     "memory", "+-") +
         out;
}

std::string held_out_text(const Validation& validation, std::size_t width) {
  if (validation.held_out_all.runs == 0)
    return "\nthe constants are your own: errors of runs that they were not fitted to are not known here\n";
  std::string out = summary_head("left out of the fit", width);
  for (const SourceErrors& s : validation.held_out) out += summary_line(name_of(s), s.errors, width);
  return out + summary_line("all", validation.held_out_all, width);
}

/// What a changed run's fullest device needs, and whether it has room.
std::string room_text(const WhatIf& change) {
  const char* doubt = !change.fits ? ", no room" : change.memory_doubt.empty() ? "" : ", doubtful";
  return fmt::format("{:>8}{}", show(change.memory), doubt);
}

}  // namespace

std::string validation_text(const Validation& validation) {
  const std::size_t width = name_width(validation);
  std::string out = fmt::format("{:<{}} {:>11} {:>11} {:<8} {:>9} {:>9} {:>8}\n", "run", width, "measured",
                                "plan", "unit", "plan", "step", "+-");
  for (const ValidatedRun& v : validation.runs) out += run_line(v, width);
  out += predictions_text(validation, width);
  out += far_apart_text(validation, width);
  if (validation.memory.runs > 0) out += memory_text(validation, width);
  if (validation.all.runs == 0) return out;
  out += summary_head("source", width);
  for (const SourceErrors& s : validation.by_source) out += summary_line(name_of(s), s.errors, width);
  out += summary_line("all, by plan", validation.all, width);
  out += summary_line("all, by step", validation.all_step, width);
  if (validation.memory.runs > 0) out += summary_line("peak memory", validation.memory, width);
  out += held_out_text(validation, width);
  if (const auto exposed = exposed_errors(validation)) {
    out += fmt::format(
        "\nerrors of exposed communication over those of the rest: {:.1f} is the likeliest ({:.1f} to "
        "{:.1f})\n",
        exposed->ratio, exposed->low, exposed->high);
  }
  return out;
}

std::string explanation_text(const RunExplanation& e) {
  const auto beside = [&](Seconds time) {
    return e.measured ? fmt::format("{:+.2f}%", (time / *e.measured - 1) * 100) : std::string();
  };
  std::string out = e.run.id + "\n";
  if (e.measured) out += fmt::format("   measured     {:>12}\n", show(*e.measured));
  out += fmt::format("   plan         {:>12} {}\n", show(e.prediction.step), beside(e.prediction.step));
  if (e.prediction.timeline)
    out += fmt::format("   step         {:>12} {}\n", show(*e.prediction.timeline),
                       beside(*e.prediction.timeline));
  out += fmt::format("\n   {:<12} {:>12} {:>12}\n", "made of", "plan", "step");
  for (const StepEffect& term : e.prediction.effects) {
    if (term.plan.si() == 0 && term.step.si() == 0) continue;
    out += fmt::format("   {:<12} {:>12} {:>12}\n", term.what, show(term.plan), show(term.step));
  }
  out +=
      "   compute is the busiest stage's, with output matrix and host; bubble: fill, drain and waits "
      "besides\n";
  if (!e.measured) return out;
  if (e.closer.empty()) return out + "\nno single setting tried comes nearer to the measurement\n";
  out += fmt::format(
      "\nsettings that come nearer to the measurement, each on its own\n   {:<41} {:>8} {:>8} {:>8} of {}\n",
      "", "plan", "error", "memory", show(e.prediction.plan.mapping.device_memory));
  for (const WhatIf& change : e.closer)
    out += fmt::format("   {:<41} {:>8} {:>8} {}\n", change.setting, show(change.plan), beside(change.plan),
                       room_text(change));
  return out;
}

std::string run_columns_text() { return run_columns_markdown() + "\n" + framework_spellings_text(); }

}  // namespace trainyard
